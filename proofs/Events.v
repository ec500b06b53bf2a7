(** From single outputs to sets of them: a bound for the probability of each output is a bound for every set of outputs.

    Outputs may be infinitely many, as on a grid without a clamp, if there are finitely many for the uniforms above any e > 0. That
    every set of outputs has a probability is a part of the statement ([loss_at_most]). *)
From Coq Require Import Reals ZArith List Lra Lia Bool.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Format Probability Noise Snapping.
Import ListNotations.
Open Scope R_scope.

(** The loss between two programs is at most E: whatever set S of outputs is asked for, it has a probability under each program, and the first is
    at most e^E times the second. *)
Definition loss_at_most {T : Type} (E : R) (o o' : bool -> R -> T) : Prop := forall S : T -> bool,
  (forall s, meas (fun u => S (o s u)) /\ meas (fun u => S (o' s u))) /\
  chance (fun s u => S (o s u)) <= exp E * chance (fun s u => S (o' s u)).

(** ** Sums of probabilities *)

Lemma prob_or : forall A B, meas A -> meas B -> (forall u, 0 < u < 1 -> A u = true -> B u = true -> False) ->
  meas (fun u => A u || B u) /\ prob (fun u => A u || B u) = prob A + prob B.
Proof.
  intros A B HA HB H.
  assert (I : is_RInt (fun u => ind (A u || B u)) 0 1 (prob A + prob B)).
  { apply is_RInt_ext with (fun u => plus (ind (A u)) (ind (B u))).
    - intros u. rewrite Rmin_left, Rmax_right by lra. intros Hu. generalize (H u Hu). unfold plus; simpl.
      destruct (A u), (B u); simpl; intros G; [elim G; reflexivity|lra|lra|lra].
    - exact (@is_RInt_plus R_NormedModule _ _ 0 1 _ _ (@RInt_correct R_CompleteNormedModule _ 0 1 HA)
        (@RInt_correct R_CompleteNormedModule _ 0 1 HB)). }
  split. exists (prob A + prob B); exact I. now apply is_RInt_unique.
Qed.

Lemma prob_le : forall A B c, meas A -> meas B -> 0 <= c < 1 -> (forall u, c < u < 1 -> A u = true -> B u = true) ->
  prob A <= prob B + c.
Proof.
  intros A B c HA HB Hc H. destruct (prob_lt c ltac:(lra)) as [Mc Pc].
  assert (I : is_RInt (fun u => ind (B u) + ind (Rlt_bool u c)) 0 1 (prob B + prob (fun u => Rlt_bool u c))).
  { exact (@is_RInt_plus R_NormedModule _ _ 0 1 _ _ (@RInt_correct R_CompleteNormedModule _ 0 1 HB)
      (@RInt_correct R_CompleteNormedModule _ 0 1 Mc)). }
  (* At u = c itself the bound need not hold: integrate from 0 to c and from c to 1. *)
  rewrite Pc in I. rewrite <- (is_RInt_unique _ _ _ _ I). unfold prob.
  assert (Ex : ex_RInt (fun u => ind (B u) + ind (Rlt_bool u c)) 0 1) by (eexists; exact I).
  assert (S : forall f : R -> R, ex_RInt f 0 1 -> ex_RInt f 0 c /\ ex_RInt f c 1 /\ RInt f 0 1 = RInt f 0 c + RInt f c 1).
  { intros f Hf. assert (E1 : ex_RInt f 0 c) by (apply (ex_RInt_Chasles_1 f 0 c 1); [lra|exact Hf]).
    assert (E2 : ex_RInt f c 1) by (apply (ex_RInt_Chasles_2 f 0 c 1); [lra|exact Hf]).
    repeat split; try assumption. symmetry. exact (RInt_Chasles f 0 c 1 E1 E2). }
  destruct (S _ HA) as [A1 [A2 ->]]. destruct (S _ Ex) as [B1 [B2 ->]].
  apply Rplus_le_compat; apply RInt_le; try assumption; try lra; intros u Hu.
  - rewrite Rlt_bool_true by lra. unfold ind. destruct (A u), (B u); lra.
  - rewrite Rlt_bool_false by lra. generalize (H u ltac:(lra)). unfold ind. destruct (A u), (B u); intros G; [lra|specialize (G eq_refl); discriminate|lra|lra].
Qed.

(** That an output lies in the set S, by the outputs of a list, and the sum of their probabilities. *)
Definition listed (f : R -> R) (S : R -> bool) (xs : list R) u := existsb (fun x => Req_bool (f u) x && S x) xs.
Definition sum_of (f : R -> R) (S : R -> bool) (xs : list R) :=
  fold_right (fun x t => (if S x then prob (fun u => Req_bool (f u) x) else 0) + t) 0 xs.

Lemma prob_listed : forall f S xs, NoDup xs -> (forall x, meas (fun u => Req_bool (f u) x)) ->
  meas (listed f S xs) /\ prob (listed f S xs) = sum_of f S xs.
Proof.
  intros f S xs N M. induction N as [|x xs Hx N [IHm IHp]].
  - simpl. apply prob_false. reflexivity.
  - simpl sum_of. destruct (S x) eqn:E.
    + destruct (prob_or (fun u => Req_bool (f u) x) (listed f S xs) (M x) IHm) as [Mo Po].
      { intros u _ H1 H2. apply existsb_exists in H2. destruct H2 as [y [Hy H2]]. apply andb_prop in H2. destruct H2 as [H2 _].
        destruct (Req_bool_spec (f u) x) as [E1|]; [|discriminate]. destruct (Req_bool_spec (f u) y) as [E2|]; [|discriminate].
        apply Hx. rewrite <- E1, E2. exact Hy. }
      assert (X : forall u, 0 < u < 1 -> Req_bool (f u) x || listed f S xs u = listed f S (x :: xs) u).
      { intros u _. unfold listed. simpl. now rewrite E, andb_true_r. }
      split. now apply (meas_ext _ _ X). rewrite <- (prob_ext _ _ X), Po, IHp. reflexivity.
    + assert (X : forall u, 0 < u < 1 -> listed f S xs u = listed f S (x :: xs) u).
      { intros u _. unfold listed. simpl. now rewrite E, andb_false_r. }
      split. now apply (meas_ext _ _ X). rewrite <- (prob_ext _ _ X), IHp. lra.
Qed.

Lemma listed_all : forall f S xs u, In (f u) xs -> S (f u) = listed f S xs u.
Proof.
  intros f S xs u H. unfold listed. destruct (S (f u)) eqn:E; symmetry.
  - apply existsb_exists. exists (f u). split; [exact H|]. rewrite E, andb_true_r. now apply Req_bool_true.
  - destruct (existsb (fun x => Req_bool (f u) x && S x) xs) eqn:Ex; [|reflexivity].
    apply existsb_exists in Ex. destruct Ex as [x [_ Hx]]. apply andb_prop in Hx. destruct Hx as [H1 H2].
    destruct (Req_bool_spec (f u) x) as [E1|]; [|discriminate]. rewrite <- E1, E in H2. discriminate.
Qed.

Lemma listed_only : forall f S xs u, listed f S xs u = true -> S (f u) = true.
Proof.
  intros f S xs u H. apply existsb_exists in H. destruct H as [x [_ Hx]]. apply andb_prop in Hx. destruct Hx as [H1 H2].
  destruct (Req_bool_spec (f u) x) as [E1|]; [|discriminate]. now rewrite E1.
Qed.

(** ** An event that is measurable for the uniforms above any e > 0 is measurable *)

(** 1 on (0, e), 0 on (e, 1). *)
Definition first_part (e u : R) : R := if Rle_dec u e then 1 else if Rle_dec 1 u then 1 else 0.

Lemma first_part_couple : forall e, 0 < e < 1 -> adapted_couple (first_part e) 0 1 [0; e; 1] [1; 0].
Proof.
  intros e He. unfold adapted_couple. rewrite Rmin_left, Rmax_right by lra. repeat split.
  - intros i Hi. simpl in Hi. destruct i as [|[|i]]; simpl; [lra|lra|lia].
  - intros i Hi. simpl in Hi. unfold constant_D_eq, open_interval.
    destruct i as [|[|i]]; simpl; [| |lia]; intros u Hu; unfold first_part; destruct (Rle_dec u e); try lra; destruct (Rle_dec 1 u); lra.
Qed.

Definition first_part_steps e (He : 0 < e < 1) : StepFun 0 1 :=
  mkStepFun (existT _ _ (existT _ _ (first_part_couple e He)) : IsStepFun (first_part e) 0 1).

Lemma first_part_area : forall e He, RiemannInt_SF (first_part_steps e He) = e.
Proof. intros e He. unfold RiemannInt_SF. destruct (Rle_dec 0 1) as [_|n]; [|lra]. simpl. ring. Qed.

Lemma meas_limit : forall (A : R -> bool) (B : R -> R -> bool), (forall e, 0 < e < 1 -> meas (B e)) ->
  (forall e u, 0 < e < 1 -> e < u < 1 -> A u = B e u) -> meas A.
Proof.
  intros A B M H. apply ex_RInt_Reals_1. intros eps.
  assert (Pe := cond_pos eps). set (e := Rmin (/ 2) (eps / 2)).
  assert (He : 0 < e < 1). { unfold e. split; [apply Rmin_pos; lra|]. apply Rle_lt_trans with (1 := Rmin_l _ _). lra. }
  assert (He' : e <= eps / 2) by apply Rmin_r.
  destruct (ex_RInt_Reals_0 _ _ _ (M e He) (mkposreal (eps / 2) ltac:(lra))) as [phi [psi [H1 H2]]]. simpl in H2.
  exists phi, (mkStepFun (StepFun_P28 1 psi (first_part_steps e He))). split.
  - intros u Hu. specialize (H1 u Hu). rewrite Rmin_left, Rmax_right in Hu by lra. simpl. unfold first_part.
    assert (T : forall a b, Rabs (ind a - phi u) <= Rabs (ind b - phi u) + 1).
    { intros a b. replace (ind a - phi u) with ((ind b - phi u) + (ind a - ind b)) by ring.
      apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat_l. unfold ind, Rabs. destruct a, b, Rcase_abs; lra. }
    destruct (Rle_dec u e) as [h|h]; [specialize (T (A u) (B e u)); lra|].
    destruct (Rle_dec 1 u) as [h'|h']; [specialize (T (A u) (B e u)); lra|].
    rewrite (H e u He ltac:(lra)). lra.
  - rewrite StepFun_P30, first_part_area. apply Rle_lt_trans with (1 := Rabs_triang _ _).
    rewrite Rmult_1_l, (Rabs_pos_eq e) by lra. lra.
Qed.

(** *** Theorem. A bound for each output is a bound for each set of outputs. *)
Theorem sets : forall (o o' : bool -> R -> R) (xs : R -> list R) E,
  (forall s x, meas (fun u => Req_bool (o s u) x)) -> (forall s x, meas (fun u => Req_bool (o' s u) x)) ->
  (forall e, 0 < e < 1 -> NoDup (xs e)) ->
  (forall e s u, 0 < e < 1 -> e < u < 1 -> In (o s u) (xs e) /\ In (o' s u) (xs e)) ->
  (forall x, law o x <= exp E * law o' x) -> loss_at_most E o o'.
Proof.
  intros o o' xs E M M' N I H S.
  assert (L : forall f : R -> R, (forall x, meas (fun u => Req_bool (f u) x)) ->
    (forall e u, 0 < e < 1 -> e < u < 1 -> In (f u) (xs e)) ->
    meas (fun u => S (f u)) /\ (forall e, 0 < e < 1 -> sum_of f S (xs e) <= prob (fun u => S (f u)) <= sum_of f S (xs e) + e)).
  { intros f Mf If.
    assert (X : forall e u, 0 < e < 1 -> e < u < 1 -> S (f u) = listed f S (xs e) u).
    { intros e u He Hu. now apply listed_all, If. }
    assert (Ml : forall e, 0 < e < 1 -> meas (listed f S (xs e))) by (intros e He; apply (prob_listed f S (xs e) (N e He) Mf)).
    assert (MA : meas (fun u => S (f u))) by now apply (meas_limit _ (fun e => listed f S (xs e))).
    split; [exact MA|]. intros e He. destruct (prob_listed f S (xs e) (N e He) Mf) as [_ <-]. split.
    - assert (G := prob_le (listed f S (xs e)) (fun u => S (f u)) 0 (Ml e He) MA ltac:(lra)). rewrite Rplus_0_r in G. apply G.
      intros u _. apply listed_only.
    - apply prob_le; [exact MA|now apply Ml|lra|]. intros u Hu. now rewrite (X e u He Hu). }
  assert (Lo := fun s => L (o s) (M s) (fun e u He Hu => proj1 (I e s u He Hu))).
  assert (Lo' := fun s => L (o' s) (M' s) (fun e u He Hu => proj2 (I e s u He Hu))). clear L.
  split; [intros s; split; [apply Lo|apply Lo']|].
  assert (K := exp_pos E). apply Rnot_lt_le. intros C.
  set (d := chance (fun s u => S (o s u)) - exp E * chance (fun s u => S (o' s u))) in *.
  assert (Hd : 0 < d) by (unfold d; lra).
  set (e := Rmin (/ 2) (d / 2)).
  assert (He : 0 < e < 1). { unfold e. split; [apply Rmin_pos; lra|]. apply Rle_lt_trans with (1 := Rmin_l _ _). lra. }
  assert (He' : e <= d / 2) by apply Rmin_r.
  assert (F : / 2 * sum_of (o true) S (xs e) + / 2 * sum_of (o false) S (xs e)
    <= exp E * (/ 2 * sum_of (o' true) S (xs e) + / 2 * sum_of (o' false) S (xs e))).
  { clear - H. induction (xs e) as [|x l IH]; simpl; [lra|]. specialize (H x). unfold law in H. destruct (S x); lra. }
  assert (T := proj2 (Lo true) e He). assert (T' := proj2 (Lo false) e He).
  assert (U := proj2 (Lo' true) e He). assert (U' := proj2 (Lo' false) e He). cbv beta in T, T', U, U'.
  assert (V : exp E * (/ 2 * sum_of (o' true) S (xs e) + / 2 * sum_of (o' false) S (xs e)) <= exp E * chance (fun s u => S (o' s u))).
  { apply Rmult_le_compat_l; [lra|]. unfold chance. lra. }
  unfold d, chance in *. lra.
Qed.

(** In particular for each output. *)
Lemma loss_each : forall E (o o' : bool -> R -> R) x, loss_at_most E o o' -> law o x <= exp E * law o' x.
Proof. intros E o o' x H. exact (proj2 (H (fun y => Req_bool y x))). Qed.

(** Whatever is done to the output, by a function that knows nothing else, costs nothing. *)
Lemma loss_after : forall (T T' : Type) E (o o' : bool -> R -> T) (h : T -> T'), loss_at_most E o o' -> loss_at_most E (fun s u => h (o s u)) (fun s u => h (o' s u)).
Proof. intros T T' E o o' h H S. exact (H (fun y => S (h y))). Qed.

Lemma loss_ext : forall (T : Type) E (o o' w w' : bool -> R -> T), (forall s u, 0 < u < 1 -> o s u = w s u) -> (forall s u, 0 < u < 1 -> o' s u = w' s u) ->
  loss_at_most E o o' -> loss_at_most E w w'.
Proof.
  intros T E o o' w w' H H' L S. destruct (L S) as [M P].
  assert (X : forall s u, 0 < u < 1 -> S (o s u) = S (w s u)) by (intros s u Hu; now rewrite H).
  assert (X' : forall s u, 0 < u < 1 -> S (o' s u) = S (w' s u)) by (intros s u Hu; now rewrite H'). split.
  - intros s. split.
    + exact (meas_ext (fun u => S (o s u)) _ (X s) (proj1 (M s))).
    + exact (meas_ext (fun u => S (o' s u)) _ (X' s) (proj2 (M s))).
  - unfold chance in *.
    assert (Y := fun s => prob_ext (fun u => S (o s u)) (fun u => S (w s u)) (X s)).
    assert (Y' := fun s => prob_ext (fun u => S (o' s u)) (fun u => S (w' s u)) (X' s)). cbv beta in Y, Y'.
    rewrite <- !Y, <- !Y'. exact P.
Qed.

Lemma loss_weaken : forall (T : Type) E E' (o o' : bool -> R -> T), E <= E' -> loss_at_most E o o' -> loss_at_most E' o o'.
Proof.
  intros T E E' o o' HE H S. destruct (H S) as [M P]. split; [exact M|]. apply Rle_trans with (1 := P).
  apply Rmult_le_compat_r; [|destruct HE as [HE| ->]; [left; now apply exp_increasing|lra]].
  unfold chance. assert (A := prob_nonneg _ (proj2 (M true))). assert (B := prob_nonneg _ (proj2 (M false))). cbv beta in A, B. lra.
Qed.

(** ** The program of [Snapping] *)

(** Everything that it can publish. *)
Definition outputs_list (B : R) (l : Z) : list R :=
  nodup Req_EM_T (B :: - B :: map (fun k => IZR (Z.of_nat k + 1 - n B l) * bpow radix2 l) (seq 0 (Z.to_nat (2 * n B l)))).

Theorem out_sets : forall p lambda B l P M D E g g', (8 <= p)%Z -> 0 < B <= bpow radix2 (p - 6) * bpow radix2 l ->
  noise p lambda P M D -> (forall x, law (out p B l (fun u => - D u) g) x <= exp E * law (out p B l (fun u => - D u) g') x) ->
  loss_at_most E (out p B l (fun u => - D u) g) (out p B l (fun u => - D u) g').
Proof.
  intros p lambda B l P M D E g g' Hp HB N H.
  assert (I : forall h s u, In (out p B l (fun u => - D u) h s u) (outputs_list B l)).
  { intros h s u. set (y := out _ _ _ _ _ _ _). unfold outputs_list. rewrite nodup_In.
    destruct (outputs p B l HB D y) as [E1|[E1|[[j [Hj [_ E1]]]|E1]]].
    - left. now rewrite E1.
    - right. left. now rewrite E1.
    - right. right. rewrite E1. apply in_map_iff. exists (Z.to_nat (j - 1 + n B l)). split.
      + do 2 f_equal. rewrite Z2Nat.id by lia. ring.
      + apply in_seq. lia.
    - specialize (E1 h s u). fold y in E1. rewrite Req_bool_true in E1 by reflexivity. discriminate. }
  apply sets with (xs := fun _ => outputs_list B l).
  - intros s x. exact (Pr_measurable p Hp lambda B l HB _ _ _ N x g s).
  - intros s x. exact (Pr_measurable p Hp lambda B l HB _ _ _ N x g' s).
  - intros e _. apply NoDup_nodup.
  - intros e s u _ _. split; apply I.
  - exact H.
Qed.
