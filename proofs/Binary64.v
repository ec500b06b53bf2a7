(** From the format without exponent limits to IEEE 754 binary64, with its range, infinities and gradual underflow.

    [noisy64] is the program on Flocq's binary64 numbers, operation by operation, in units of the grid, as it runs. It publishes what
    [Theorems.snapping] at p = 53 publishes, for every input, sign and uniform ([noisy64_snapping]), so that the theorem and its
    corollary hold for it ([binary64_closed]). Why: the noise never becomes small enough to underflow, a sum that does is exact, what
    overflows is so far beyond B that the clamp removes it, and the snap is exact ([Ties]). *)
From Coq Require Import Reals ZArith Lra Psatz Bool.
From Flocq Require Import Core BinarySingleNaN Plus_error.
From Lastbit Require Import Format Probability Snapping Events Theorems Ties.
Open Scope R_scope.

(** The binary64 number nearest to a real one, ties to even; infinite beyond the range. *)
Definition nearest64 (x : R) : binary64 :=
  binary_normalize 53 1024 prec64 range64 mode_NE (ZnearestE (scaled_mantissa radix2 fexp64 x)) (cexp radix2 fexp64 x) false.

(** The correctly rounded logarithm of U*. The exponent of U* has no bound, so it need not be a binary64 number itself. *)
Definition LN (u : R) : binary64 := nearest64 (ln (cut 53 u)).

(** As the code has it: two comparisons. *)
Definition clamp64 (b g : binary64) : binary64 :=
  let a := if Bltb g b then g else b in if Bltb (Bopp b) a then a else Bopp b.

(** What is published for the input g, the sign s and the uniform u. The grid has the step 1: scale, bound and input are counted in its steps. *)
Definition noisy64 (lambda b g : binary64) (s : bool) (u : R) : binary64 :=
  let n := Bmult mode_NE lambda (LN u) in
  clamp64 b (ties_up64 (Bplus mode_NE (clamp64 b g) (if s then n else Bopp n))).

(** ** Rounding in both formats *)

Lemma round_normal : forall x, bpow radix2 (-1022) <= Rabs x -> round radix2 fexp64 ZnearestE x = rnd 53 x.
Proof. intros x H. change fexp64 with (FLT_exp (-1074) 53). now apply (round_FLT_FLX radix2 (-1074) 53). Qed.

(** A sum that underflows is exact. *)
Lemma round_sum : forall x y, generic_format radix2 fexp64 x -> generic_format radix2 fexp64 y ->
  round radix2 fexp64 ZnearestE (x + y) = rnd 53 (x + y).
Proof.
  intros x y Fx Fy. destruct (Rle_lt_dec (bpow radix2 (-1022)) (Rabs (x + y))) as [H|H]; [now apply round_normal|].
  assert (G : generic_format radix2 (FLT_exp (-1074) 53) (x + y)).
  { apply FLT_format_plus_small; [reflexivity|exact Fx|exact Fy|].
    left. apply Rlt_trans with (1 := H). now apply bpow_lt. }
  rewrite round_generic; [|apply valid_rnd_N|exact G]. symmetry. apply rnd_F.
  now apply (generic_format_FLX_FLT radix2 (-1074) 53).
Qed.

(** ** What a binary64 number stands for: a real number, or one so large that only its sign matters. *)

Definition stands (T : R) (z : binary64) (r : R) :=
  (is_finite z = true /\ B2R z = r) \/ (z = B754_infinity (Rlt_bool r 0) /\ T <= Rabs r).

Lemma overflow : forall (z : binary64) s, B2SF z = binary_overflow 53 1024 mode_NE s -> z = B754_infinity s.
Proof. intros [s'|s'| |s' m e H] s; simpl; intros E; inversion E. reflexivity. Qed.

Lemma sign_plus : forall z : binary64, is_finite z = true -> Bsign z = false -> 0 <= B2R z.
Proof.
  intros [s|s| |s m e H]; simpl; intros Hf Hs; try discriminate; try lra.
  subst s. now apply F2R_ge_0.
Qed.

Lemma sign_minus : forall z : binary64, is_finite z = true -> Bsign z = true -> B2R z <= 0.
Proof.
  intros [s|s| |s m e H]; simpl; intros Hf Hs; try discriminate; try lra.
  subst s. now apply F2R_le_0.
Qed.

Lemma nearest_stands : forall x, bpow radix2 (-1022) <= Rabs x -> stands huge (nearest64 x) (rnd 53 x).
Proof.
  intros x Hx.
  assert (C := binary_normalize_correct 53 1024 prec64 range64 mode_NE (ZnearestE (scaled_mantissa radix2 fexp64 x)) (cexp radix2 fexp64 x) false).
  cbv zeta in C. fold (nearest64 x) in C. change (round_mode mode_NE) with ZnearestE in C.
  change (F2R {| Fnum := ZnearestE (scaled_mantissa radix2 fexp64 x); Fexp := cexp radix2 fexp64 x |})
    with (round radix2 fexp64 ZnearestE x) in C.
  rewrite (round_generic radix2 fexp64 ZnearestE (round radix2 fexp64 ZnearestE x)) in C
    by (apply generic_format_round; [apply fexp_correct; reflexivity|apply valid_rnd_N]).
  rewrite (round_normal x Hx) in C. revert C. case Rlt_bool_spec; intros H C.
  - left. tauto.
  - right. split; [now apply overflow|exact H].
Qed.

Lemma opp_stands : forall T z r, 0 < T -> stands T z r -> stands T (Bopp z) (- r).
Proof.
  intros T z r HT [[Hf E]|[E H]].
  - left. rewrite is_finite_Bopp, B2R_Bopp, E. split; [exact Hf|reflexivity].
  - right. rewrite Rabs_Ropp. split; [|exact H]. rewrite E. simpl. f_equal.
    destruct (Rlt_bool_spec r 0) as [h|h].
    + symmetry. apply Rlt_bool_false. lra.
    + symmetry. apply Rlt_bool_true. destruct (Req_dec r 0) as [Z|Z]; [|lra]. rewrite Z, Rabs_R0 in H. lra.
Qed.

(** The product with the scale. *)
Lemma mult_stands : forall T (lambda z : binary64) r, is_finite lambda = true -> 0 < B2R lambda ->
  stands huge z r -> r < 0 -> bpow radix2 (-1022) <= Rabs (B2R lambda * r) ->
  T <= huge -> T * (1 + eta 53) < B2R lambda * huge -> 0 < T ->
  stands T (Bmult mode_NE lambda z) (rnd 53 (B2R lambda * r)).
Proof.
  intros T lambda z r Fl Pl S Nr Hn HT1 HT2 HT. set (x := B2R lambda) in *.
  assert (Nx : x * r < 0) by (apply Ropp_lt_cancel; rewrite Ropp_0, <- Ropp_mult_distr_r_reverse; apply Rmult_lt_0_compat; lra).
  assert (Nrnd : rnd 53 (x * r) < 0).
  { assert (G := rnd_pos 53 eq_refl (- (x * r)) ltac:(lra)). rewrite rnd_opp in G by reflexivity. lra. }
  assert (Sl : Bsign lambda = false).
  { destruct (Bsign lambda) eqn:E; [|reflexivity]. assert (G := sign_minus _ Fl E). unfold x in Pl. lra. }
  destruct S as [[Fz Ez]|[Ez Hz]].
  - assert (C := Bmult_correct 53 1024 prec64 range64 mode_NE lambda z). change (round_mode mode_NE) with ZnearestE in C.
    fold x in C. rewrite Ez in C. rewrite (round_normal _ Hn) in C. revert C. case Rlt_bool_spec; intros H C.
    + left. destruct C as [C1 [C2 _]]. split; [rewrite C2, Fl, Fz; reflexivity|exact C1].
    + right. split; [|lra]. rewrite (overflow _ _ C), Sl, Rlt_bool_true by exact Nrnd.
      destruct (Bsign z) eqn:E; [reflexivity|]. assert (G := sign_plus _ Fz E). lra.
  - right. rewrite Rlt_bool_true in Ez by exact Nr. subst z. split.
    + rewrite Rlt_bool_true by exact Nrnd. unfold x in Pl.
      destruct lambda as [s|s| |s m e Hm]; simpl in *; try discriminate; try lra. rewrite Sl. reflexivity.
    + rewrite Rabs_left by exact Nrnd. rewrite <- rnd_opp by reflexivity. left. apply rnd_above; [reflexivity|lra|].
      rewrite Rabs_left in Hz by exact Nr. apply Rlt_le_trans with (1 := HT2).
      replace (- (x * r)) with (x * - r) by ring. apply Rmult_le_compat_l; lra.
Qed.

(** The sum with an input within [-B, B]. *)
Lemma plus_stands : forall B T (g z : binary64) r, is_finite g = true -> - B <= B2R g <= B -> 0 < B -> B < T -> T <= huge ->
  stands (4 * T) z r -> stands T (Bplus mode_NE g z) (rnd 53 (B2R g + r)).
Proof.
  intros B T g z r Fg Hg HB HT Hh [[Fz Ez]|[Ez Hz]].
  - assert (C := Bplus_correct 53 1024 prec64 range64 mode_NE g z Fg Fz). change (round_mode mode_NE) with ZnearestE in C.
    rewrite round_sum in C by (apply generic_format_B2R). rewrite Ez in C. revert C. case Rlt_bool_spec; intros H C.
    + left. tauto.
    + right. split; [|lra]. destruct C as [C1 C2]. rewrite (overflow _ _ C1). f_equal.
      assert (N0 : 0 < Rabs (rnd 53 (B2R g + r))) by (apply Rlt_le_trans with (2 := H); apply bpow_gt_0).
      destruct (Bsign g) eqn:E.
      * assert (G1 := sign_minus _ Fg E). assert (G2 := sign_minus _ Fz (eq_sym C2)).
        assert (G3 := rnd_mono 53 eq_refl (B2R g + r) 0 ltac:(lra)). rewrite rnd_0 in G3. symmetry. apply Rlt_bool_true.
        destruct (Req_dec (rnd 53 (B2R g + r)) 0) as [Z|Z]; [|lra]. rewrite Z, Rabs_R0 in N0. lra.
      * assert (G1 := sign_plus _ Fg E). assert (G2 := sign_plus _ Fz (eq_sym C2)).
        assert (G3 := rnd_nonneg 53 eq_refl (B2R g + r) ltac:(lra)). symmetry. now apply Rlt_bool_false.
  - right. assert (Inf : Bplus mode_NE g z = z).
    { rewrite Ez. destruct g as [s|s| |s m e Hm]; simpl in *; try discriminate; reflexivity. }
    rewrite Inf. assert (He := eta_le_quarter 53 eq_refl). assert (He0 := eta_pos 53).
    revert Ez Hz. case Rlt_bool_spec; intros Nr Ez Hz.
    + rewrite Rabs_left in Hz by exact Nr.
      assert (G : T < rnd 53 (- (B2R g + r))) by (apply rnd_above; [reflexivity|lra|nra]).
      rewrite rnd_opp in G by reflexivity. rewrite Rlt_bool_true, Rabs_left by lra. split; [exact Ez|lra].
    + rewrite Rabs_pos_eq in Hz by exact Nr.
      assert (G : T < rnd 53 (B2R g + r)) by (apply rnd_above; [reflexivity|lra|nra]).
      rewrite Rlt_bool_false, Rabs_pos_eq by lra. split; [exact Ez|lra].
Qed.

Lemma clamp64_clamp : forall b g : binary64, is_finite b = true -> 0 < B2R b -> is_finite g = true ->
  is_finite (clamp64 b g) = true /\ B2R (clamp64 b g) = clamp (B2R b) (B2R g).
Proof.
  intros b g Fb Pb Fg. unfold clamp64.
  assert (Fo : is_finite (Bopp b) = true) by now rewrite is_finite_Bopp.
  rewrite (Bltb_correct _ _ g b Fg Fb).
  case Rlt_bool_spec; intros H1; rewrite Bltb_correct by assumption; rewrite B2R_Bopp; case Rlt_bool_spec; intros H2;
    (split; [assumption|]); rewrite ?B2R_Bopp; symmetry; unfold clamp.
  - rewrite Rmin_right, Rmax_right by lra. reflexivity.
  - rewrite Rmin_right, Rmax_left by lra. reflexivity.
  - rewrite Rmin_left, Rmax_right by lra. reflexivity.
  - lra.
Qed.

Lemma clamp64_infinity : forall (b : binary64) s, is_finite b = true -> 0 < B2R b ->
  clamp64 b (B754_infinity s) = if s then Bopp b else b.
Proof.
  intros b s Fb Pb. assert (Sb : Bsign b = false).
  { destruct (Bsign b) eqn:E; [|reflexivity]. assert (G := sign_minus _ Fb E). lra. }
  destruct b as [t|t| |t m e Hm]; simpl in *; try discriminate; try lra. subst t. destruct s; reflexivity.
Qed.

(** The snap and the outer clamp. *)
Lemma publish_stands : forall (b z : binary64) r, is_finite b = true -> 0 < B2R b -> stands (B2R b + 1) z r ->
  is_finite (clamp64 b (ties_up64 z)) = true /\ B2R (clamp64 b (ties_up64 z)) = clamp (B2R b) (snap 0 r).
Proof.
  intros b z r Fb Pb H. assert (Sn : snap 0 r = IZR (Zfloor (r + / 2))) by (unfold snap, Rdiv; simpl; now rewrite Rinv_1, !Rmult_1_r).
  rewrite Sn. destruct H as [[Fz Ez]|[Ez Hz]].
  - destruct (ties_up64_exact z Fz) as [Ft Et]. rewrite Ez in Et. rewrite <- Et. now apply clamp64_clamp.
  - subst z. rewrite ties_up64_infinity, clamp64_infinity by assumption. set (B := B2R b) in *.
    assert (Z1 := Zfloor_lb (r + / 2)). assert (Z2 := Zfloor_ub (r + / 2)).
    destruct (Rlt_bool_spec r 0) as [H|H].
    + rewrite is_finite_Bopp, B2R_Bopp. fold B. split; [exact Fb|]. symmetry. apply clamp_mB; [exact Pb|]. rewrite Rabs_left in Hz by exact H. lra.
    + fold B. split; [exact Fb|]. symmetry. apply clamp_B; [exact Pb|]. rewrite Rabs_pos_eq in Hz by exact H. lra.
Qed.

(** ** The logarithm is normal, and so is its product with the scale *)

Lemma cut_le : forall u, 0 < u < 1 -> cut 53 u <= 1 - bpow radix2 (-53).
Proof.
  intros u Hu. assert (C := cut_bounds 53 eq_refl u (proj1 Hu)).
  change 1 with (bpow radix2 0). change (-53)%Z with (FLX_exp 53 0). rewrite <- pred_bpow.
  apply pred_ge_gt.
  - apply FLX_exp_valid. reflexivity.
  - apply generic_format_round; [apply FLX_exp_valid; reflexivity|apply valid_rnd_DN].
  - apply generic_format_bpow. unfold FLX_exp. lia.
  - simpl. lra.
Qed.

Lemma ln_cut_le : forall u, 0 < u < 1 -> ln (cut 53 u) <= - bpow radix2 (-53).
Proof.
  intros u Hu. assert (C := cut_le u Hu). assert (P := cut_pos 53 eq_refl u (proj1 Hu)).
  assert (E := exp_ineq1_le (- bpow radix2 (-53))). 
  destruct (Rle_lt_dec (ln (cut 53 u)) (- bpow radix2 (-53))) as [H|H]; [exact H|exfalso].
  apply exp_increasing in H. rewrite exp_ln in H by exact P. lra.
Qed.

Section Agreement.
Variables lambda b : binary64.
Hypothesis Fl : is_finite lambda = true.
Hypothesis Fb : is_finite b = true.
Hypothesis Hl : / 2 < B2R lambda <= 2.
Hypothesis HB : 0 < B2R b < bpow radix2 46 * B2R lambda.

(** The program in binary64 publishes what the program of the theorem publishes. *)
Theorem noisy64_snapping : forall g s u, is_finite g = true -> 0 < u < 1 ->
  is_finite (noisy64 lambda b g s u) = true /\
  B2R (noisy64 lambda b g s u) = snapping 53 (B2R lambda) (B2R b) 0 (B2R g) s u.
Proof.
  intros g s u Fg Hu. unfold noisy64, snapping.
  assert (E53 := bpow_gt_0 radix2 (-53)).
  set (c := ln (cut 53 u)). assert (Hc : c <= - bpow radix2 (-53)) by now apply ln_cut_le.
  assert (Sc : stands huge (LN u) (rnd 53 c)).
  { apply nearest_stands. fold c. rewrite Rabs_left by lra. apply Rle_trans with (bpow radix2 (-53)); [|lra]. apply bpow_le. lia. }
  assert (F53 : F 53 (bpow radix2 (-53))) by (apply generic_format_bpow; unfold FLX_exp; lia).
  assert (Hr : rnd 53 c <= - bpow radix2 (-53)).
  { rewrite <- (rnd_F 53 _ F53), <- rnd_opp by reflexivity. now apply rnd_mono. }
  set (r := rnd 53 c) in *. set (x := B2R lambda) in *. set (B := B2R b) in *.
  assert (HT : 4 * (B + 1) <= bpow radix2 49 * x).
  { change (bpow radix2 49) with (IZR (2 ^ 49)). change (bpow radix2 46) with (IZR (2 ^ 46)) in HB. simpl in *. lra. }
  assert (X : bpow radix2 49 * x <= bpow radix2 50).
  { change 50%Z with (49 + 1)%Z. rewrite bpow_plus. apply Rmult_le_compat_l; [apply bpow_ge_0|change (bpow radix2 1) with 2; lra]. }
  assert (Y : bpow radix2 50 < huge) by (apply bpow_lt; lia).
  assert (Z : bpow radix2 49 * x * (1 + eta 53) < x * huge).
  { assert (Q := eta_le_quarter 53 eq_refl). assert (0 < x) by lra.
    assert (bpow radix2 49 * (1 + eta 53) < huge).
    { apply Rlt_trans with (bpow radix2 49 * 2). apply Rmult_lt_compat_l; [apply bpow_gt_0|lra].
      change 2 with (bpow radix2 1). rewrite <- bpow_plus. apply bpow_lt. lia. }
    replace (bpow radix2 49 * x * (1 + eta 53)) with (x * (bpow radix2 49 * (1 + eta 53))) by ring.
    now apply Rmult_lt_compat_l. }
  assert (Sn : stands (4 * (B + 1)) (Bmult mode_NE lambda (LN u)) (rnd 53 (x * r))).
  { apply mult_stands; fold x; try assumption; try lra.
    - rewrite Rabs_mult, (Rabs_pos_eq x), (Rabs_left r) by lra.
      apply Rle_trans with (bpow radix2 (-1) * bpow radix2 (-53)).
      rewrite <- bpow_plus. apply bpow_le. lia. apply Rmult_le_compat; try lra; simpl; lra.
    - assert (Q := eta_pos 53). apply Rle_lt_trans with (2 := Z). apply Rmult_le_compat_r; lra. }
  destruct (clamp64_clamp b g Fb (proj1 HB) Fg) as [Fi Ei]. fold B in Ei.
  assert (S' : stands (4 * (B + 1)) (if s then Bmult mode_NE lambda (LN u) else Bopp (Bmult mode_NE lambda (LN u)))
                 (rnd 53 ((if s then 1 else -1) * rnd 53 (x * r)))).
  { assert (FX := rnd_in_F 53 eq_refl (x * r)). destruct s.
    - rewrite Rmult_1_l, (rnd_F 53 _ FX). exact Sn.
    - replace (-1 * rnd 53 (x * r)) with (- rnd 53 (x * r)) by ring. rewrite rnd_opp, (rnd_F 53 _ FX) by reflexivity.
      apply opp_stands; [lra|exact Sn]. }
  apply publish_stands; [exact Fb|apply HB|]. fold B. rewrite <- Ei. apply plus_stands with (B := B); try assumption; try lra.
  rewrite Ei. apply clamp_range. apply HB.
Qed.
End Agreement.

(** *** Corollary, for IEEE binary64: the charge of the float mode, for every set of outputs. *)
Theorem binary64_closed : forall lambda b : binary64, is_finite lambda = true -> is_finite b = true ->
  (1 - / 2 ^ 20) * B2R lambda <= 1 < 2 * B2R lambda ->
  B2R lambda < B2R b < bpow radix2 46 * B2R lambda ->
  forall Delta (g g' : binary64), is_finite g = true -> is_finite g' = true ->
  Rabs (B2R g - B2R g') <= Delta ->
  loss_at_most (Delta / B2R lambda + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (fun s u => B2R (noisy64 lambda b g s u)) (fun s u => B2R (noisy64 lambda b g' s u)).
Proof.
  intros lambda b Fl Fb HL HB Delta g g' Fg Fg' Hg.
  assert (L2 : B2R lambda <= 2) by (replace (/ 2 ^ 20) with (/ 1048576) in HL by (f_equal; ring); lra).
  assert (E : forall g, is_finite g = true -> forall s u, 0 < u < 1 ->
    snapping 53 (B2R lambda) (B2R b) 0 (B2R g) s u = B2R (noisy64 lambda b g s u)).
  { intros h Fh s u Hu. symmetry. apply noisy64_snapping; try assumption; lra. }
  apply (loss_ext _ _ _ _ _ _ (E g Fg) (E g' Fg')). apply snapping_sets; try assumption; try lia; lra.
Qed.
