(** The uniform [U*] of the page is a real uniform cut down to p bits, [cut p u]. This file shows that this is the
    law that the page states: a p-bit number v of (0, 1) has its last place as its probability. *)
From Coq Require Import Reals ZArith Lra Lia Bool.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Format Probability.
Open Scope R_scope.

Section Law.
Variable p : Z.
Hypothesis Hp : (1 < p)%Z.
#[local] Instance prec_gt_0_p : Prec_gt_0 p.
Proof. unfold Prec_gt_0; lia. Qed.
Notation fexp := (FLX_exp p).

Theorem ustar_law : forall v, F p v -> 0 < v < 1 ->
  prob (fun u => Req_bool (cut p u) v) = ulp radix2 fexp v.
Proof.
  intros v Fv Hv.
  assert (F1 : F p 1).
  { change 1 with (bpow radix2 0). apply generic_format_bpow. unfold FLX_exp. lia. }
  assert (S1 : succ radix2 fexp v <= 1).
  { apply succ_le_lt; auto with typeclass_instances. lra. }
  assert (Sv : v < succ radix2 fexp v) by (apply succ_gt_id; lra).
  assert (Fs : F p (succ radix2 fexp v)) by (apply generic_format_succ; auto with typeclass_instances).
  destruct (prob_lt (succ radix2 fexp v)) as [M1 P1]. lra.
  destruct (prob_lt v) as [M2 P2]. lra.
  destruct (prob_diff _ _ M1 M2) as [_ P].
  { intros u _. case Rlt_bool_spec; [|discriminate]. intros H _. apply Rlt_bool_true. lra. }
  rewrite P1, P2 in P.
  assert (Se := succ_eq_pos radix2 fexp v (Rlt_le _ _ (proj1 Hv))).
  transitivity (succ radix2 fexp v - v); [|lra]. rewrite <- P.
  apply prob_ext. intros u Hu.
  destruct (Req_bool_spec (cut p u) v) as [E|E].
  - assert (v <= u). { rewrite <- E. apply round_DN_pt; auto with typeclass_instances. }
    assert (u < succ radix2 fexp v).
    { destruct (Rlt_le_dec u (succ radix2 fexp v)) as [h|h]; [exact h|exfalso].
      assert (succ radix2 fexp v <= cut p u). { apply round_ge_generic; auto with typeclass_instances. } lra. }
    rewrite Rlt_bool_true, Rlt_bool_false by assumption. reflexivity.
  - case Rlt_bool_spec; intros H1; [|reflexivity].
    case Rlt_bool_spec; intros H2; [reflexivity|exfalso].
    apply E. apply round_DN_eq; auto with typeclass_instances.
Qed.

(** For v = m 2^(-e-p+1), a significand of p bits: 2^(-e) 2^(1-p). *)
Corollary ustar_weight : forall (m e : Z), (2 ^ (p - 1) <= m < 2 ^ p)%Z -> (1 <= e)%Z ->
  let v := IZR m * bpow radix2 (- e - p + 1) in
  prob (fun u => Req_bool (cut p u) v) = bpow radix2 (- e) * bpow radix2 (1 - p).
Proof.
  intros m e Hm He v.
  assert (B1 : bpow radix2 (- e) <= v < bpow radix2 (- e + 1)).
  { unfold v. destruct Hm as [H1 H2]. apply IZR_le in H1. apply IZR_lt in H2.
    change 2%Z with (radix_val radix2) in H1, H2. rewrite IZR_Zpower in H1, H2 by lia.
    assert (X := bpow_gt_0 radix2 (- e - p + 1)). split.
    - replace (bpow radix2 (- e)) with (bpow radix2 (p - 1) * bpow radix2 (- e - p + 1)) by (rewrite <- bpow_plus; f_equal; ring). apply Rmult_le_compat_r; lra.
    - replace (bpow radix2 (- e + 1)) with (bpow radix2 p * bpow radix2 (- e - p + 1)) by (rewrite <- bpow_plus; f_equal; ring). apply Rmult_lt_compat_r; lra. }
  assert (V0 : 0 < v) by (assert (X := bpow_gt_0 radix2 (- e)); lra).
  assert (V1 : v < 1).
  { assert (bpow radix2 (- e + 1) <= bpow radix2 0) by (apply bpow_le; lia). simpl in H. lra. }
  rewrite ustar_law.
  - rewrite ulp_neq_0 by lra. unfold cexp. rewrite (mag_unique radix2 v (- e + 1)).
    unfold FLX_exp. rewrite <- bpow_plus. f_equal. ring.
    rewrite Rabs_pos_eq by lra. replace (- e + 1 - 1)%Z with (- e)%Z by ring. exact B1.
  - unfold v. apply generic_format_FLX. exists (Float radix2 m (- e - p + 1)). reflexivity. simpl. 
    assert (0 < 2 ^ (p - 1))%Z by (apply Z.pow_pos_nonneg; lia). rewrite Z.abs_eq by lia. apply Hm.
  - lra.
Qed.
End Law.
