(** The exponential mechanism: its loss, and its utility with the right constant.

    A candidate of score s is selected with a probability in proportion to e^(c s), c = epsilon/(2 Delta). *)
From Coq Require Import Reals List Lra Psatz Lia.
From Flocq Require Import Core.
From Lastbit Require Import Compare.
Import ListNotations.
Open Scope R_scope.

Definition weights (c : R) (scores : list R) : R := fold_right (fun s t => exp (c * s) + t) 0 scores.

Lemma weights_nonneg : forall c l, 0 <= weights c l.
Proof. intros c l. induction l as [|s l IH]; simpl; [lra|]. assert (E := exp_pos (c * s)). lra. Qed.

(** ** Loss *)

(** The scores of all candidates under two neighbouring data sets. *)
Definition close (Delta : R) (l : list (R * R)) := List.Forall (fun x => Rabs (fst x - snd x) <= Delta) l.

Lemma weights_close : forall c Delta l, 0 <= c -> close Delta l ->
  weights c (map snd l) <= exp (c * Delta) * weights c (map fst l).
Proof.
  intros c Delta l Hc H. induction H as [|[s s'] l Hs H IH]; simpl in *; [lra|].
  apply Rabs_le_inv in Hs. assert (exp (c * s') <= exp (c * Delta) * exp (c * s)).
  { rewrite <- exp_plus. apply exp_le'. nra. }
  lra.
Qed.

(** Each candidate's probability changes by at most the factor e^(2 c Delta) = e^epsilon. *)
Theorem exponential_private : forall c Delta l, 0 <= c -> close Delta l -> forall s s', In (s, s') l ->
  exp (c * s) / weights c (map fst l) <= exp (2 * c * Delta) * (exp (c * s') / weights c (map snd l)).
Proof.
  intros c Delta l Hc H s s' Hin. assert (W := weights_close c Delta l Hc H).
  assert (Pos : forall f : R * R -> R, 0 < weights c (map f l)).
  { intros f. destruct l as [|x l]; [contradiction|]. simpl. assert (E := exp_pos (c * f x)). assert (N := weights_nonneg c (map f l)). lra. }
  assert (P1 := Pos fst). assert (P2 := Pos snd).
  assert (Hs : Rabs (s - s') <= Delta) by (apply (proj1 (Forall_forall _ l) H (s, s') Hin)). apply Rabs_le_inv in Hs.
  assert (S : exp (c * s) <= exp (c * Delta) * exp (c * s')) by (rewrite <- exp_plus; apply exp_le'; nra).
  replace (2 * c * Delta) with (c * Delta + c * Delta) by ring. rewrite exp_plus.
  set (k := exp (c * Delta)) in *. assert (K : 0 < k) by apply exp_pos. assert (E' := exp_pos (c * s')).
  set (w := weights c (map fst l)) in *. set (w' := weights c (map snd l)) in *.
  apply Rmult_le_reg_r with (w * w'); [nra|].
  replace (exp (c * s) / w * (w * w')) with (exp (c * s) * w') by (field; lra).
  replace (k * k * (exp (c * s') / w') * (w * w')) with (k * exp (c * s') * (k * w)) by (field; lra).
  apply Rmult_le_compat; try lra. left; apply exp_pos.
Qed.

(** ** Utility *)

Definition bad (least : R) (s : R) := Rlt_bool s least.

Lemma weights_split : forall c least l,
  weights c l = weights c (filter (bad least) l) + weights c (filter (fun s => negb (bad least s)) l).
Proof.
  intros c least l. induction l as [|s l IH]; simpl; [lra|]. destruct (bad least s); simpl; lra.
Qed.

Lemma weights_bad : forall c least l, 0 <= c ->
  weights c (filter (bad least) l) <= INR (length (filter (bad least) l)) * exp (c * least).
Proof.
  intros c least l Hc. induction l as [|s l IH]; [simpl; lra|]. simpl filter.
  destruct (bad least s) eqn:Eb; [|exact IH].
  unfold bad in Eb. destruct (Rlt_bool_spec s least) as [H|H]; [|discriminate].
  change (weights c (s :: filter (bad least) l)) with (exp (c * s) + weights c (filter (bad least) l)).
  cbn [length]. rewrite S_INR. assert (exp (c * s) <= exp (c * least)) by (apply exp_le'; nra). lra.
Qed.

Lemma weights_member : forall c l s, In s l -> exp (c * s) <= weights c l.
Proof.
  intros c l s. induction l as [|t l IH]; [contradiction|]. intros [H|H]; simpl.
  - subst t. assert (N := weights_nonneg c l). lra.
  - assert (E := exp_pos (c * t)). specialize (IH H). lra.
Qed.

(** *** Theorem. If the best score is at least ln(n (1/beta - 1))/(c alpha), n the number of candidates below (1 - alpha) of it, then one of
    these is selected with probability at most beta. Without n the statement is false: docs/errata.md, 11. *)
Theorem exponential_utility : forall c alpha beta best scores, 0 < c -> 0 < alpha -> 0 <= best -> 0 < beta < 1 -> In best scores ->
  let n := INR (length (filter (bad ((1 - alpha) * best)) scores)) in
  n * (/ beta - 1) <= exp (c * alpha * best) ->
  weights c (filter (bad ((1 - alpha) * best)) scores) / weights c scores <= beta.
Proof.
  intros c alpha beta best scores Hc Ha Hbest Hb Hin n Hn. set (least := (1 - alpha) * best) in *.
  rewrite (weights_split c least scores).
  assert (B := weights_bad c least scores ltac:(lra)). fold n in B.
  assert (Good : exp (c * best) <= weights c (filter (fun s => negb (bad least s)) scores)).
  { apply weights_member. apply filter_In. split; [exact Hin|]. unfold bad. rewrite Rlt_bool_false; [reflexivity|]. unfold least. nra. }
  set (wb := weights c (filter (bad least) scores)) in *. set (wg := weights c (filter (fun s => negb (bad least s)) scores)) in *.
  assert (N := weights_nonneg c (filter (bad least) scores)). fold wb in N. assert (E := exp_pos (c * best)).
  assert (Split : exp (c * best) = exp (c * alpha * best) * exp (c * least)) by (rewrite <- exp_plus; f_equal; unfold least; ring).
  assert (Hib : 0 < / beta - 1).
  { assert (1 < / beta) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra. }
  assert (Key : wb * (/ beta - 1) <= wg).
  { apply Rle_trans with (n * exp (c * least) * (/ beta - 1)). apply Rmult_le_compat_r; lra.
    apply Rle_trans with (exp (c * best)); [|exact Good]. rewrite Split.
    replace (n * exp (c * least) * (/ beta - 1)) with (n * (/ beta - 1) * exp (c * least)) by ring.
    apply Rmult_le_compat_r; [left; apply exp_pos|exact Hn]. }
  apply Rmult_le_reg_r with (wb + wg); [lra|]. replace (wb / (wb + wg) * (wb + wg)) with wb by (field; lra).
  apply Rmult_le_compat_l with (r := beta) in Key; [|lra].
  replace (beta * (wb * (/ beta - 1))) with (wb - beta * wb) in Key by (field; lra). lra.
Qed.
