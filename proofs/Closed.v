(** The numbers of the corollary: what rounding adds is at most (18 r + 2) eta, for r = B/lambda.

    [h] is eta, [rho] is Lambda/lambda, [sig] the last edge over lambda. Lambda may be below lambda by a share 2^-20. The bounds on
    exponentials of constants are by the tactic [interval]. *)
From Coq Require Import Reals Lra Psatz.
From Interval Require Import Tactic.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Compare.
Open Scope R_scope.

(** ** The weight of the exponent d *)

Section Weight.
Variables kap q0 d0 : R.
Hypothesis Hk : 0 <= kap.
Hypothesis Hd0 : 0 <= d0.
Definition f0 d := exp (kap * d) - 1 - q0 * (exp ((kap + 1) * d) - exp (- d)).
Definition f1 d := kap * exp (kap * d) - q0 * ((kap + 1) * exp ((kap + 1) * d) + exp (- d)).
Hypothesis Hf1 : forall c, 0 <= c <= d0 -> 0 <= f1 c.

Lemma f0_nonneg : forall d, 0 <= d <= d0 -> 0 <= f0 d.
Proof.
  intros d Hd.
  assert (E0 : f0 0 = 0). { unfold f0. rewrite !Rmult_0_r, Ropp_0, exp_0. ring. }
  destruct (MVT_gen f0 0 d f1) as [c [Hc E]].
  - intros x _. unfold f0, f1. auto_derive. exact I. ring.
  - intros x _. apply derivable_continuous_pt. exists (f1 x). apply is_derive_Reals.
    unfold f0, f1. auto_derive. exact I. ring.
  - rewrite Rmin_left, Rmax_right in Hc by lra.
    assert (F : 0 <= f1 c) by (apply Hf1; lra).
    rewrite E0 in E. assert (0 <= f1 c * (d - 0)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** (1 - q e^-d)/(1 - q e^d) is at most e^(kap d): true at d = 0, and the derivative [f1] of the difference is not negative. *)
Lemma weight : forall q d, 0 <= q <= q0 -> 0 <= d <= d0 ->
  1 - q * exp (- d) <= exp (kap * d) * (1 - q * exp d).
Proof.
  intros q d Hq Hd. assert (H := f0_nonneg d Hd). unfold f0 in H.
  replace (exp ((kap + 1) * d)) with (exp (kap * d) * exp d) in H by (rewrite <- exp_plus; f_equal; ring).
  assert (exp (- d) <= exp (kap * d) * exp d).
  { rewrite <- exp_plus. apply exp_le'. assert (0 <= kap * d) by (apply Rmult_le_pos; lra). lra. }
  assert (q * (exp (kap * d) * exp d - exp (- d)) <= q0 * (exp (kap * d) * exp d - exp (- d))) by (apply Rmult_le_compat_r; lra).
  lra.
Qed.
End Weight.

Lemma weight_1 : forall q d, 0 <= q <= 3723 / 10000 -> 0 <= d <= 72 / 1000 ->
  1 - q * exp (- d) <= exp (12 / 10 * d) * (1 - q * exp d).
Proof.
  apply weight; try lra. intros c Hc. unfold f1. interval with (i_bisect c, i_prec 64).
Qed.

Lemma weight_2 : forall q d, 0 <= q <= 3702 / 10000 -> 0 <= d <= 412 / 10000 ->
  1 - q * exp (- d) <= exp (1180 / 1000 * d) * (1 - q * exp d).
Proof.
  apply weight; try lra. intros c Hc. unfold f1. interval with (i_bisect c, i_prec 64).
Qed.

Definition q0 := 3723 / 10000.

Section Closed.
Variables h r rho sig : R.
Hypothesis Hh : 0 < h <= / 256.
Hypothesis Hr : 1 < r.
Hypothesis Hhr : h * r < / 128.
Hypothesis Hrho : 1 - / 1048576 <= rho < 2.
Hypothesis Hsig : rho / 2 <= sig < r + rho / 2.
(** B is not near lambda, or there is one cell with two edges, or there are three. *)
Hypothesis Hcase : 138 / 100 <= r \/ sig = rho / 2 \/ (sig = 3 / 2 * rho /\ rho < r).

Let o := h * sig.
Let P := (1 + h) * (1 + h).
Let M := (1 - h) * (1 - h).
Let W1 := rho - o.
Let W2 := rho + o.
Let T1 := r + sig - rho + o.
Let T2 := r + sig + o.
Let q := Compare.q W1.
Let a := 2 * h + h * h.

Lemma o_small : 0 < o < 118 / 10000.
Proof. unfold o. split. apply Rmult_lt_0_compat; lra. nra. Qed.

Lemma o_r : o <= (r + 1) / 256.
Proof. unfold o. nra. Qed.

Lemma a_bound : 0 < a <= 20040 / 10000 * h.
Proof. unfold a. split; nra. Qed.

Lemma q_small : 0 < q <= q0.
Proof.
  split. apply exp_pos. unfold q, Compare.q. apply Rle_trans with (exp (- (9881 / 10000))).
  apply exp_le'. assert (O := o_small). unfold W1. lra. unfold q0. interval with (i_prec 64).
Qed.

Lemma T1_bound : 0 <= T1 <= 2 * r - rho / 2 + o.
Proof. assert (O := o_small). unfold T1. lra. Qed.

Lemma lin : forall x, 1 + x <= exp x. Proof. exact exp_ineq1_le. Qed.

Lemma HP : 1 <= P. Proof. unfold P. nra. Qed.
Lemma HM : 0 < M <= 1. Proof. unfold M. nra. Qed.

(** In a tail. *)
Lemma tail_up_le : forall T, 0 <= T -> tail_up h M T <= exp (2 * h + a * T).
Proof.
  intros T HT. unfold tail_up. rewrite exp_plus. apply Rmult_le_compat.
  lra. left; apply exp_pos. apply lin. apply exp_le'. unfold M, a. nra.
Qed.

Lemma tail_down_eq : forall T, tail_down P T = exp (- (a * T)).
Proof. intros T. unfold tail_down, P, a. f_equal. ring. Qed.

Lemma T2_bound : 0 <= T2 <= 2 * r + 102 / 100.
Proof. assert (O := o_small). unfold T2. lra. Qed.

Lemma tail_up_exp : tail_up h M T2 <= exp ((41 / 10 * r + 5) * h).
Proof.
  assert (T := T2_bound). assert (A := a_bound).
  apply Rle_trans with (1 := tail_up_le T2 (proj1 T)). apply exp_le'.
  assert (a * T2 <= 2004 / 1000 * h * (2 * r + 102 / 100)) by (apply Rmult_le_compat; lra). nra.
Qed.

Lemma tail_down_exp : exp (- ((41 / 10 * r + 3) * h)) <= tail_down P T2.
Proof.
  assert (T := T2_bound). assert (A := a_bound). rewrite tail_down_eq. apply exp_le'.
  assert (a * T2 <= 2004 / 1000 * h * (2 * r + 102 / 100)) by (apply Rmult_le_compat; lra). nra.
Qed.

Lemma e_ge : 2718 / 1000 <= exp 1. Proof. interval with (i_prec 64). Qed.

Lemma in_up_le : in_up P W1 <= exp (236 / 100 * h).
Proof.
  apply Rle_trans with (2 := lin _). unfold in_up. fold q. apply Rplus_le_compat_l.
  assert (Q := q_small). assert (E := e_ge). unfold q0 in Q.
  assert (G : 1706 / 1000 <= exp 1 * (1 - q)) by nra.
  apply Rmult_le_reg_r with (exp 1 * (1 - q)). lra.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. unfold P. nra.
Qed.

Lemma in_down_ge : exp (- (7 * h)) <= in_down h M W1.
Proof.
  assert (Q := q_small). assert (E := e_ge). unfold q0 in Q.
  assert (E1 : exp (- (7 * h)) <= 1 - 6812 / 1000 * h).
  { rewrite exp_Ropp. assert (L := lin (7 * h)).
    apply Rle_trans with (/ (1 + 7 * h)). apply Rinv_le_contravar; lra.
    apply Rmult_le_reg_r with (1 + 7 * h). lra. rewrite Rinv_l by lra. nra. }
  apply Rle_trans with (1 := E1). unfold in_down. fold q.
  assert (M1 : 9922 / 10000 <= M) by (unfold M; nra).
  assert (E2 : exp (- (W1 * M)) <= 3753 / 10000).
  { apply Rle_trans with (exp (- (9801 / 10000))). apply exp_le'. assert (O := o_small).
    assert (9881 / 10000 <= W1) by (unfold W1; lra). nra. interval with (i_prec 64). }
  assert (E3 : 2 * (1 - M) / (exp 1 * M) <= 1484 / 1000 * h).
  { assert (G : 2696 / 1000 <= exp 1 * M) by nra. apply Rmult_le_reg_r with (exp 1 * M). lra.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. 
    apply Rle_trans with (4 * h). unfold M. nra. nra. }
  assert (E4 : (2 * h * (1 + exp (- (W1 * M))) + 2 * (1 - M) / (exp 1 * M)) / (1 - q) <= 6812 / 1000 * h); [|lra].
  apply Rmult_le_reg_r with (1 - q). lra. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. nra.
Qed.

(** Outside: x, y and d of the page. *)
Let x := a * T1.
Let y := a * (T1 + W2).
Let d := x + y + 2 * h.

Lemma d_small : 0 <= x /\ 0 <= y /\ 0 <= d <= 72 / 1000.
Proof.
  assert (A := a_bound). assert (T := T1_bound). assert (O := o_small). assert (O2 := o_r).
  assert (0 <= x) by (apply Rmult_le_pos; lra).
  assert (0 <= y) by (apply Rmult_le_pos; [lra|unfold W2; lra]).
  split; [assumption|]. split; [assumption|]. split. unfold d; lra.
  assert (x + y = a * (2 * T1 + W2)) by (unfold x, y; ring).
  assert (2 * T1 + W2 <= 4 * r + 3 * o) by (unfold W2; lra).
  assert (a * (2 * T1 + W2) <= 2004 / 1000 * h * (4 * r + 3 * o)) by (apply Rmult_le_compat; unfold W2; lra).
  unfold d. nra.
Qed.

Lemma out_up_le : out_up h P M W1 W2 T1 <= exp (2 * h + x) * (1 - q * exp (- d)) / (1 - q).
Proof.
  assert (Q := q_small). unfold q0 in Q. assert (T := T1_bound). assert (O := o_small).
  unfold out_up. fold q. apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra.
  rewrite tail_down_eq. fold y. assert (U := tail_up_le T1 (proj1 T)). fold x in U.
  replace (exp (2 * h + x) * (1 - q * exp (- d))) with (exp (2 * h + x) - q * exp (- y)). lra.
  rewrite Rmult_minus_distr_l, Rmult_1_r. f_equal.
  rewrite (Rmult_comm q (exp (- d))), <- Rmult_assoc, <- exp_plus, Rmult_comm. do 2 f_equal. unfold d. ring.
Qed.

Lemma out_down_ge : exp (- x) * (1 - q * exp d) / (1 - q) <= out_down h P M W1 W2 T1.
Proof.
  assert (Q := q_small). unfold q0 in Q. assert (T := T1_bound). assert (O := o_small).
  unfold out_down. fold q. apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra.
  rewrite tail_down_eq. fold x. assert (U := tail_up_le (T1 + W2)). fold y in U.
  assert (0 <= T1 + W2) by (unfold W2; lra). specialize (U H).
  replace (exp (- x) * (1 - q * exp d)) with (exp (- x) - q * exp (2 * h + y)). nra.
  rewrite Rmult_minus_distr_l, Rmult_1_r. f_equal.
  rewrite (Rmult_comm q (exp d)), <- Rmult_assoc, <- exp_plus, Rmult_comm. do 2 f_equal. unfold d. ring.
Qed.

Lemma exponent : (138 / 100 <= r \/ sig = rho / 2 \/ (sig = 3 / 2 * rho /\ rho < r /\ 106 / 100 <= r)) ->
  2 * x + 2 * h + 12 / 10 * d <= (18 * r + 2) * h.
Proof.
  intros Hc. assert (A := a_bound). assert (T := T1_bound). assert (O := o_small). assert (O2 := o_r).
  replace (2 * x + 2 * h + 12 / 10 * d) with (a * (44 / 10 * T1 + 12 / 10 * W2) + 44 / 10 * h)
    by (unfold d, x, y; field).
  assert (P0 : 0 <= 44 / 10 * T1 + 12 / 10 * W2) by (unfold W2; lra).
  assert (B0 : 2004 / 1000 * (44 / 10 * T1 + 12 / 10 * W2) + 44 / 10 <= 18 * r + 2).
  { destruct (Rle_lt_dec (138 / 100) r) as [Hbig|Hbig].
    { assert (44 / 10 * T1 + 12 / 10 * W2 <= 88 / 10 * r - rho + 56 / 10 * o) by (unfold W2; lra). lra. }
    destruct Hc as [Hc|[Hc|[Hc [Hc' Hc'']]]].
    - lra.
    - assert (44 / 10 * T1 + 12 / 10 * W2 = 44 / 10 * r - rho + 56 / 10 * o) by (unfold W2, T1; rewrite Hc; field). lra.
    - assert (44 / 10 * T1 + 12 / 10 * W2 = 44 / 10 * r + 34 / 10 * rho + 56 / 10 * o) by (unfold W2, T1; rewrite Hc; field).
      assert (o <= 81 / 10000).
      { unfold o. rewrite Hc. assert (h * (3 / 2 * rho) <= / 256 * (3 / 2 * rho)) by (apply Rmult_le_compat_r; lra). lra. }
      lra. }
  assert (a * (44 / 10 * T1 + 12 / 10 * W2) <= 2004 / 1000 * h * (44 / 10 * T1 + 12 / 10 * W2)) by (apply Rmult_le_compat_r; lra).
  assert (h * (2004 / 1000 * (44 / 10 * T1 + 12 / 10 * W2) + 44 / 10) <= h * (18 * r + 2)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

(** B within a twentieth of lambda, and Lambda below B. *)
Section Close.
Hypothesis Hs : sig = 3 / 2 * rho.
Hypothesis Hrr : rho < r.
Hypothesis Hr5 : r < 106 / 100.

Lemma o_close : o <= 622 / 100000.
Proof. unfold o. rewrite Hs. assert (h * (3 / 2 * rho) <= / 256 * (3 / 2 * rho)) by (apply Rmult_le_compat_r; lra). lra. Qed.

Lemma q_close : q <= 3702 / 10000.
Proof.
  unfold q, Compare.q. apply Rle_trans with (exp (- (99377 / 100000))).
  apply exp_le'. assert (O := o_close). unfold W1. lra. interval with (i_prec 64).
Qed.

Lemma d_close : d <= 412 / 10000.
Proof.
  assert (A := a_bound). assert (O := o_close). assert (O' := o_small).
  assert (E : d = a * (2 * r + 2 * rho + 3 * o) + 2 * h) by (unfold d, x, y, W2, T1; rewrite Hs; field).
  assert (a * (2 * r + 2 * rho + 3 * o) <= 2004 / 1000 * / 256 * (426 / 100)).
  { apply Rmult_le_compat; lra. }
  rewrite E. lra.
Qed.

Lemma exponent_close : 2 * x + 2 * h + 1180 / 1000 * d <= (18 * r + 2) * h.
Proof.
  assert (A := a_bound). assert (O := o_close). assert (O' := o_small).
  replace (2 * x + 2 * h + 1180 / 1000 * d) with (a * (4360 / 1000 * r + 3360 / 1000 * rho + 5540 / 1000 * o) + 4360 / 1000 * h)
    by (unfold d, x, y, W2, T1; rewrite Hs; field).
  assert (a * (4360 / 1000 * r + 3360 / 1000 * rho + 5540 / 1000 * o) <= 2004 / 1000 * h * (4360 / 1000 * r + 3360 / 1000 * rho + 5540 / 1000 * o))
    by (apply Rmult_le_compat_r; lra).
  assert (h * (2004 / 1000 * (4360 / 1000 * r + 3360 / 1000 * rho + 5540 / 1000 * o) + 4360 / 1000) <= h * (18 * r + 2)) by (apply Rmult_le_compat_l; lra).
  lra.
Qed.
End Close.

Lemma weighted : exists kk, 1 - q * exp (- d) <= exp (kk * d) * (1 - q * exp d) /\ 2 * x + 2 * h + kk * d <= (18 * r + 2) * h.
Proof.
  assert (Q := q_small). unfold q0 in Q. destruct d_small as [_ [_ D]].
  destruct (Rlt_le_dec r (106 / 100)) as [Hr5|Hr5].
  - destruct Hcase as [Hc|[Hc|[Hc Hc']]].
    + lra.
    + exists (12 / 10). split. apply weight_1; lra. apply exponent. tauto.
    + exists (1180 / 1000). split. apply weight_2. split. lra. now apply q_close. split. lra. now apply d_close. now apply exponent_close.
  - exists (12 / 10). split. apply weight_1; lra. apply exponent. tauto.
Qed.

Lemma pos1 : 0 < 1 - q * exp d.
Proof.
  assert (Q := q_small). unfold q0 in Q. destruct d_small as [_ [_ D]].
  assert (exp d <= 1075 / 1000). { apply Rle_trans with (exp (72 / 1000)). apply exp_le'; lra. interval with (i_prec 64). }
  assert (0 < exp d) by apply exp_pos. nra.
Qed.

Lemma out_ratio : out_up h P M W1 W2 T1 <= exp ((18 * r + 2) * h) * out_down h P M W1 W2 T1.
Proof.
  assert (Q := q_small). destruct d_small as [_ [_ D]].
  destruct weighted as [kk [W E]]. unfold q0 in Q.
  apply Rle_trans with (1 := out_up_le).
  apply Rle_trans with (exp ((18 * r + 2) * h) * (exp (- x) * (1 - q * exp d) / (1 - q))).
  2:{ apply Rmult_le_compat_l. left; apply exp_pos. apply out_down_ge. }
  unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r. left; apply Rinv_0_lt_compat; lra.
  apply Rle_trans with (exp (2 * h + x) * (exp (kk * d) * (1 - q * exp d))).
  apply Rmult_le_compat_l; [left; apply exp_pos|exact W].
  rewrite <- !Rmult_assoc. apply Rmult_le_compat_r. left; apply pos1.
  rewrite <- !exp_plus. apply exp_le'. lra.
Qed.

Lemma out_up_exp : out_up h P M W1 W2 T1 <= exp ((95 / 10 * r + 3) * h).
Proof.
  assert (Q := q_small). unfold q0 in Q. destruct d_small as [X [Y D]].
  apply Rle_trans with (1 := out_up_le).
  (* (1 - q e^-d)/(1 - q) <= 1 + q d/(1 - q) <= exp(0.594 d) *)
  assert (G : (1 - q * exp (- d)) / (1 - q) <= exp (594 / 1000 * d)).
  { apply Rle_trans with (2 := lin _). apply Rmult_le_reg_r with (1 - q). lra.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. assert (L := lin (- d)). nra. }
  unfold Rdiv in *. rewrite Rmult_assoc. apply Rle_trans with (exp (2 * h + x) * exp (594 / 1000 * d)).
  apply Rmult_le_compat_l; [left; apply exp_pos|exact G].
  rewrite <- exp_plus. apply exp_le'.
  assert (A := a_bound). assert (T := T1_bound). assert (O := o_small). assert (O2 := o_r).
  replace (2 * h + x + 594 / 1000 * d) with (a * (2188 / 1000 * T1 + 594 / 1000 * W2) + 3188 / 1000 * h)
    by (unfold d, x, y; field).
  assert (a * (2188 / 1000 * T1 + 594 / 1000 * W2) <= 2004 / 1000 * h * (4376 / 1000 * r - rho / 2 + 2782 / 1000 * o)).
  { apply Rmult_le_compat; try lra; unfold W2; lra. }
  assert (2004 / 1000 * (4376 / 1000 * r - rho / 2 + 2782 / 1000 * o) + 3188 / 1000 <= 95 / 10 * r + 3) by lra.
  nra.
Qed.

Lemma out_down_exp : exp (- ((95 / 10 * r + 3) * h)) <= out_down h P M W1 W2 T1.
Proof.
  assert (Q := q_small). unfold q0 in Q. destruct d_small as [X [Y D]].
  apply Rle_trans with (2 := out_down_ge).
  assert (E1 : exp d <= 1075 / 1000). { apply Rle_trans with (exp (72 / 1000)). apply exp_le'; lra. interval with (i_prec 64). }
  assert (E2 : exp d - 1 <= 1075 / 1000 * d).
  { assert (L := lin (- d)). assert (E0 := exp_pos d). rewrite exp_Ropp in L.
    assert (exp d * (1 + - d) <= 1). { apply Rle_trans with (exp d * / exp d). apply Rmult_le_compat_l; lra. right; field; lra. } nra. }
  (* (1 - q)/(1 - q e^d) <= 1 + 0.668 d *)
  assert (G : exp (- (668 / 1000 * d)) <= (1 - q * exp d) / (1 - q)).
  { rewrite exp_Ropp. assert (L := lin (668 / 1000 * d)).
    apply Rle_trans with (/ (1 + 668 / 1000 * d)). apply Rinv_le_contravar; lra.
    apply Rmult_le_reg_r with ((1 + 668 / 1000 * d) * (1 - q)). apply Rmult_lt_0_compat; lra.
    replace (/ (1 + 668 / 1000 * d) * ((1 + 668 / 1000 * d) * (1 - q))) with (1 - q) by (field; lra).
    replace ((1 - q * exp d) / (1 - q) * ((1 + 668 / 1000 * d) * (1 - q))) with ((1 - q * exp d) * (1 + 668 / 1000 * d)) by (field; lra).
    assert (q * exp d <= q * (1 + 1075 / 1000 * d)) by (apply Rmult_le_compat_l; lra).
    assert (q * exp d <= 400223 / 1000000) by nra. 
    assert (q * (1075 / 1000 * d) <= 400223 / 1000000 * d) by nra.
    nra. }
  apply Rle_trans with (exp (- x) * exp (- (668 / 1000 * d))).
  2:{ apply Rle_trans with (exp (- x) * ((1 - q * exp d) / (1 - q))).
      apply Rmult_le_compat_l; [left; apply exp_pos|exact G]. right; unfold Rdiv; ring. }
  rewrite <- exp_plus. apply exp_le'.
  assert (A := a_bound). assert (T := T1_bound). assert (O := o_small). assert (O2 := o_r).
  assert (x + 668 / 1000 * d = a * (2336 / 1000 * T1 + 668 / 1000 * W2) + 1336 / 1000 * h)
    by (unfold d, x, y; field).
  assert (a * (2336 / 1000 * T1 + 668 / 1000 * W2) <= 2004 / 1000 * h * (4672 / 1000 * r - rho / 2 + 3004 / 1000 * o)).
  { apply Rmult_le_compat; try lra; unfold W2; lra. }
  assert (2004 / 1000 * (4672 / 1000 * r - rho / 2 + 3004 / 1000 * o) + 1336 / 1000 <= 95 / 10 * r + 3) by lra.
  nra.
Qed.

Notation K := (exp ((18 * r + 2) * h)).

Lemma combine : forall u v s t, u <= exp s -> exp (- t) <= v -> s + t <= (18 * r + 2) * h -> u <= K * v.
Proof.
  intros u v s t Hu Hv Hst. apply Rle_trans with (1 := Hu). apply Rle_trans with (K * exp (- t)).
  rewrite <- exp_plus. apply exp_le'. lra. apply Rmult_le_compat_l; [left; apply exp_pos|exact Hv].
Qed.

Lemma maxmin : forall u u' v v', u <= K * v -> u <= K * v' -> u' <= K * v -> u' <= K * v' -> Rmax u u' <= K * Rmin v v'.
Proof. intros. unfold Rmax, Rmin. repeat destruct Rle_dec; assumption. Qed.

Theorem closed_two_edges :
  0 < Rmin (in_down h M W1) (out_down h P M W1 W2 T1) /\
  Rmax (in_up P W1) (out_up h P M W1 W2 T1) <= K * Rmin (in_down h M W1) (out_down h P M W1 W2 T1).
Proof.
  split.
  - apply Rmin_glb_lt. apply Rlt_le_trans with (2 := in_down_ge). apply exp_pos. apply Rlt_le_trans with (2 := out_down_exp). apply exp_pos.
  - apply maxmin.
    apply combine with (1 := in_up_le) (2 := in_down_ge). nra.
    apply combine with (1 := in_up_le) (2 := out_down_exp). nra.
    apply combine with (1 := out_up_exp) (2 := in_down_ge). nra.
    apply out_ratio.
Qed.

Theorem closed_tail :
  0 < Rmin (in_down h M W1) (tail_down P T2) /\
  Rmax (in_up P W1) (tail_up h M T2) <= K * Rmin (in_down h M W1) (tail_down P T2).
Proof.
  split.
  - apply Rmin_glb_lt. apply Rlt_le_trans with (2 := in_down_ge). apply exp_pos. apply Rlt_le_trans with (2 := tail_down_exp). apply exp_pos.
  - apply maxmin.
    apply combine with (1 := in_up_le) (2 := in_down_ge). nra.
    apply combine with (1 := in_up_le) (2 := tail_down_exp). nra.
    apply combine with (1 := tail_up_exp) (2 := in_down_ge). nra.
    apply combine with (1 := tail_up_exp) (2 := tail_down_exp). nra.
Qed.

End Closed.
