(** The sampler of the exact mode: it encloses the real sum by the bits of the uniform read so far, and answers when the whole enclosure lies in one
    cell of the grid. It ends with probability 1 ([sampler_ends]), and its law is that of real Laplace noise rounded to the grid
    ([sampler_law]). So the sampler itself is private ([sampler_private]).

    Plan of the proof that it ends: it is silent only if u is small, or if the sum is as near to the edge of a cell as its enclosure is wide. For the u
    above e the sum is bounded and edges are finitely many, and the widths of enclosures go to 0; so what is undecided in the end is at most e. *)
From Coq Require Import Reals ZArith List Lra Psatz Lia Bool.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Probability Snapping Exact LazyReal.
Import ListNotations.
Open Scope R_scope.

(** ** Intervals of u *)

Definition piece (a b u : R) : R := ind (Rlt_bool u b) - ind (Rlt_bool u a).

Lemma is_RInt_before : forall c, is_RInt (fun u => ind (Rlt_bool u c)) 0 1 (Rmax 0 (Rmin 1 c)).
Proof.
  intros c. set (d := Rmax 0 (Rmin 1 c)).
  assert (D : 0 <= d <= 1) by (unfold d; split; [apply Rmax_l|apply Rmax_lub; [lra|apply Rmin_l]]).
  destruct (prob_lt d D) as [M P]. rewrite <- P.
  apply is_RInt_ext with (fun u => ind (Rlt_bool u d)); [|exact (@RInt_correct R_CompleteNormedModule _ 0 1 M)].
  intros u. rewrite Rmin_left, Rmax_right by lra. intros Hu. f_equal. unfold d.
  destruct (Rlt_bool_spec u c) as [h|h]; [apply Rlt_bool_true|apply Rlt_bool_false].
  - apply Rlt_le_trans with (2 := Rmax_r _ _). apply Rmin_glb_lt; lra.
  - apply Rmax_lub; [lra|]. apply Rle_trans with (2 := h). apply Rmin_r.
Qed.

Lemma piece_area : forall a b, a <= b -> exists v, is_RInt (piece a b) 0 1 v /\ v <= b - a.
Proof.
  intros a b H. exists (Rmax 0 (Rmin 1 b) - Rmax 0 (Rmin 1 a)). split.
  - exact (@is_RInt_minus R_NormedModule _ _ 0 1 _ _ (is_RInt_before b) (is_RInt_before a)).
  - unfold Rmax, Rmin. destruct (Rle_dec 1 a); destruct (Rle_dec 1 b); repeat match goal with |- context [Rle_dec ?x ?y] => destruct (Rle_dec x y) end; lra.
Qed.

Lemma piece_nonneg : forall a b u, a <= b -> 0 <= piece a b u.
Proof. intros a b u H. unfold piece, ind. case Rlt_bool_spec; case Rlt_bool_spec; intros; lra. Qed.

Lemma piece_in : forall a b u, a <= u < b -> piece a b u = 1.
Proof. intros a b u H. unfold piece. rewrite Rlt_bool_true, Rlt_bool_false by lra. simpl. lra. Qed.

(** Several intervals, each no longer than w. *)
Definition pieces (ab : Z -> R * R) (js : list Z) (u : R) : R := fold_right (fun j t => piece (fst (ab j)) (snd (ab j)) u + t) 0 js.

Lemma pieces_area : forall ab js w, (forall j, fst (ab j) <= snd (ab j)) -> (forall j, In j js -> snd (ab j) - fst (ab j) <= w) ->
  exists v, is_RInt (pieces ab js) 0 1 v /\ v <= INR (length js) * w.
Proof.
  intros ab js w Ho Hw. induction js as [|j js IH].
  - exists 0. split; [exact (is_RInt_const' 0 1 0 0 ltac:(ring))|simpl; lra].
  - destruct IH as [v [I V]]; [intros i Hi; apply Hw; now right|]. destruct (piece_area _ _ (Ho j)) as [v' [I' V']].
    exists (v' + v). split; [exact (@is_RInt_plus R_NormedModule _ _ 0 1 _ _ I' I)|].
    specialize (Hw j (or_introl eq_refl)). change (length (j :: js)) with (S (length js)). rewrite S_INR. lra.
Qed.

Lemma pieces_nonneg : forall ab js u, (forall j, fst (ab j) <= snd (ab j)) -> 0 <= pieces ab js u.
Proof.
  intros ab js u Ho. induction js as [|j js IH]; [apply Rle_refl|]. assert (P := piece_nonneg _ _ u (Ho j)).
  change (pieces ab (j :: js) u) with (piece (fst (ab j)) (snd (ab j)) u + pieces ab js u). lra.
Qed.

Lemma pieces_in : forall ab js u j, (forall j, fst (ab j) <= snd (ab j)) -> In j js -> fst (ab j) <= u < snd (ab j) -> 1 <= pieces ab js u.
Proof.
  intros ab js u j Ho. induction js as [|i js IH]; [simpl; tauto|].
  change (pieces ab (i :: js) u) with (piece (fst (ab i)) (snd (ab i)) u + pieces ab js u). intros [E|E] H.
  - subst i. rewrite piece_in by exact H. assert (P := pieces_nonneg ab js u Ho). lra.
  - specialize (IH E H). assert (P := piece_nonneg _ _ u (Ho i)). lra.
Qed.

(** ** The sampler *)

Section Sampler.
Variables lambda g step : R.
Hypothesis Hlambda : 0 < lambda.
Hypothesis Hstep : 0 < step.
Variable s : bool.

(** Bits read by stage i, and enclosures of -ln u by bits that spell k > 0: each end is within [tol i] of the logarithm of an end of the interval of u.
    While only zeros were read there is none. *)
Variable bits : nat -> nat.
Hypothesis bits_grow : forall i, (bits i <= bits (S i))%nat.
Hypothesis bits_all : is_lim_seq (fun i => / 2 ^ bits i) 0.
Variables near far : nat -> nat -> R.
Variable tol : nat -> R.
Hypothesis tol_small : is_lim_seq tol 0.
Hypothesis near_tol : forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR (S k) / 2 ^ bits i) - tol i <= near i k <= - ln (INR (S k) / 2 ^ bits i).
Hypothesis far_tol : forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR k / 2 ^ bits i) <= far i k <= - ln (INR k / 2 ^ bits i) + tol i.

Let sum u := g + laplace lambda s u.
Definition low i k := if s then g - lambda * far i k else g + lambda * near i k.
Definition high i k := if s then g - lambda * near i k else g + lambda * far i k.

(** The cell of the lower end, and the one that ends at or beyond the upper end: the sum reaches neither end. *)
Definition first_cell i k := Zfloor (low i k / step + / 2).
Definition last_cell i k := (Zceil (high i k / step + / 2) - 1)%Z.
Definition decides i k : option R :=
  if Nat.eqb k 0 then None else if Z.eqb (first_cell i k) (last_cell i k) then Some (IZR (first_cell i k) * step) else None.

(** Another way to answer, which must be right where it does: the first tier of the program, which looks at the first 63 bits and at doubles. *)
Variable quick : nat -> nat -> option R.
Hypothesis quick_right : forall i k y, quick i k = Some y -> forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> to_grid step (sum u) = y.

Definition try i k := match quick i k with Some y => Some y | None => decides i k end.

(** What it has answered by stage i: the first answer of all stages, each with the first bits of the same u. *)
Fixpoint answer (i k : nat) : option R :=
  match i with
  | O => try O k
  | S j => match answer j (k / 2 ^ (bits i - bits j)) with Some y => Some y | None => try i k end
  end.

Lemma pow2_pos : forall n, 0 < 2 ^ n. Proof. intros n. apply pow_lt. lra. Qed.

Lemma enclosed : forall i k u, (0 < k < 2 ^ bits i)%nat -> INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i ->
  0 < u < 1 /\ low i k < sum u < high i k.
Proof.
  intros i k u Hk Hu. assert (P := pow2_pos (bits i)). assert (K0 : 0 < INR k) by (apply lt_0_INR; lia).
  assert (K1 : INR (S k) <= 2 ^ bits i). { replace (2 ^ bits i) with (INR (2 ^ bits i)) by (rewrite pow_INR; reflexivity). apply le_INR. lia. }
  assert (A : 0 < INR k / 2 ^ bits i) by now apply Rdiv_lt_0_compat.
  assert (B : INR (S k) / 2 ^ bits i <= 1).
  { apply Rmult_le_reg_r with (2 ^ bits i); [exact P|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  split; [lra|]. assert (L1 : ln (INR k / 2 ^ bits i) < ln u) by (apply ln_increasing; lra).
  assert (L2 : ln u < ln (INR (S k) / 2 ^ bits i)) by (apply ln_increasing; lra).
  assert (N := near_tol i k Hk). assert (F := far_tol i k Hk).
  assert (X : near i k < - ln u < far i k) by lra.
  assert (Y1 : lambda * near i k < lambda * - ln u) by (apply Rmult_lt_compat_l; lra).
  assert (Y2 : lambda * - ln u < lambda * far i k) by (apply Rmult_lt_compat_l; lra).
  unfold sum, low, high, laplace. destruct s; lra.
Qed.

(** A number between the ends lies in a cell from the first to the last. *)
Lemma cells : forall i k y, low i k < y < high i k -> (first_cell i k <= Zfloor (y / step + / 2) <= last_cell i k)%Z.
Proof.
  intros i k y H. assert (I := Rinv_0_lt_compat step Hstep). unfold first_cell, last_cell. split.
  - apply Zfloor_le. apply Rplus_le_compat_r. apply Rmult_le_compat_r; lra.
  - assert (Zfloor (y / step + / 2) < Zceil (high i k / step + / 2))%Z; [|lia]. apply lt_IZR.
    apply Rle_lt_trans with (1 := Zfloor_lb _). apply Rlt_le_trans with (2 := Zceil_ub _). apply Rplus_lt_compat_r. apply Rmult_lt_compat_r; lra.
Qed.

Lemma try_right : forall i k y, (k < 2 ^ bits i)%nat -> try i k = Some y -> forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> to_grid step (sum u) = y.
Proof.
  intros i k y Hk H u Hu. unfold try in H. destruct (quick i k) as [z|] eqn:Q; [injection H as <-; exact (quick_right i k z Q u Hu)|].
  unfold decides in H. destruct (Nat.eqb_spec k 0) as [|Hk0]; [discriminate|].
  destruct (Z.eqb_spec (first_cell i k) (last_cell i k)) as [E|]; [|discriminate]. injection H as <-.
  destruct (enclosed i k u ltac:(lia) Hu) as [_ En]. assert (C := cells i k _ En). unfold to_grid. do 2 f_equal. lia.
Qed.

(** Fewer bits of the same u enclose it in a larger interval. *)
Lemma prefix : forall i k, let j := (k / 2 ^ (bits (S i) - bits i))%nat in
  INR j / 2 ^ bits i <= INR k / 2 ^ bits (S i) /\ INR (S k) / 2 ^ bits (S i) <= INR (S j) / 2 ^ bits i.
Proof.
  intros i k j. assert (G := bits_grow i). set (d := (bits (S i) - bits i)%nat) in *.
  assert (E : 2 ^ bits (S i) = 2 ^ bits i * 2 ^ d) by (rewrite <- pow_add; f_equal; unfold d; lia).
  assert (P := pow2_pos (bits i)). assert (Pd := pow2_pos d).
  assert (Dv := Nat.div_mod k (2 ^ d) ltac:(apply Nat.pow_nonzero; lia)). assert (Dm := Nat.mod_upper_bound k (2 ^ d) ltac:(apply Nat.pow_nonzero; lia)).
  fold j in Dv. assert (P2 : INR (2 ^ d) = 2 ^ d) by (rewrite pow_INR; reflexivity).
  assert (L1 : INR j * 2 ^ d <= INR k) by (rewrite <- P2, <- mult_INR; apply le_INR; lia).
  assert (L2 : INR (S k) <= INR (S j) * 2 ^ d) by (rewrite <- P2, <- mult_INR; apply le_INR; lia).
  rewrite E. split.
  - apply Rmult_le_reg_r with (2 ^ bits i * 2 ^ d); [now apply Rmult_lt_0_compat|].
    replace (INR j / 2 ^ bits i * (2 ^ bits i * 2 ^ d)) with (INR j * 2 ^ d) by (field; lra).
    replace (INR k / (2 ^ bits i * 2 ^ d) * (2 ^ bits i * 2 ^ d)) with (INR k) by (field; lra). exact L1.
  - apply Rmult_le_reg_r with (2 ^ bits i * 2 ^ d); [now apply Rmult_lt_0_compat|].
    replace (INR (S j) / 2 ^ bits i * (2 ^ bits i * 2 ^ d)) with (INR (S j) * 2 ^ d) by (field; lra).
    replace (INR (S k) / (2 ^ bits i * 2 ^ d) * (2 ^ bits i * 2 ^ d)) with (INR (S k)) by (field; lra). exact L2.
Qed.

(** Every answer is right. *)
Lemma answer_right : forall i k y, (k < 2 ^ bits i)%nat -> answer i k = Some y -> forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> to_grid step (sum u) = y.
Proof.
  induction i as [|i IH]; intros k y Hk H u Hu.
  - now apply (try_right 0 k y Hk H).
  - change (answer (S i) k) with (match answer i (k / 2 ^ (bits (S i) - bits i)) with Some y => Some y | None => try (S i) k end) in H.
    assert (P := prefix i k). cbv zeta in P. set (j := (k / 2 ^ (bits (S i) - bits i))%nat) in *.
    destruct (answer i j) as [z|] eqn:E; [|exact (try_right (S i) k y Hk H u Hu)]. injection H as <-. apply (IH j z); [|exact E|lra].
    unfold j. apply Nat.div_lt_upper_bound; [apply Nat.pow_nonzero; lia|]. rewrite <- Nat.pow_add_r. replace (bits (S i) - bits i + bits i)%nat with (bits (S i)); [exact Hk|].
    assert (G := bits_grow i). lia.
Qed.

Lemma silent_decides : forall i k, silent R answer i k = true -> decides i k = None.
Proof.
  intros i k H. unfold silent in H.
  assert (T : try i k = None -> decides i k = None) by (unfold try; destruct (quick i k); [discriminate|tauto]). apply T.
  destruct i as [|i]; [simpl in H; destruct (try 0 k); [discriminate|reflexivity]|].
  change (answer (S i) k) with (match answer i (k / 2 ^ (bits (S i) - bits i)) with Some y => Some y | None => try (S i) k end) in H.
  destruct (answer i _); [discriminate|]. destruct (try (S i) k); [discriminate|reflexivity].
Qed.

(** ** It ends *)

Section Ends.
Variable e : R.
Hypothesis He : 0 < e < 1.

(** How wide an enclosure can be for u above e, over lambda. *)
Definition width i := 4 / e * / 2 ^ bits i + 2 * Rabs (tol i).

Lemma width_pos : forall i, 0 < width i.
Proof.
  intros i. unfold width. assert (P := pow2_pos (bits i)). assert (0 < 4 / e * / 2 ^ bits i).
  { apply Rmult_lt_0_compat; [apply Rdiv_lt_0_compat; lra|now apply Rinv_0_lt_compat]. }
  assert (A := Rabs_pos (tol i)). lra.
Qed.

Lemma width_small : is_lim_seq width 0.
Proof.
  unfold width. replace (Finite 0) with (Finite (4 / e * 0 + 2 * 0)) by (f_equal; ring).
  apply is_lim_seq_plus'.
  - exact (is_lim_seq_scal_l (fun i => / 2 ^ bits i) (4 / e) 0 bits_all).
  - apply (is_lim_seq_scal_l (fun i => Rabs (tol i)) 2 0). rewrite <- Rabs_R0. exact (is_lim_seq_abs tol 0 tol_small).
Qed.

(** The edge above the cell j. *)
Let edge (j : Z) := (IZR j + / 2) * step.

(** Where it is silent for u above e, the sum is near an edge. *)
Lemma silent_near : forall i k u, / 2 ^ bits i <= e / 2 -> (k < 2 ^ bits i)%nat -> decides i k = None ->
  INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> e <= u -> exists j, Rabs (sum u - edge j) < lambda * width i.
Proof.
  intros i k u Hi Hk H Hu Heu. assert (P := pow2_pos (bits i)). rewrite S_INR in Hu.
  assert (S1 : (INR k + 1) / 2 ^ bits i = INR k / 2 ^ bits i + / 2 ^ bits i) by (field; lra).
  assert (K : e / 2 < INR k / 2 ^ bits i) by lra.
  unfold decides in H. destruct (Nat.eqb_spec k 0) as [Z|NZ]; [subst k; simpl in K; unfold Rdiv in K at 2; rewrite Rmult_0_l in K; lra|].
  destruct (Z.eqb_spec (first_cell i k) (last_cell i k)) as [|N]; [discriminate|].
  assert (Hk' : (0 < k < 2 ^ bits i)%nat) by lia.
  destruct (enclosed i k u Hk') as [Hu1 En]; [rewrite S_INR; exact Hu|]. assert (C := cells i k _ En).
  exists (first_cell i k).
  (* The edge lies between the ends. *)
  assert (Lo : low i k < edge (first_cell i k)).
  { unfold edge. assert (U := Zfloor_ub (low i k / step + / 2)). fold (first_cell i k) in U.
    apply Rmult_lt_reg_r with (/ step); [now apply Rinv_0_lt_compat|]. rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. unfold Rdiv in U. lra. }
  assert (Hi' : edge (first_cell i k) < high i k).
  { unfold edge. assert (F : (first_cell i k + 1 <= last_cell i k)%Z) by lia. apply IZR_le in F. rewrite plus_IZR in F.
    assert (L : IZR (last_cell i k) < high i k / step + / 2).
    { unfold last_cell. rewrite minus_IZR. assert (Q := Zceil_lb (high i k / step + / 2)). lra. }
    apply Rmult_lt_reg_r with (/ step); [now apply Rinv_0_lt_compat|]. rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra. unfold Rdiv in L. lra. }
  (* The ends are near each other. *)
  assert (W : high i k - low i k < lambda * width i).
  { assert (A := near_tol i k Hk'). assert (B := far_tol i k Hk'). assert (K0 : 0 < INR k) by (apply lt_0_INR; lia).
    assert (D : ln (INR (S k) / 2 ^ bits i) - ln (INR k / 2 ^ bits i) <= / INR k).
    { rewrite S_INR. replace ((INR k + 1) / 2 ^ bits i) with (INR k / 2 ^ bits i * (1 + / INR k)) by (field; lra).
      assert (I := Rinv_0_lt_compat _ K0). rewrite ln_mult by (try (apply Rdiv_lt_0_compat; assumption); lra).
      assert (E := exp_ineq1_le (ln (1 + / INR k))). rewrite exp_ln in E by lra. lra. }
    assert (I : / INR k < 4 / e * / 2 ^ bits i).
    { apply Rmult_lt_reg_r with (INR k); [exact K0|]. rewrite Rinv_l by lra.
      replace (4 / e * / 2 ^ bits i * INR k) with (4 / e * (INR k / 2 ^ bits i)) by (field; lra).
      apply Rlt_le_trans with (4 / e * (e / 2)); [replace (4 / e * (e / 2)) with 2 by (field; lra); lra|].
      apply Rmult_le_compat_l; [left; apply Rdiv_lt_0_compat; lra|lra]. }
    assert (T := Rle_abs (tol i)). assert (X : far i k - near i k < width i) by (unfold width; lra).
    assert (Y : lambda * (far i k - near i k) < lambda * width i) by (apply Rmult_lt_compat_l; lra).
    unfold high, low. destruct s; lra. }
  apply Rabs_lt. lra.
Qed.

(** The u whose sum is an edge, and an interval around it. *)
Let point j := (if s then 1 else -1) * ((edge j - g) / lambda).
Let around d j := (exp (point j - d), exp (point j + d)).

Lemma near_around : forall u d j, 0 < u -> Rabs (sum u - edge j) < lambda * d -> fst (around d j) <= u < snd (around d j).
Proof.
  intros u d j Hu H. apply Rabs_lt_inv in H.
  assert (X : - d < ln u - point j < d).
  { assert (E : (if s then 1 else -1) * (sum u - edge j) = lambda * (ln u - point j)).
    { unfold sum, point, laplace. destruct s; field; lra. }
    assert (Y : - (lambda * d) < lambda * (ln u - point j) < lambda * d) by (rewrite <- E; destruct s; lra).
    split; apply Rmult_lt_reg_l with lambda; lra. }
  unfold around. simpl. rewrite <- (exp_ln u) by exact Hu. split; [left|]; apply exp_increasing; lra.
Qed.

(** Edges of the sums for u above e, as long as enclosures are narrower than lambda. *)
Let reach := Rabs g + lambda * - ln e + lambda.
Let N := (Zceil (reach / step) + 1)%Z.
Let edges := map (fun i => (Z.of_nat i - N)%Z) (seq 0 (Z.to_nat (2 * N + 1))).

Lemma reach_pos : 0 < reach.
Proof.
  unfold reach. assert (L := ln_neg e He). assert (A := Rabs_pos g). assert (0 < lambda * - ln e) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma edges_all : forall u d j, e <= u < 1 -> d <= 1 -> Rabs (sum u - edge j) < lambda * d -> In j edges.
Proof.
  intros u d j Hu Hd H. assert (R := reach_pos).
  assert (L : ln e <= ln u) by (destruct (proj1 Hu) as [h|h]; [left; apply ln_increasing; lra|rewrite h; lra]).
  assert (L0 := ln_neg u ltac:(lra)).
  assert (S1 : Rabs (sum u) <= Rabs g + lambda * - ln e).
  { unfold sum. apply Rle_trans with (1 := Rabs_triang _ _). apply Rplus_le_compat_l.
    assert (0 <= lambda * (ln u - ln e)) by (apply Rmult_le_pos; lra). assert (0 <= lambda * - ln u) by (apply Rmult_le_pos; lra).
    unfold laplace. apply Rabs_le. destruct s; lra. }
  assert (Ld : lambda * d <= lambda) by nra. apply Rabs_le_inv in S1. apply Rabs_lt_inv in H.
  assert (B : - reach < edge j < reach) by (unfold reach; lra).
  assert (U := Zceil_ub (reach / step)). assert (Ns : reach <= (IZR N - 1) * step).
  { unfold N. rewrite plus_IZR. replace (IZR (Zceil (reach / step)) + 1 - 1) with (IZR (Zceil (reach / step))) by ring.
    replace reach with (reach / step * step) at 1 by (field; lra). apply Rmult_le_compat_r; lra. }
  unfold edge in B. assert (J : (- N <= j <= N)%Z).
  { split; apply le_IZR; rewrite ?opp_IZR; apply Rmult_le_reg_r with step; try exact Hstep; nra. }
  unfold edges. apply in_map_iff. exists (Z.to_nat (j + N)). split; [rewrite Z2Nat.id by lia; lia|]. apply in_seq. lia.
Qed.

Let longest := (IZR N + 1) * step / lambda + Rabs g / lambda.

Lemma around_width : forall d j, 0 <= d -> In j edges -> snd (around d j) - fst (around d j) <= exp longest * (exp d - exp (- d)).
Proof.
  intros d j Hd H. unfold edges in H. apply in_map_iff in H. destruct H as [i [Ei Hi]]. apply in_seq in Hi.
  assert (J : (- N <= j <= N)%Z) by lia. unfold around. simpl. unfold Rminus. rewrite !exp_plus. rewrite <- Ropp_mult_distr_r_reverse, <- Rmult_plus_distr_l.
  assert (D : exp (- d) <= exp d) by (destruct Hd as [h|h]; [left; apply exp_increasing; lra|rewrite <- h, Ropp_0; lra]).
  apply Rmult_le_compat_r; [lra|]. assert (X : point j <= longest).
  { destruct J as [J1 J2]. apply IZR_le in J1. apply IZR_le in J2. rewrite opp_IZR in J1.
    assert (E : Rabs (edge j) <= (IZR N + 1) * step) by (unfold edge; apply Rabs_le; nra).
    assert (I := Rinv_0_lt_compat lambda Hlambda).
    assert (Y : Rabs (edge j - g) <= (IZR N + 1) * step + Rabs g) by (unfold Rminus; apply Rle_trans with (1 := Rabs_triang _ _); rewrite Rabs_Ropp; lra).
    replace longest with (((IZR N + 1) * step + Rabs g) / lambda) by (unfold longest; field; lra).
    apply Rabs_le_inv in Y. unfold point, Rdiv. destruct s; nra. }
  destruct X as [h|h]; [left; now apply exp_increasing|rewrite h; lra].
Qed.

Lemma undecided_bound : forall i, / 2 ^ bits i <= e / 2 -> width i <= 1 ->
  undecided R bits answer i <= e + INR (length edges) * (exp longest * (exp (width i) - exp (- width i))).
Proof.
  intros i Hi Hw. assert (Wp := width_pos i). set (d := width i) in *.
  assert (Ho : forall j, fst (around d j) <= snd (around d j)) by (intros j; unfold around; simpl; left; apply exp_increasing; lra).
  destruct (pieces_area (around d) edges (exp longest * (exp d - exp (- d))) Ho) as [v [I V]]; [intros j Hj; apply around_width; [lra|exact Hj]|].
  destruct (prob_lt e ltac:(lra)) as [Me Pe].
  assert (It : is_RInt (fun u => ind (Rlt_bool u e) + pieces (around d) edges u) 0 1 (e + v)).
  { replace (e + v) with (prob (fun u => Rlt_bool u e) + v) by (now rewrite Pe). exact (@is_RInt_plus R_NormedModule _ _ 0 1 _ _ (@RInt_correct R_CompleteNormedModule _ 0 1 Me) I). }
  apply Rle_trans with (RInt (fun u => ind (Rlt_bool u e) + pieces (around d) edges u) 0 1); [|rewrite (is_RInt_unique _ _ _ _ It); lra].
  apply undecided_le.
  - eexists; exact It.
  - intros u _. assert (P := pieces_nonneg (around d) edges u Ho). unfold ind. destruct (Rlt_bool u e); lra.
  - intros k u Hk Hs Hu. case Rlt_bool_spec; intros h; simpl.
    + assert (P := pieces_nonneg (around d) edges u Ho). lra.
    + assert (U1 : u < 1).
      { apply Rlt_le_trans with (1 := proj2 Hu). assert (P := pow2_pos (bits i)). apply Rmult_le_reg_r with (2 ^ bits i); [exact P|].
        unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r, Rmult_1_l by lra. replace (2 ^ bits i) with (INR (2 ^ bits i)) by (rewrite pow_INR; reflexivity).
        apply le_INR. lia. }
      destruct (silent_near i k u Hi Hk (silent_decides i k Hs) Hu h) as [j Hj]. fold d in Hj. rewrite Rplus_0_l.
      apply (pieces_in _ _ _ j Ho); [apply (edges_all u d j); [lra|exact Hw|exact Hj]|apply near_around; [lra|exact Hj]].
Qed.

Lemma rest_small : is_lim_seq (fun i => INR (length edges) * (exp longest * (exp (width i) - exp (- width i)))) 0.
Proof.
  assert (W := width_small).
  replace (Finite 0) with (Rbar_mult (INR (length edges)) (Finite (exp longest * (exp 0 - exp (- 0))))) by (simpl; f_equal; rewrite Ropp_0; ring).
  apply (is_lim_seq_scal_l _ (INR (length edges)) (exp longest * (exp 0 - exp (- 0)))).
  apply (is_lim_seq_scal_l _ (exp longest) (exp 0 - exp (- 0))). apply is_lim_seq_minus'.
  - apply (is_lim_seq_continuous exp width 0); [apply derivable_continuous_pt, derivable_pt_exp|exact W].
  - apply (is_lim_seq_continuous (fun x => exp (- x)) width 0); [|exact W].
    apply (continuity_pt_comp (fun x => - x) exp); [apply derivable_continuous_pt; reg|apply derivable_continuous_pt, derivable_pt_exp].
Qed.
End Ends.

(** *** Theorem. The sampler ends with probability 1. *)
Theorem sampler_ends : is_lim_seq (undecided R bits answer) 0.
Proof.
  apply is_lim_seq_spec. intros eps. assert (Pe := cond_pos eps). set (e := Rmin (/ 2) (eps / 2)).
  assert (He : 0 < e < 1). { unfold e. split; [apply Rmin_pos; lra|]. apply Rle_lt_trans with (1 := Rmin_l _ _). lra. }
  assert (He' : e <= eps / 2) by apply Rmin_r.
  assert (A := proj2 (is_lim_seq_spec _ _) bits_all (mkposreal (e / 2) ltac:(lra))).
  assert (B := proj2 (is_lim_seq_spec _ _) (width_small e) (mkposreal 1 Rlt_0_1)).
  assert (C := proj2 (is_lim_seq_spec _ _) (rest_small e) (mkposreal (eps / 2) ltac:(lra))).
  cbn [is_lim_seq' pos] in A, B, C. destruct A as [a A]. destruct B as [b B]. destruct C as [c C].
  exists (max a (max b c)). intros i Hi. specialize (A i ltac:(lia)). specialize (B i ltac:(lia)). specialize (C i ltac:(lia)).
  rewrite Rminus_0_r in *. assert (P := pow2_pos (bits i)). assert (I := Rinv_0_lt_compat _ P). rewrite Rabs_pos_eq in A by lra.
  assert (W := width_pos e He i). rewrite Rabs_pos_eq in B by lra.
  assert (U := undecided_bound e He i ltac:(lra) ltac:(lra)). apply Rabs_lt_inv in C.
  assert (U0 : 0 <= undecided R bits answer i).
  { unfold undecided. apply Rmult_le_pos; [|lra]. generalize (2 ^ bits i)%nat. induction n as [|n IH]; simpl; [lra|]. unfold ind. destruct (silent R answer i n); lra. }
  rewrite Rabs_pos_eq by exact U0. cbv zeta in *. lra.
Qed.

(** *** Theorem. It answers y with the probability that real Laplace noise is rounded to y. *)
Theorem sampler_sign : forall y, is_lim_seq (said R Req_bool bits answer y) (prob (fun u => Req_bool (to_grid step (sum u)) y)).
Proof.
  intros y. apply (lazy_real R Req_bool (fun u => to_grid step (sum u)) bits answer answer_right).
  - apply exact_event; [exact Hlambda|]. intros z z' H. now apply to_grid_mono.
  - exact sampler_ends.
Qed.
End Sampler.

(** *** Theorem. With a fair sign, the law of the sampler is that of the exact mechanism. *)
Theorem sampler_law : forall lambda g step bits near far tol (quick : bool -> nat -> nat -> option R), 0 < lambda -> 0 < step ->
  (forall i, (bits i <= bits (S i))%nat) -> is_lim_seq (fun i => / 2 ^ bits i) 0 -> is_lim_seq tol 0 ->
  (forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR (S k) / 2 ^ bits i) - tol i <= near i k <= - ln (INR (S k) / 2 ^ bits i)) ->
  (forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR k / 2 ^ bits i) <= far i k <= - ln (INR k / 2 ^ bits i) + tol i) ->
  (forall s i k y, quick s i k = Some y -> forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> to_grid step (g + laplace lambda s u) = y) ->
  let says s := said R Req_bool bits (answer lambda g step s bits near far (quick s)) in
  forall y, is_lim_seq (fun i => / 2 * says true y i + / 2 * says false y i) (exact lambda (to_grid step) g y).
Proof.
  intros lambda g step bits near far tol quick Hl Hs Hb Hall Ht Hn Hf Hq says y. unfold exact, law. apply is_lim_seq_plus'.
  - exact (is_lim_seq_scal_l _ (/ 2) _ (sampler_sign lambda g step Hl Hs true bits Hb Hall near far tol Ht Hn Hf (quick true) (Hq true) y)).
  - exact (is_lim_seq_scal_l _ (/ 2) _ (sampler_sign lambda g step Hl Hs false bits Hb Hall near far tol Ht Hn Hf (quick false) (Hq false) y)).
Qed.

(** *** Theorem. The sampler is private: whatever the bits that it reads, its answer y is at most e^(Delta/lambda) times as likely for the input g as for g'. *)
Theorem sampler_private : forall lambda step bits near far tol, 0 < lambda -> 0 < step ->
  (forall i, (bits i <= bits (S i))%nat) -> is_lim_seq (fun i => / 2 ^ bits i) 0 -> is_lim_seq tol 0 ->
  (forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR (S k) / 2 ^ bits i) - tol i <= near i k <= - ln (INR (S k) / 2 ^ bits i)) ->
  (forall i k, (0 < k < 2 ^ bits i)%nat -> - ln (INR k / 2 ^ bits i) <= far i k <= - ln (INR k / 2 ^ bits i) + tol i) ->
  let right g (quick : bool -> nat -> nat -> option R) := forall s i k y, quick s i k = Some y ->
    forall u, INR k / 2 ^ bits i < u < INR (S k) / 2 ^ bits i -> to_grid step (g + laplace lambda s u) = y in
  let says g quick s := said R Req_bool bits (answer lambda g step s bits near far (quick s)) in
  let answers g quick y (v : R) := is_lim_seq (fun i => / 2 * says g quick true y i + / 2 * says g quick false y i) v in
  forall g g' quick quick' Delta, right g quick -> right g' quick' -> Rabs (g - g') <= Delta ->
  forall y v v', answers g quick y v -> answers g' quick' y v' -> v <= exp (Delta / lambda) * v'.
Proof.
  intros lambda step bits near far tol Hl Hs Hb Hall Ht Hn Hf right says answers g g' quick quick' Delta Hq Hq' Hg y v v' Hv Hv'.
  assert (E : forall h q w, right h q -> answers h q y w -> w = exact lambda (to_grid step) h y).
  { intros h q w Hh Hw. assert (Law := sampler_law lambda h step bits near far tol q Hl Hs Hb Hall Ht Hn Hf Hh y).
    apply is_lim_seq_unique in Law. apply is_lim_seq_unique in Hw. unfold says in Hw. rewrite Law in Hw. now injection Hw. }
  rewrite (E _ _ _ Hq Hv), (E _ _ _ Hq' Hv'). apply exact_private; [exact Hl| |exact Hg].
  intros z z' H. now apply to_grid_mono.
Qed.
