(** The probability of an event of one real uniform on (0, 1): the integral of its indicator.

    An event is a function to [bool]. All events of the proof are initial pieces of (0, 1) and differences of
    such, so that a Riemann integral is enough; that it exists is proved together with each value. *)
From Coq Require Import Reals Lra Bool.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

Definition ind (b : bool) : R := if b then 1 else 0.
Definition prob (A : R -> bool) : R := RInt (fun u => ind (A u)) 0 1.
Definition meas (A : R -> bool) := ex_RInt (fun u => ind (A u)) 0 1.

(** The probability of an event of a fair sign and the uniform. *)
Definition chance (A : bool -> R -> bool) : R := / 2 * prob (A true) + / 2 * prob (A false).

(** An initial piece of (0, 1). *)
Definition down (A : R -> bool) :=
  forall u v, 0 < u -> u <= v -> v < 1 -> A v = true -> A u = true.

Lemma meas_ext : forall A B, (forall u, 0 < u < 1 -> A u = B u) -> meas A -> meas B.
Proof.
  intros A B H. apply ex_RInt_ext. intros u. rewrite Rmin_left, Rmax_right by lra.
  intros Hu. now rewrite (H u Hu).
Qed.

Lemma prob_ext : forall A B, (forall u, 0 < u < 1 -> A u = B u) -> prob A = prob B.
Proof.
  intros A B H. apply RInt_ext. intros u. rewrite Rmin_left, Rmax_right by lra.
  intros Hu. now rewrite (H u Hu).
Qed.

Lemma is_RInt_const' : forall a b c l : R, l = (b - a) * c -> is_RInt (fun _ : R => c) a b l.
Proof. intros a b c l ->. exact (@is_RInt_const R_NormedModule a b c). Qed.

Lemma is_prob_true : is_RInt (fun _ : R => ind true) 0 1 1.
Proof.
  replace 1 with (scal (1 - 0) (ind true)) at 2.
  apply (@is_RInt_const R_NormedModule). unfold scal; simpl; unfold mult; simpl. ring.
Qed.

Lemma is_prob_false : is_RInt (fun _ : R => ind false) 0 1 0.
Proof.
  replace 0 with (scal (1 - 0) (ind false)) at 2.
  apply (@is_RInt_const R_NormedModule). unfold scal; simpl; unfold mult; simpl. ring.
Qed.

Lemma prob_true : forall A, (forall u, 0 < u < 1 -> A u = true) -> meas A /\ prob A = 1.
Proof.
  intros A H. split.
  - apply (meas_ext (fun _ => true)). intros; now rewrite H. exists 1; apply is_prob_true.
  - rewrite (prob_ext A (fun _ => true)) by auto. apply is_RInt_unique, is_prob_true.
Qed.

Lemma prob_false : forall A, (forall u, 0 < u < 1 -> A u = false) -> meas A /\ prob A = 0.
Proof.
  intros A H. split.
  - apply (meas_ext (fun _ => false)). intros; now rewrite H. exists 0; apply is_prob_false.
  - rewrite (prob_ext A (fun _ => false)) by auto. apply is_RInt_unique, is_prob_false.
Qed.

Lemma prob_diff : forall A B, meas A -> meas B -> (forall u, 0 < u < 1 -> B u = true -> A u = true) ->
  meas (fun u => A u && negb (B u)) /\ prob (fun u => A u && negb (B u)) = prob A - prob B.
Proof.
  intros A B HA HB H.
  assert (I : is_RInt (fun u => ind (A u && negb (B u))) 0 1 (prob A - prob B)).
  { apply is_RInt_ext with (fun u => minus (ind (A u)) (ind (B u))).
    - intros u. rewrite Rmin_left, Rmax_right by lra. intros Hu.
      specialize (H u Hu). unfold minus, plus, opp; simpl.
      destruct (A u), (B u); simpl; try lra.
    - apply (@is_RInt_minus R_CompleteNormedModule); apply (@RInt_correct R_CompleteNormedModule); assumption. }
  split. exists (prob A - prob B); exact I. now apply is_RInt_unique.
Qed.

Lemma prob_neg : forall A, meas A -> meas (fun u => negb (A u)) /\ prob (fun u => negb (A u)) = 1 - prob A.
Proof.
  intros A HA. destruct (prob_true (fun _ => true)) as [T1 T2]. auto.
  destruct (prob_diff (fun _ => true) A T1 HA) as [M P]. auto.
  rewrite T2 in P. split. exact M. exact P.
Qed.

Lemma prob_nonneg : forall A, meas A -> 0 <= prob A.
Proof.
  intros A H. apply RInt_ge_0. lra. exact H. intros u _. unfold ind. destruct (A u); lra.
Qed.

(** An initial piece of (0, 1) has its end as its probability. Plan: the end is the least upper bound v of the event;
    the indicator is 1 on (0, v) and 0 on (v, 1), so its integral is v; and v lies between lo and hi. *)
Lemma down_prob : forall A lo hi, down A -> 0 <= lo <= 1 -> 0 <= hi ->
  (forall u, 0 < u < 1 -> u < lo -> A u = true) ->
  (forall u, 0 < u < 1 -> hi < u -> A u = false) ->
  meas A /\ lo <= prob A <= hi.
Proof.
  intros A lo hi HA Hlo Hhi H1 H2.
  set (E := fun u => u = 0 \/ (0 < u < 1 /\ A u = true)).
  assert (HB : bound E). { exists 1. intros u [->|[? _]]; lra. }
  assert (HN : exists u, E u). { exists 0. now left. }
  destruct (completeness E HB HN) as [v [Hv1 Hv2]].
  assert (V0 : 0 <= v) by (apply Hv1; now left).
  assert (V1 : v <= 1) by (apply Hv2; intros u [->|[? _]]; lra).
  assert (B1 : forall u, 0 < u < v -> A u = true).
  { intros u Hu. destruct (Bool.bool_dec (A u) true) as [e|n]; [exact e|exfalso].
    assert (v <= u); [|lra]. apply Hv2. intros w [->|[Hw Aw]]. lra.
    destruct (Rle_lt_dec w u) as [l|l]; [exact l|].
    elim n. apply (HA u w); try lra. exact Aw. }
  assert (B2 : forall u, v < u < 1 -> A u = false).
  { intros u Hu. destruct (Bool.bool_dec (A u) true) as [e|n]; [|now apply Bool.not_true_is_false].
    assert (u <= v); [|lra]. apply Hv1. right. split. lra. exact e. }
  assert (I : is_RInt (fun u => ind (A u)) 0 1 v).
  { replace v with (plus v 0) at 1 by (unfold plus; simpl; ring).
    apply (@is_RInt_Chasles R_NormedModule _ 0 v 1).
    - apply (@is_RInt_ext R_NormedModule (fun _ => 1)).
      intros u. rewrite Rmin_left, Rmax_right by lra. intros Hu. now rewrite B1.
      apply is_RInt_const'; ring.
    - apply (@is_RInt_ext R_NormedModule (fun _ => 0)).
      intros u. rewrite Rmin_left, Rmax_right by lra. intros Hu. now rewrite B2.
      apply is_RInt_const'; ring. }
  split. now exists v.
  unfold prob. rewrite (is_RInt_unique _ _ _ _ I). split.
  - destruct (Rle_lt_dec lo v) as [l|l]; [exact l|exfalso].
    assert (Hm : A ((v + lo) / 2) = true) by (apply H1; lra).
    rewrite B2 in Hm by lra. discriminate.
  - destruct (Rle_lt_dec v hi) as [l|l]; [exact l|exfalso].
    assert (Hm : A ((v + hi) / 2) = false) by (apply H2; lra).
    rewrite B1 in Hm by lra. discriminate.
Qed.

Lemma prob_lt : forall c, 0 <= c <= 1 -> meas (fun u => Rlt_bool u c) /\ prob (fun u => Rlt_bool u c) = c.
Proof.
  intros c Hc. destruct (down_prob (fun u => Rlt_bool u c) c c) as [M [A B]].
  - intros u v Hu Huv Hv. case Rlt_bool_spec; [|discriminate]. intros H _. apply Rlt_bool_true. lra.
  - exact Hc.
  - lra.
  - intros u _ H. now apply Rlt_bool_true.
  - intros u _ H. apply Rlt_bool_false. lra.
  - split. exact M. lra.
Qed.
