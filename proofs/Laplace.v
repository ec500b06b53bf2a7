(** Step 3, the ideal law: real Laplace noise on cells that do not depend on the input loses |g - g'|/lambda.

    [Exact] shows that [Q0] is the law of g plus a real Laplace number. *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

Section Laplace.
Variable lam : R.
Hypothesis Hlam : 0 < lam.

(** The probability that g plus real Laplace noise of scale lam is at least a. *)
Definition Q0 (a g : R) : R :=
  if Rle_lt_dec g a then / 2 * exp (- ((a - g) / lam)) else 1 - / 2 * exp (- ((g - a) / lam)).

Lemma Q0_left : forall a g, g <= a -> Q0 a g = / 2 * exp (- ((a - g) / lam)).
Proof. intros a g H. unfold Q0. destruct Rle_lt_dec; [reflexivity|lra]. Qed.

Lemma Q0_right : forall a g, a <= g -> Q0 a g = 1 - / 2 * exp (- ((g - a) / lam)).
Proof.
  intros a g H. unfold Q0. destruct Rle_lt_dec; [|reflexivity].
  replace g with a by lra. replace ((a - a) / lam) with 0 by (field; lra).
  rewrite Ropp_0, exp_0. lra.
Qed.

Notation X a := (exp (a / lam)).

Lemma Xpos : forall a, 0 < X a. Proof. intros; apply exp_pos. Qed.

Lemma X_le : forall a b, a <= b -> X a <= X b.
Proof.
  intros a b [H|H]; [left|right; now rewrite H].
  apply exp_increasing. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|exact H].
Qed.

Lemma Q0_left' : forall a g, g <= a -> Q0 a g = / 2 * (X g / X a).
Proof.
  intros a g H. rewrite Q0_left by exact H. f_equal. unfold Rdiv at 2.
  rewrite <- exp_Ropp, <- exp_plus. f_equal. field; lra.
Qed.

Lemma Q0_right' : forall a g, a <= g -> Q0 a g = 1 - / 2 * (X a / X g).
Proof.
  intros a g H. rewrite Q0_right by exact H. do 2 f_equal. unfold Rdiv at 2.
  rewrite <- exp_Ropp, <- exp_plus. f_equal. field; lra.
Qed.

Definition k g g' := exp (Rabs (g - g') / lam).

Lemma k_ge : forall g g', X g <= k g g' * X g' /\ X g' <= k g g' * X g.
Proof.
  intros g g'. unfold k. split; rewrite <- exp_plus, <- Rdiv_plus_distr; apply X_le;
  [assert (H := Rle_abs (g - g'))|assert (H := Rle_abs (- (g - g'))); rewrite Rabs_Ropp in H]; lra.
Qed.

Lemma k_pos : forall g g', 0 < k g g'. Proof. intros; apply exp_pos. Qed.

(** The cell between the edges a and c. *)
Definition cell a c g := Q0 a g - Q0 c g.

(** A cell that holds neither input in its inner part: four places of the two inputs, each an inequality between
    products of exponentials. *)
Lemma piece : forall a c g g', a <= c -> (g <= a \/ c <= g) -> (g' <= a \/ c <= g') ->
  cell a c g <= k g g' * cell a c g'.
Proof.
  intros a c g g' Hac Hg Hg'.
  destruct (k_ge g g') as [K1 K2]. assert (K0 := k_pos g g'). revert K0 K1 K2. generalize (k g g'). intros K K0 K1 K2.
  assert (A := Xpos a). assert (C := Xpos c). assert (G := Xpos g). assert (G' := Xpos g').
  assert (AC := X_le a c Hac).
  unfold cell.
  destruct Hg as [Hg|Hg], Hg' as [Hg'|Hg'].
  - rewrite !Q0_left' by lra.
    assert (GA := X_le _ _ Hg).
    set (x := X g) in *; set (x' := X g') in *; set (y := X a) in *; set (z := X c) in *.
    replace (/ 2 * (x / y) - / 2 * (x / z)) with (x * ((z - y) / (2 * y * z))) by (field; lra).
    replace (K * (/ 2 * (x' / y) - / 2 * (x' / z))) with (K * x' * ((z - y) / (2 * y * z))) by (field; lra).
    apply Rmult_le_compat_r; [|exact K1].
    apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat. nra.
  - rewrite !(Q0_left' _ g) by lra. rewrite !(Q0_right' _ g') by lra.
    assert (GA := X_le _ _ Hg). assert (GC := X_le _ _ Hg').
    set (x := X g) in *; set (x' := X g') in *; set (y := X a) in *; set (z := X c) in *.
    replace (/ 2 * (x / y) - / 2 * (x / z)) with ((z - y) / (2 * y * z * x') * (x * x')) by (field; lra).
    replace (K * (1 - / 2 * (y / x') - (1 - / 2 * (z / x')))) with ((z - y) / (2 * y * z * x') * (K * (y * z))) by (field; lra).
    apply Rmult_le_compat_l.
    { apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat.
      apply Rmult_lt_0_compat; [|exact G']. nra. }
    apply Rle_trans with (x * (K * x)). apply Rmult_le_compat_l; lra.
    replace (x * (K * x)) with (K * (x * x)) by ring.
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat; lra.
  - rewrite !(Q0_right' _ g) by lra. rewrite !(Q0_left' _ g') by lra.
    assert (GA := X_le _ _ Hg'). assert (GC := X_le _ _ Hg).
    set (x := X g) in *; set (x' := X g') in *; set (y := X a) in *; set (z := X c) in *.
    replace (1 - / 2 * (y / x) - (1 - / 2 * (z / x))) with ((z - y) / (2 * y * z * x) * (y * z)) by (field; lra).
    replace (K * (/ 2 * (x' / y) - / 2 * (x' / z))) with ((z - y) / (2 * y * z * x) * (x * (K * x'))) by (field; lra).
    apply Rmult_le_compat_l.
    { apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat.
      apply Rmult_lt_0_compat; [|exact G]. nra. }
    apply Rle_trans with (x * x). apply Rmult_le_compat; lra.
    apply Rmult_le_compat_l; lra.
  - rewrite !Q0_right' by lra.
    set (x := X g) in *; set (x' := X g') in *; set (y := X a) in *; set (z := X c) in *.
    replace (1 - / 2 * (y / x) - (1 - / 2 * (z / x))) with ((z - y) / (2 * x * x') * x') by (field; lra).
    replace (K * (1 - / 2 * (y / x') - (1 - / 2 * (z / x')))) with ((z - y) / (2 * x * x') * (K * x)) by (field; lra).
    apply Rmult_le_compat_l; [|exact K2].
    apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat. nra.
Qed.

Lemma split : forall a m c g g', cell a m g <= k g g' * cell a m g' -> cell m c g <= k g g' * cell m c g' ->
  cell a c g <= k g g' * cell a c g'.
Proof.
  intros a m c g g' H1 H2.
  replace (cell a c g) with (cell a m g + cell m c g) by (unfold cell; ring).
  replace (cell a c g') with (cell a m g' + cell m c g') by (unfold cell; ring).
  rewrite Rmult_plus_distr_l. lra.
Qed.

(** Any cell is cut at the two inputs into such pieces. *)
Theorem cell_ratio : forall a c g g', a <= c -> cell a c g <= k g g' * cell a c g'.
Proof.
  assert (L2 : forall a c g g', a <= c -> (g <= a \/ c <= g) -> cell a c g <= k g g' * cell a c g').
  { intros a c g g' Hac Hg. destruct (Rle_lt_dec g' a); [apply piece; lra|].
    destruct (Rle_lt_dec c g'); [apply piece; lra|].
    apply split with g'; apply piece; lra. }
  intros a c g g' Hac. destruct (Rle_lt_dec g a); [apply L2; lra|].
  destruct (Rle_lt_dec c g); [apply L2; lra|].
  apply split with g; apply L2; lra.
Qed.

Theorem tail_ratio : forall a g g', Q0 a g <= k g g' * Q0 a g'.
Proof.
  intros a g g'. set (m := Rmax a (Rmax g g')).
  assert (Ha : a <= m) by apply Rmax_l.
  assert (Hg : g <= m) by (apply Rle_trans with (Rmax g g'); [apply Rmax_l|apply Rmax_r]).
  assert (Hg' : g' <= m) by (apply Rle_trans with (Rmax g g'); [apply Rmax_r|apply Rmax_r]).
  assert (H := cell_ratio a m g g' Ha). unfold cell in H.
  assert (Q0 m g <= k g g' * Q0 m g').
  { rewrite !Q0_left' by assumption. destruct (k_ge g g') as [K _]. assert (M := Xpos m).
    replace (k g g' * (/ 2 * (X g' / X m))) with (/ 2 * (k g g' * X g' / X m)) by (field; lra).
    apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact K]. }
  rewrite Rmult_minus_distr_l in H. lra.
Qed.

Theorem tail_ratio' : forall a g g', 1 - Q0 a g <= k g g' * (1 - Q0 a g').
Proof.
  intros a g g'. set (m := Rmin a (Rmin g g')).
  assert (Ha : m <= a) by apply Rmin_l.
  assert (Hg : m <= g) by (apply Rle_trans with (Rmin g g'); [apply Rmin_r|apply Rmin_l]).
  assert (Hg' : m <= g') by (apply Rle_trans with (Rmin g g'); [apply Rmin_r|apply Rmin_r]).
  assert (H := cell_ratio m a g g' Ha). unfold cell in H.
  assert (1 - Q0 m g <= k g g' * (1 - Q0 m g')).
  { rewrite !Q0_right' by assumption. destruct (k_ge g g') as [_ K]. assert (M := Xpos m).
    assert (G := Xpos g). assert (G' := Xpos g').
    replace (1 - (1 - / 2 * (X m / X g))) with (X m / (2 * X g * X g') * X g') by (field; lra).
    replace (k g g' * (1 - (1 - / 2 * (X m / X g')))) with (X m / (2 * X g * X g') * (k g g' * X g)) by (field; lra).
    apply Rmult_le_compat_l; [|exact K]. apply Rmult_le_pos; [lra|].
    left; apply Rinv_0_lt_compat. nra. }
  rewrite Rmult_minus_distr_l in H. rewrite Rmult_minus_distr_l, Rmult_1_r in *. lra.
Qed.

End Laplace.
