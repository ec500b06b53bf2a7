(** The format of p significant bits, and what rounding does to a threshold.

    Exponents have no bounds here ([FLX] of Flocq); [Binary64] adds those of IEEE 754. The rounding error of a
    number is used in one form only: how far beyond a threshold a number must lie to stay beyond it when it is
    rounded ([rnd_above], [rnd_below], [cut_bounds]). *)
From Coq Require Import Reals ZArith Lra Psatz.
From Flocq Require Import Core Relative.
Open Scope R_scope.

Section Format.
Variable p : Z.
Hypothesis Hp : (1 < p)%Z.

Local Notation fexp := (FLX_exp p).
(** Numbers of p bits. *)
Definition F (x : R) := generic_format radix2 fexp x.
(** To nearest, ties to even. *)
Definition rnd (x : R) := round radix2 fexp ZnearestE x.
(** Cut down to p bits: toward zero, for a positive number. *)
Definition cut (x : R) := round radix2 fexp Zfloor x.
(** Half a unit in the last place of 1. *)
Definition eta := bpow radix2 (- p).

#[local] Instance prec_gt_0_p : Prec_gt_0 p.
Proof. unfold Prec_gt_0; lia. Qed.

Lemma eta_pos : 0 < eta.
Proof. apply bpow_gt_0. Qed.

Lemma eta_le_quarter : eta <= /4.
Proof.
  unfold eta. replace (/4) with (bpow radix2 (-2)) by (simpl; lra).
  apply bpow_le. lia.
Qed.

Lemma u_ro_eta : u_ro radix2 p = eta.
Proof.
  unfold u_ro, eta. replace (/2) with (bpow radix2 (-1)) by (simpl; lra).
  rewrite <- bpow_plus. f_equal. lia.
Qed.

Lemma rnd_mono : forall x y, x <= y -> rnd x <= rnd y.
Proof. intros; apply round_le; auto with typeclass_instances. Qed.

Lemma rnd_opp : forall x, rnd (- x) = - rnd x.
Proof. intros; apply round_NE_opp. Qed.

Lemma rnd_F : forall x, F x -> rnd x = x.
Proof. intros; apply round_generic; auto with typeclass_instances. Qed.

(** The sharp error: a share eta/(1 + eta) of x. *)
Lemma rnd_err : forall x, 0 <= x -> x / (1 + eta) <= rnd x <= x * ((1 + 2 * eta) / (1 + eta)).
Proof.
  intros x Hx.
  assert (H := relative_error_N_FLX' radix2 p (prec_gt_0 p) (fun x => negb (Z.even x)) x).
  rewrite u_ro_eta, (Rabs_pos_eq x) in H by lra.
  fold (rnd x) in H. change (round radix2 (FLX_exp p) ZnearestE x) with (rnd x) in H.
  apply Rabs_le_inv in H.
  assert (He := eta_pos).
  assert (x / (1 + eta) = x - eta / (1 + eta) * x) by (field; lra).
  assert (x * ((1 + 2 * eta) / (1 + eta)) = x + eta / (1 + eta) * x) by (field; lra).
  lra.
Qed.

Lemma rnd_in_F : forall x, F (rnd x).
Proof. intros x. apply generic_format_round; auto with typeclass_instances. Qed.

Lemma rnd_0 : rnd 0 = 0.
Proof. apply round_0; auto with typeclass_instances. Qed.

Lemma rnd_nonneg : forall x, 0 <= x -> 0 <= rnd x.
Proof. intros x H. rewrite <- rnd_0. now apply rnd_mono. Qed.

Lemma rnd_pos : forall x, 0 < x -> 0 < rnd x.
Proof.
  intros x Hx. assert (H := rnd_err x (Rlt_le _ _ Hx)). assert (He := eta_pos).
  apply Rlt_le_trans with (2 := proj1 H).
  apply Rdiv_lt_0_compat; lra.
Qed.

(** Beyond t(1 + eta) a rounded number is beyond t; before t(1 - eta) it is before t. *)
Lemma rnd_above : forall t d, 0 <= t -> t * (1 + eta) < d -> t < rnd d.
Proof.
  intros t d Ht Hd. assert (He := eta_pos).
  assert (0 <= d) by nra.
  apply Rlt_le_trans with (2 := proj1 (rnd_err d H)).
  apply Rmult_lt_reg_r with (1 + eta). lra.
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma rnd_below : forall t d, 0 <= d -> d < t * (1 - eta) -> rnd d < t.
Proof.
  intros t d Hd Ht. assert (He := eta_pos). assert (Hq := eta_le_quarter).
  assert (0 < t).
  { apply Rmult_lt_reg_r with (1 - eta); lra. }
  apply Rle_lt_trans with (1 := proj2 (rnd_err d Hd)).
  apply Rmult_lt_reg_r with (1 + eta). lra.
  replace (d * ((1 + 2 * eta) / (1 + eta)) * (1 + eta)) with (d * (1 + 2 * eta)) by (field; lra).
  apply Rlt_trans with (t * (1 - eta) * (1 + 2 * eta)).
  apply Rmult_lt_compat_r; lra.
  assert (0 < t * (eta * eta)) by (apply Rmult_lt_0_compat; [lra|apply Rmult_lt_0_compat; lra]).
  replace (t * (1 - eta) * (1 + 2 * eta)) with (t * (1 + eta) - 2 * (t * (eta * eta))) by ring. lra.
Qed.

(** Cutting down loses less than one unit in the last place, 2 eta of what is left. *)
Lemma cut_bounds : forall u, 0 < u -> u / (1 + 2 * eta) < cut u <= u.
Proof.
  intros u Hu. assert (He := eta_pos).
  split.
  - assert (Hd : 0 < cut u).
    { unfold cut.
      destruct (Rle_lt_dec (round radix2 fexp Zfloor u) 0) as [H|H]; [|exact H].
      assert (Hm : bpow radix2 (mag radix2 u - 1) <= round radix2 fexp Zfloor u).
      { apply round_ge_generic; auto with typeclass_instances.
        apply generic_format_bpow. unfold FLX_exp. lia.
        destruct (mag radix2 u) as (e,E). simpl. specialize (E (Rgt_not_eq _ _ Hu)).
        rewrite Rabs_pos_eq in E; lra. }
      assert (0 < bpow radix2 (mag radix2 u - 1)) by apply bpow_gt_0. lra. }
    assert (Hs : u < cut u + ulp radix2 fexp u).
    { assert (H := error_lt_ulp radix2 fexp Zfloor u (Rgt_not_eq _ _ Hu)).
      apply Rabs_lt_inv in H. unfold cut. lra. }
    assert (Hul : ulp radix2 fexp u <= 2 * eta * cut u).
    { rewrite ulp_neq_0 by lra. unfold cexp, FLX_exp.
      replace (2 * eta) with (bpow radix2 (1 - p)).
      2:{ unfold eta. replace 2 with (bpow radix2 1) by (simpl; lra). rewrite <- bpow_plus. f_equal; lia. }
      replace (mag radix2 u - p)%Z with ((1 - p) + (mag radix2 u - 1))%Z by ring.
      rewrite bpow_plus. apply Rmult_le_compat_l. apply bpow_ge_0.
      unfold cut. apply round_ge_generic; auto with typeclass_instances.
      apply generic_format_bpow. unfold FLX_exp. lia.
      destruct (mag radix2 u) as (e,E). simpl. specialize (E (Rgt_not_eq _ _ Hu)).
      rewrite Rabs_pos_eq in E; lra. }
    apply Rmult_lt_reg_r with (1 + 2 * eta). lra.
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
  - unfold cut. apply round_DN_pt; auto with typeclass_instances.
Qed.

Lemma cut_pos : forall u, 0 < u -> 0 < cut u.
Proof.
  intros u Hu. assert (H := cut_bounds u Hu). assert (He := eta_pos).
  apply Rlt_trans with (2 := proj1 H). apply Rdiv_lt_0_compat; lra.
Qed.

Lemma cut_mono : forall x y, x <= y -> cut x <= cut y.
Proof. intros; apply round_le; auto with typeclass_instances. Qed.

End Format.
