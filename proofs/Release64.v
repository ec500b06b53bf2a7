(** From the query to the published double, in IEEE binary64: clamping to the public bounds, centring, counting in steps of the grid, the program of
    [Binary64], and back to the units of the query.

    What is rounded before the noise is charged by a larger sensitivity: Delta + 2 eta W for bounds and a centre that are doubles, W the half width
    ([release64_private]); Delta + 8 eta M for bounds that are not, M the largest of them ([release64_rounded]). Clamped values are no farther apart
    than the bounds, so that Delta may be replaced by their width where that is less. What comes after the noise is a function of it, and costs
    nothing. *)
From Coq Require Import Reals ZArith Lra Psatz Bool.
From Flocq Require Import Core BinarySingleNaN Plus_error Mult_error Relative.
From Lastbit Require Import Format Probability Snapping Events Input Theorems Ties Binary64.
Open Scope R_scope.

(** To [lo, hi], as the code has it: two comparisons. *)
Definition between64 (lo hi f : binary64) : binary64 :=
  let a := if Bltb lo f then f else lo in if Bltb a hi then a else hi.

(** The input of the noise, in steps of 2^l. *)
Definition steps64 (l : Z) (lo hi c f : binary64) : binary64 :=
  Bmult mode_NE (subtract64 (between64 lo hi f) c) (exactly64 1 (- l)).

(** Back to the units of the query; the last sum makes -0 a +0. *)
Definition publish64 (l : Z) (c z : binary64) : binary64 := add64 (add64 c (Bmult mode_NE z (exactly64 1 l))) (B754_zero false).

(** The mechanism for an exact query value, such as a mean of integers: clamped, centred and counted in steps exactly, then rounded once. *)
Definition release64_of (lambda b : binary64) (l : Z) (lower upper centre : R) (c : binary64) (f : R) (s : bool) (u : R) : binary64 :=
  publish64 l c (noisy64 lambda b (nearest64 ((within lower upper f - centre) / bpow radix2 l)) s u).

(** The mechanism for a double: scale and bound in steps of 2^l, public bounds and centre, the query value f; the sign and the uniform. *)
Definition release64 (lambda b : binary64) (l : Z) (lo hi c f : binary64) (s : bool) (u : R) : binary64 :=
  publish64 l c (noisy64 lambda b (steps64 l lo hi c f) s u).

(** Bounds that are moved by e move the clamped number by e at most. *)
Lemma within_moved : forall lo hi lo' hi' e x, Rabs (lo - lo') <= e -> Rabs (hi - hi') <= e ->
  Rabs (within lo hi x - within lo' hi' x) <= e.
Proof.
  intros lo hi lo' hi' e x H H'. apply Rabs_le_inv in H. apply Rabs_le_inv in H'. apply Rabs_le. unfold within, Rmax, Rmin.
  destruct (Rle_dec hi x); destruct (Rle_dec hi' x); repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; lra.
Qed.

Lemma between64_spec : forall lo hi f, is_finite lo = true -> is_finite hi = true -> is_finite f = true -> B2R lo <= B2R hi ->
  is_finite (between64 lo hi f) = true /\ B2R (between64 lo hi f) = within (B2R lo) (B2R hi) (B2R f).
Proof.
  intros lo hi f Fl Fh Ff H. unfold between64, within. rewrite (Bltb_correct _ _ lo f Fl Ff).
  case Rlt_bool_spec; intros H1; rewrite Bltb_correct by assumption; case Rlt_bool_spec; intros H2; (split; [assumption|]); symmetry.
  - rewrite Rmin_right, Rmax_right by lra. reflexivity.
  - rewrite Rmin_left, Rmax_right by lra. reflexivity.
  - rewrite Rmin_right, Rmax_left by lra. reflexivity.
  - replace (B2R hi) with (B2R lo) by lra. apply Rmax_left, Rmin_l.
Qed.

(** ** The input of the noise *)

Notation small := (eta 53 / (1 + eta 53)).

Lemma rnd_error : forall x, Rabs (rnd 53 x - x) <= small * Rabs x.
Proof. intros x. now apply rnd_relative. Qed.

(** A number rounded to the nearest double: one rounding, or an underflow. *)
Lemma nearest64_error : forall x, Rabs x <= bpow radix2 61 -> is_finite (nearest64 x) = true /\
  (Rabs (B2R (nearest64 x) - x) <= small * Rabs x \/ Rabs (B2R (nearest64 x) - x) <= bpow radix2 (-1075)).
Proof.
  intros x Hx. assert (C := binary_normalize_correct 53 1024 prec64 range64 mode_NE (ZnearestE (scaled_mantissa radix2 fexp64 x)) (cexp radix2 fexp64 x) false).
  cbv zeta in C. fold (nearest64 x) in C. change (round_mode mode_NE) with ZnearestE in C.
  change (F2R {| Fnum := ZnearestE (scaled_mantissa radix2 fexp64 x); Fexp := cexp radix2 fexp64 x |}) with (round radix2 fexp64 ZnearestE x) in C.
  rewrite (round_generic radix2 fexp64 ZnearestE (round radix2 fexp64 ZnearestE x)) in C
    by (apply generic_format_round; [apply fexp_correct; reflexivity|apply valid_rnd_N]).
  rewrite Rlt_bool_true in C.
  2:{ apply Rle_lt_trans with (bpow radix2 61); [|apply bpow_lt; lia]. apply abs_round_le_generic; [apply fexp_correct; reflexivity|apply valid_rnd_N| |exact Hx].
      apply generic_format_bpow. change fexp64 with (FLT_exp (-1074) 53). unfold FLT_exp. lia. }
  destruct C as [C1 [C2 _]]. split; [exact C2|]. rewrite C1. destruct (Rle_lt_dec (bpow radix2 (-1022)) (Rabs x)) as [h|h].
  - left. rewrite round_normal by exact h. apply rnd_error.
  - right. apply Rle_trans with (1 := error_le_half_ulp radix2 fexp64 (fun x => negb (Z.even x)) x).
    change fexp64 with (FLT_exp (-1074) 53). rewrite ulp_FLT_small; [|reflexivity|apply Rlt_le_trans with (1 := h); apply bpow_le; simpl; lia].
    change (-1075)%Z with (-1 + -1074)%Z. rewrite bpow_plus. right. f_equal.
Qed.

Lemma small_eta : 0 < small /\ small * (1 + eta 53) = eta 53.
Proof. assert (E := eta_pos 53). split; [apply Rdiv_lt_0_compat; lra|field; lra]. Qed.

(** The difference and its scaling: one rounding, or both so small that they underflow.

    Plan: a difference of doubles never underflows, so it is rounded once. Scaling by a power of two is exact unless the result is below
    2^-1022; there it is off by 2^-1075 at most, and the error of the difference, a share of it, is as small. *)
Lemma scaled_difference : forall (y c : binary64) l V, is_finite y = true -> is_finite c = true -> (-960 <= l <= 960)%Z ->
  Rabs (B2R y - B2R c) <= V -> V <= bpow radix2 60 * bpow radix2 l ->
  let z := Bmult mode_NE (subtract64 y c) (exactly64 1 (- l)) in
  is_finite z = true /\
  (Rabs (B2R z - (B2R y - B2R c) / bpow radix2 l) <= small * Rabs (B2R y - B2R c) / bpow radix2 l
   \/ Rabs (B2R z - (B2R y - B2R c) / bpow radix2 l) <= bpow radix2 (-1073)).
Proof.
  intros y c l V Fy Fc Hl HV Vl. cbv zeta. set (x := B2R y - B2R c) in *. assert (L := bpow_gt_0 radix2 l). assert (Q := eta_le_quarter 53 eq_refl).
  destruct small_eta as [S0 S1]. assert (Ex := rnd_error x). assert (He := eta_pos 53). assert (S2 : small <= / 4) by nra.
  assert (G : Rabs (rnd 53 x) <= 2 * Rabs x).
  { replace (rnd 53 x) with ((rnd 53 x - x) + x) by ring. apply Rle_trans with (1 := Rabs_triang _ _). assert (A := Rabs_pos x). nra. }
  assert (V' : 2 * V <= bpow radix2 1021).
  { apply Rle_trans with (bpow radix2 1 * (bpow radix2 60 * bpow radix2 l)); [change (bpow radix2 1) with 2; lra|].
    rewrite <- !bpow_plus. apply bpow_le. lia. }
  (* The difference *)
  assert (C := Bminus_correct 53 1024 prec64 range64 mode_NE y c Fy Fc). change (round_mode mode_NE) with ZnearestE in C.
  assert (R1 : round radix2 fexp64 ZnearestE (B2R y - B2R c) = rnd 53 x).
  { unfold x, Rminus. apply round_sum; [apply generic_format_B2R|apply generic_format_opp, generic_format_B2R]. }
  rewrite R1, Rlt_bool_true in C.
  2:{ apply Rle_lt_trans with (bpow radix2 1021); [lra|apply bpow_lt; lia]. }
  destruct C as [Eg [Fg _]]. set (g := subtract64 y c) in *. set (r := rnd 53 x) in *.
  (* The scaling *)
  destruct (exactly64_spec 1 (- l) ltac:(reflexivity) ltac:(lia)) as [Fd Ed]. rewrite Rmult_1_l in Ed.
  assert (D := Bmult_correct 53 1024 prec64 range64 mode_NE g (exactly64 1 (- l))). change (round_mode mode_NE) with ZnearestE in D.
  rewrite Eg, Ed in D. assert (Il : bpow radix2 (- l) = / bpow radix2 l) by apply bpow_opp. set (v := r * bpow radix2 (- l)) in *.
  assert (Ev : v = r / bpow radix2 l) by (unfold v; now rewrite Il).
  assert (Av : Rabs v <= bpow radix2 61).
  { rewrite Ev. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ bpow radix2 l)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_reg_r with (bpow radix2 l); [exact L|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
    change (bpow radix2 61) with (bpow radix2 (1 + 60)). rewrite bpow_plus. change (bpow radix2 1) with 2. lra. }
  assert (Fr : F 53 r) by apply (rnd_in_F 53 eq_refl).
  assert (Fv : rnd 53 v = v). { apply rnd_F. now apply mult_bpow_exact_FLX. }
  assert (Rv : round radix2 fexp64 ZnearestE v = v \/ (Rabs v < bpow radix2 (-1022) /\ Rabs (round radix2 fexp64 ZnearestE v - v) <= bpow radix2 (-1075))).
  { destruct (Rle_lt_dec (bpow radix2 (-1022)) (Rabs v)) as [h|h]; [left; rewrite round_normal by exact h; exact Fv|right; split; [exact h|]].
    apply Rle_trans with (1 := error_le_half_ulp radix2 fexp64 (fun x => negb (Z.even x)) v).
    change fexp64 with (FLT_exp (-1074) 53). rewrite ulp_FLT_small; [|reflexivity|apply Rlt_le_trans with (1 := h); apply bpow_le; simpl; lia].
    change (-1075)%Z with (-1 + -1074)%Z. rewrite bpow_plus. right. f_equal. }
  assert (Small : Rabs (round radix2 fexp64 ZnearestE v) < huge).
  { destruct Rv as [->|[h1 h2]].
    - apply Rle_lt_trans with (1 := Av). apply bpow_lt. lia.
    - replace (round radix2 fexp64 ZnearestE v) with ((round radix2 fexp64 ZnearestE v - v) + v) by ring.
      apply Rle_lt_trans with (1 := Rabs_triang _ _). apply Rlt_trans with (bpow radix2 0 + bpow radix2 0).
      + apply Rplus_le_lt_compat; [apply Rle_trans with (1 := h2); apply bpow_le; lia|apply Rlt_trans with (1 := h1); apply bpow_lt; lia].
      + change (bpow radix2 0 + bpow radix2 0) with (1 + 1). apply Rle_lt_trans with (bpow radix2 1); [simpl; lra|apply bpow_lt; lia]. }
  rewrite Rlt_bool_true in D by exact Small. destruct D as [Ez [Fz _]]. rewrite Fg, Fd in Fz. split; [exact Fz|]. rewrite Ez.
  assert (W : Rabs (v - x / bpow radix2 l) <= small * Rabs x / bpow radix2 l).
  { rewrite Ev. replace (r / bpow radix2 l - x / bpow radix2 l) with ((r - x) / bpow radix2 l) by (field; lra).
    unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ bpow radix2 l)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Ex]. }
  destruct Rv as [->|[h1 h2]]; [left; exact W|right].
  (* |x| is at most 2 |r|, so that its rounding error is as small *)
  replace (round radix2 fexp64 ZnearestE v - x / bpow radix2 l) with ((round radix2 fexp64 ZnearestE v - v) + (v - x / bpow radix2 l)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  assert (X : Rabs x <= 2 * Rabs r).
  { assert (T : Rabs x <= Rabs (x - r) + Rabs r) by (replace x with ((x - r) + r) at 1 by ring; apply Rabs_triang).
    rewrite Rabs_minus_sym in T. assert (A := Rabs_pos x). nra. }
  assert (Vr : Rabs r = Rabs v * bpow radix2 l).
  { rewrite Ev. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ bpow radix2 l)), Rmult_assoc, Rinv_l by (try (left; now apply Rinv_0_lt_compat); lra). ring. }
  assert (Y : small * Rabs x / bpow radix2 l <= eta 53 * (2 * Rabs v)).
  { apply Rmult_le_reg_r with (bpow radix2 l); [exact L|]. replace (small * Rabs x / bpow radix2 l * bpow radix2 l) with (small * Rabs x) by (field; lra).
    assert (small <= eta 53) by nra. assert (A := Rabs_pos x). rewrite Vr in X. nra. }
  assert (Y' : eta 53 * (2 * Rabs v) <= bpow radix2 (-1074)).
  { apply Rle_trans with (bpow radix2 (-53) * (bpow radix2 1 * bpow radix2 (-1022))).
    - apply Rmult_le_compat_l; [apply bpow_ge_0|]. change (bpow radix2 1) with 2. lra.
    - rewrite <- !bpow_plus. apply bpow_le. lia. }
  assert (Z1 : bpow radix2 (-1075) <= bpow radix2 (-1074)) by (apply bpow_le; lia).
  assert (Z2 : bpow radix2 (-1073) = 2 * bpow radix2 (-1074)) by (change (-1073)%Z with (1 + -1074)%Z; rewrite bpow_plus; reflexivity). lra.
Qed.

(** ** What is published *)

(** The published double depends on the number z only, not on the sign of a zero. *)
Lemma publish64_number : forall l c z, is_finite c = true -> is_finite z = true -> publish64 l c z = publish64 l c (nearest64 (B2R z)).
Proof.
  intros l c z Fc Fz.
  assert (N : is_finite (nearest64 (B2R z)) = true /\ B2R (nearest64 (B2R z)) = B2R z /\ Bsign (nearest64 (B2R z)) = Rlt_bool (B2R z) 0).
  { assert (C := binary_normalize_correct 53 1024 prec64 range64 mode_NE (ZnearestE (scaled_mantissa radix2 fexp64 (B2R z)))
      (cexp radix2 fexp64 (B2R z)) false). cbv zeta in C. fold (nearest64 (B2R z)) in C. change (round_mode mode_NE) with ZnearestE in C.
    change (F2R {| Fnum := ZnearestE (scaled_mantissa radix2 fexp64 (B2R z)); Fexp := cexp radix2 fexp64 (B2R z) |})
      with (round radix2 fexp64 ZnearestE (B2R z)) in C.
    assert (G := generic_format_B2R 53 1024 z).
    rewrite !(round_generic radix2 fexp64 ZnearestE (B2R z)) in C by (try apply valid_rnd_N; exact G).
    rewrite Rlt_bool_true in C by (apply abs_B2R_lt_emax). destruct C as [C1 [C2 C3]]. repeat split; assumption. }
  destruct N as [N1 [N2 N3]]. destruct (Req_dec (B2R z) 0) as [Z|Z].
  - (* Two zeros *)
    assert (Zero : forall w : binary64, is_finite w = true -> B2R w = 0 -> exists t, w = B754_zero t).
    { intros [t|t| |t m e H] Fw Ew; simpl in *; try discriminate; [now exists t|].
      exfalso. apply eq_0_F2R in Ew. destruct t; discriminate. }
    destruct (Zero z Fz Z) as [t Et]. destruct (Zero _ N1 ltac:(rewrite N2; exact Z)) as [t' Et']. rewrite Et', Et. unfold publish64.
    destruct (exactly64 1 l) as [w|w| |w m e H]; simpl; try reflexivity; destruct c as [v|v| |v m' e' H']; simpl; try discriminate; try reflexivity;
      destruct t, t', w, v; reflexivity.
  - f_equal. symmetry. apply B2R_Bsign_inj; try assumption. rewrite N3. destruct (Bsign z) eqn:E.
    + apply Rlt_bool_true. assert (G := sign_minus z Fz E). lra.
    + apply Rlt_bool_false. now apply sign_plus.
Qed.

Section Release.
Variables (lambda b : binary64) (l : Z) (lo hi c : binary64).
Notation Lambda := (bpow radix2 l).
(** Public numbers: doubles; scale and bound in steps of the grid Lambda = 2^l. *)
Hypothesis Fl : is_finite lambda = true.
Hypothesis Fb : is_finite b = true.
Hypothesis Flo : is_finite lo = true.
Hypothesis Fhi : is_finite hi = true.
Hypothesis Fc : is_finite c = true.
Hypothesis Hl : (-960 <= l <= 960)%Z.
Hypothesis HL : (1 - / 2 ^ 20) * B2R lambda <= 1 < 2 * B2R lambda.
Hypothesis HB : B2R lambda < B2R b < bpow radix2 46 * B2R lambda.
Hypothesis Hb : B2R lo <= B2R hi.

(** The rest: inputs of the noise that differ by at most D in units of the query. *)
Lemma steps_loss : forall D (g g' : binary64), is_finite g = true -> is_finite g' = true -> Rabs (B2R g - B2R g') <= D / Lambda ->
  loss_at_most (D / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (fun s u => publish64 l c (noisy64 lambda b g s u)) (fun s u => publish64 l c (noisy64 lambda b g' s u)).
Proof.
  intros D g g' F F' H. assert (L := bpow_gt_0 radix2 l).
  assert (L2 : B2R lambda <= 2) by (replace (/ 2 ^ 20) with (/ 1048576) in HL by (f_equal; ring); lra).
  assert (G := binary64_closed lambda b Fl Fb HL HB _ _ _ F F' H). apply (loss_after _ _ _ _ _ (fun y => publish64 l c (nearest64 y))) in G.
  replace (D / Lambda / B2R lambda) with (D / (B2R lambda * Lambda)) in G by (field; lra).
  assert (E : forall g : binary64, is_finite g = true -> forall s u, 0 < u < 1 ->
    publish64 l c (nearest64 (B2R (noisy64 lambda b g s u))) = publish64 l c (noisy64 lambda b g s u)).
  { intros h Fh s u Hu. symmetry. apply publish64_number; [exact Fc|]. apply noisy64_snapping; try assumption; lra. }
  exact (loss_ext _ _ _ _ _ _ (E g F) (E g' F') G).
Qed.

(** Inputs that are off by at most e, in units of the query, from numbers that are Delta apart. *)
Lemma steps_centred : forall (g g' : binary64) x x' e Delta, is_finite g = true -> is_finite g' = true ->
  Rabs (B2R g - x / Lambda) <= e / Lambda -> Rabs (B2R g' - x' / Lambda) <= e / Lambda -> Rabs (x - x') <= Delta ->
  loss_at_most ((Delta + 2 * e) / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (fun s u => publish64 l c (noisy64 lambda b g s u)) (fun s u => publish64 l c (noisy64 lambda b g' s u)).
Proof.
  intros g g' x x' e Delta F F' E E' H. assert (L := bpow_gt_0 radix2 l). apply steps_loss; try assumption.
  assert (Q : Rabs (x / Lambda - x' / Lambda) <= Delta / Lambda).
  { replace (x / Lambda - x' / Lambda) with ((x - x') * / Lambda) by (field; lra). rewrite Rabs_mult, (Rabs_pos_eq (/ Lambda)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H]. }
  replace ((Delta + 2 * e) / Lambda) with (e / Lambda + e / Lambda + Delta / Lambda) by (field; lra).
  apply Rabs_le_inv in E. apply Rabs_le_inv in E'. apply Rabs_le_inv in Q. apply Rabs_le. lra.
Qed.

Lemma release64_centred : forall lower upper centre e, lower <= upper ->
  (forall f : binary64, is_finite f = true -> is_finite (steps64 l lo hi c f) = true /\
    Rabs (B2R (steps64 l lo hi c f) - (within lower upper (B2R f) - centre) / Lambda) <= e / Lambda) ->
  forall Delta (f f' : binary64), is_finite f = true -> is_finite f' = true -> Rabs (B2R f - B2R f') <= Delta ->
  loss_at_most ((Rmin Delta (upper - lower) + 2 * e) / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (release64 lambda b l lo hi c f) (release64 lambda b l lo hi c f').
Proof.
  intros lower upper centre e Hlu P Delta f f' Ff Ff' Hf. destruct (P f Ff) as [F1 E1]. destruct (P f' Ff') as [F2 E2].
  apply (steps_centred _ _ _ _ e _ F1 F2 E1 E2). now apply centred_near.
Qed.

Lemma b_range : B2R b <= bpow radix2 60.
Proof.
  apply Rle_trans with (bpow radix2 46 * bpow radix2 1); [|rewrite <- bpow_plus; apply bpow_le; lia].
  assert (L2 : B2R lambda <= 2) by (replace (/ 2 ^ 20) with (/ 1048576) in HL by (f_equal; ring); lra).
  apply Rlt_le, Rlt_le_trans with (1 := proj2 HB). apply Rmult_le_compat_l; [apply bpow_ge_0|exact L2].
Qed.

(** What underflows is small beside any bound of the sizes that are allowed. *)
Lemma underflow_small : forall W, bpow radix2 (-1000) * Lambda <= W -> bpow radix2 (-1073) <= eta 53 * W / Lambda.
Proof.
  intros W HW. assert (L := bpow_gt_0 radix2 l). apply Rle_trans with (eta 53 * (bpow radix2 (-1000) * Lambda) / Lambda).
  - replace (eta 53 * (bpow radix2 (-1000) * Lambda) / Lambda) with (eta 53 * bpow radix2 (-1000)) by (field; lra).
    unfold eta. rewrite <- bpow_plus. apply bpow_le. lia.
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rmult_le_compat_l; [left; apply eta_pos|exact HW].
Qed.

(** *** Theorem. Bounds and centre are doubles: Delta grows by 2 eta W, W the half width. *)
Theorem release64_private : forall W, Rabs (B2R lo - B2R c) <= W -> Rabs (B2R hi - B2R c) <= W ->
  bpow radix2 (-1000) * Lambda <= W <= B2R b * Lambda ->
  forall Delta (f f' : binary64), is_finite f = true -> is_finite f' = true -> Rabs (B2R f - B2R f') <= Delta ->
  loss_at_most ((Rmin Delta (B2R hi - B2R lo) + 2 * (bpow radix2 (-53) * W)) / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (release64 lambda b l lo hi c f) (release64 lambda b l lo hi c f').
Proof.
  intros W Wl Wh HW. assert (L := bpow_gt_0 radix2 l). assert (He := eta_pos 53). destruct small_eta as [S0 S1].
  apply release64_centred with (lower := B2R lo) (upper := B2R hi) (centre := B2R c); [exact Hb|].
  intros h Fh. destruct (between64_spec lo hi h Flo Fhi Fh Hb) as [Fw Ew].
  assert (X : Rabs (B2R (between64 lo hi h) - B2R c) <= W).
  { rewrite Ew. assert (R := within_range (B2R lo) (B2R hi) (B2R h) Hb). apply Rabs_le_inv in Wl. apply Rabs_le_inv in Wh. apply Rabs_le. lra. }
  destruct (scaled_difference (between64 lo hi h) c l W Fw Fc Hl X) as [Fz Ez].
  { apply Rle_trans with (1 := proj2 HW). apply Rmult_le_compat_r; [lra|apply b_range]. }
  fold (steps64 l lo hi c h) in Fz, Ez. rewrite Ew in Ez, X. split; [exact Fz|]. destruct Ez as [Ez|Ez]; apply Rle_trans with (1 := Ez).
  - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. change (bpow radix2 (-53)) with (eta 53).
    assert (A := Rabs_pos (within (B2R lo) (B2R hi) (B2R h) - B2R c)). nra.
  - now apply underflow_small.
Qed.

(** *** Theorem. Doubles beside the exact bounds and centre, each off by at most one rounding of a number of size M: Delta grows by 8 eta M. *)
Theorem release64_rounded : forall lower upper centre M, Rabs lower <= M -> Rabs upper <= M -> Rabs centre <= M -> lower <= upper ->
  Rabs (B2R lo - lower) <= small * M -> Rabs (B2R hi - upper) <= small * M -> Rabs (B2R c - centre) <= small * M ->
  bpow radix2 (-1000) * Lambda <= M <= bpow radix2 58 * Lambda ->
  forall Delta (f f' : binary64), is_finite f = true -> is_finite f' = true -> Rabs (B2R f - B2R f') <= Delta ->
  loss_at_most ((Rmin Delta (upper - lower) + 2 * (bpow radix2 (-51) * M)) / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (release64 lambda b l lo hi c f) (release64 lambda b l lo hi c f').
Proof.
  intros lower upper centre M M1 M2 M3 Hlu E1 E2 E3 HM. assert (L := bpow_gt_0 radix2 l). assert (He := eta_pos 53). destruct small_eta as [S0 S1].
  assert (Q4 := eta_le_quarter 53 eq_refl). assert (Sq : small <= / 4) by nra. assert (M0 : 0 <= M) by (apply Rle_trans with (2 := M1); apply Rabs_pos).
  assert (Four : bpow radix2 (-51) = 4 * eta 53) by (unfold eta; change (-51)%Z with (2 + -53)%Z; rewrite bpow_plus; reflexivity).
  apply release64_centred with (lower := lower) (upper := upper) (centre := centre); [exact Hlu|].
  intros h Fh. destruct (between64_spec lo hi h Flo Fhi Fh Hb) as [Fw Ew].
  assert (D := within_moved (B2R lo) (B2R hi) lower upper (small * M) (B2R h) E1 E2).
  assert (R := within_range lower upper (B2R h) Hlu). set (w := within lower upper (B2R h)) in *. rewrite <- Ew in D.
  set (y := B2R (between64 lo hi h)) in *. apply Rabs_le_inv in M1. apply Rabs_le_inv in M2. apply Rabs_le_inv in M3.
  apply Rabs_le_inv in D. apply Rabs_le_inv in E3. assert (SM : 0 <= small * M) by nra.
  assert (X : Rabs (y - B2R c) <= 2 * M + 2 * (small * M)) by (apply Rabs_le; lra).
  destruct (scaled_difference (between64 lo hi h) c l _ Fw Fc Hl X) as [Fz Ez].
  { apply Rle_trans with (bpow radix2 2 * M); [change (bpow radix2 2) with 4; nra|].
    apply Rle_trans with (bpow radix2 2 * (bpow radix2 58 * Lambda)); [apply Rmult_le_compat_l; [apply bpow_ge_0|lra]|].
    rewrite <- Rmult_assoc, <- bpow_plus. right. reflexivity. }
  fold (steps64 l lo hi c h) in Fz, Ez. fold y in Ez. split; [exact Fz|]. rewrite Four.
  assert (Near : Rabs ((y - B2R c) / Lambda - (w - centre) / Lambda) <= 2 * (small * M) / Lambda).
  { replace ((y - B2R c) / Lambda - (w - centre) / Lambda) with ((y - w - (B2R c - centre)) * / Lambda) by (field; lra).
    rewrite Rabs_mult, (Rabs_pos_eq (/ Lambda)) by (left; now apply Rinv_0_lt_compat).
    apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rabs_le. lra. }
  replace (B2R (steps64 l lo hi c h) - (w - centre) / Lambda)
    with ((B2R (steps64 l lo hi c h) - (y - B2R c) / Lambda) + ((y - B2R c) / Lambda - (w - centre) / Lambda)) by ring.
  apply Rle_trans with (1 := Rabs_triang _ _).
  (* One rounding more of a number of size 2 M (1 + small), or an underflow *)
  assert (Last : Rabs (B2R (steps64 l lo hi c h) - (y - B2R c) / Lambda) <= (4 * eta 53 * M - 2 * (small * M)) / Lambda).
  { assert (Sum : small * (2 * M + 2 * (small * M)) <= 4 * eta 53 * M - 2 * (small * M)).
    { assert (E4 : 4 * eta 53 * M = 4 * (small * M) + 4 * (small * M * eta 53)) by (transitivity (4 * (small * (1 + eta 53)) * M); [now rewrite S1|ring]).
      assert (small <= eta 53) by nra. assert (P1 : 0 <= small * M * (eta 53 - small)) by (apply Rmult_le_pos; lra).
      assert (P2 : 0 <= small * M * eta 53) by (apply Rmult_le_pos; lra). rewrite E4. set (s := small) in *. lra. }
    destruct Ez as [Ez|Ez]; apply Rle_trans with (1 := Ez).
    - apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|]. apply Rle_trans with (2 := Sum). apply Rmult_le_compat_l; lra.
    - apply Rle_trans with (1 := underflow_small M (proj1 HM)). apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      assert (small <= eta 53) by nra. nra. }
  replace (4 * eta 53 * M / Lambda) with ((4 * eta 53 * M - 2 * (small * M)) / Lambda + 2 * (small * M) / Lambda) by (field; lra). lra.
Qed.

(** *** Theorem. The same charge for exact query values. *)
Theorem release64_exact : forall lower upper centre W, lower <= upper -> Rabs (lower - centre) <= W -> Rabs (upper - centre) <= W ->
  bpow radix2 (-1000) * Lambda <= W <= B2R b * Lambda ->
  forall Delta f f', Rabs (f - f') <= Delta ->
  loss_at_most ((Rmin Delta (upper - lower) + 2 * (bpow radix2 (-53) * W)) / (B2R lambda * Lambda) + (18 * (B2R b / B2R lambda) + 2) * bpow radix2 (-53))
    (release64_of lambda b l lower upper centre c f) (release64_of lambda b l lower upper centre c f').
Proof.
  intros lower upper centre W Hlu Wl Wh HW Delta f f' Hf. assert (L := bpow_gt_0 radix2 l). assert (He := eta_pos 53). destruct small_eta as [S0 S1].
  apply Rabs_le_inv in Wl. apply Rabs_le_inv in Wh. assert (B60 := b_range).
  assert (P : forall h, is_finite (nearest64 ((within lower upper h - centre) / Lambda)) = true /\
    Rabs (B2R (nearest64 ((within lower upper h - centre) / Lambda)) - (within lower upper h - centre) / Lambda) <= eta 53 * W / Lambda).
  { intros h. assert (R := within_range lower upper h Hlu). set (x := within lower upper h - centre) in *.
    assert (X : Rabs x <= W) by (apply Rabs_le; unfold x; lra).
    assert (XL : Rabs (x / Lambda) = Rabs x / Lambda) by (unfold Rdiv; now rewrite Rabs_mult, (Rabs_pos_eq (/ Lambda)) by (left; now apply Rinv_0_lt_compat)).
    destruct (nearest64_error (x / Lambda)) as [Fn En].
    { rewrite XL. apply Rle_trans with (bpow radix2 60); [|apply bpow_le; lia]. apply Rmult_le_reg_r with Lambda; [exact L|].
      replace (Rabs x / Lambda * Lambda) with (Rabs x) by (field; lra). apply Rle_trans with (1 := X). apply Rle_trans with (1 := proj2 HW).
      apply Rmult_le_compat_r; lra. }
    split; [exact Fn|]. destruct En as [En|En]; apply Rle_trans with (1 := En).
    - rewrite XL. unfold Rdiv. rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|].
      fold (eta 53 / (1 + eta 53)). assert (A := Rabs_pos x). nra.
    - apply Rle_trans with (2 := underflow_small W (proj1 HW)). apply bpow_le. lia. }
  destruct (P f) as [F1 E1]. destruct (P f') as [F2 E2]. apply (steps_centred _ _ _ _ _ _ F1 F2 E1 E2).
  now apply centred_near.
Qed.
End Release.
