(** The principle of lazy reals: a sampler that reads bits of a uniform until its answer is decided has the law of the real
    function that it decides.

    It works in stages. At stage i it has read [bits i] bits; if they spell the number k, the uniform lies between k/2^bits and (k + 1)/2^bits. It may
    then have answered, if the function has the same value on that whole interval, or ask for more. No assumption is made on how it finds out. *)
From Coq Require Import Reals Lra Psatz Lia Bool.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Probability.
Open Scope R_scope.

(** How many k below m have the property. *)
Fixpoint count (P : nat -> bool) (m : nat) : R :=
  match m with O => 0 | S m => count P m + ind (P m) end.

Section LazyReal.
Variable T : Type.
Variable eqb : T -> T -> bool.

(** The real function, and the sampler: what it has answered by stage i if the bits spell k. *)
Variable f : R -> T.
Variable bits : nat -> nat.
Variable answer : nat -> nat -> option T.
Hypothesis sound : forall i k y, (k < 2 ^ bits i)%nat -> answer i k = Some y -> forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> f u = y.

(** The probability that it has answered y by stage i; that it has not answered yet. *)
Definition says y i k := match answer i k with Some z => eqb z y | None => false end.
Definition silent i k := match answer i k with Some _ => false | None => true end.
Definition said y i := count (says y i) (2 ^ bits i) / 2 ^ bits i.
Definition undecided i := count (silent i) (2 ^ bits i) / 2 ^ bits i.

Section Bracket.
Variables (y : T) (i : nat).
Let A u := eqb (f u) y.
Hypothesis HA : meas A.

Let g u := ind (A u).
Let w := / 2 ^ bits i.

Lemma w_pos : 0 < w. Proof. apply Rinv_0_lt_compat. apply pow_lt. lra. Qed.

Lemma g_range : forall u, 0 <= g u <= 1.
Proof. intros u. unfold g, ind. destruct (A u); lra. Qed.

Lemma grid_ends : forall k, (k < 2 ^ bits i)%nat -> 0 <= INR k * w /\ INR k * w <= INR (S k) * w <= 1.
Proof.
  intros k Hk. assert (W := w_pos). rewrite S_INR. assert (K := pos_INR k).
  assert (INR (S k) <= 2 ^ bits i). { replace (2 ^ bits i) with (INR (2 ^ bits i)) by (rewrite pow_INR; reflexivity). apply le_INR. lia. }
  rewrite S_INR in H. assert (2 ^ bits i * w = 1) by (unfold w; field; apply pow_nonzero; lra). repeat split; nra.
Qed.

(** One interval: 1 if the sampler says y there, 0 if it says something else, between if it is silent. *)
Lemma one_interval : forall k, (k < 2 ^ bits i)%nat -> ex_RInt g (INR k * w) (INR (S k) * w) ->
  w * ind (says y i k) <= RInt g (INR k * w) (INR (S k) * w) <= w * (ind (says y i k) + ind (silent i k)).
Proof.
  intros k Hk Ex. destruct (grid_ends k Hk) as [G1 [G2 G3]]. assert (W := w_pos).
  assert (Width : INR (S k) * w - INR k * w = w) by (rewrite S_INR; ring).
  assert (Const : forall c, RInt (fun _ => c) (INR k * w) (INR (S k) * w) = w * c).
  { intros c. apply is_RInt_unique, is_RInt_const'. rewrite Width. reflexivity. }
  unfold says, silent. destruct (answer i k) as [z|] eqn:E.
  - assert (V : RInt g (INR k * w) (INR (S k) * w) = w * ind (eqb z y)).
    { rewrite <- Const. apply RInt_ext. intros u. rewrite Rmin_left, Rmax_right by exact G2. intros Hu.
      unfold g, A. rewrite (sound i k z Hk E u); [reflexivity|]. exact Hu. }
    rewrite V. change (ind false) with 0. rewrite Rplus_0_r. split; apply Rle_refl.
  - change (ind false) with 0. change (ind true) with 1. split.
    + rewrite Rmult_0_r. apply RInt_ge_0; [lra|exact Ex|]. intros u _. apply g_range.
    + replace (w * (0 + 1)) with (w * 1) by ring. rewrite <- Const. apply RInt_le; [lra|exact Ex| |].
      * exists (w * 1). apply is_RInt_const'. rewrite Width. reflexivity.
      * intros u _. apply g_range.
Qed.

Lemma intervals : forall m, (m <= 2 ^ bits i)%nat ->
  w * count (says y i) m <= RInt g 0 (INR m * w) <= w * (count (says y i) m + count (silent i) m).
Proof.
  induction m as [|m IH]; intros Hm.
  - simpl. rewrite Rmult_0_l, RInt_point. unfold zero; simpl. lra.
  - destruct (grid_ends m ltac:(lia)) as [G1 [G2 G3]].
    assert (Ex : ex_RInt g 0 (INR (S m) * w)) by (apply (ex_RInt_Chasles_1 g 0 _ 1); [lra|exact HA]).
    assert (Ex1 : ex_RInt g 0 (INR m * w)) by (apply (ex_RInt_Chasles_1 g 0 _ (INR (S m) * w)); [lra|exact Ex]).
    assert (Ex2 : ex_RInt g (INR m * w) (INR (S m) * w)) by (apply (ex_RInt_Chasles_2 g 0 _ (INR (S m) * w)); [lra|exact Ex]).
    assert (C : RInt g 0 (INR m * w) + RInt g (INR m * w) (INR (S m) * w) = RInt g 0 (INR (S m) * w))
      by exact (RInt_Chasles g 0 (INR m * w) (INR (S m) * w) Ex1 Ex2).
    assert (I := IH ltac:(lia)). assert (J := one_interval m ltac:(lia) Ex2).
    change (count (says y i) (S m)) with (count (says y i) m + ind (says y i m)).
    change (count (silent i) (S m)) with (count (silent i) m + ind (silent i m)).
    rewrite <- C. lra.
Qed.

(** By stage i, the sampler has answered y with at most the probability of y, and is short of it by no more than it is silent. *)
Theorem bracket : said y i <= prob A <= said y i + undecided i.
Proof.
  assert (I := intervals (2 ^ bits i)%nat (le_n _)). assert (E : INR (2 ^ bits i) * w = 1).
  { rewrite pow_INR. unfold w. change (INR 2) with 2. field. apply pow_nonzero. lra. }
  rewrite E in I. unfold said, undecided, prob. change (RInt (fun u => ind (A u)) 0 1) with (RInt g 0 1).
  unfold Rdiv. fold w. lra.
Qed.
End Bracket.

(** It is undecided with at most the probability of an event, or of several, that hold wherever it is silent. *)
Lemma undecided_le : forall i (c : R -> R), ex_RInt c 0 1 -> (forall u, 0 < u < 1 -> 0 <= c u) ->
  (forall k u, (k < 2 ^ bits i)%nat -> silent i k = true -> INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> 1 <= c u) ->
  undecided i <= RInt c 0 1.
Proof.
  intros i c Hc Pos H. set (w := / 2 ^ bits i).
  assert (W : 0 < w) by (apply Rinv_0_lt_compat; apply pow_lt; lra).
  assert (P2 : INR (2 ^ bits i) = 2 ^ bits i) by (rewrite pow_INR; reflexivity).
  assert (W1 : 2 ^ bits i * w = 1) by (unfold w; field; apply pow_nonzero; lra).
  assert (G : forall m, (m <= 2 ^ bits i)%nat -> w * count (silent i) m <= RInt c 0 (INR m * w)).
  { induction m as [|m IH]; intros Hm.
    - simpl. rewrite Rmult_0_l, RInt_point. unfold zero; simpl. lra.
    - assert (M0 := pos_INR m). assert (M1 : INR (S m) <= 2 ^ bits i) by (rewrite <- P2; apply le_INR; lia). rewrite S_INR in M1.
      assert (E0 : 0 <= INR m * w) by nra. assert (E1 : INR m * w <= INR (S m) * w) by (rewrite S_INR; nra).
      assert (E2 : INR (S m) * w <= 1) by (rewrite S_INR; nra).
      assert (Ex : ex_RInt c 0 (INR (S m) * w)) by (apply (ex_RInt_Chasles_1 c 0 _ 1); [lra|exact Hc]).
      assert (Ex1 : ex_RInt c 0 (INR m * w)) by (apply (ex_RInt_Chasles_1 c 0 _ (INR (S m) * w)); [lra|exact Ex]).
      assert (Ex2 : ex_RInt c (INR m * w) (INR (S m) * w)) by (apply (ex_RInt_Chasles_2 c 0 _ (INR (S m) * w)); [lra|exact Ex]).
      assert (C : RInt c 0 (INR m * w) + RInt c (INR m * w) (INR (S m) * w) = RInt c 0 (INR (S m) * w))
        by exact (RInt_Chasles c 0 (INR m * w) (INR (S m) * w) Ex1 Ex2).
      assert (One : w * ind (silent i m) <= RInt c (INR m * w) (INR (S m) * w)).
      { assert (K : RInt (fun _ => ind (silent i m)) (INR m * w) (INR (S m) * w) = w * ind (silent i m)).
        { apply is_RInt_unique, is_RInt_const'. rewrite S_INR. ring. }
        rewrite <- K. apply RInt_le; [exact E1| |exact Ex2|].
        - eexists. apply is_RInt_const'. reflexivity.
        - intros u Hu. destruct (silent i m) eqn:E; [apply (H m u ltac:(lia) E); exact Hu|apply Pos; lra]. }
      change (count (silent i) (S m)) with (count (silent i) m + ind (silent i m)). specialize (IH ltac:(lia)). rewrite <- C. lra. }
  specialize (G (2 ^ bits i)%nat (le_n _)). rewrite P2, W1 in G. unfold undecided, Rdiv. fold w. lra.
Qed.

(** *** Theorem. If the sampler answers in the end, it answers with the probabilities of the real function. *)
Theorem lazy_real : forall y, meas (fun u => eqb (f u) y) -> is_lim_seq undecided 0 ->
  is_lim_seq (said y) (prob (fun u => eqb (f u) y)).
Proof.
  intros y HA H.
  apply is_lim_seq_le_le with (u := fun i => prob (fun u => eqb (f u) y) - undecided i) (w := fun _ => prob (fun u => eqb (f u) y)).
  - intros i. assert (B := bracket y i HA). simpl in B. lra.
  - replace (Finite (prob (fun u => eqb (f u) y))) with (Rbar_minus (Finite (prob (fun u => eqb (f u) y))) (Finite 0))
      by (simpl; f_equal; ring).
    apply is_lim_seq_minus'; [apply is_lim_seq_const|exact H].
  - apply is_lim_seq_const.
Qed.

End LazyReal.
