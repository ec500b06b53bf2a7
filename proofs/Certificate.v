(** Certificates: the theorem for one program with its numbers, in the form that the generated files use.

    [lastbit verify snapping --coq FILE] writes a file that states [private program Delta E] and proves it by [certify]. What
    remains to be proved there are inequalities between numbers, which the tactic [interval] decides. *)
From Coq Require Import Reals ZArith List Lra Psatz.
From Flocq Require Import Core.
From Interval Require Import Tactic.
From Lastbit Require Import Format Probability Noise Compare Snapping Events Input.
Import ListNotations.
Open Scope R_scope.

(** A floating snapping program with its numbers, as lastbit_verify::certificate::Claim. *)
Record claim := {
  precision : Z;
  (** What the query value goes through before the clamp: nothing, or one operation. *)
  input : list factor;
  (** Whether the input is clamped to [-B, B]. *)
  clamped : bool;
  (** What LN(U* ) goes through; the product of these is lambda. *)
  chain : list factor;
  (** Lambda = 2^grid. *)
  grid : Z;
  (** B. *)
  bound : R }.

(** What enters the clamp, or the sum if there is none. *)
Definition entering (c : claim) (f : R) : R := scaled (precision c) (input c) f.

(** What is published for the query value f, the sign s and the real uniform u. *)
Definition run (c : claim) (f : R) (s : bool) (u : R) : R :=
  let g := entering c f in
  clamp (bound c) (snap (grid c) (rnd (precision c)
    ((if clamped c then clamp (bound c) g else g)
     + rnd (precision c) ((if s then 1 else -1) *
         scaled (precision c) (chain c) (rnd (precision c) (ln (cut (precision c) u))))))).

(** For all query values of p bits that differ by at most Delta and all sets of outputs, the loss is at most E. A program that does not
    clamp its input is private for inputs that enter its sum within [-B, B]. *)
Definition private (c : claim) (Delta E : R) : Prop :=
  forall f f', F (precision c) f -> F (precision c) f' -> Rabs (f - f') <= Delta ->
  (clamped c = true \/ (Rabs (entering c f) <= bound c /\ Rabs (entering c f') <= bound c)) ->
  loss_at_most E (run c f) (run c f').

(** Neighbouring query values move what enters the sum by at most D. *)
Inductive moves (p : Z) (B Delta D : R) : list factor -> Prop :=
  | moves_alone : Delta <= D -> moves p B Delta D []
  | moves_exactly : forall f, (exists k, value f = bpow radix2 k) -> value f * Delta <= D -> moves p B Delta D [f]
  | moves_rounded : forall f, 0 < value f -> value f * Delta + 2 * eta p * B <= D -> moves p B Delta D [f].

Lemma moves_clamped : forall p B Delta D fs f f', (1 < p)%Z -> 0 < B -> moves p B Delta D fs -> F p f -> F p f' ->
  Rabs (f - f') <= Delta -> Rabs (clamp B (scaled p fs f) - clamp B (scaled p fs f')) <= D.
Proof.
  intros p B Delta D fs f f' Hp HB [H|c Hc H|c Hc H] Ff Ff' Hf.
  - apply Rle_trans with (2 := H). apply Rle_trans with (2 := Hf). now apply clamp_lip.
  - apply Rle_trans with (2 := H). now apply (input_exact p B HB c Delta f f').
  - apply Rle_trans with (2 := H). apply (input_rounded p Hp B HB c Delta f f'); [lra|exact Hf].
Qed.

(** A decimal, and the one before it with as many digits. *)
Record decimal := { digits : Z; zeros : nat }.
Definition real (d : decimal) : R := IZR (digits d) / 10 ^ zeros d.
Definition before (d : decimal) : R := (IZR (digits d) - 1) / 10 ^ zeros d.

(** A bound up, down or excess that would not hold with one less in its last digit. *)
Definition least_up d x := 1 + before d < x.
Definition least_down d x := x < 1 - before d.
Definition least_excess e u d := exp (before e) < (1 + real u) / (1 - real d).

(** The numbers of a certificate. *)
Record evidence := {
  (** eta, Lambda and lambda *)
  small : R; cell_width : R; scale : R;
  (** The first multiple of Lambda at or above B; how many operations on the logarithm can round. *)
  multiples : Z; rounded : nat;
  (** By how much neighbours move what enters the sum; how far an input can be from a cell that holds its neighbour, over lambda. *)
  moved : R; nearby : R;
  (** The worst up and down for an output with one edge, for one that holds neither input, for one that holds an input. *)
  up_edge : decimal; down_edge : decimal; up_away : decimal; down_away : decimal; up_held : decimal; down_held : decimal;
  (** What rounding adds to the loss. *)
  excess : decimal }.

Section Certify.
Variables (c : claim) (v : evidence).
Notation p := (precision c).
Notation B := (bound c).
Notation h := (small v).
Notation Lambda := (cell_width v).
Notation lambda := (scale v).

(** The bounds of step 4 as functions of these numbers. *)
Definition over_P := (1 + h) ^ S (rounded v).
Definition under_M := (1 - h) ^ S (rounded v).
Notation narrow := (narrowest h Lambda lambda (multiples v)).
Notation wide := (widest h Lambda lambda (multiples v)).
Definition reach_away := outside_reach h Lambda lambda B (multiples v).
Definition reach_edge := tail_reach h Lambda lambda B (multiples v).
Definition up_inside := in_up over_P narrow.
Definition down_inside := in_down h under_M narrow.
Definition up_outside := out_up h over_P under_M narrow wide.
Definition down_outside := out_down h over_P under_M narrow wide.
Definition up_beyond := tail_up h under_M reach_edge.
Definition down_beyond := tail_down over_P reach_edge.

(** What the numbers must satisfy. *)
Record sound (Delta E : R) : Prop := {
  sound_precision : (8 <= p)%Z;
  sound_eta : eta p = h;
  sound_grid : bpow radix2 (grid c) = Lambda;
  sound_chain : roundings (chain c) (rounded v);
  sound_scale : product (chain c) = lambda;
  sound_bound : 0 < B <= bpow radix2 (p - 6) * Lambda;
  sound_multiples : (IZR (multiples v) - 1) * Lambda < B <= IZR (multiples v) * Lambda;
  sound_input : moves p B Delta (moved v) (input c);
  sound_nearby : moved v / lambda <= nearby v \/ reach_away <= nearby v;
  sound_up_edge : up_inside <= 1 + real (up_edge v) /\ up_beyond <= 1 + real (up_edge v);
  sound_down_edge : 1 - real (down_edge v) <= down_inside /\ 1 - real (down_edge v) <= down_beyond;
  sound_up_away : up_outside reach_away <= 1 + real (up_away v);
  sound_down_away : 1 - real (down_away v) <= down_outside reach_away;
  sound_up_held : up_inside <= 1 + real (up_held v) /\ up_outside (nearby v) <= 1 + real (up_held v);
  sound_down_held : 1 - real (down_held v) <= down_inside /\ 1 - real (down_held v) <= down_outside (nearby v);
  sound_edge : 0 < 1 - real (down_edge v) /\ (1 + real (up_edge v)) / (1 - real (down_edge v)) <= exp (real (excess v));
  sound_away : 0 < 1 - real (down_away v) /\ (1 + real (up_away v)) / (1 - real (down_away v)) <= exp (real (excess v));
  sound_held : 0 < 1 - real (down_held v) /\ (1 + real (up_held v)) / (1 - real (down_held v)) <= exp (real (excess v));
  sound_loss : moved v / lambda + real (excess v) <= E }.

Lemma multiples_n : bpow radix2 (grid c) = Lambda -> (IZR (multiples v) - 1) * Lambda < B <= IZR (multiples v) * Lambda ->
  n B (grid c) = multiples v.
Proof.
  intros HL Hn. unfold n. rewrite HL. assert (L : 0 < Lambda) by (rewrite <- HL; apply bpow_gt_0).
  apply Zceil_imp. rewrite minus_IZR. split.
  - apply Rmult_lt_reg_r with Lambda; [exact L|]. replace (B / Lambda * Lambda) with B by (field; lra). lra.
  - apply Rmult_le_reg_r with Lambda; [exact L|]. replace (B / Lambda * Lambda) with B by (field; lra). lra.
Qed.

Lemma ratio_le : forall e u d u' d', 0 < 1 - d' /\ (1 + u') / (1 - d') <= exp e -> u <= 1 + u' -> 1 - d' <= d ->
  u / d <= exp e.
Proof.
  intros e u d u' d' [H1 H2] Hu Hd. apply Rmult_le_reg_r with d; [lra|]. replace (u / d * d) with u by (field; lra).
  apply Rle_trans with (1 := Hu). apply Rle_trans with (exp e * (1 - d')).
  - apply Rmult_le_compat_r with (r := 1 - d') in H2; [|lra].
    replace ((1 + u') / (1 - d') * (1 - d')) with (1 + u') in H2 by (field; lra). exact H2.
  - apply Rmult_le_compat_l; [left; apply exp_pos|exact Hd].
Qed.

(** The claim is about the program of [Snapping], for inputs that are clamped or need no clamp. *)
Lemma run_out : forall f, 0 < B -> clamped c = true \/ Rabs (entering c f) <= B -> forall s u, 0 < u < 1 ->
  out p B (grid c) (fun u => - size p (chain c) u) (entering c f) s u = run c f s u.
Proof.
  intros f HB Hc s u _. unfold run, out. rewrite <- (size_opp p (chain c) u).
  destruct (clamped c); [reflexivity|].
  destruct Hc as [Hc|Hc]; [discriminate|]. apply Rabs_le_inv in Hc. now rewrite (clamp_id B (entering c f)).
Qed.

(** A certificate whose numbers satisfy this is right. *)
Theorem certify : forall Delta E, sound Delta E -> private c Delta E.
Proof.
  intros Delta E S f f' Ff Ff' Hf Hcl. destruct S as [Hp Hh HL Hch Hl HB Hn Hin Hnear U1 D1 U2 D2 U3 D3 R1 R2 R3 HE].
  assert (Hp1 : (1 < p)%Z) by lia.
  assert (N := noise_chain p Hp1 (chain c) (rounded v) Hch). rewrite Hl, Hh in N. fold over_P under_M in N.
  assert (HB' : 0 < B <= bpow radix2 (p - 6) * bpow radix2 (grid c)) by (rewrite HL; exact HB).
  apply (loss_ext _ _ _ _ _ _ (run_out f (proj1 HB) ltac:(tauto)) (run_out f' (proj1 HB) ltac:(tauto))).
  apply (out_sets p lambda B (grid c) _ _ _ _ _ _ Hp HB' N). intros x.
  assert (Mv := moves_clamped p B Delta (moved v) (input c) f f' Hp1 (proj1 HB) Hin Ff Ff' Hf).
  fold (entering c f) in Mv. fold (entering c f') in Mv.
  apply Rle_trans with (exp (moved v / lambda) * exp (real (excess v)) *
    law (out p B (grid c) (fun u => - size p (chain c) u) (entering c f')) x).
  - apply snapping_cases with (1 := Hp) (2 := HB') (3 := N) (nearby := nearby v); [exact Mv| | | | | | |];
      unfold one_up, one_down, two_up, two_down; rewrite ?Hh, ?HL, ?(multiples_n HL Hn); fold reach_away reach_edge;
      fold up_inside down_inside up_outside down_outside up_beyond down_beyond.
    + exact Hnear.
    + apply Rlt_le_trans with (1 := proj1 R1). now apply Rmin_glb.
    + apply Rlt_le_trans with (1 := proj1 R2). exact D2.
    + apply Rlt_le_trans with (1 := proj1 R3). now apply Rmin_glb.
    + apply ratio_le with (1 := R1). now apply Rmax_lub. now apply Rmin_glb.
    + apply ratio_le with (1 := R2); assumption.
    + apply ratio_le with (1 := R3). now apply Rmax_lub. now apply Rmin_glb.
  - apply Rmult_le_compat_r. apply (Pr_nonneg p Hp lambda B (grid c) HB' _ _ _ N).
    rewrite <- exp_plus. now apply exp_le'.
Qed.
End Certify.

(** For the generated files. *)
Ltac power_of_two k := exists k; first [reflexivity|cbn; field].
Ltac plain := cbv beta iota delta [up_inside down_inside up_outside down_outside up_beyond down_beyond over_P under_M
  last omega narrowest widest outside_reach tail_reach reach_away reach_edge in_up in_down out_up out_down tail_up tail_down q value
  precision input clamped chain grid bound small cell_width scale multiples rounded moved nearby
  up_edge down_edge up_away down_away up_held down_held excess real before digits zeros
  least_up least_down least_excess].
Ltac decide_number := first [interval with (i_prec 128)|interval with (i_prec 256)|interval with (i_prec 384)
  |interval with (i_prec 768)|interval with (i_prec 1536)].
(** Inequalities and equations between numbers. *)
Ltac numbers := plain; repeat split; first [lra|decide_number].
(** 0 < B <= 2^(p - 6) Lambda. *)
Ltac bounded := split; [lra|match goal with |- _ <= bpow _ ?e * _ =>
  let k := eval vm_compute in (2 ^ e)%Z in change (bpow radix2 e) with (IZR k) end; lra].
