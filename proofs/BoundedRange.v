(** Bounded range to zCDP: eta^2/8, and the least rho that will do, x - 1 - ln x for x = eta/(e^eta - 1). *)
From Coq Require Import Reals List Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Compare Casts.
Import ListNotations.
Open Scope R_scope.

(** The loss lies in some interval of length eta. *)
Definition bounded_range (eta : R) (l : list (R * R)) :=
  (exists u, List.Forall (fun x => 0 < snd x /\ exp (- u) * snd x <= fst x <= exp (eta - u) * snd x) l) /\
  total fst l = 1 /\ total snd l = 1.

Section TwoPoints.
(** The worst laws have two points: the loss is eta - u with weight w, and -u. Plan: J = alpha (alpha - 1) eta^2/8 - ln of their moment is 0
    at 0 and at 1, and convex, so it is not negative beyond 1. *)
Variables eta u w : R.
Hypothesis Hw : 0 <= w <= 1.
Hypothesis mean : 1 - w + w * exp eta = exp u.

Let D x := 1 - w + w * exp (x * eta).
Let J x := x * (x - 1) * (eta * eta / 8) + x * u - ln (D x).
Let J' x := (2 * x - 1) * (eta * eta / 8) + u - eta * (w * exp (x * eta)) / D x.
Let J'' x := eta * eta / 4 - eta * eta * (w * exp (x * eta)) * (1 - w) / (D x * D x).

Lemma D_pos : forall x, 0 < D x.
Proof. intros x. unfold D. assert (E := exp_pos (x * eta)). destruct (Req_dec w 0) as [Z|Z]; [rewrite Z; lra|]. nra. Qed.

Lemma J_derive : forall x, is_derive J x (J' x).
Proof.
  intros x. assert (P := D_pos x). unfold J, J', D in *. auto_derive; [exact P|]. field. lra.
Qed.

Lemma J'_derive : forall x, is_derive J' x (J'' x).
Proof.
  intros x. assert (P := D_pos x). unfold J', J'', D in *. auto_derive; [lra|]. field. lra.
Qed.

Lemma J''_nonneg : forall x, 0 <= J'' x.
Proof.
  intros x. assert (P := D_pos x). unfold J''. set (y := w * exp (x * eta)).
  assert (E : D x = 1 - w + y) by reflexivity.
  replace (eta * eta / 4 - eta * eta * y * (1 - w) / (D x * D x))
    with (eta * eta / (4 * (D x * D x)) * ((1 - w - y) * (1 - w - y))) by (rewrite E in *; field; lra).
  apply Rmult_le_pos; [|apply Rle_0_sqr]. apply Rmult_le_pos; [apply Rle_0_sqr|]. left. apply Rinv_0_lt_compat.
  assert (0 < D x * D x) by now apply Rmult_lt_0_compat. lra.
Qed.

Lemma two_points : forall x, 1 <= x -> D x <= exp (x * u) * exp (x * (x - 1) * (eta * eta / 8)).
Proof.
  intros x Hx.
  assert (J0 : J 0 = 0). { unfold J, D. rewrite !Rmult_0_l, exp_0. replace (1 - w + w * 1) with 1 by ring. rewrite ln_1. ring. }
  assert (J1 : J 1 = 0). { unfold J, D. rewrite !Rmult_1_l, mean, ln_exp. ring. }
  destruct (MVT_cor2 J J' 0 1 ltac:(lra)) as [c [E Hc]].
  { intros y _. apply is_derive_Reals. apply J_derive. }
  assert (Jc : J' c = 0) by lra.
  assert (G : J 1 <= J x).
  { apply (grows J J'); [exact Hx|intros; apply J_derive|]. intros y Hy. rewrite <- Jc.
    apply (grows J' J''); [lra|intros; apply J'_derive|intros; apply J''_nonneg]. }
  rewrite J1 in G. unfold J in G. assert (P := D_pos x).
  rewrite <- (exp_ln (D x)) by exact P. rewrite <- exp_plus. apply exp_le'. lra.
Qed.
End TwoPoints.

(** What holds for two points holds for every law. *)
Lemma range_two_points : forall eta l rho, 0 < eta ->
  (forall u w alpha, 0 <= w <= 1 -> 1 - w + w * exp eta = exp u -> 1 < alpha ->
    1 - w + w * exp (alpha * eta) <= exp (alpha * u) * exp (alpha * (alpha - 1) * rho)) ->
  bounded_range eta l -> zcdp rho l.
Proof.
  intros eta l rho He Two [[u Hl] [Hp Hq]] alpha Ha. set (a := exp (- u)) in *. set (b := exp (eta - u)) in *.
  assert (Hab : 0 < a < b) by (split; [apply exp_pos|apply exp_increasing; lra]).
  assert (C := renyi_chord alpha a b l Ha Hab Hl). rewrite Hp, Hq, !Rmult_1_r in C.
  assert (Range : a <= 1 <= b).
  { assert (S : a * total snd l <= total fst l <= b * total snd l); [|rewrite Hp, Hq in S; lra].
    clear - Hl. induction Hl as [|x l [H0 [H1 H2]] Hl IH]; simpl; lra. }
  set (w := (1 - a) / (b - a)).
  assert (Hw : 0 <= w <= 1).
  { unfold w. split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|].
    apply Rmult_le_reg_r with (b - a); [lra|]. replace ((1 - a) / (b - a) * (b - a)) with (1 - a) by (field; lra). lra. }
  assert (Eb : b = a * exp eta) by (unfold a, b; rewrite <- exp_plus; f_equal; ring).
  assert (Eu : exp u * a = 1) by (unfold a; rewrite <- exp_plus, Rplus_opp_r; apply exp_0).
  assert (Ex : 1 < exp eta) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (Mean : 1 - w + w * exp eta = exp u).
  { apply Rmult_eq_reg_r with a; [|lra]. rewrite Eu. unfold w. rewrite Eb. field. nra. }
  assert (T := Two u w alpha Hw Mean Ha).
  assert (Ea : Rpower a alpha = exp (- (alpha * u))) by (unfold Rpower, a; rewrite ln_exp; f_equal; ring).
  assert (Eab : Rpower b alpha = Rpower a alpha * exp (alpha * eta)).
  { unfold Rpower, a, b. rewrite !ln_exp, <- exp_plus. f_equal. ring. }
  apply Rmult_le_reg_r with (b - a); [lra|]. apply Rle_trans with (1 := C). rewrite Eab.
  replace ((b - 1) * Rpower a alpha + (1 - a) * (Rpower a alpha * exp (alpha * eta)))
    with (Rpower a alpha * (1 - w + w * exp (alpha * eta)) * (b - a)) by (unfold w; field; lra).
  apply Rmult_le_compat_r; [lra|]. rewrite Ea.
  apply Rle_trans with (exp (- (alpha * u)) * (exp (alpha * u) * exp (alpha * (alpha - 1) * rho))).
  - apply Rmult_le_compat_l; [left; apply exp_pos|exact T].
  - rewrite <- Rmult_assoc, <- exp_plus, Rplus_opp_l, exp_0. lra.
Qed.

(** *** Theorem. A range of eta is (eta^2/8)-zCDP. *)
Theorem bounded_range_zcdp : forall eta l, 0 < eta -> bounded_range eta l -> zcdp (eta * eta / 8) l.
Proof.
  intros eta l He. apply range_two_points; [exact He|]. intros u w alpha Hw Mean Ha.
  apply (two_points eta u w Hw Mean alpha). lra.
Qed.

(** ** The tight bound *)

(** (x/2) coth(x/2), and its first two derivatives. *)
Definition T x := x / (1 - exp (- x)) - x / 2.
Definition T1 x := (T x - T x * T x + x * x / 4) / x.
Definition T2 x := 2 * (T x * T x - x * x / 4) * (T x - 1) / (x * x).

Lemma c_range : forall x, 0 < x -> 0 < 1 - exp (- x) < 1.
Proof. intros x Hx. assert (E := exp_pos (- x)). assert (exp (- x) < exp 0) by (apply exp_increasing; lra). rewrite exp_0 in H. lra. Qed.

Lemma T_derive : forall x, 0 < x -> is_derive T x (T1 x).
Proof.
  intros x Hx. assert (C := c_range x Hx). unfold T1, T. auto_derive; [lra|]. field. split; lra.
Qed.

Lemma T1_derive : forall x, 0 < x -> is_derive T1 x (T2 x).
Proof.
  intros x Hx. assert (C := c_range x Hx). unfold T1, T2, T. auto_derive; [repeat split; lra|]. field. split; lra.
Qed.

(** tanh(x/2) <= x/2, so T is at least 1; x/2 <= sinh(x/2), so T^2 <= 1 + x^2/4. *)
Lemma T_ge_1 : forall x, 0 < x -> 1 <= T x.
Proof.
  intros x Hx. assert (C := c_range x Hx).
  set (f := fun z => z * (1 + exp (- z)) - 2 * (1 - exp (- z))). assert (G : f 0 <= f x).
  { apply (grows f (fun z => 1 - (1 + z) * exp (- z))); [lra| |].
    - intros z _. unfold f. auto_derive; [exact I|]. ring.
    - intros z Hz. assert (L := exp_ineq1_le z). assert (P := exp_pos (- z)).
      assert (E : exp z * exp (- z) = 1) by (rewrite <- exp_plus, Rplus_opp_r; apply exp_0). nra. }
  unfold f in G. rewrite Ropp_0, exp_0 in G. unfold T.
  apply Rmult_le_reg_r with (2 * (1 - exp (- x))); [lra|].
  replace ((x / (1 - exp (- x)) - x / 2) * (2 * (1 - exp (- x)))) with (x * (1 + exp (- x))) by (field; lra). lra.
Qed.

Lemma T_square : forall x, 0 < x -> T x * T x <= 1 + x * x / 4.
Proof.
  intros x Hx. assert (C := c_range x Hx).
  set (f := fun z => 1 - exp (- z) - z * exp (- (z / 2))). assert (G : f 0 <= f x).
  { apply (grows f (fun z => exp (- (z / 2)) * (exp (- (z / 2)) - (1 - z / 2)))); [lra| |].
    - intros z _. unfold f. auto_derive; [exact I|]. replace (exp (- z)) with (exp (- (z / 2)) * exp (- (z / 2))) by (rewrite <- exp_plus; f_equal; field).
      unfold Rdiv. field.
    - intros z Hz. assert (L := exp_ineq1_le (- (z / 2))). apply Rmult_le_pos; [left; apply exp_pos|lra]. }
  unfold f in G. replace (- (0 / 2)) with 0 in G by field. rewrite Ropp_0, exp_0 in G.
  set (h := exp (- (x / 2))) in *. assert (Hh : 0 < h) by apply exp_pos.
  assert (E : exp (- x) = h * h) by (unfold h; rewrite <- exp_plus; f_equal; field).
  assert (S : x * h * (x * h) <= (1 - exp (- x)) * (1 - exp (- x))) by (apply Rmult_le_compat; nra).
  unfold T. apply Rmult_le_reg_r with ((1 - exp (- x)) * (1 - exp (- x))); [nra|].
  replace ((x / (1 - exp (- x)) - x / 2) * (x / (1 - exp (- x)) - x / 2) * ((1 - exp (- x)) * (1 - exp (- x))))
    with (x * x * (1 + exp (- x)) * (1 + exp (- x)) / 4) by (field; lra).
  replace (x * x * (1 + exp (- x)) * (1 + exp (- x)) / 4)
    with (x * x * (1 - exp (- x)) * (1 - exp (- x)) / 4 + x * x * exp (- x)) by field.
  rewrite E in *. nra.
Qed.

Lemma T_above : forall x, 0 < x -> x / 2 < T x.
Proof.
  intros x Hx. assert (C := c_range x Hx). unfold T. assert (x < x / (1 - exp (- x))); [|lra].
  apply Rmult_lt_reg_r with (1 - exp (- x)); [lra|]. replace (x / (1 - exp (- x)) * (1 - exp (- x))) with x by (field; lra). nra.
Qed.

(** T is convex: it lies above its tangents. *)
Lemma T_chord : forall a b, 0 < a <= b -> T1 a * (b - a) <= T b - T a.
Proof.
  intros a b H.
  set (f := fun y => T y - T1 a * y). assert (G : f a <= f b).
  { apply (grows f (fun y => T1 y - T1 a)); [lra| |].
    - intros y Hy. unfold f. apply (is_derive_minus T (fun y => T1 a * y) y (T1 y) (T1 a)); [apply T_derive; lra|]. auto_derive; [exact I|ring].
    - intros y Hy. assert (M : T1 a <= T1 y); [|lra].
      apply (grows T1 T2); [lra|intros z Hz; apply T1_derive; lra|]. intros z Hz. unfold T2.
      assert (A := T_ge_1 z ltac:(lra)). assert (B := T_above z ltac:(lra)).
      apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; nra]. apply Rmult_le_pos; nra. }
  unfold f in G. lra.
Qed.

(** The heart: with the slope s of a chord of T from a,  a^2 (1/4 - s^2) <= (a^2/4 - (T - 1)^2) (T - a s).
    Both sides are equal for the tangent, and the difference is concave in s and falls there. *)
Lemma heart : forall a s, 0 < a -> T1 a <= s ->
  a * a * (/ 4 - s * s) <= (a * a / 4 - (T a - 1) * (T a - 1)) * (T a - a * s).
Proof.
  intros a s Ha Hs. assert (S := T_square a Ha).
  assert (E : a * T1 a = T a - T a * T a + a * a / 4) by (unfold T1; field; lra).
  set (t := T a) in *. set (d := a * s - a * T1 a). assert (Hd : 0 <= d) by (unfold d; nra).
  assert (As : a * s = t - t * t + a * a / 4 + d) by (unfold d; lra).
  replace (a * a * (/ 4 - s * s)) with (a * a / 4 - a * s * (a * s)) by field. rewrite As.
  assert (P : 0 <= d * (1 + a * a / 4 - t * t)) by (apply Rmult_le_pos; lra). assert (Q : 0 <= d * d) by nra.
  replace ((a * a / 4 - (t - 1) * (t - 1)) * (t - (t - t * t + a * a / 4 + d)))
    with (a * a / 4 - (t - t * t + a * a / 4 + d) * (t - t * t + a * a / 4 + d) + d * (1 + a * a / 4 - t * t) + d * d) by field.
  lra.
Qed.

Definition tight x := x / (exp x - 1) - 1 - ln (x / (exp x - 1)).
Definition tight' x := (x * x / 4 - (T x - 1) * (T x - 1)) / x.

Lemma tight_derive : forall x, 0 < x -> is_derive tight x (tight' x).
Proof.
  intros x Hx. assert (C := c_range x Hx). unfold tight, tight', T.
  assert (E : 1 < exp x) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (P : 0 < x / (exp x - 1)) by (apply Rdiv_lt_0_compat; lra).
  rewrite exp_Ropp in *. auto_derive; [repeat split; try lra; exact P|]. field. repeat split; lra.
Qed.

Lemma tight_nonneg : forall x, 0 < x -> 0 <= tight x.
Proof.
  intros x Hx. assert (E : 1 < exp x) by (rewrite <- exp_0; apply exp_increasing; lra).
  assert (P : 0 < x / (exp x - 1)) by (apply Rdiv_lt_0_compat; lra). unfold tight.
  assert (L := exp_ineq1_le (ln (x / (exp x - 1)))). rewrite exp_ln in L by exact P. lra.
Qed.

(** Bernoulli's inequality. *)
Lemma bernoulli : forall b alpha, 0 < b -> 1 < alpha -> 1 + alpha * (b - 1) <= Rpower b alpha.
Proof.
  intros b alpha Hb Ha.
  assert (D : forall y, 0 < y -> derivable_pt_lim (fun z => Rpower z alpha) y (alpha * Rpower y (alpha - 1)))
    by (intros y Hy; now apply derivable_pt_lim_power).
  assert (R1 : Rpower 1 alpha = 1) by (unfold Rpower; rewrite ln_1, Rmult_0_r; apply exp_0).
  assert (M : forall y z, 0 < y <= z -> Rpower y (alpha - 1) <= Rpower z (alpha - 1)) by (intros; apply Rle_Rpower_l; lra).
  assert (R1' : Rpower 1 (alpha - 1) = 1) by (unfold Rpower; rewrite ln_1, Rmult_0_r; apply exp_0).
  destruct (Rtotal_order b 1) as [H|[H|H]].
  - destruct (MVT_cor2 (fun z => Rpower z alpha) (fun y => alpha * Rpower y (alpha - 1)) b 1 H) as [c [E Hc]].
    { intros y Hy. apply D. lra. }
    cbv beta in E. assert (G := M c 1 ltac:(lra)). rewrite R1' in G. rewrite R1 in E.
    assert (0 <= alpha * (1 - Rpower c (alpha - 1)) * (1 - b)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
  - subst b. rewrite R1. lra.
  - destruct (MVT_cor2 (fun z => Rpower z alpha) (fun y => alpha * Rpower y (alpha - 1)) 1 b H) as [c [E Hc]].
    { intros y Hy. apply D. lra. }
    cbv beta in E. assert (G := M 1 c ltac:(lra)). rewrite R1' in G. rewrite R1 in E.
    assert (0 <= alpha * (Rpower c (alpha - 1) - 1) * (b - 1)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.

Section Envelope.
(** The worst of all laws of two points of range x, at one order: (alpha - 1) D_alpha is [worst x]. Plan: [envelope] shows that no other is worse,
    [worst_slope] that it grows more slowly with x than alpha (alpha - 1) [tight x], and both are 0 at 0. *)
Variable alpha : R.
Hypothesis Ha : 1 < alpha.

Let c x := 1 - exp (- x).
Let C x := 1 - exp (- (alpha * x)).
Definition worst x := (alpha - 1) * ln (alpha - 1) - alpha * ln alpha + alpha * ln (C x) - ln (c x) - (alpha - 1) * ln (C x - c x).
Definition worst' x := alpha * (alpha * exp (- (alpha * x)) / C x) - exp (- x) / c x
  - (alpha - 1) * ((alpha * exp (- (alpha * x)) - exp (- x)) / (C x - c x)).

Lemma cC : forall x, 0 < x -> 0 < c x < C x /\ C x < 1.
Proof.
  intros x Hx. assert (Q := c_range x Hx). assert (Q' := c_range (alpha * x) ltac:(nra)). unfold c, C.
  assert (exp (- (alpha * x)) < exp (- x)) by (apply exp_increasing; nra). lra.
Qed.

Lemma worst_derive : forall x, 0 < x -> is_derive worst x (worst' x).
Proof.
  intros x Hx. assert (Q := cC x Hx). unfold worst, worst', c, C in *. auto_derive; [repeat split; lra|]. field. repeat split; lra.
Qed.

Lemma worst_slope : forall x, 0 < x -> worst' x <= alpha * (alpha - 1) * tight' x.
Proof.
  intros a Hx. assert (Q := cC a Hx). set (b := alpha * a). assert (Hb : a < b) by (unfold b; nra).
  assert (Aa : T a = a / c a - a / 2) by reflexivity. assert (Ab : T b = b / C a - b / 2) by reflexivity.
  assert (Ch := T_chord a b ltac:(lra)).
  set (s := (T b - T a) / (b - a)).
  assert (Hs : T1 a <= s).
  { unfold s. apply Rmult_le_reg_r with (b - a); [lra|]. replace ((T b - T a) / (b - a) * (b - a)) with (T b - T a) by (field; lra). exact Ch. }
  assert (Hh := heart a s Hx Hs).
  (* T - a s = a b (C - c)/(c C (b - a)) > 0 *)
  assert (Den : T a - a * s = a * b * (C a - c a) / (c a * C a * (b - a))) by (unfold s; rewrite Aa, Ab; field; lra).
  assert (Dp : 0 < T a - a * s).
  { rewrite Den. apply Rdiv_lt_0_compat; apply Rmult_lt_0_compat; try lra; apply Rmult_lt_0_compat; lra. }
  assert (W : worst' a = b / a * (b - a) * (/ 4 - s * s) / (T a - a * s)).
  { rewrite Den. unfold s. rewrite Aa, Ab. unfold worst'. fold b.
    replace (exp (- b)) with (1 - C a) by (unfold C; fold b; ring). replace (exp (- a)) with (1 - c a) by (unfold c; ring).
    replace alpha with (b / a) by (unfold b; field; lra). field. repeat split; lra. }
  rewrite W. unfold tight'.
  replace (alpha * (alpha - 1) * ((a * a / 4 - (T a - 1) * (T a - 1)) / a))
    with (b / a * (b - a) * ((a * a / 4 - (T a - 1) * (T a - 1)) / (a * a))) by (unfold b; field; lra).
  replace (b / a * (b - a) * (/ 4 - s * s) / (T a - a * s)) with (b / a * (b - a) * ((/ 4 - s * s) / (T a - a * s))) by (field; lra).
  apply Rmult_le_compat_l.
  { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]. }
  apply Rmult_le_reg_r with (a * a * (T a - a * s)); [apply Rmult_lt_0_compat; nra|].
  replace ((/ 4 - s * s) / (T a - a * s) * (a * a * (T a - a * s))) with (a * a * (/ 4 - s * s)) by (field; lra).
  replace ((a * a / 4 - (T a - 1) * (T a - 1)) / (a * a) * (a * a * (T a - a * s)))
    with ((a * a / 4 - (T a - 1) * (T a - 1)) * (T a - a * s)) by (field; lra). exact Hh.
Qed.

(** The worst law: its weight, and the values that 1 - v C and 1 - v c have there. *)
Let A x := (C x - c x) / (c x * (alpha - 1)).
Let B x := alpha * (C x - c x) / (C x * (alpha - 1)).

Lemma AB_pos : forall x, 0 < x -> 0 < A x /\ 0 < B x.
Proof.
  intros x Hx. assert (Q := cC x Hx). unfold A, B. split; apply Rdiv_lt_0_compat; try (apply Rmult_lt_0_compat; lra); lra.
Qed.

Lemma worst_AB : forall x, 0 < x -> A x * exp (- (alpha * ln (B x))) = exp (worst x).
Proof.
  intros x Hx. assert (Q := cC x Hx). destruct (AB_pos x Hx) as [PA PB].
  rewrite <- (exp_ln (A x)) by exact PA. rewrite <- exp_plus. f_equal. unfold A, B, worst.
  assert (K : 0 < c x * (alpha - 1)) by (apply Rmult_lt_0_compat; lra).
  assert (K' : 0 < C x * (alpha - 1)) by (apply Rmult_lt_0_compat; lra).
  unfold Rdiv. rewrite !ln_mult, !ln_Rinv, !ln_mult by (try apply Rinv_0_lt_compat; try apply Rmult_lt_0_compat; lra). ring.
Qed.

Lemma envelope : forall x v, 0 < x -> 0 <= v <= 1 -> 1 - v * C x <= exp (worst x) * Rpower (1 - v * c x) alpha.
Proof.
  intros x v Hx Hv. assert (Q := cC x Hx). destruct (AB_pos x Hx) as [PA PB].
  assert (P1 : 0 < 1 - v * c x) by nra.
  assert (N := bernoulli ((1 - v * c x) / B x) alpha ltac:(now apply Rdiv_lt_0_compat) Ha).
  assert (E : A x * (1 + alpha * ((1 - v * c x) / B x - 1)) = 1 - v * C x) by (unfold A, B; field; repeat split; lra).
  rewrite <- E, <- worst_AB by exact Hx. rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
  apply Rle_trans with (1 := N). right. unfold Rpower. rewrite <- exp_plus. f_equal. unfold Rdiv.
  rewrite ln_mult, ln_Rinv by (try apply Rinv_0_lt_compat; lra). ring.
Qed.

(** The bound eta^2/8, for the worst law: it shows that [worst] is 0 at 0. *)
Lemma worst_small : forall x, 0 < x -> worst x <= alpha * (alpha - 1) * (x * x / 8).
Proof.
  intros x Hx. assert (Q := cC x Hx). destruct (AB_pos x Hx) as [PA PB].
  set (v := (alpha * c x - C x) / (c x * C x * (alpha - 1))).
  assert (K : 0 < c x * C x * (alpha - 1)) by (apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra).
  assert (E1 : 1 - v * C x = A x) by (unfold v, A; field; repeat split; lra).
  assert (E2 : 1 - v * c x = B x) by (unfold v, B; field; repeat split; lra).
  assert (Ex : exp (- x) = 1 - c x) by (unfold c; ring). assert (EX : exp (- (alpha * x)) = 1 - C x) by (unfold C; ring).
  assert (Hv : 0 <= v <= 1).
  { split.
    - unfold v. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat].
      assert (N := bernoulli (exp (- x)) alpha (exp_pos _) Ha). unfold Rpower in N. rewrite ln_exp in N.
      replace (alpha * - x) with (- (alpha * x)) in N by ring. rewrite Ex, EX in N. lra.
    - apply Rmult_le_reg_r with (C x); [lra|]. rewrite Rmult_1_l.
      assert (1 - C x <= A x); [|lra]. unfold A. apply Rmult_le_reg_r with (c x * (alpha - 1)); [nra|].
      replace ((C x - c x) / (c x * (alpha - 1)) * (c x * (alpha - 1))) with (C x - c x) by (field; lra).
      assert (L := exp_ineq1_le ((alpha - 1) * x)). assert (L' := exp_ineq1_le (- x)). rewrite Ex in L'.
      assert (G : exp ((alpha - 1) * x) * (1 - C x) = 1 - c x) by (rewrite <- Ex, <- EX, <- exp_plus; f_equal; ring).
      assert ((1 + (alpha - 1) * c x) * (1 - C x) <= exp ((alpha - 1) * x) * (1 - C x)) by (apply Rmult_le_compat_r; nra). lra. }
  assert (M : exp (x + ln (B x)) = 1 - (1 - v) + (1 - v) * exp x).
  { rewrite exp_plus, exp_ln by exact PB. rewrite <- E2. unfold c. rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos. }
  assert (Two := two_points x (x + ln (B x)) (1 - v) ltac:(lra) (eq_sym M) alpha ltac:(lra)).
  assert (D : 1 - (1 - v) + (1 - v) * exp (alpha * x) = exp (alpha * x) * A x).
  { rewrite <- E1. unfold C. rewrite exp_Ropp. field. apply Rgt_not_eq, exp_pos. }
  cbv beta in Two. rewrite D, Rmult_plus_distr_l, exp_plus in Two.
  assert (P := exp_pos (alpha * x)). rewrite Rmult_assoc in Two. apply Rmult_le_reg_l in Two; [|exact P].
  apply Rnot_lt_le. intros H. apply exp_increasing in H. rewrite <- worst_AB in H by exact Hx.
  assert (P' := exp_pos (alpha * ln (B x))). apply Rmult_lt_compat_l with (r := exp (alpha * ln (B x))) in H; [|exact P'].
  replace (exp (alpha * ln (B x)) * (A x * exp (- (alpha * ln (B x))))) with (A x) in H.
  2:{ rewrite (Rmult_comm (A x)), <- Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0. ring. }
  lra.
Qed.

Lemma worst_tight : forall x, 0 < x -> worst x <= alpha * (alpha - 1) * tight x.
Proof.
  intros x Hx. apply Rnot_lt_le. intros H. set (K := alpha * (alpha - 1)) in *. assert (HK : 0 < K) by (unfold K; nra).
  set (d := worst x - K * tight x) in *. assert (Hd : 0 < d) by (unfold d; lra).
  set (y := Rmin (Rmin x 1) (d / K)).
  assert (Dk : 0 < d / K) by (apply Rdiv_lt_0_compat; lra).
  assert (Hy : 0 < y). { unfold y. repeat apply Rmin_pos; lra. }
  assert (Y1 : y <= x) by (apply Rle_trans with (1 := Rmin_l _ _); apply Rmin_l).
  assert (Y2 : y <= 1) by (apply Rle_trans with (1 := Rmin_l _ _); apply Rmin_r).
  assert (Y3 : K * y <= d).
  { assert (y <= d / K) by apply Rmin_r. apply Rmult_le_compat_l with (r := K) in H0; [|lra].
    replace (K * (d / K)) with d in H0 by (field; lra). exact H0. }
  set (f := fun z => K * tight z - worst z). assert (G : f y <= f x).
  { apply (grows f (fun z => K * tight' z - worst' z)); [exact Y1| |].
    - intros z Hz. unfold f. apply (is_derive_minus (fun z => K * tight z) worst z (K * tight' z) (worst' z)); [|apply worst_derive; lra].
      apply (is_derive_scal tight z K (tight' z)). apply tight_derive. lra.
    - intros z Hz. assert (W := worst_slope z ltac:(lra)). fold K in W. lra. }
  unfold f in G. assert (S := worst_small y Hy). fold K in S. assert (N := tight_nonneg y Hy).
  assert (0 <= K * tight y) by nra. assert (K * (y * y / 8) < d) by nra. unfold d in *. lra.
Qed.
End Envelope.

(** *** Theorem. A range of eta is (x - 1 - ln x)-zCDP, x = eta/(e^eta - 1). *)
Theorem bounded_range_zcdp_tight : forall eta l, 0 < eta -> bounded_range eta l -> zcdp (tight eta) l.
Proof.
  intros eta l He. apply range_two_points; [exact He|]. intros u w alpha Hw Mean Ha.
  assert (V := envelope alpha Ha eta (1 - w) He ltac:(lra)). assert (P := exp_pos (alpha * eta)).
  apply Rmult_le_compat_l with (r := exp (alpha * eta)) in V; [|lra].
  replace (exp (alpha * eta) * (1 - (1 - w) * (1 - exp (- (alpha * eta))))) with (1 - w + w * exp (alpha * eta)) in V
    by (rewrite exp_Ropp; field; lra).
  apply Rle_trans with (1 := V).
  assert (Eu : 1 - (1 - w) * (1 - exp (- eta)) = exp (u - eta)).
  { unfold Rminus at 4. rewrite exp_plus, <- Mean, exp_Ropp. field. apply Rgt_not_eq, exp_pos. }
  rewrite Eu. unfold Rpower. rewrite ln_exp.
  replace (exp (alpha * u)) with (exp (alpha * eta) * exp (alpha * (u - eta))) by (rewrite <- exp_plus; f_equal; ring).
  rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. rewrite Rmult_comm. apply Rmult_le_compat_l; [left; apply exp_pos|].
  apply exp_le'. apply worst_tight; assumption.
Qed.
