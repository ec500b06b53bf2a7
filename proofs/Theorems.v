(** The theorem of docs/verification.md and its corollary. Start reading here. *)
From Coq Require Import Reals ZArith List Lra Psatz.
From Flocq Require Import Core.
From Lastbit Require Import Format Probability Noise Compare Snapping Events Input Closed.
Import ListNotations.
Open Scope R_scope.

(** The program. Every number has p significant bits and every circled operation of the page is [rnd p], to nearest even:

    out = clamp_B( snap_Lambda( clamp_B(g) (+) S (x) (lambda (x) LN(U* )) ) ),  Lambda = 2^l, U* = cut p u, LN = rnd p (ln ...).

    s is the sign and u the real uniform whose first p bits are U*; see [Uniform.ustar_law] for its law. *)
Definition snapping (p : Z) (lambda B : R) (l : Z) (g : R) (s : bool) (u : R) : R :=
  clamp B (snap l (rnd p (clamp B g + rnd p ((if s then 1 else -1) * rnd p (lambda * rnd p (ln (cut p u))))))).

(** The probability that it publishes x, over a fair sign and a uniform u. *)
Definition Pr p lambda B l (x g : R) : R := law (snapping p lambda B l g) x.

Lemma Pr_size : forall p lambda B l x g, (1 < p)%Z ->
  Pr p lambda B l x g = law (out p B l (fun u => - size p [Times lambda] u) g) x.
Proof.
  intros p lambda B l x g Hp. apply law_ext. intros s u _. unfold snapping, out.
  now rewrite <- (size_opp p [Times lambda] u).
Qed.

Lemma two_roundings : forall p lambda, (1 < p)%Z -> 0 < lambda ->
  noise p lambda ((1 + eta p) * (1 + eta p)) ((1 - eta p) * (1 - eta p)) (size p [Times lambda]).
Proof.
  intros p lambda Hp Hl.
  assert (N := noise_chain p Hp [Times lambda] 1 (rounded_operation (Times lambda) [] 0 Hl no_operation)).
  unfold product in N. simpl in N. rewrite !Rmult_1_r in N. exact N.
Qed.

Section Loss.
Variables (p : Z) (lambda B : R) (l : Z).
Hypothesis Hp : (8 <= p)%Z.
Hypothesis Hlambda : 0 < lambda.
Hypothesis HB : 0 < B <= bpow radix2 (p - 6) * bpow radix2 l.

Notation P := ((1 + eta p) * (1 + eta p)).
Notation M := ((1 - eta p) * (1 - eta p)).
Notation narrow := (narrowest (eta p) (bpow radix2 l) lambda (n B l)).
Notation wide := (widest (eta p) (bpow radix2 l) lambda (n B l)).
Notation away := (outside_reach (eta p) (bpow radix2 l) lambda B (n B l)).

(** The worst 1 + up and 1 - down for an output with one edge, and for one with two. *)
Definition up_tail := one_up p lambda B l P M.
Definition down_tail := one_down p lambda B l P M.
Definition up_cell := two_up p lambda B l P M away.
Definition down_cell := two_down p lambda B l P M away.

(** *** Theorem. The loss is at most Delta/lambda + ln max (1 + up)/(1 - down), for all inputs and all outputs. *)
Theorem snapping_private : 0 < down_tail -> 0 < down_cell ->
  forall Delta x g g', Rabs (g - g') <= Delta ->
  Pr p lambda B l x g
  <= exp (Delta / lambda) * Rmax (up_tail / down_tail) (up_cell / down_cell) * Pr p lambda B l x g'.
Proof.
  intros H1 H2 Delta x g g' Hg. rewrite !Pr_size by lia.
  assert (N := two_roundings p lambda ltac:(lia) Hlambda).
  assert (G2 : Compare.out_up (eta p) P M narrow wide away <= up_cell) by apply Rmax_r.
  assert (G3 : down_cell <= Compare.out_down (eta p) P M narrow wide away) by apply Rmin_r.
  apply snapping_cases with (1 := Hp) (2 := HB) (3 := N) (nearby := away).
  - apply Rle_trans with (2 := Hg). apply clamp_lip. apply HB.
  - right. lra.
  - exact H1.
  - lra.
  - exact H2.
  - apply Rmax_l.
  - apply Rle_trans with (2 := Rmax_r _ _). apply Rle_trans with (up_cell / Compare.out_down (eta p) P M narrow wide away).
    + apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; lra|exact G2].
    + apply Rmult_le_compat_l; [|apply Rinv_le_contravar; lra].
      apply Rle_trans with (2 := Rmax_l _ _). eapply in_up_pos; eassumption.
  - apply Rmax_r.
Qed.

(** Probabilities are not negative. *)
Lemma Pr_pos : forall x g, 0 <= Pr p lambda B l x g.
Proof.
  intros x g. rewrite Pr_size by lia.
  apply Pr_nonneg with (1 := Hp) (2 := HB) (3 := two_roundings p lambda ltac:(lia) Hlambda).
Qed.
End Loss.

(** *** Corollary. What the float modes charge: rounding adds at most (18 B/lambda + 2) eta, in every setting that is allowed.

    Plan: [Closed] bounds the ratios in units of lambda; here its numbers are matched with those of the program. *)
Theorem snapping_closed : forall (p : Z) (lambda B : R) (l : Z), (8 <= p)%Z -> 0 < lambda ->
  (1 - / 2 ^ 20) * lambda <= bpow radix2 l < 2 * lambda ->
  lambda < B < bpow radix2 (p - 7) * lambda ->
  forall Delta x g g', Rabs (g - g') <= Delta ->
  Pr p lambda B l x g
  <= exp (Delta / lambda + (18 * (B / lambda) + 2) * bpow radix2 (- p)) * Pr p lambda B l x g'.
Proof.
  intros p lambda B l Hp Hlambda HLambda HB Delta x g g' Hg.
  replace (/ 2 ^ 20) with (/ 1048576) in HLambda by (f_equal; ring).
  assert (He := eta_pos p). set (Lambda := bpow radix2 l) in *. assert (L : 0 < Lambda) by apply bpow_gt_0.
  assert (div : forall a b, a < b -> a / lambda < b / lambda).
  { intros a b H. apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|exact H]. }
  assert (HB' : 0 < B <= bpow radix2 (p - 6) * Lambda).
  { split. lra. replace (p - 6)%Z with (1 + (p - 7))%Z by ring. rewrite bpow_plus. change (bpow radix2 1) with 2.
    assert (0 < bpow radix2 (p - 7)) by apply bpow_gt_0. nra. }
  assert (H1 : 0 < eta p <= / 256).
  { split. exact He. unfold eta. replace (/ 256) with (bpow radix2 (-8)) by (simpl; lra). apply bpow_le. lia. }
  assert (H2 : 1 < B / lambda). { replace 1 with (lambda / lambda) by (field; lra). apply div. lra. }
  assert (H3 : eta p * (B / lambda) < / 128).
  { replace (/ 128) with (eta p * (bpow radix2 (p - 7) * lambda / lambda)).
    apply Rmult_lt_compat_l. exact He. apply div. lra.
    replace (bpow radix2 (p - 7) * lambda / lambda) with (bpow radix2 (p - 7)) by (field; lra).
    unfold eta. rewrite <- bpow_plus. replace (- p + (p - 7))%Z with (-7)%Z by ring. simpl. lra. }
  assert (H4 : 1 - / 1048576 <= Lambda / lambda < 2).
  { split; [apply Rmult_le_reg_r with lambda|apply Rmult_lt_reg_r with lambda]; try exact Hlambda;
      replace (Lambda / lambda * lambda) with Lambda by (field; lra); lra. }
  assert (Hn := n_pos p B l HB'). set (m := n B l) in *.
  assert (H5 : (Lambda / lambda) / 2 <= last Lambda m / lambda < B / lambda + (Lambda / lambda) / 2).
  { unfold last. split.
    - replace ((IZR m - / 2) * Lambda / lambda) with ((IZR m - / 2) * (Lambda / lambda)) by (field; lra).
      assert (IZR 1 <= IZR m) by (apply IZR_le; exact Hn). nra.
    - replace (B / lambda + Lambda / lambda / 2) with ((B + Lambda / 2) / lambda) by (field; lra). apply div.
      assert (IZR (m - 1) * Lambda < B).
      { destruct (Rlt_le_dec (IZR (m - 1) * Lambda) B) as [h|h]; [exact h|exfalso]. apply n_spec in h. fold m in h. lia. }
      rewrite minus_IZR in H. lra. }
  assert (H6 : 138 / 100 <= B / lambda \/ last Lambda m / lambda = Lambda / lambda / 2
            \/ (last Lambda m / lambda = 3 / 2 * (Lambda / lambda) /\ Lambda / lambda < B / lambda)).
  { destruct (Rlt_le_dec (B / lambda) (138 / 100)) as [h|h]; [right|left; exact h].
    assert (BL : B < 2 * Lambda).
    { apply Rmult_lt_compat_r with (r := lambda) in h; [|exact Hlambda]. replace (B / lambda * lambda) with B in h by (field; lra). lra. }
    assert (m <= 2)%Z by (apply n_spec; fold Lambda; simpl; lra).
    assert (m = 1 \/ m = 2)%Z as [E|E] by lia.
    - left. unfold last. rewrite E. field. lra.
    - right. split. unfold last. rewrite E. field. lra.
      apply div. destruct (Rlt_le_dec Lambda B) as [g0|g0]; [exact g0|exfalso].
      assert (m <= 1)%Z; [|lia]. apply n_spec. fold Lambda. simpl. lra. }
  destruct (closed_two_edges _ _ _ _ H1 H2 H3 H4 H5 H6) as [C1 C2].
  destruct (closed_tail _ _ _ _ H1 H2 H3 H4 H5 H6) as [C3 C4].
  assert (E1 : Lambda / lambda - eta p * (last Lambda m / lambda) = narrowest (eta p) Lambda lambda m) by (unfold narrowest, omega; field; lra).
  assert (E2 : Lambda / lambda + eta p * (last Lambda m / lambda) = widest (eta p) Lambda lambda m) by (unfold widest, omega; field; lra).
  assert (E3 : B / lambda + last Lambda m / lambda - Lambda / lambda + eta p * (last Lambda m / lambda) = outside_reach (eta p) Lambda lambda B m)
    by (unfold outside_reach, omega; field; lra).
  assert (E4 : B / lambda + last Lambda m / lambda + eta p * (last Lambda m / lambda) = tail_reach (eta p) Lambda lambda B m)
    by (unfold tail_reach, omega; field; lra).
  rewrite E1, ?E2, ?E3 in C1, C2. rewrite E1, ?E4 in C3, C4.
  fold (two_down p lambda B l ((1 + eta p) * (1 + eta p)) ((1 - eta p) * (1 - eta p)) (outside_reach (eta p) Lambda lambda B m)) in C1, C2.
  fold (two_up p lambda B l ((1 + eta p) * (1 + eta p)) ((1 - eta p) * (1 - eta p)) (outside_reach (eta p) Lambda lambda B m)) in C2.
  fold (one_down p lambda B l ((1 + eta p) * (1 + eta p)) ((1 - eta p) * (1 - eta p))) in C3, C4.
  fold (one_up p lambda B l ((1 + eta p) * (1 + eta p)) ((1 - eta p) * (1 - eta p))) in C4.
  fold (down_cell p lambda B l) in C1, C2. fold (up_cell p lambda B l) in C2.
  fold (down_tail p lambda B l) in C3, C4. fold (up_tail p lambda B l) in C4.
  change (bpow radix2 (- p)) with (eta p).
  apply Rle_trans with (1 := snapping_private p lambda B l Hp Hlambda HB' C3 C1 Delta x g g' Hg).
  assert (Ratio : forall u d, 0 < d -> u <= exp ((18 * (B / lambda) + 2) * eta p) * d -> u / d <= exp ((18 * (B / lambda) + 2) * eta p)).
  { intros u d Hd H. apply Rmult_le_reg_r with d. exact Hd. replace (u / d * d) with u by (field; lra). exact H. }
  rewrite exp_plus. apply Rmult_le_compat_r. now apply Pr_pos.
  apply Rmult_le_compat_l. left; apply exp_pos. apply Rmax_lub; now apply Ratio.
Qed.

(** *** Corollary. The same for every set of outputs. *)
Theorem snapping_sets : forall (p : Z) (lambda B : R) (l : Z), (8 <= p)%Z -> 0 < lambda ->
  (1 - / 2 ^ 20) * lambda <= bpow radix2 l < 2 * lambda ->
  lambda < B < bpow radix2 (p - 7) * lambda ->
  forall Delta g g', Rabs (g - g') <= Delta ->
  loss_at_most (Delta / lambda + (18 * (B / lambda) + 2) * bpow radix2 (- p)) (snapping p lambda B l g) (snapping p lambda B l g').
Proof.
  intros p lambda B l Hp Hl HL HB Delta g g' Hg.
  assert (HB' : 0 < B <= bpow radix2 (p - 6) * bpow radix2 l).
  { replace (/ 2 ^ 20) with (/ 1048576) in HL by (f_equal; ring). split; [lra|].
    replace (p - 6)%Z with (1 + (p - 7))%Z by ring. rewrite bpow_plus. change (bpow radix2 1) with 2.
    assert (0 < bpow radix2 (p - 7)) by apply bpow_gt_0. nra. }
  assert (E : forall h s u, out p B l (fun u => - size p [Times lambda] u) h s u = snapping p lambda B l h s u).
  { intros h s u. unfold snapping, out. now rewrite <- (size_opp p [Times lambda] u). }
  apply (loss_ext _ _ (out p B l (fun u => - size p [Times lambda] u) g) (out p B l (fun u => - size p [Times lambda] u) g')); auto.
  apply (out_sets p lambda B l _ _ _ _ g g' Hp HB' (two_roundings p lambda ltac:(lia) Hl)).
  intros x. rewrite <- !Pr_size by lia. exact (snapping_closed p lambda B l Hp Hl HL HB Delta x g g' Hg).
Qed.

(** The same for a query value that is rounded to the format first: Delta grows by 2 eta B. *)
Corollary snapping_query : forall (p : Z) (lambda B : R) (l : Z), (8 <= p)%Z -> 0 < lambda ->
  (1 - / 2 ^ 20) * lambda <= bpow radix2 l < 2 * lambda ->
  lambda < B < bpow radix2 (p - 7) * lambda ->
  forall Delta f f', Rabs (f - f') <= Delta ->
  loss_at_most (Delta / lambda + (20 * (B / lambda) + 2) * bpow radix2 (- p))
    (snapping p lambda B l (rnd p f)) (snapping p lambda B l (rnd p f')).
Proof.
  intros p lambda B l Hp Hl HL HB Delta f f' Hf.
  assert (Id : forall g s u, snapping p lambda B l (clamp B g) s u = snapping p lambda B l g s u).
  { intros g s u. unfold snapping.
    assert (C : clamp B (clamp B g) = clamp B g) by (apply clamp_id, clamp_range; lra). now rewrite C. }
  assert (Q := query_rounded p ltac:(lia) B ltac:(lra) Delta f f' Hf).
  assert (G := snapping_sets p lambda B l Hp Hl HL HB _ _ _ Q).
  replace ((Delta + 2 * eta p * B) / lambda + (18 * (B / lambda) + 2) * bpow radix2 (- p))
    with (Delta / lambda + (20 * (B / lambda) + 2) * bpow radix2 (- p)) in G by (unfold eta; field; lra).
  revert G. apply loss_ext; auto.
Qed.

(** The same for a query value that is clamped to its public bounds, centred and rounded: Delta, or the width of the bounds if that is less, grows by
    2 eta W, W the half width. *)
Corollary snapping_centred : forall (p : Z) (lambda B : R) (l : Z), (8 <= p)%Z -> 0 < lambda ->
  (1 - / 2 ^ 20) * lambda <= bpow radix2 l < 2 * lambda ->
  lambda < B < bpow radix2 (p - 7) * lambda ->
  forall lo hi c W Delta f f', lo <= hi -> Rabs (lo - c) <= W -> Rabs (hi - c) <= W -> Rabs (f - f') <= Delta ->
  loss_at_most ((Rmin Delta (hi - lo) + 2 * (bpow radix2 (- p) * W)) / lambda + (18 * (B / lambda) + 2) * bpow radix2 (- p))
    (snapping p lambda B l (rnd p (within lo hi f - c))) (snapping p lambda B l (rnd p (within lo hi f' - c))).
Proof.
  intros p lambda B l Hp Hl HL HB lo hi c W Delta f f' H Wl Wh Hf. apply snapping_sets; try assumption.
  assert (G := centred_rounded p ltac:(lia) lo hi c W Delta f f' H Wl Wh Hf). unfold eta in G. lra.
Qed.
