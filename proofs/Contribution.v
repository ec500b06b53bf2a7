(** Contribution bounding: one unit moves what is released by no more than is claimed.

    Of each unit, some groups are kept, and in each of them some rows; which ones is decided by a keyed hash of the unit's own rows. Nothing is assumed
    of the hash, only that the choice for a unit is a function of that unit's rows: a hash can be bad, or known, and the
    bound holds. *)
From Coq Require Import Reals List Lra Psatz Lia.
From Flocq Require Import Core.
Import ListNotations.
Open Scope R_scope.

Section Contribution.
(** Units, groups and rows; each row has a value of size at most a in the sum. *)
Variables U G V : Type.
Hypothesis unit_dec : forall u u' : U, {u = u'} + {u <> u'}.
Hypothesis group_dec : forall g g' : G, {g = g'} + {g <> g'}.
Variable value : V -> R.
Variable a : R.
Hypothesis value_range : forall v, Rabs (value v) <= a.

(** The hash puts the groups of a unit into an order, and the rows of a unit in a group. *)
Variable groups_by_hash : U -> list (G * V) -> list G.
Variable rows_by_hash : U -> G -> list (G * V) -> list V.

(** The first [most_groups] different groups are kept, and the first [most_rows] rows in each. *)
Variables most_groups most_rows : nat.
Definition kept_groups u rows := firstn most_groups (nodup group_dec (groups_by_hash u rows)).
Definition kept_rows u g rows := firstn most_rows (rows_by_hash u g rows).

Definition sum (l : list R) := fold_right Rplus 0 l.

Lemma sum_both : forall (f f1 f2 : G -> R) gs, (forall g, f g <= f1 g + f2 g) -> sum (map f gs) <= sum (map f1 gs) + sum (map f2 gs).
Proof. intros f f1 f2 gs H. induction gs as [|g gs IH]; simpl; [lra|]. specialize (H g). lra. Qed.

(** What a unit with these rows contributes to a group, and the sum of a group over all units. *)
Definition contribution u rows g : R :=
  if in_dec group_dec g (kept_groups u rows) then sum (map value (kept_rows u g rows)) else 0.
Definition total (units : list U) (data : U -> list (G * V)) g : R := sum (map (fun u => contribution u (data u) g) units).

Lemma a_nonneg : forall v : V, 0 <= a.
Proof. intros v. apply Rle_trans with (2 := value_range v). apply Rabs_pos. Qed.

Lemma sum_rows : forall l : list V, Rabs (sum (map value l)) <= INR (length l) * a.
Proof.
  induction l as [|v l IH]; [simpl; rewrite Rabs_R0; lra|].
  change (sum (map value (v :: l))) with (value v + sum (map value l)). change (length (v :: l)) with (S (length l)).
  rewrite S_INR. assert (T := Rabs_triang (value v) (sum (map value l))). assert (R := value_range v). lra.
Qed.

(** One unit contributes at most [most_rows] a to a group. *)
Theorem contribution_group : forall u rows g, 0 <= a -> Rabs (contribution u rows g) <= INR most_rows * a.
Proof.
  intros u rows g Ha. unfold contribution. destruct in_dec as [_|_].
  - apply Rle_trans with (1 := sum_rows _). apply Rmult_le_compat_r; [exact Ha|]. apply le_INR. apply firstn_le_length.
  - rewrite Rabs_R0. apply Rmult_le_pos; [apply pos_INR|exact Ha].
Qed.

(** To at most [most_groups] of any different groups. *)
Theorem contribution_groups : forall u rows gs, NoDup gs ->
  (length (filter (fun g => if in_dec group_dec g (kept_groups u rows) then true else false) gs) <= most_groups)%nat.
Proof.
  intros u rows gs H. apply Nat.le_trans with (length (kept_groups u rows)).
  - apply NoDup_incl_length; [now apply NoDup_filter|]. intros g Hg. apply filter_In in Hg. destruct Hg as [_ Hg].
    destruct in_dec as [i|i]; [exact i|discriminate].
  - unfold kept_groups. rewrite firstn_length. lia.
Qed.

(** So over all groups at most [most_groups] [most_rows] a together. *)
Theorem contribution_all : forall u rows gs, 0 <= a -> NoDup gs ->
  sum (map (fun g => Rabs (contribution u rows g)) gs) <= INR most_groups * (INR most_rows * a).
Proof.
  intros u rows gs Ha H. assert (P : 0 <= INR most_rows * a) by (apply Rmult_le_pos; [apply pos_INR|exact Ha]).
  assert (L : sum (map (fun g => Rabs (contribution u rows g)) gs)
    <= INR (length (filter (fun g => if in_dec group_dec g (kept_groups u rows) then true else false) gs)) * (INR most_rows * a)).
  { clear H. induction gs as [|g gs IH]; [simpl; lra|].
    change (sum (map (fun g => Rabs (contribution u rows g)) (g :: gs)))
      with (Rabs (contribution u rows g) + sum (map (fun g => Rabs (contribution u rows g)) gs)).
    simpl filter. destruct in_dec as [i|i].
    - cbn [length]. rewrite S_INR.
      assert (C := contribution_group u rows g Ha). lra.
    - unfold contribution at 1. destruct in_dec as [j|_]; [contradiction|]. rewrite Rabs_R0. lra. }
  apply Rle_trans with (1 := L). apply Rmult_le_compat_r; [exact P|]. apply le_INR. now apply contribution_groups.
Qed.

(** Data sets that differ in one unit: what the sums differ in is what that unit contributes. *)
Lemma total_differs : forall units data data' u0 g, NoDup units -> In u0 units ->
  (forall u, u <> u0 -> data u = data' u) ->
  total units data g - total units data' g = contribution u0 (data u0) g - contribution u0 (data' u0) g.
Proof.
  intros units data data' u0 g N. induction N as [|u units Hu N IH]; intros Hin Hd; [contradiction|].
  change (total (u :: units) data g) with (contribution u (data u) g + total units data g).
  change (total (u :: units) data' g) with (contribution u (data' u) g + total units data' g).
  destruct (unit_dec u u0) as [E|E].
  - subst u. assert (Same : forall l, ~ In u0 l -> total l data g = total l data' g).
    { induction l as [|w l IHl]; intros Hl; [reflexivity|].
      change (total (w :: l) data g) with (contribution w (data w) g + total l data g).
      change (total (w :: l) data' g) with (contribution w (data' w) g + total l data' g).
      rewrite IHl by (intros i; apply Hl; now right). rewrite (Hd w); [reflexivity|]. intros e; apply Hl; now left. }
    rewrite (Same units Hu). lra.
  - destruct Hin as [Hin|Hin]; [contradiction|]. rewrite (Hd u E). specialize (IH Hin Hd). lra.
Qed.

(** *** Theorem. Replacing all rows of one unit moves the sum of each group by at most 2 [most_rows] a, and all groups together by at most
    2 [most_groups] [most_rows] a: what is claimed of a unit that changes. *)
Theorem replace_unit : forall units data data' u0, 0 <= a -> NoDup units -> In u0 units ->
  (forall u, u <> u0 -> data u = data' u) ->
  (forall g, Rabs (total units data g - total units data' g) <= 2 * (INR most_rows * a)) /\
  (forall gs, NoDup gs -> sum (map (fun g => Rabs (total units data g - total units data' g)) gs) <= 2 * (INR most_groups * (INR most_rows * a))).
Proof.
  intros units data data' u0 Ha N Hin Hd. split.
  - intros g. rewrite (total_differs units data data' u0 g N Hin Hd).
    assert (C := contribution_group u0 (data u0) g Ha). assert (C' := contribution_group u0 (data' u0) g Ha).
    apply Rabs_le_inv in C. apply Rabs_le_inv in C'. apply Rabs_le. lra.
  - intros gs Hg. assert (C := contribution_all u0 (data u0) gs Ha Hg). assert (C' := contribution_all u0 (data' u0) gs Ha Hg).
    assert (T : sum (map (fun g => Rabs (total units data g - total units data' g)) gs)
      <= sum (map (fun g => Rabs (contribution u0 (data u0) g)) gs) + sum (map (fun g => Rabs (contribution u0 (data' u0) g)) gs)); [|lra].
    apply sum_both. intros g. rewrite (total_differs units data data' u0 g N Hin Hd).
    assert (A := Rabs_triang (contribution u0 (data u0) g) (- contribution u0 (data' u0) g)). rewrite Rabs_Ropp in A. unfold Rminus. lra.
Qed.

(** *** Theorem. Adding or removing a unit moves a group by at most [most_rows] a, and all groups together by at most
    [most_groups] [most_rows] a. A unit without rows has nothing to keep. *)
Theorem remove_unit : forall units data data' u0, 0 <= a -> NoDup units -> In u0 units ->
  (forall u, u <> u0 -> data u = data' u) -> data' u0 = [] -> (forall g, rows_by_hash u0 g [] = []) ->
  (forall g, Rabs (total units data g - total units data' g) <= INR most_rows * a) /\
  (forall gs, NoDup gs -> sum (map (fun g => Rabs (total units data g - total units data' g)) gs) <= INR most_groups * (INR most_rows * a)).
Proof.
  intros units data data' u0 Ha N Hin Hd H0 Hr.
  assert (Z : forall g, contribution u0 (data' u0) g = 0).
  { intros g. unfold contribution, kept_rows. rewrite H0, Hr. destruct in_dec; [|reflexivity]. now rewrite firstn_nil. }
  assert (E : forall g, total units data g - total units data' g = contribution u0 (data u0) g).
  { intros g. rewrite (total_differs units data data' u0 g N Hin Hd), Z. lra. }
  split.
  - intros g. rewrite E. now apply contribution_group.
  - intros gs Hg. rewrite (map_ext _ (fun g => Rabs (contribution u0 (data u0) g))) by (intros g; now rewrite E).
    now apply contribution_all.
Qed.

End Contribution.
