(** Laplace noise to zCDP: real Laplace noise at distance eps, and the exact mechanism, which rounds it, are (eps + e^-eps - 1)-zCDP.

    The moment of order alpha of the two laws is e^(-eps/2) F(alpha - 1/2), F(s) = cosh(s eps) + sinh(s eps)/(2 s). Plan: ln F is concave in s^2, and
    its slope at s = 1/2 is eps + e^-eps - 1 ([moment_bound]). Rounding does not raise the moment: r^alpha lies above its tangents ([cell_moment]). *)
From Coq Require Import Reals ZArith List Lra Psatz Bool Sorting.Sorted.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Probability Noise Laplace Compare Snapping Events Exact Casts BoundedRange.
Import ListNotations.
Open Scope R_scope.

(** ** The moment *)

(** Three functions that are not negative, each the derivative of a part of the next. *)
Lemma sinh_ge : forall y, 0 <= y -> y <= sinh y.
Proof.
  intros y Hy. set (f := fun z => sinh z - z). assert (G : f 0 <= f y).
  { apply (grows f (fun z => cosh z - 1)); [exact Hy| |].
    - intros z _. unfold f, sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. unfold cosh. assert (A := exp_pos z). assert (E : exp z * exp (- z) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
      assert (0 <= (exp z - 1) * (exp z - 1)) by apply Rle_0_sqr. nra. }
  unfold f in G. rewrite sinh_0 in G. lra.
Qed.

Lemma third : forall y, 0 <= y -> 0 <= y * cosh y - sinh y.
Proof.
  intros y Hy. set (f := fun z => z * cosh z - sinh z). assert (G : f 0 <= f y).
  { apply (grows f (fun z => z * sinh z)); [exact Hy| |].
    - intros z _. unfold f, sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. apply Rmult_le_pos; [lra|apply sinh_nonneg; lra]. }
  unfold f in G. rewrite sinh_0 in G. lra.
Qed.

Lemma second : forall y, 0 <= y -> 0 <= 2 * y + y * cosh y - 3 * sinh y.
Proof.
  intros y Hy. set (f' := fun z => 2 + z * sinh z - 2 * cosh z). assert (F' : forall z, 0 <= z -> 0 <= f' z).
  { intros z Hz. assert (G : f' 0 <= f' z).
    { apply (grows f' (fun z => z * cosh z - sinh z)); [exact Hz| |].
      - intros t _. unfold f', sinh, cosh. auto_derive; [exact I|]. field.
      - intros t Ht. apply third. lra. }
    unfold f' in G at 1. rewrite cosh_0 in G. lra. }
  set (f := fun z => 2 * z + z * cosh z - 3 * sinh z). assert (G : f 0 <= f y).
  { apply (grows f f'); [exact Hy| |].
    - intros z _. unfold f, f', sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. apply F'. lra. }
  unfold f in G. rewrite sinh_0 in G. lra.
Qed.

Lemma first : forall y, 0 <= y -> 0 <= y * y + y * sinh y - 4 * cosh y + 4.
Proof.
  intros y Hy. set (f := fun z => z * z + z * sinh z - 4 * cosh z + 4). assert (G : f 0 <= f y).
  { apply (grows f (fun z => 2 * z + z * cosh z - 3 * sinh z)); [exact Hy| |].
    - intros z _. unfold f, sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. apply second. lra. }
  unfold f in G. rewrite cosh_0 in G. lra.
Qed.

Section Moment.
Variable e : R.
Hypothesis He : 0 < e.

Let F s := cosh (s * e) + sinh (s * e) / (2 * s).
Let F' s := e * sinh (s * e) + (e * cosh (s * e) - sinh (s * e) / s) / (2 * s).
(** The slope of ln F in s^2, and minus its derivative. *)
Let G s := F' s / (2 * s * F s).
Let fall s := let y := 2 * (s * e) in let x := s * e in
  e * e * e * e * s / 2 * ((sinh y - y) / (2 * (x * x * x)) + e / 2 * ((2 * y + y * cosh y - 3 * sinh y) / (2 * (x * x * x * x * x)))
    + e * e / 4 * ((y * y + y * sinh y - 4 * cosh y + 4) / (4 * (x * x * x * x * x * x)))) / (F s * F s).

Lemma F_pos : forall s, 0 < s -> 0 < F s.
Proof.
  intros s Hs. unfold F. assert (C := cosh_pos (s * e)). assert (S := sinh_nonneg (s * e) ltac:(nra)).
  assert (0 <= sinh (s * e) / (2 * s)) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]). lra.
Qed.

Lemma F_derive : forall s, 0 < s -> is_derive F s (F' s).
Proof. intros s Hs. unfold F, F', sinh, cosh. auto_derive; [lra|]. field. lra. Qed.

Lemma fall_nonneg : forall s, 0 < s -> 0 <= fall s.
Proof.
  intros s Hs. assert (P := F_pos s Hs). assert (X : 0 < s * e) by nra. unfold fall. cbv zeta.
  set (x := s * e) in *. clearbody x. assert (A0 := sinh_ge (2 * x) ltac:(lra)). assert (A1 := second (2 * x) ltac:(lra)). assert (A2 := first (2 * x) ltac:(lra)).
  assert (D : forall a b, 0 <= a -> 0 < b -> 0 <= a / b) by (intros; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  assert (X3 : 0 < x * x * x) by (repeat apply Rmult_lt_0_compat; exact X).
  assert (X5 : 0 < x * x * x * x * x) by (repeat apply Rmult_lt_0_compat; exact X).
  assert (X6 : 0 < x * x * x * x * x * x) by (repeat apply Rmult_lt_0_compat; exact X).
  apply D; [|now apply Rmult_lt_0_compat]. apply Rmult_le_pos.
  - apply D; [|lra]. repeat apply Rmult_le_pos; lra.
  - apply Rplus_le_le_0_compat; [apply Rplus_le_le_0_compat|].
    + apply D; lra.
    + apply Rmult_le_pos; [lra|apply D; lra].
    + apply Rmult_le_pos; [apply D; nra|apply D; lra].
Qed.

Lemma G_derive : forall s, 0 < s -> is_derive (fun s => - G s) s (fall s).
Proof.
  intros s Hs. assert (P := F_pos s Hs). unfold G, fall, F', F, sinh, cosh in *. cbv zeta.
  replace (exp (2 * (s * e))) with (exp (s * e) * exp (s * e)) by (rewrite <- exp_plus; f_equal; ring).
  replace (exp (- (2 * (s * e)))) with (exp (- (s * e)) * exp (- (s * e))) by (rewrite <- exp_plus; f_equal; ring).
  rewrite exp_Ropp in P. assert (Q := exp_pos (s * e)).
  auto_derive.
  - rewrite exp_Ropp. repeat split; try lra; nra.
  - rewrite exp_Ropp. set (E := exp (s * e)) in *. field. repeat split; try lra.
    replace ((E * E + 1) * (2 * s) + (E * E - 1)) with (4 * s * E * ((E + / E) / 2 + (E - / E) / 2 / (2 * s))) by (field; lra).
    apply Rgt_not_eq. repeat apply Rmult_lt_0_compat; lra.
Qed.

Lemma F_half : F (/ 2) = exp (e / 2).
Proof. unfold F, sinh, cosh. replace (/ 2 * e) with (e / 2) by field. field. Qed.

Lemma G_half : G (/ 2) = e + exp (- e) - 1.
Proof.
  unfold G. rewrite F_half. unfold F', sinh, cosh. replace (/ 2 * e) with (e / 2) by field.
  replace (exp (- e)) with (exp (- (e / 2)) * exp (- (e / 2))) by (rewrite <- exp_plus; f_equal; field).
  rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos.
Qed.

Lemma moment_bound : forall s, / 2 <= s -> F s <= exp (e / 2) * exp ((s * s - / 4) * (e + exp (- e) - 1)).
Proof.
  intros s Hs. set (rho := e + exp (- e) - 1).
  set (f := fun z => (z * z - / 4) * rho - ln (F z)).
  assert (D : forall z, / 2 <= z -> G z <= rho).
  { intros z Hz. unfold rho. rewrite <- G_half. apply Ropp_le_cancel.
    apply (grows (fun z => - G z) fall); [exact Hz|intros; apply G_derive; lra|intros; apply fall_nonneg; lra]. }
  assert (M : f (/ 2) <= f s).
  { apply (grows f (fun z => 2 * z * (rho - G z))); [exact Hs| |].
    - intros z Hz. assert (P := F_pos z ltac:(lra)). unfold f.
      replace (2 * z * (rho - G z)) with (2 * z * rho - F' z / F z) by (unfold G; field; lra).
      apply (is_derive_minus (fun z => (z * z - / 4) * rho) (fun z => ln (F z)) z (2 * z * rho) (F' z / F z)).
      + auto_derive; [exact I|ring].
      + replace (F' z / F z) with (F' z * / F z) by reflexivity.
        apply (is_derive_comp ln F z (/ F z) (F' z)); [|apply F_derive; lra].
        apply is_derive_Reals. now apply derivable_pt_lim_ln.
    - intros z Hz. specialize (D z ltac:(lra)). apply Rmult_le_pos; lra. }
  unfold f in M. rewrite F_half, ln_exp in M. replace (/ 2 * / 2 - / 4) with 0 in M by field.
  assert (P := F_pos s ltac:(lra)). rewrite <- (exp_ln (F s)) by exact P. rewrite <- exp_plus. apply exp_le'. lra.
Qed.

(** The moment of order alpha of two Laplace laws of scale 1 at distance e. *)
Definition laplace_moment alpha := (alpha * exp ((alpha - 1) * e) + (alpha - 1) * exp (- (alpha * e))) / (2 * alpha - 1).

Theorem laplace_moment_bound : forall alpha, 1 < alpha -> laplace_moment alpha <= exp (alpha * (alpha - 1) * (e + exp (- e) - 1)).
Proof.
  intros alpha Ha. assert (B := moment_bound (alpha - / 2) ltac:(lra)). set (s := alpha - / 2) in *.
  assert (M : laplace_moment alpha = exp (- (e / 2)) * F s).
  { unfold laplace_moment, F, sinh, cosh.
    replace ((alpha - 1) * e) with (- (e / 2) + s * e) by (unfold s; field).
    replace (- (alpha * e)) with (- (e / 2) + - (s * e)) by (unfold s; field).
    rewrite !exp_plus. replace alpha with (s + / 2) by (unfold s; ring). field. unfold s. lra. }
  rewrite M. replace (alpha * (alpha - 1)) with (s * s - / 4) by (unfold s; field).
  apply Rmult_le_compat_l with (r := exp (- (e / 2))) in B; [|left; apply exp_pos].
  rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0, Rmult_1_l in B. exact B.
Qed.
End Moment.

(** ** Rounding does not raise the moment *)

(** r^alpha lies above its tangent at T. *)
Lemma tangent : forall alpha T t, 1 < alpha -> 0 < T -> 0 < t ->
  alpha * Rpower T (alpha - 1) * t - (alpha - 1) * Rpower T alpha <= Rpower t alpha.
Proof.
  intros alpha T t Ha HT Ht. assert (B := bernoulli (t / T) alpha ltac:(now apply Rdiv_lt_0_compat) Ha).
  assert (P : 0 < Rpower T alpha) by apply exp_pos.
  assert (E1 : Rpower T alpha = T * Rpower T (alpha - 1)).
  { rewrite <- (Rpower_1 T) at 2 by exact HT. rewrite <- Rpower_plus. f_equal. ring. }
  assert (E2 : Rpower t alpha = Rpower T alpha * Rpower (t / T) alpha).
  { rewrite Rpower_mult_distr by (try apply Rdiv_lt_0_compat; lra). f_equal. field. lra. }
  rewrite E2. apply Rle_trans with (Rpower T alpha * (1 + alpha * (t / T - 1))).
  - rewrite E1. right. field. lra.
  - apply Rmult_le_compat_l; lra.
Qed.

(** The probability that standard Laplace noise is at least z; nothing is beyond infinity. *)
Definition tail (z : R) : R := Q0 1 z 0.
Definition tail_from (d : R) (z : Rbar) : R :=
  match z with Finite z => tail (z - d) | p_infty => 0 | m_infty => 1 end.

Lemma tail_above : forall z, 0 <= z -> tail z = / 2 * exp (- z).
Proof. intros z H. unfold tail. rewrite Q0_left by exact H. do 3 f_equal. field. Qed.

Lemma tail_below : forall z, z <= 0 -> tail z = 1 - / 2 * exp z.
Proof. intros z H. unfold tail. rewrite Q0_right by lra. do 3 f_equal. field. Qed.

Lemma tail_opp : forall z, tail (- z) = 1 - tail z.
Proof.
  intros z. destruct (Rle_lt_dec 0 z) as [H|H].
  - rewrite (tail_below (- z)), (tail_above z) by lra. ring.
  - rewrite (tail_above (- z)), (tail_below z) by lra. rewrite Ropp_involutive. ring.
Qed.

Lemma tail_range : forall z, 0 < tail z < 1.
Proof.
  intros z. destruct (Rle_lt_dec 0 z) as [H|H].
  - rewrite tail_above by lra. assert (A := exp_pos (- z)). assert (B := exp_neg z H). lra.
  - rewrite tail_below by lra. assert (A := exp_pos z). assert (B := exp_neg (- z) ltac:(lra)). rewrite Ropp_involutive in B. lra.
Qed.

Lemma tail_falls : forall z z', z < z' -> tail z' < tail z.
Proof.
  intros z z' H. destruct (Rle_lt_dec 0 z) as [h|h]; [|destruct (Rle_lt_dec 0 z') as [h'|h']].
  - rewrite !tail_above by lra. assert (exp (- z') < exp (- z)) by (apply exp_increasing; lra). lra.
  - rewrite tail_above, tail_below by lra. assert (exp z < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in *.
    assert (B := exp_neg z' h'). lra.
  - rewrite !tail_below by lra. assert (exp z < exp z') by (apply exp_increasing; lra). lra.
Qed.

Lemma tail_from_falls : forall d a c, Rbar_lt a c -> tail_from d c < tail_from d a.
Proof.
  intros d [a| |] [c| |]; simpl; try tauto; intros H; try lra.
  - apply tail_falls. lra.
  - apply tail_range.
  - apply tail_range.
Qed.

Section Cells.
Variable alpha : R.
Hypothesis Ha : 1 < alpha.

(** m z is the moment of what lies beyond z: of no cell is it less than what its tangents say. *)
Definition moment_of (d : R) (m : Rbar -> R) : Prop := m p_infty = 0 /\ m m_infty = laplace_moment (Rabs d) alpha /\
  forall a c, Rbar_le a c -> forall T, 0 < T ->
  alpha * Rpower T (alpha - 1) * (tail_from 0 a - tail_from 0 c) - (alpha - 1) * Rpower T alpha * (tail_from d a - tail_from d c) <= m a - m c.

Section Right.
Variable d : R.
Hypothesis Hd : 0 <= d.
Notation tot := (laplace_moment d alpha).

Let m z := if Rle_lt_dec z 0 then tot - / 2 * exp ((alpha - 1) * d + z)
  else if Rle_lt_dec z d then / 2 * exp (- (alpha * d))
    + / 2 * (exp ((alpha - 1) * d - (2 * alpha - 1) * z) - exp (- (alpha * d))) / (2 * alpha - 1)
  else / 2 * exp (- (alpha * d) - (z - d)).

Lemma m_left : forall z, z <= 0 -> m z = tot - / 2 * exp ((alpha - 1) * d + z).
Proof. intros z H. unfold m. destruct (Rle_lt_dec z 0); [reflexivity|lra]. Qed.

Lemma m_middle : forall z, 0 <= z <= d -> m z = / 2 * exp (- (alpha * d))
    + / 2 * (exp ((alpha - 1) * d - (2 * alpha - 1) * z) - exp (- (alpha * d))) / (2 * alpha - 1).
Proof.
  intros z H. unfold m. destruct (Rle_lt_dec z 0) as [h|h]; [|destruct (Rle_lt_dec z d); [reflexivity|lra]].
  replace z with 0 by lra. unfold laplace_moment. rewrite Rmult_0_r, Rplus_0_r, Rminus_0_r. field. lra.
Qed.

Lemma m_right : forall z, d <= z -> m z = / 2 * exp (- (alpha * d) - (z - d)).
Proof.
  intros z H. destruct (Req_dec z d) as [E|N].
  - subst z. rewrite m_middle by lra. replace ((alpha - 1) * d - (2 * alpha - 1) * d) with (- (alpha * d)) by ring.
    replace (- (alpha * d) - (d - d)) with (- (alpha * d)) by ring. field. lra.
  - unfold m. destruct (Rle_lt_dec z 0); [lra|]. destruct (Rle_lt_dec z d); [lra|reflexivity].
Qed.

Section Tangent.
Variable T : R.
Hypothesis HT : 0 < T.
Let a1 := alpha * Rpower T (alpha - 1).
Let a0 := (alpha - 1) * Rpower T alpha.
(** How far the tangent is below the moment, for what lies beyond z. *)
Let J z := m z - a1 * tail z + a0 * tail (z - d).

Lemma above_tangent : forall x, a1 * exp x - a0 <= exp (alpha * x).
Proof.
  intros x. assert (G := tangent alpha T (exp x) Ha HT (exp_pos x)). unfold Rpower in G at 3. rewrite ln_exp in G. exact G.
Qed.

Lemma J_left : forall z, z <= 0 -> J z = tot - a1 + a0 - / 2 * exp z * exp (- d) * (exp (alpha * d) - (a1 * exp d - a0)).
Proof.
  intros z H. unfold J. rewrite m_left, !tail_below by lra.
  replace ((alpha - 1) * d + z) with (alpha * d + (z + - d)) by ring. replace (z - d) with (z + - d) by ring. rewrite !exp_plus.
  assert (E : exp d * exp (- d) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  replace (/ 2 * exp z * exp (- d) * (exp (alpha * d) - (a1 * exp d - a0)))
    with (/ 2 * exp z * exp (- d) * exp (alpha * d) - / 2 * exp z * a1 * (exp d * exp (- d)) + / 2 * exp z * exp (- d) * a0) by ring.
  rewrite E. ring.
Qed.

Lemma J_right : forall z, d <= z -> J z = / 2 * exp (- (z - d)) * (exp (alpha * - d) - (a1 * exp (- d) - a0)).
Proof.
  intros z H. unfold J. rewrite m_right, !tail_above by lra.
  replace (- (alpha * d) - (z - d)) with (alpha * - d + - (z - d)) by ring.
  replace (- z) with (- (z - d) + - d) by ring. rewrite !exp_plus. ring.
Qed.

Lemma J_middle : forall z z', 0 <= z -> z <= z' -> z' <= d -> J z' <= J z.
Proof.
  intros z z' H0 H H1.
  set (f := fun z => - (/ 2 * exp ((alpha - 1) * d - (2 * alpha - 1) * z) / (2 * alpha - 1)) + a1 * (/ 2 * exp (- z)) - a0 * (1 - / 2 * exp (z - d))).
  assert (E : forall z, 0 <= z <= d -> - J z = f z - (/ 2 * exp (- (alpha * d)) - / 2 * exp (- (alpha * d)) / (2 * alpha - 1))).
  { intros y Hy. unfold J, f. rewrite m_middle, tail_above, tail_below by lra. field. lra. }
  assert (G : f z <= f z').
  { apply (grows f (fun z => / 2 * exp (z - d) * (exp (alpha * (d - 2 * z)) - (a1 * exp (d - 2 * z) - a0)))); [exact H| |].
    - intros y _. unfold f. auto_derive; [exact I|].
      replace (exp ((alpha - 1) * d + - ((2 * alpha - 1) * y))) with (exp (y - d) * exp (alpha * (d - 2 * y)))
        by (rewrite <- exp_plus; f_equal; ring).
      replace (exp (- y)) with (exp (y - d) * exp (d - 2 * y)) by (rewrite <- exp_plus; f_equal; ring).
      replace (exp (y + - d)) with (exp (y - d)) by reflexivity. field. lra.
    - intros y _. apply Rmult_le_pos; [assert (P := exp_pos (y - d)); lra|]. assert (A := above_tangent (d - 2 * y)). lra. }
  assert (E1 := E z ltac:(lra)). assert (E2 := E z' ltac:(lra)). lra.
Qed.

Lemma J_falls : forall z z', z <= z' -> J z' <= J z.
Proof.
  assert (L : forall z z', z <= z' -> z' <= 0 -> J z' <= J z).
  { intros z z' H H0. rewrite !J_left by lra. assert (A := above_tangent d). assert (E : exp z <= exp z') by now apply exp_le'.
    assert (P := exp_pos (- d)). set (w := exp (alpha * d) - (a1 * exp d - a0)). assert (W : 0 <= exp (- d) * w) by (apply Rmult_le_pos; unfold w; lra).
    assert (exp z * (exp (- d) * w) <= exp z' * (exp (- d) * w)) by (apply Rmult_le_compat_r; assumption). lra. }
  assert (R : forall z z', d <= z -> z <= z' -> J z' <= J z).
  { intros z z' H0 H. rewrite !J_right by lra. assert (A := above_tangent (- d)). assert (E : exp (- (z' - d)) <= exp (- (z - d))) by (apply exp_le'; lra).
    apply Rmult_le_compat_r; lra. }
  intros z z' H.
  assert (L' : forall z, z <= 0 -> J 0 <= J z) by (intros; apply L; lra).
  assert (R' : forall z, d <= z -> J z <= J d) by (intros; apply R; lra).
  assert (M' := J_middle 0 d ltac:(lra) Hd ltac:(lra)).
  destruct (Rle_lt_dec z' 0) as [h1|h1]; [now apply L|]. destruct (Rle_lt_dec d z) as [h2|h2]; [now apply R|].
  destruct (Rle_lt_dec z 0) as [h3|h3]; destruct (Rle_lt_dec d z') as [h4|h4].
  - specialize (L' z h3). specialize (R' z' h4). lra.
  - specialize (L' z h3). assert (G := J_middle 0 z' ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - specialize (R' z' h4). assert (G := J_middle z d ltac:(lra) ltac:(lra) ltac:(lra)). lra.
  - apply J_middle; lra.
Qed.

Lemma J_ends : forall z, 0 <= J z <= tot - a1 + a0.
Proof.
  intros z. split.
  - apply Rle_trans with (J (Rmax z d)); [|apply J_falls, Rmax_l]. rewrite J_right by apply Rmax_r.
    assert (A := above_tangent (- d)). apply Rmult_le_pos; [assert (P := exp_pos (- (Rmax z d - d))); lra|lra].
  - apply Rle_trans with (J (Rmin z 0)); [apply J_falls, Rmin_l|]. rewrite J_left by apply Rmin_r.
    assert (A := above_tangent d). assert (P := exp_pos (Rmin z 0)). assert (P' := exp_pos (- d)).
    assert (0 <= / 2 * exp (Rmin z 0) * exp (- d) * (exp (alpha * d) - (a1 * exp d - a0))); [|lra].
    apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.
End Tangent.

Lemma moment_right : moment_of d (fun z => match z with Finite z => m z | p_infty => 0 | m_infty => tot end).
Proof.
  split; [reflexivity|]. split; [now rewrite Rabs_pos_eq|]. intros a c H T HT.
  assert (F := J_falls T HT). assert (E := J_ends T HT). cbv beta zeta in F, E.
  destruct a as [a| |], c as [c| |]; simpl in *; try tauto; rewrite ?Rminus_0_r.
  - specialize (F a c H). lra.
  - specialize (E a). lra.
  - lra.
  - specialize (E c). lra.
  - specialize (E 0). lra.
  - lra.
Qed.
End Right.

(** The other direction by reflection. *)
Lemma moment_exists : forall d, exists m, moment_of d m.
Proof.
  intros d. destruct (Rle_lt_dec 0 d) as [H|H]; [eexists; now apply moment_right|].
  assert (X : exists m, moment_of (- d) m) by (eexists; apply moment_right; lra). destruct X as [m [M0 [M1 M]]].
  rewrite Rabs_Ropp in M1.
  assert (Tf : forall h z, tail_from h (Rbar_opp z) = 1 - tail_from (- h) z).
  { intros h [z| |]; simpl; try lra. rewrite <- tail_opp. f_equal. ring. }
  exists (fun z => laplace_moment (Rabs d) alpha - m (Rbar_opp z)). split; [|split].
  - simpl. lra.
  - simpl. lra.
  - intros a c Hac T HT. specialize (M (Rbar_opp c) (Rbar_opp a)). rewrite !Tf, Ropp_involutive, Ropp_0 in M.
    specialize (M (proj2 (Rbar_opp_le c a) ltac:(exact Hac)) T HT). lra.
Qed.

(** The term of a cell in the moment of rounded noise is at most the moment of the cell. *)
Lemma cell_moment : forall d m, moment_of d m -> forall a c, Rbar_le a c ->
  0 <= (tail_from d a - tail_from d c) * Rpower ((tail_from 0 a - tail_from 0 c) / (tail_from d a - tail_from d c)) alpha <= m a - m c.
Proof.
  intros d m [_ [_ M]] a c H. apply Rbar_le_lt_or_eq_dec in H. destruct H as [H|H].
  - assert (Hq := tail_from_falls d a c H). assert (Hp := tail_from_falls 0 a c H).
    set (q := tail_from d a - tail_from d c) in *. set (p := tail_from 0 a - tail_from 0 c) in *.
    assert (Pq : 0 < q) by (unfold q; lra). assert (Pp : 0 < p) by (unfold p; lra). assert (PT : 0 < p / q) by now apply Rdiv_lt_0_compat.
    assert (G := M a c (Rbar_lt_le _ _ H) (p / q) PT). fold p q in G.
    assert (E : Rpower (p / q) alpha = p / q * Rpower (p / q) (alpha - 1)).
    { rewrite <- (Rpower_1 (p / q)) at 2 by exact PT. rewrite <- Rpower_plus. f_equal. ring. }
    assert (P := exp_pos ((alpha - 1) * ln (p / q))). fold (Rpower (p / q) (alpha - 1)) in P.
    split; [left; apply Rmult_lt_0_compat; [exact Pq|apply exp_pos]|]. apply Rle_trans with (2 := G). right. rewrite E. field. lra.
  - subst c. unfold Rminus. rewrite !Rplus_opp_r, Rmult_0_l. lra.
Qed.
End Cells.

(** ** The exact mechanism *)

(** Where a monotone event begins. *)
Definition beginning (K : R -> bool) : Rbar := Lub_Rbar (fun y => K y = false).

Lemma beginning_mono : forall K K', (forall y, K' y = true -> K y = true) -> Rbar_le (beginning K) (beginning K').
Proof.
  intros K K' H. apply (proj2 (Lub_Rbar_correct (fun y => K y = false))). intros y Hy. apply (proj1 (Lub_Rbar_correct (fun y => K' y = false))).
  destruct (K' y) eqn:E; [|reflexivity]. rewrite H in Hy by exact E. discriminate.
Qed.

Lemma beginning_threshold : forall K, up K ->
  (forall y, K y = true) /\ beginning K = m_infty \/ (forall y, K y = false) /\ beginning K = p_infty
  \/ exists a, threshold K a /\ beginning K = Finite a.
Proof.
  intros K HK. destruct (up_threshold K HK) as [H|[H|[a [H1 H2]]]]; [left|right; left|right; right; exists a]; (split; [now try split|]).
  - apply is_lub_Rbar_unique. split; [|intros b _; destruct b; exact I]. intros y Hy. rewrite H in Hy. discriminate.
  - apply is_lub_Rbar_unique. split; [intros y _; exact I|]. intros [b| |] Hb; simpl; try exact I.
    + specialize (Hb (b + 1) (H _)). simpl in Hb. lra.
    + exact (Hb 0 (H 0)).
  - apply is_lub_Rbar_unique. split.
    + intros y Hy. simpl. destruct (Rle_lt_dec y a) as [h|h]; [exact h|]. rewrite H1 in Hy by exact h. discriminate.
    + intros [b| |] Hb; simpl; try exact I.
      * destruct (Rle_lt_dec a b) as [h|h]; [exact h|]. specialize (Hb ((a + b) / 2) (H2 ((a + b) / 2) ltac:(lra))). simpl in Hb. lra.
      * exact (Hb (a - 1) (H2 (a - 1) ltac:(lra))).
Qed.

Section ExactCast.
Variable lambda : R.
Hypothesis Hlambda : 0 < lambda.
Variable r : R -> R.
Hypothesis r_mono : forall y y', y <= y' -> r y <= r y'.
Variables g g' : R.

(** In units of lambda from g. *)
Let place (t : Rbar) : Rbar := match t with Finite a => Finite ((a - g) / lambda) | other => other end.
Let d := (g' - g) / lambda.

Lemma place_mono : forall a c, Rbar_le a c -> Rbar_le (place a) (place c).
Proof.
  intros [a| |] [c| |]; simpl; try tauto. intros H. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
Qed.

Lemma Q0_tail : forall a h, Q0 lambda a h = tail ((a - h) / lambda).
Proof.
  intros a h. assert (I := Rinv_0_lt_compat lambda Hlambda). destruct (Rle_lt_dec h a) as [H|H].
  - rewrite Q0_left, tail_above by (try apply Rmult_le_pos; lra). reflexivity.
  - rewrite Q0_right, tail_below by (try lra; unfold Rdiv; nra). do 3 f_equal. field. lra.
Qed.

Lemma chance_tail : forall K, up K -> chance (fun s u => K (g + laplace lambda s u)) = tail_from 0 (place (beginning K)) /\
  chance (fun s u => K (g' + laplace lambda s u)) = tail_from d (place (beginning K)).
Proof.
  intros K HK. destruct (beginning_threshold K HK) as [[H ->]|[[H ->]|[a [H ->]]]]; simpl.
  - assert (P : forall h s, prob (fun u => K (h + laplace lambda s u)) = 1) by (intros; apply prob_true; auto).
    unfold chance. rewrite !P. lra.
  - assert (P : forall h s, prob (fun u => K (h + laplace lambda s u)) = 0) by (intros; apply prob_false; auto).
    unfold chance. rewrite !P. lra.
  - split; rewrite (proj2 (laplace_reaches lambda Hlambda K a _ HK H)), Q0_tail; f_equal; unfold d; field; lra.
Qed.

Lemma exact_cell : forall x, let a := place (beginning (at_least r x)) in let c := place (beginning (above r x)) in
  Rbar_le a c /\ exact lambda r g x = tail_from 0 a - tail_from 0 c /\ exact lambda r g' x = tail_from d a - tail_from d c.
Proof.
  intros x a c. split; [apply place_mono, beginning_mono; intros y; apply above_at_least|].
  destruct (chance_tail (at_least r x) (at_least_up r r_mono x)) as [A A'].
  destruct (chance_tail (above r x) (above_up r r_mono x)) as [C C']. fold a in A, A'. fold c in C, C'.
  rewrite <- A, <- A', <- C, <- C'. unfold exact, law, chance. rewrite !(proj2 (exact_event lambda Hlambda r r_mono _ _ x)). split; ring.
Qed.

(** Outputs in increasing order, and a place before all of them: their terms are at most the moment beyond that place. *)
Lemma cells_moment : forall alpha m, 1 < alpha -> moment_of alpha d m -> forall xs t, StronglySorted Rlt xs ->
  (forall x, In x xs -> Rbar_le t (place (beginning (at_least r x)))) ->
  renyi alpha (map (fun x => (exact lambda r g x, exact lambda r g' x)) xs) <= m t.
Proof.
  intros alpha m Ha M xs. assert (C := cell_moment alpha d m M).
  assert (Mono : forall a c, Rbar_le a c -> m c <= m a) by (intros a c H; specialize (C a c H); lra).
  induction xs as [|x xs IH]; intros t S H.
  - unfold renyi. simpl. rewrite <- (proj1 M). apply Mono. destruct t; exact I.
  - destruct (StronglySorted_inv S) as [S' F]. destruct (exact_cell x) as [L [E E']].
    set (a := place (beginning (at_least r x))) in *. set (c := place (beginning (above r x))) in *.
    assert (N : renyi alpha (map (fun x => (exact lambda r g x, exact lambda r g' x)) xs) <= m c).
    { apply IH; [exact S'|]. intros x' Hx'. apply place_mono, beginning_mono. rewrite Forall_forall in F. specialize (F x' Hx').
      intros y. unfold at_least, above. case Rle_bool_spec; [|discriminate]. intros h _. apply Rlt_bool_true. lra. }
    unfold renyi in *. simpl. rewrite E, E'. specialize (C a c L). assert (B := Mono t a (H x (or_introl eq_refl))). lra.
Qed.

(** *** Theorem. The exact mechanism is (eps + e^-eps - 1)-zCDP for eps = Delta/lambda: for every order and all finite lists of outputs. *)
Theorem laplace_zcdp : forall Delta xs, Rabs (g - g') <= Delta -> StronglySorted Rlt xs ->
  zcdp (Delta / lambda + exp (- (Delta / lambda)) - 1) (map (fun x => (exact lambda r g x, exact lambda r g' x)) xs).
Proof.
  intros Delta xs Hg S alpha Ha. destruct (moment_exists alpha Ha d) as [m M].
  apply Rle_trans with (1 := cells_moment alpha m Ha M xs m_infty S (fun x _ => I)). rewrite (proj1 (proj2 M)).
  assert (I := Rinv_0_lt_compat lambda Hlambda).
  assert (D : 0 <= Rabs d <= Delta / lambda).
  { split; [apply Rabs_pos|]. unfold d, Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ lambda)), Rabs_minus_sym by lra. apply Rmult_le_compat_r; lra. }
  apply Rle_trans with (exp (alpha * (alpha - 1) * (Rabs d + exp (- Rabs d) - 1))).
  - destruct (Req_dec (Rabs d) 0) as [Z|Z]; [|apply laplace_moment_bound; lra].
    rewrite Z. unfold laplace_moment. rewrite !Rmult_0_r, Ropp_0, exp_0. replace (alpha * (alpha - 1) * (0 + 1 - 1)) with 0 by ring. rewrite exp_0.
    right. field. lra.
  - apply exp_le'. apply Rmult_le_compat_l; [nra|].
    set (f := fun z => z + exp (- z) - 1). change (f (Rabs d) <= f (Delta / lambda)).
    apply (grows f (fun z => 1 - exp (- z))); [lra| |].
    + intros z _. unfold f. auto_derive; [exact Logic.I|]. ring.
    + intros z Hz. assert (E := exp_neg z ltac:(lra)). lra.
Qed.
End ExactCast.
