(** Step 4, the distance between the two laws: the law of the rounded noise against the ideal law.

    [tail_up], [out_up] and [in_up] are 1 + up of the page for an input in the tail, outside and inside; [tail_down],
    [out_down] and [in_down] are 1 - down. T is the largest distance, in units of lambda. *)
From Coq Require Import Reals Lra Psatz.
Open Scope R_scope.

Section Compare.
(** eta; (1 + eta)^s and (1 - eta)^s; the narrowest and the widest cell, in units of lambda. *)
Variables h P M W1 W2 : R.
Hypothesis Hh : 0 < h.
Hypothesis HP : 1 <= P.
Hypothesis HM : 0 < M <= 1.
Hypothesis HW : 0 < W1 <= W2.

(** H is the probability of noise beyond t scales, as [Noise.noise_reaches] bounds it. *)
Definition near (H t : R) := exp (- (t * P)) <= H <= (1 + 2 * h) * exp (- (t * M)).

Definition q := exp (- W1).

Lemma q_lt : 0 < q < 1.
Proof. unfold q. split. apply exp_pos. rewrite <- exp_0. apply exp_increasing. lra. Qed.

Lemma exp_le' : forall x y, x <= y -> exp x <= exp y.
Proof. intros x y [H|H]. left; now apply exp_increasing. right; now rewrite H. Qed.

Lemma exp_neg : forall x, 0 <= x -> exp (- x) <= 1.
Proof. intros x H. apply Rle_trans with (exp 0). apply exp_le'; lra. rewrite exp_0; lra. Qed.

Definition tail_up T := (1 + 2 * h) * exp (T * (1 - M)).
Definition tail_down T := exp (- (T * (P - 1))).
Definition out_up T := (tail_up T - q * tail_down (T + W2)) / (1 - q).
Definition out_down T := (tail_down T - q * tail_up (T + W2)) / (1 - q).
Definition in_up := 1 + 2 * (P - 1) / (exp 1 * (1 - q)).
Definition in_down := 1 - (2 * h * (1 + exp (- (W1 * M))) + 2 * (1 - M) / (exp 1 * M)) / (1 - q).

Lemma near_up : forall H t T, near H t -> 0 <= t <= T -> H <= tail_up T * exp (- t).
Proof.
  intros H t T [_ H2] Ht. apply Rle_trans with (1 := H2). unfold tail_up.
  rewrite Rmult_assoc. apply Rmult_le_compat_l. lra. rewrite <- exp_plus. apply exp_le'. nra.
Qed.

Lemma near_down : forall H t T, near H t -> 0 <= t <= T -> tail_down T * exp (- t) <= H.
Proof.
  intros H t T [H1 _] Ht. apply Rle_trans with (2 := H1). unfold tail_down.
  rewrite <- exp_plus. apply exp_le'. nra.
Qed.

(** (X - vY)/(1 - v) grows with v if Y <= X. *)
Lemma weigh : forall v X Y, 0 <= v <= q -> Y <= X -> X - v * Y <= (X - q * Y) / (1 - q) * (1 - v).
Proof.
  intros v X Y Hv HY. assert (Q := q_lt).
  apply Rmult_le_reg_r with (1 - q). lra.
  replace ((X - q * Y) / (1 - q) * (1 - v) * (1 - q)) with ((X - q * Y) * (1 - v)) by (field; lra).
  nra.
Qed.

Lemma tail_up_ge_1 : forall T, 0 <= T -> 1 <= tail_up T.
Proof.
  intros T HT. unfold tail_up. assert (1 <= exp (T * (1 - M))).
  { apply Rle_trans with (exp 0). rewrite exp_0; lra. apply exp_le'. apply Rmult_le_pos; lra. }
  apply Rle_trans with (1 * exp (T * (1 - M))). lra. apply Rmult_le_compat_r; lra.
Qed.

Lemma tail_down_le_1 : forall T, 0 <= T -> tail_down T <= 1.
Proof. intros T HT. unfold tail_down. apply exp_neg. apply Rmult_le_pos; lra. Qed.

Section Outside.
Variables H1 H2 t w T : R.
Hypothesis N1 : near H1 t.
Hypothesis N2 : near H2 (t + w).
Hypothesis Hw : W1 <= w <= W2.
Hypothesis Ht : 0 <= t <= T.

Lemma wq : 0 <= exp (- w) <= q.
Proof. split. left; apply exp_pos. apply exp_le'. lra. Qed.

Theorem outside_up : H1 - H2 <= out_up T * (exp (- t) - exp (- (t + w))).
Proof.
  assert (U := near_up _ _ _ N1 Ht).
  assert (L : tail_down (T + W2) * exp (- (t + w)) <= H2) by (apply near_down; [exact N2|lra]).
  replace (exp (- (t + w))) with (exp (- t) * exp (- w)) in * by (rewrite <- exp_plus; f_equal; ring).
  assert (G := weigh (exp (- w)) (tail_up T) (tail_down (T + W2)) wq).
  assert (tail_down (T + W2) <= tail_up T).
  { apply Rle_trans with 1. apply tail_down_le_1; lra. apply tail_up_ge_1; lra. }
  specialize (G H). fold (out_up T) in G.
  assert (E := exp_pos (- t)).
  apply Rle_trans with (exp (- t) * (tail_up T - exp (- w) * tail_down (T + W2))). lra.
  apply Rle_trans with (exp (- t) * (out_up T * (1 - exp (- w)))).
  apply Rmult_le_compat_l; lra. right; ring.
Qed.

Theorem outside_down : out_down T * (exp (- t) - exp (- (t + w))) <= H1 - H2.
Proof.
  assert (L := near_down _ _ _ N1 Ht).
  assert (U : H2 <= tail_up (T + W2) * exp (- (t + w))) by (apply near_up; [exact N2|lra]).
  replace (exp (- (t + w))) with (exp (- t) * exp (- w)) in * by (rewrite <- exp_plus; f_equal; ring).
  assert (G := weigh (exp (- w)) (- tail_down T) (- tail_up (T + W2)) wq).
  assert (- tail_up (T + W2) <= - tail_down T).
  { apply Ropp_le_contravar. apply Rle_trans with 1. apply tail_down_le_1; lra. apply tail_up_ge_1; lra. }
  specialize (G H).
  replace ((- tail_down T - q * - tail_up (T + W2)) / (1 - q)) with (- out_down T) in G
    by (unfold out_down; assert (Q := q_lt); field; lra).
  assert (E := exp_pos (- t)).
  apply Rle_trans with (exp (- t) * (tail_down T - exp (- w) * tail_up (T + W2))).
  apply Rle_trans with (exp (- t) * (out_down T * (1 - exp (- w)))). right; ring.
  apply Rmult_le_compat_l; lra. lra.
Qed.
End Outside.

(** z e^-z is at most 1/e. *)
Lemma z_exp : forall z, z * exp (- z) <= / exp 1.
Proof.
  intros z. rewrite <- exp_Ropp. apply Rmult_le_reg_r with (exp z). apply exp_pos.
  rewrite Rmult_assoc, <- !exp_plus. replace (- z + z) with 0 by ring. rewrite exp_0, Rmult_1_r.
  assert (H := exp_ineq1_le (- (1) + z)). lra.
Qed.

Lemma short : forall H a, near H a -> 0 <= a -> exp (- a) - H <= (P - 1) / exp 1.
Proof.
  intros H a [H1 _] Ha. assert (E := exp_pos (- a)).
  replace (exp (- (a * P))) with (exp (- a) * exp (- (a * (P - 1)))) in H1 by (rewrite <- exp_plus; f_equal; ring).
  assert (1 - a * (P - 1) <= exp (- (a * (P - 1)))) by (assert (G := exp_ineq1_le (- (a * (P - 1)))); lra).
  assert (Z := z_exp a). unfold Rdiv.
  apply Rle_trans with (a * exp (- a) * (P - 1)). nra.
  rewrite (Rmult_comm (P - 1)). apply Rmult_le_compat_r; lra.
Qed.

Lemma over : forall H a, near H a -> 0 <= a -> H - exp (- a) <= 2 * h * exp (- (a * M)) + (1 - M) / (exp 1 * M).
Proof.
  intros H a [_ H2] Ha. assert (E := exp_pos (- (a * M))).
  assert (exp (- (a * M)) - exp (- a) <= (1 - M) / (exp 1 * M)).
  { replace (exp (- a)) with (exp (- (a * M)) * exp (- (a * (1 - M)))) by (rewrite <- exp_plus; f_equal; ring).
    assert (1 - a * (1 - M) <= exp (- (a * (1 - M)))) by (assert (G := exp_ineq1_le (- (a * (1 - M)))); lra).
    assert (Z := z_exp (a * M)).
    replace ((1 - M) / (exp 1 * M)) with (/ exp 1 * ((1 - M) / M)) by (field; assert (X := exp_pos 1); split; lra).
    assert (0 <= (1 - M) / M). { apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat; lra. }
    apply Rle_trans with (a * M * exp (- (a * M)) * ((1 - M) / M)).
    replace (a * M * exp (- (a * M)) * ((1 - M) / M)) with (exp (- (a * M)) * (a * (1 - M))) by (field; lra). nra.
    now apply Rmult_le_compat_r. }
  lra.
Qed.

Section Inside.
Variables H1 H2 a b : R.
Hypothesis N1 : near H1 a.
Hypothesis N2 : near H2 b.
Hypothesis Ha : 0 <= a.
Hypothesis Hb : 0 <= b.
Hypothesis Hw : W1 <= a + b.

Lemma sum_exp : forall c, 0 < c -> exp (- (a * c)) + exp (- (b * c)) <= 1 + exp (- (W1 * c)).
Proof.
  intros c Hc.
  assert (exp (- (a * c)) <= 1) by (apply exp_neg; apply Rmult_le_pos; lra).
  assert (exp (- (b * c)) <= 1) by (apply exp_neg; apply Rmult_le_pos; lra).
  assert (exp (- (a * c)) * exp (- (b * c)) <= exp (- (W1 * c))) by (rewrite <- exp_plus; apply exp_le'; nra).
  nra.
Qed.

Let P0 := 1 - / 2 * exp (- a) - / 2 * exp (- b).

Lemma P0_ge : (1 - q) / 2 <= P0.
Proof. assert (S := sum_exp 1 Rlt_0_1). rewrite !Rmult_1_r in S. fold q in S. unfold P0. lra. Qed.

Theorem inside_up : 1 - / 2 * H1 - / 2 * H2 <= in_up * P0.
Proof.
  assert (S1 := short _ _ N1 Ha). assert (S2 := short _ _ N2 Hb). assert (G := P0_ge). assert (Q := q_lt).
  assert (X := exp_pos 1).
  assert ((P - 1) / exp 1 <= 2 * (P - 1) / (exp 1 * (1 - q)) * P0).
  { apply Rle_trans with (2 * (P - 1) / (exp 1 * (1 - q)) * ((1 - q) / 2)). right; field; lra.
    apply Rmult_le_compat_l; [|exact G]. apply Rmult_le_pos. lra. left; apply Rinv_0_lt_compat. nra. }
  unfold in_up. rewrite Rmult_plus_distr_r, Rmult_1_l. unfold P0 at 1. lra.
Qed.

Theorem inside_down : in_down * P0 <= 1 - / 2 * H1 - / 2 * H2.
Proof.
  assert (S1 := over _ _ N1 Ha). assert (S2 := over _ _ N2 Hb). assert (G := P0_ge). assert (Q := q_lt).
  assert (X := exp_pos 1). assert (S := sum_exp M (proj1 HM)).
  unfold in_down. set (x := 2 * h * (1 + exp (- (W1 * M))) + 2 * (1 - M) / (exp 1 * M)).
  assert (0 <= x).
  { unfold x. assert (Y := exp_pos (- (W1 * M))).
    assert (0 <= 2 * (1 - M) / (exp 1 * M)). { apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat. nra. }
    assert (0 <= 2 * h * (1 + exp (- (W1 * M)))) by (apply Rmult_le_pos; lra). lra. }
  assert (x / 2 <= x / (1 - q) * P0).
  { apply Rle_trans with (x / (1 - q) * ((1 - q) / 2)). right; field; lra.
    apply Rmult_le_compat_l; [|exact G]. apply Rmult_le_pos. lra. left; apply Rinv_0_lt_compat. lra. }
  assert (H1 - exp (- a) + (H2 - exp (- b)) <= x).
  { unfold x. assert (2 * (1 - M) / (exp 1 * M) = (1 - M) / (exp 1 * M) + (1 - M) / (exp 1 * M)) by (field; split; lra).
    nra. }
  rewrite Rmult_minus_distr_r, Rmult_1_l. unfold P0 at 1. lra.
Qed.
End Inside.

(** One edge: an input in a tail. *)
Lemma inside_tail_up : forall H a, near H a -> 0 <= a -> 1 - / 2 * H <= in_up * (1 - / 2 * exp (- a)).
Proof.
  intros H a N Ha. assert (S := short _ _ N Ha). assert (Q := q_lt). assert (X := exp_pos 1).
  assert (exp (- a) <= 1) by (apply exp_neg; lra).
  assert ((P - 1) / exp 1 <= 2 * (P - 1) / (exp 1 * (1 - q)) * (1 - / 2 * exp (- a))).
  { apply Rle_trans with (2 * (P - 1) / (exp 1 * (1 - q)) * ((1 - q) / 2)). right; field; lra.
    apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos. lra. left; apply Rinv_0_lt_compat. nra. }
  assert (0 <= (P - 1) / exp 1). { apply Rmult_le_pos; [lra|]. left; now apply Rinv_0_lt_compat. }
  unfold in_up. rewrite Rmult_plus_distr_r, Rmult_1_l. lra.
Qed.

Lemma inside_tail_down : forall H a, near H a -> 0 <= a -> in_down * (1 - / 2 * exp (- a)) <= 1 - / 2 * H.
Proof.
  intros H a N Ha. assert (S := over _ _ N Ha). assert (Q := q_lt). assert (X := exp_pos 1).
  assert (exp (- a) <= 1) by (apply exp_neg; lra).
  assert (exp (- (a * M)) <= 1) by (apply exp_neg; apply Rmult_le_pos; lra).
  unfold in_down. set (x := 2 * h * (1 + exp (- (W1 * M))) + 2 * (1 - M) / (exp 1 * M)).
  assert (A1 : 0 <= (1 - M) / (exp 1 * M)). { apply Rmult_le_pos; [lra|]. left; apply Rinv_0_lt_compat. nra. }
  assert (A2 : x = 2 * h * (1 + exp (- (W1 * M))) + 2 * ((1 - M) / (exp 1 * M))) by (unfold x; field; split; lra).
  assert (Y := exp_pos (- (W1 * M))).
  assert (A3 : 2 * h * exp (- (a * M)) <= 2 * h * (1 + exp (- (W1 * M)))) by (apply Rmult_le_compat_l; lra).
  assert (A4 : 0 <= 2 * h * (1 + exp (- (W1 * M)))) by (apply Rmult_le_pos; lra).
  assert (0 <= x) by lra.
  assert (x / 2 <= x / (1 - q) * (1 - / 2 * exp (- a))).
  { apply Rle_trans with (x / (1 - q) * ((1 - q) / 2)). right; field; lra.
    apply Rmult_le_compat_l; [|lra]. apply Rmult_le_pos. lra. left; apply Rinv_0_lt_compat. lra. }
  rewrite Rmult_minus_distr_r, Rmult_1_l. lra.
Qed.

End Compare.
