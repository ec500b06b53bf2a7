(** The input: a query value that is rounded to the format, or scaled by a constant with rounding, before the clamp.

    The rounding of one input moves the clamped input by at most eta B, so two neighbours come at most 2 eta B closer
    or farther. An input that is neither clamped nor known to lie within [-B, B] has no such bound. *)
From Coq Require Import Reals ZArith List Lra Psatz.
From Flocq Require Import Core Mult_error Relative.
From Lastbit Require Import Format Noise Snapping.
Open Scope R_scope.

(** The query value between its public bounds. *)
Definition within (lo hi x : R) : R := Rmax lo (Rmin hi x).

Lemma within_lip : forall lo hi x y, Rabs (within lo hi x - within lo hi y) <= Rabs (x - y).
Proof.
  intros lo hi x y. unfold within, Rmax, Rmin.
  destruct (Rle_dec hi x); destruct (Rle_dec hi y); repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end;
  unfold Rabs; repeat match goal with |- context [Rcase_abs ?a] => destruct (Rcase_abs a) end; lra.
Qed.

Lemma within_range : forall lo hi x, lo <= hi -> lo <= within lo hi x <= hi.
Proof. intros lo hi x H. unfold within, Rmax, Rmin. destruct (Rle_dec hi x); destruct Rle_dec; lra. Qed.

(** Centred query values are no farther apart than the query values, and than the bounds. *)
Lemma centred_near : forall lo hi c Delta x y, lo <= hi -> Rabs (x - y) <= Delta ->
  Rabs (within lo hi x - c - (within lo hi y - c)) <= Rmin Delta (hi - lo).
Proof.
  intros lo hi c Delta x y H Hd. replace (within lo hi x - c - (within lo hi y - c)) with (within lo hi x - within lo hi y) by ring. apply Rmin_glb.
  - apply Rle_trans with (2 := Hd). apply within_lip.
  - assert (Rx := within_range lo hi x H). assert (Ry := within_range lo hi y H). apply Rabs_le. lra.
Qed.

Section Input.
Variable p : Z.
Hypothesis Hp : (1 < p)%Z.
#[local] Instance prec_gt_0_p : Prec_gt_0 p.
Proof. unfold Prec_gt_0; lia. Qed.
Variable B : R.
Hypothesis HB : 0 < B.
Notation rnd := (rnd p).
Notation eta := (eta p).
Notation clamp := (clamp B).

Lemma clamp_rnd_pos : forall x, 0 <= x -> Rabs (clamp (rnd x) - clamp x) <= eta * B.
Proof.
  intros x Hx. assert (He := eta_pos p). destruct (rnd_err p Hp x Hx) as [L U].
  assert (L' : x * (1 - eta) <= rnd x).
  { apply Rle_trans with (2 := L). apply Rmult_le_reg_r with (1 + eta). lra.
    replace (x / (1 + eta) * (1 + eta)) with x by (field; lra). nra. }
  assert (U' : rnd x <= x * (1 + eta)).
  { apply Rle_trans with (1 := U). apply Rmult_le_compat_l; [exact Hx|].
    apply Rmult_le_reg_r with (1 + eta). lra.
    replace ((1 + 2 * eta) / (1 + eta) * (1 + eta)) with (1 + 2 * eta) by (field; lra). nra. }
  assert (N := rnd_nonneg p Hp x Hx). apply Rabs_le.
  destruct (Rle_lt_dec x B) as [H|H].
  - rewrite (clamp_id B x) by lra. unfold Snapping.clamp, Rmax, Rmin. destruct (Rle_dec B (rnd x));
    repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; nra.
  - assert (Q := eta_le_quarter p Hp). assert (B * (1 - eta) <= rnd x) by nra.
    unfold Snapping.clamp, Rmax, Rmin. destruct (Rle_dec B (rnd x)); destruct (Rle_dec B x);
    repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; nra.
Qed.

(** Rounding before the clamp moves the clamped number by at most eta B. *)
Theorem clamp_rnd : forall x, Rabs (clamp (rnd x) - clamp x) <= eta * B.
Proof.
  intros x. destruct (Rle_lt_dec 0 x) as [H|H]; [now apply clamp_rnd_pos|].
  assert (G := clamp_rnd_pos (- x) ltac:(lra)). rewrite rnd_opp, !(clamp_opp B HB) in G by exact Hp.
  rewrite <- Rabs_Ropp. replace (- (clamp (rnd x) - clamp x)) with (- clamp (rnd x) - - clamp x) by ring. exact G.
Qed.

(** A query value of any real size, multiplied or divided by a constant with rounding: c Delta + 2 eta B. *)
Theorem input_rounded : forall c Delta f f', 0 <= value c -> Rabs (f - f') <= Delta ->
  Rabs (clamp (operate p f c) - clamp (operate p f' c)) <= value c * Delta + 2 * eta * B.
Proof.
  intros c Delta f f' Hc Hf. rewrite !operate_value.
  set (x := value c * f). set (x' := value c * f').
  assert (G := clamp_rnd x). assert (G' := clamp_rnd x'). assert (L := clamp_lip B HB x x').
  assert (X : Rabs (x - x') <= value c * Delta).
  { unfold x, x'. rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (value c)) by exact Hc.
    now apply Rmult_le_compat_l. }
  apply Rabs_le_inv in G. apply Rabs_le_inv in G'. apply Rabs_le_inv in L. apply Rabs_le. lra.
Qed.

(** Rounding alone: the query value as a number of the format. *)
Corollary query_rounded : forall Delta f f', Rabs (f - f') <= Delta ->
  Rabs (clamp (rnd f) - clamp (rnd f')) <= Delta + 2 * eta * B.
Proof.
  intros Delta f f' Hf. assert (G := input_rounded (Times 1) Delta f f'). simpl in G. rewrite !Rmult_1_l in G.
  apply G; [lra|exact Hf].
Qed.

Lemma rnd_relative : forall x, Rabs (rnd x - x) <= eta / (1 + eta) * Rabs x.
Proof.
  intros x. assert (E := relative_error_N_FLX' radix2 p ltac:(unfold Prec_gt_0; lia) (fun x => negb (Z.even x)) x). rewrite u_ro_eta in E. exact E.
Qed.

(** Clamped to public bounds, centred and rounded: Delta, or the width of the bounds if that is less, and 2 eta W, W the half width. *)
Theorem centred_rounded : forall lo hi c W Delta f f', lo <= hi -> Rabs (lo - c) <= W -> Rabs (hi - c) <= W -> Rabs (f - f') <= Delta ->
  Rabs (rnd (within lo hi f - c) - rnd (within lo hi f' - c)) <= Rmin Delta (hi - lo) + 2 * eta * W.
Proof.
  intros lo hi c W Delta f f' H Wl Wh Hf. assert (He := eta_pos p).
  assert (P : forall h, Rabs (rnd (within lo hi h - c) - (within lo hi h - c)) <= eta * W).
  { intros h. apply Rle_trans with (1 := rnd_relative _). assert (R := within_range lo hi h H). apply Rabs_le_inv in Wl. apply Rabs_le_inv in Wh.
    assert (X : Rabs (within lo hi h - c) <= W) by (apply Rabs_le; lra). apply Rmult_le_compat; try assumption; try apply Rabs_pos.
    - left. apply Rdiv_lt_0_compat; lra.
    - apply Rmult_le_reg_r with (1 + eta); [lra|]. replace (eta / (1 + eta) * (1 + eta)) with eta by (field; lra). nra. }
  assert (A := P f). assert (B' := P f'). assert (L := centred_near lo hi c Delta f f' H Hf).
  apply Rabs_le_inv in A. apply Rabs_le_inv in B'. apply Rabs_le_inv in L. apply Rabs_le. lra.
Qed.

(** A power of two does not round a number of the format. *)
Theorem input_exact : forall c Delta f f', (exists k, value c = bpow radix2 k) -> F p f -> F p f' ->
  Rabs (f - f') <= Delta -> Rabs (clamp (operate p f c) - clamp (operate p f' c)) <= value c * Delta.
Proof.
  intros c Delta f f' [k Ek] Ff Ff' Hf. rewrite !operate_value.
  assert (E : forall y, F p y -> rnd (value c * y) = value c * y).
  { intros y Fy. apply rnd_F. rewrite Ek, Rmult_comm. now apply mult_bpow_exact_FLX. }
  rewrite !E by assumption. apply Rle_trans with (1 := clamp_lip B HB _ _).
  rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (value c)) by (rewrite Ek; apply bpow_ge_0).
  apply Rmult_le_compat_l; [rewrite Ek; apply bpow_ge_0|exact Hf].
Qed.

End Input.
