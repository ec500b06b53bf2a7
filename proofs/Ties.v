(** Rounding to whole numbers in IEEE binary64, ties toward +infinity, as the program does it: by adding and subtracting 1.5 2^52, or beyond 2^51 by the
    floor. It is exact: the nearest whole number, whatever the number ([ties_up64_exact]). *)
From Coq Require Import Reals ZArith Lra Psatz Bool.
From Flocq Require Import Core BinarySingleNaN Sterbenz.
Open Scope R_scope.

#[global] Instance prec64 : Prec_gt_0 53. Proof. reflexivity. Qed.
#[global] Instance range64 : Prec_lt_emax 53 1024. Proof. reflexivity. Qed.
Notation binary64 := (binary_float 53 1024).
Notation fexp64 := (SpecFloat.fexp 53 1024).
Notation format64 := (generic_format radix2 fexp64).
Notation huge := (bpow radix2 1024).
Notation add64 := (Bplus mode_NE).
Notation subtract64 := (Bminus mode_NE).

(** The number m 2^e. *)
Definition exactly64 (m e : Z) : binary64 := binary_normalize 53 1024 prec64 range64 mode_NE m e false.

Definition half64 : binary64 := exactly64 1 (-1).
Definition one64 : binary64 := exactly64 1 0.
Definition limit64 : binary64 := exactly64 1 51.
Definition magic64 : binary64 := exactly64 3 51.

(** As the code has it. *)
Definition ties_up64 (x : binary64) : binary64 :=
  let whole := if Bltb (Babs x) limit64 then subtract64 (add64 x magic64) magic64 else Bnearbyint mode_DN x in
  if Beqb (subtract64 x whole) half64 then add64 whole one64 else whole.

(** ** Exact operations *)

Lemma whole_format : forall k : Z, (Z.abs k <= 2 ^ 53)%Z -> format64 (IZR k).
Proof.
  intros k Hk. change fexp64 with (FLT_exp (-1074) 53). destruct (Z.eq_dec (Z.abs k) (2 ^ 53)) as [E|N].
  - assert (B : generic_format radix2 (FLT_exp (-1074) 53) (IZR (2 ^ 53))).
    { change (IZR (2 ^ 53)) with (bpow radix2 53). apply generic_format_bpow. unfold FLT_exp. lia. }
    destruct (Z.abs_eq_or_opp k) as [A|A]; [replace k with (2 ^ 53)%Z by lia; exact B|].
    replace k with (- 2 ^ 53)%Z by lia. rewrite opp_IZR. now apply generic_format_opp.
  - apply generic_format_FLT. exists (Float radix2 k 0); simpl; try lia. unfold F2R. simpl. ring.
Qed.

Lemma exactly64_spec : forall m e, (Z.abs m < 2 ^ 53)%Z -> (-1074 <= e <= 970)%Z ->
  is_finite (exactly64 m e) = true /\ B2R (exactly64 m e) = IZR m * bpow radix2 e.
Proof.
  intros m e Hm He. assert (C := binary_normalize_correct 53 1024 prec64 range64 mode_NE m e false). cbv zeta in C. fold (exactly64 m e) in C.
  assert (Fm : format64 (F2R (Float radix2 m e))).
  { change fexp64 with (FLT_exp (-1074) 53). apply generic_format_FLT. exists (Float radix2 m e); simpl; try lia. reflexivity. }
  rewrite round_generic in C by (try apply valid_rnd_N; exact Fm). rewrite Rlt_bool_true in C; [tauto|].
  unfold F2R. cbn [Fnum Fexp]. rewrite Rabs_mult, (Rabs_pos_eq (bpow radix2 e)), <- abs_IZR by apply bpow_ge_0.
  apply Rlt_le_trans with (bpow radix2 53 * bpow radix2 e).
  - apply Rmult_lt_compat_r; [apply bpow_gt_0|]. change (bpow radix2 53) with (IZR (2 ^ 53)). now apply IZR_lt.
  - rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma half64_spec : is_finite half64 = true /\ B2R half64 = / 2.
Proof. destruct (exactly64_spec 1 (-1) ltac:(reflexivity) ltac:(lia)) as [A B]. split; [exact A|]. fold half64 in B. rewrite B. simpl. lra. Qed.
Lemma one64_spec : is_finite one64 = true /\ B2R one64 = 1.
Proof. destruct (exactly64_spec 1 0 ltac:(reflexivity) ltac:(lia)) as [A B]. split; [exact A|]. fold one64 in B. rewrite B. simpl. lra. Qed.
Lemma limit64_spec : is_finite limit64 = true /\ B2R limit64 = IZR (2 ^ 51).
Proof. destruct (exactly64_spec 1 51 ltac:(reflexivity) ltac:(lia)) as [A B]. split; [exact A|]. fold limit64 in B. rewrite B. apply Rmult_1_l. Qed.
Lemma magic64_spec : is_finite magic64 = true /\ B2R magic64 = IZR (3 * 2 ^ 51).
Proof. destruct (exactly64_spec 3 51 ltac:(reflexivity) ltac:(lia)) as [A B]. split; [exact A|]. fold magic64 in B. rewrite B, mult_IZR. reflexivity. Qed.

Lemma small_whole : forall k : Z, (Z.abs k <= 2 ^ 53)%Z -> Rabs (IZR k) < huge.
Proof.
  intros k Hk. rewrite <- abs_IZR. apply Rle_lt_trans with (bpow radix2 53); [|apply bpow_lt; lia].
  change (bpow radix2 53) with (IZR (2 ^ 53)). now apply IZR_le.
Qed.

Lemma add_exact : forall x y : binary64, is_finite x = true -> is_finite y = true -> format64 (B2R x + B2R y) ->
  Rabs (B2R x + B2R y) < huge -> is_finite (add64 x y) = true /\ B2R (add64 x y) = B2R x + B2R y.
Proof.
  intros x y Fx Fy F H. assert (C := Bplus_correct 53 1024 prec64 range64 mode_NE x y Fx Fy).
  rewrite round_generic in C by (try apply valid_rnd_N; exact F). rewrite Rlt_bool_true in C by exact H. tauto.
Qed.

Lemma subtract_exact : forall x y : binary64, is_finite x = true -> is_finite y = true -> format64 (B2R x - B2R y) ->
  Rabs (B2R x - B2R y) < huge -> is_finite (subtract64 x y) = true /\ B2R (subtract64 x y) = B2R x - B2R y.
Proof.
  intros x y Fx Fy F H. assert (C := Bminus_correct 53 1024 prec64 range64 mode_NE x y Fx Fy).
  rewrite round_generic in C by (try apply valid_rnd_N; exact F). rewrite Rlt_bool_true in C by exact H. tauto.
Qed.

(** ** The whole number that is compared with x *)

(** Between 2^52 and 2^53 the numbers of the format are the whole numbers. *)
Lemma round_whole : forall v, bpow radix2 52 <= v < bpow radix2 53 -> round radix2 fexp64 ZnearestE v = IZR (ZnearestE v).
Proof.
  intros v Hv. unfold round, scaled_mantissa, cexp. rewrite (mag_unique_pos radix2 v 53) by exact Hv.
  change (fexp64 53) with 0%Z. unfold F2R. simpl. now rewrite !Rmult_1_r.
Qed.

(** Sterbenz: x - n is exact for a whole number n within 1/2 of x. *)
Lemma near_exact : forall x (n : Z), format64 x -> (Z.abs n <= 2 ^ 53)%Z -> Rabs (x - IZR n) <= / 2 -> format64 (x - IZR n).
Proof.
  intros x n Fx Hn H.
  assert (S : forall y (k : Z), format64 y -> (0 < k <= 2 ^ 53)%Z -> Rabs (y - IZR k) <= / 2 -> format64 (y - IZR k)).
  { intros y k Fy Hk Hy. apply Rabs_le_inv in Hy. assert (1 <= IZR k) by (apply IZR_le; lia).
    apply sterbenz; [apply fexp_correct; reflexivity|apply fexp_monotone|exact Fy|apply whole_format; lia|lra]. }
  destruct (Z.lt_trichotomy n 0) as [h|[h|h]].
  - replace (x - IZR n) with (- (- x - IZR (- n))) by (rewrite opp_IZR; ring). apply generic_format_opp. apply S; [now apply generic_format_opp|lia|].
    rewrite opp_IZR. replace (- x - - IZR n) with (- (x - IZR n)) by ring. now rewrite Rabs_Ropp.
  - subst n. now rewrite Rminus_0_r.
  - apply S; [exact Fx|lia|exact H].
Qed.

(** From 2^51 on, the numbers of the format are multiples of 1/2. *)
Lemma large_halves : forall x, format64 x -> IZR (2 ^ 51) <= Rabs x -> exists j : Z, x = IZR j / 2.
Proof.
  intros x Fx Hx. assert (M : (52 <= mag radix2 x)%Z) by (apply mag_ge_bpow; exact Hx).
  rewrite Fx. set (m := Ztrunc _). unfold cexp. assert (E : (-1 <= fexp64 (mag radix2 x))%Z).
  { change fexp64 with (FLT_exp (-1074) 53). unfold FLT_exp. lia. }
  set (e := fexp64 (mag radix2 x)) in *. clearbody m e. exists (m * 2 ^ (e + 1))%Z. unfold F2R. cbn [Fnum Fexp]. rewrite mult_IZR.
  assert (P : IZR (2 ^ (e + 1)) = bpow radix2 (e + 1)) by (apply (IZR_Zpower radix2); lia). rewrite P, bpow_plus. change (bpow radix2 1) with 2. field.
Qed.

(** Whole numbers below 2^53 are no obstacle: a tie lies below them. *)
Lemma large_whole : forall x, format64 x -> IZR (2 ^ 53) <= Rabs x -> exists j : Z, x = IZR j.
Proof.
  intros x Fx Hx. assert (M : (54 <= mag radix2 x)%Z) by (apply mag_ge_bpow; exact Hx).
  rewrite Fx. set (m := Ztrunc _). unfold cexp. assert (E : (0 <= fexp64 (mag radix2 x))%Z).
  { change fexp64 with (FLT_exp (-1074) 53). unfold FLT_exp. lia. }
  set (e := fexp64 (mag radix2 x)) in *. clearbody m e. exists (m * 2 ^ e)%Z. unfold F2R. cbn [Fnum Fexp]. rewrite mult_IZR.
  assert (P : IZR (2 ^ e) = bpow radix2 e) by (apply (IZR_Zpower radix2); lia). now rewrite P.
Qed.

(** Either way the comparison is with a whole number n that x exceeds by 1/2 at most, and by no more than 1/2 the other way. *)
Lemma whole64 : forall x : binary64, is_finite x = true ->
  let whole := if Bltb (Babs x) limit64 then subtract64 (add64 x magic64) magic64 else Bnearbyint mode_DN x in
  exists n : Z, is_finite whole = true /\ B2R whole = IZR n /\ format64 (B2R x - IZR n) /\ - / 2 <= B2R x - IZR n <= / 2 /\
    (B2R x - IZR n = / 2 -> (Z.abs (n + 1) <= 2 ^ 53)%Z).
Proof.
  intros x Fx. cbv zeta. destruct limit64_spec as [Fl El]. destruct magic64_spec as [Fm Em].
  assert (Fa : is_finite (Babs x) = true) by now rewrite is_finite_Babs.
  assert (G := generic_format_B2R 53 1024 x). set (X := B2R x) in *.
  rewrite Bltb_correct, El, B2R_Babs by assumption. fold X. case Rlt_bool_spec; intros H.
  - (* The sum lies between 2^52 and 2^53. *)
    assert (P51 : IZR (3 * 2 ^ 51) = bpow radix2 52 + IZR (2 ^ 51)) by (change (bpow radix2 52) with (IZR (2 ^ 52)); rewrite <- plus_IZR; reflexivity).
    assert (P53 : bpow radix2 53 = bpow radix2 52 + IZR (2 ^ 51) + IZR (2 ^ 51))
      by (change (bpow radix2 52) with (IZR (2 ^ 52)); rewrite <- !plus_IZR; reflexivity).
    apply Rabs_lt_inv in H. set (v := X + IZR (3 * 2 ^ 51)). assert (Hv : bpow radix2 52 <= v < bpow radix2 53) by (unfold v; lra).
    assert (Near := Znearest_half (fun z => negb (Z.even z)) v). set (k := ZnearestE v) in *.
    change (Znearest (fun z => negb (Z.even z)) v) with k in Near. apply Rabs_le_inv in Near.
    assert (Hk : (2 ^ 52 <= k <= 2 ^ 53)%Z).
    { change (bpow radix2 52) with (IZR (2 ^ 52)) in Hv. change (bpow radix2 53) with (IZR (2 ^ 53)) in Hv.
      split; [assert (2 ^ 52 < k + 1)%Z; [|lia]|assert (k < 2 ^ 53 + 1)%Z; [|lia]]; apply lt_IZR; rewrite plus_IZR; lra. }
    assert (C := Bplus_correct 53 1024 prec64 range64 mode_NE x magic64 Fx Fm). change (round_mode mode_NE) with ZnearestE in C.
    rewrite Em in C. fold X in C. fold v in C. rewrite round_whole in C by exact Hv. fold k in C.
    rewrite Rlt_bool_true in C by (apply small_whole; lia). destruct C as [Es [Fs _]].
    set (n := (k - 3 * 2 ^ 51)%Z). assert (En : IZR k - IZR (3 * 2 ^ 51) = IZR n) by (unfold n; now rewrite minus_IZR).
    destruct (subtract_exact (add64 x magic64) magic64 Fs Fm) as [Fw Ew].
    { rewrite Es, Em, En. apply whole_format. unfold n. lia. }
    { rewrite Es, Em, En. apply small_whole. unfold n. lia. }
    rewrite Es, Em, En in Ew. exists n. assert (D : - / 2 <= X - IZR n <= / 2) by (unfold v in Near; lra).
    repeat split; try assumption; try lra.
    + apply near_exact; [exact G|unfold n; lia|]. now apply Rabs_le.
    + intros _. unfold n. lia.
  - assert (C := Bnearbyint_correct 53 1024 range64 mode_DN x). destruct C as [Ew [Fw _]].
    assert (Er : round radix2 (FIX_exp 0) (round_mode mode_DN) X = IZR (Zfloor X)).
    { unfold round, scaled_mantissa, cexp, FIX_exp, F2R. simpl. now rewrite !Rmult_1_r. }
    fold X in Ew. rewrite Er in Ew. rewrite Fx in Fw. set (n := Zfloor X) in *.
    assert (L := Zfloor_lb X). assert (U := Zfloor_ub X). fold n in L, U.
    destruct (large_halves X G H) as [j Ej].
    assert (Hj : (2 * n <= j < 2 * n + 2)%Z) by (split; [apply le_IZR|apply lt_IZR]; rewrite ?plus_IZR, ?mult_IZR; lra).
    assert (D : X - IZR n = 0 \/ X - IZR n = / 2).
    { assert (j = 2 * n \/ j = 2 * n + 1)%Z as [J|J] by lia; rewrite Ej, J, ?plus_IZR, mult_IZR; [left|right]; field. }
    exists n. repeat split; try assumption.
    + destruct D as [->| ->]; [apply generic_format_0|]. replace (/ 2) with (bpow radix2 (-1)) by (simpl; lra).
      apply generic_format_bpow. change fexp64 with (FLT_exp (-1074) 53). unfold FLT_exp. lia.
    + destruct D; lra.
    + destruct D; lra.
    + intros Hd. destruct (Rle_lt_dec (IZR (2 ^ 53)) (Rabs X)) as [h|h].
      * destruct (large_whole X G h) as [i Ei]. exfalso. unfold n in Hd. rewrite Ei, Zfloor_IZR in Hd. lra.
      * apply Rabs_lt_inv in h. assert (- (2 ^ 53) < n + 1 + 1 /\ n + 1 < 2 ^ 53 + 1)%Z; [|lia].
        split; apply lt_IZR; rewrite ?opp_IZR, !plus_IZR; lra.
Qed.

(** *** Theorem. The nearest whole number, ties toward +infinity; infinities stay. *)
Theorem ties_up64_exact : forall x : binary64, is_finite x = true ->
  is_finite (ties_up64 x) = true /\ B2R (ties_up64 x) = IZR (Zfloor (B2R x + / 2)).
Proof.
  intros x Fx. destruct (whole64 x Fx) as [n [Fw [Ew [G [D T]]]]]. cbv zeta in *. unfold ties_up64.
  set (whole := if Bltb (Babs x) limit64 then _ else _) in *. destruct half64_spec as [Fh Eh]. destruct one64_spec as [F1 E1].
  destruct (subtract_exact x whole Fx Fw) as [Fd Ed].
  { now rewrite Ew. }
  { rewrite Ew. apply Rle_lt_trans with (/ 2); [now apply Rabs_le|]. apply Rlt_trans with (bpow radix2 0); [simpl; lra|apply bpow_lt; lia]. }
  rewrite Ew in Ed. rewrite Beqb_correct, Ed, Eh by assumption. case Req_bool_spec; intros H.
  - specialize (T H). destruct (add_exact whole one64 Fw F1) as [Fs Es].
    { rewrite Ew, E1, <- plus_IZR. now apply whole_format. }
    { rewrite Ew, E1, <- plus_IZR. now apply small_whole. }
    split; [exact Fs|]. rewrite Es, Ew, E1. replace (B2R x + / 2) with (IZR (n + 1)) by (rewrite plus_IZR; lra). now rewrite Zfloor_IZR, plus_IZR.
  - split; [exact Fw|]. rewrite Ew. f_equal. symmetry. apply Zfloor_imp. rewrite plus_IZR. lra.
Qed.

Lemma ties_up64_infinity : forall s, ties_up64 (B754_infinity s) = B754_infinity s.
Proof.
  intros s. unfold ties_up64. destruct limit64_spec as [Fl El].
  assert (H : Bltb (Babs (B754_infinity s)) limit64 = false).
  { destruct limit64 as [t|t| |t m e B]; simpl in *; try discriminate; try reflexivity; destruct t; reflexivity. }
  rewrite H. destruct half64_spec as [Fh Eh]. simpl. destruct s; destruct half64 as [t|t| |t m e B]; simpl in *; try discriminate; reflexivity.
Qed.
