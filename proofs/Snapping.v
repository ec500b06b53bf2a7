(** The program, its outputs, and step 5, the cases: the theorem for any noise of step 2. *)
From Coq Require Import Reals ZArith Lra Psatz Bool.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Format Probability Noise Edge Laplace Compare.
Open Scope R_scope.

(** To [-B, B]. *)
Definition clamp B x := Rmax (- B) (Rmin B x).
(** The nearest multiple of Lambda = 2^l, ties toward +infinity. *)
Definition snap l y := IZR (Zfloor (y / bpow radix2 l + / 2)) * bpow radix2 l.
(** What is published for the input g, the sign s, and the real uniform u whose first p bits are U*; N u is the noise
    before its sign, which is not positive. *)
Definition out p B l (N : R -> R) (g : R) (s : bool) (u : R) :=
  clamp B (snap l (rnd p (clamp B g + rnd p ((if s then 1 else -1) * N u)))).
(** The probability of an output x, for a fair sign. *)
Definition law (o : bool -> R -> R) (x : R) :=
  / 2 * prob (fun u => Req_bool (o true u) x) + / 2 * prob (fun u => Req_bool (o false u) x).

Lemma law_ext : forall o o' x, (forall s u, 0 < u < 1 -> o s u = o' s u) -> law o x = law o' x.
Proof.
  intros o o' x H. unfold law.
  rewrite (prob_ext (fun u => Req_bool (o true u) x) (fun u => Req_bool (o' true u) x)) by (intros u Hu; now rewrite H).
  rewrite (prob_ext (fun u => Req_bool (o false u) x) (fun u => Req_bool (o' false u) x)) by (intros u Hu; now rewrite H).
  reflexivity.
Qed.

Section Clamp.
Variable B : R.
Hypothesis HB : 0 < B.
Notation clamp := (clamp B).

Lemma clamp_B : forall v, clamp v = B <-> B <= v.
Proof.
  intros v. unfold Snapping.clamp. split.
  - destruct (Rle_lt_dec B v); [auto|]. rewrite Rmin_right by lra.
    unfold Rmax. destruct Rle_dec; intros; lra.
  - intros H. rewrite Rmin_left by lra. apply Rmax_right. lra.
Qed.

Lemma clamp_mB : forall v, clamp v = - B <-> v <= - B.
Proof.
  intros v. unfold Snapping.clamp. split.
  - destruct (Rle_lt_dec v (- B)); [auto|]. unfold Rmin. destruct Rle_dec; unfold Rmax; destruct Rle_dec; intros; lra.
  - intros H. rewrite Rmin_right by lra. apply Rmax_left. lra.
Qed.

Lemma clamp_in : forall v x, - B < x < B -> (clamp v = x <-> v = x).
Proof.
  intros v x Hx. unfold Snapping.clamp, Rmax, Rmin. destruct (Rle_dec B v); destruct Rle_dec; split; intros; lra.
Qed.

Lemma clamp_range : forall v, - B <= clamp v <= B.
Proof. intros v. unfold Snapping.clamp, Rmax, Rmin. destruct (Rle_dec B v); destruct Rle_dec; lra. Qed.

Lemma clamp_lip : forall g g', Rabs (clamp g - clamp g') <= Rabs (g - g').
Proof.
  intros g g'. unfold Snapping.clamp, Rmax, Rmin.
  destruct (Rle_dec B g); destruct (Rle_dec B g');
  repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end;
  unfold Rabs; repeat match goal with |- context [Rcase_abs ?a] => destruct (Rcase_abs a) end; lra.
Qed.

Lemma clamp_opp : forall x, clamp (- x) = - clamp x.
Proof.
  intros x. unfold Snapping.clamp, Rmax, Rmin. destruct (Rle_dec B x); destruct (Rle_dec B (- x));
  repeat match goal with |- context [Rle_dec ?a ?b] => destruct (Rle_dec a b) end; lra.
Qed.

Lemma clamp_id : forall x, - B <= x <= B -> clamp x = x.
Proof. intros x Hx. unfold Snapping.clamp. rewrite Rmin_right by lra. apply Rmax_right. lra. Qed.
End Clamp.

(** Sizes of a setting, as functions of its numbers alone, so that a certificate can evaluate them: n Lambda is the first multiple of Lambda at or above B. *)
Section Sizes.
Variables (eta Lambda lambda B : R) (n : Z).
(** The last edge, and how far rounding can move an edge. *)
Definition last := (IZR n - / 2) * Lambda.
Definition omega := eta * last.
(** In units of lambda: the width of the narrowest and of the widest moved cell; how far an input can be from a cell with two edges, and from a tail. *)
Definition narrowest := (Lambda - omega) / lambda.
Definition widest := (Lambda + omega) / lambda.
Definition outside_reach := (B + last - Lambda + omega) / lambda.
Definition tail_reach := (B + last + omega) / lambda.
End Sizes.

Section Cases.
Variable p : Z.
Hypothesis Hp : (8 <= p)%Z.
Variables lambda B : R.
Variable l : Z.
Notation Lambda := (bpow radix2 l).
(** The premises of the page that concern sizes, less what only the corollary needs. *)
Hypothesis HB : 0 < B <= bpow radix2 (p - 6) * Lambda.

Notation rnd := (rnd p).
Notation eta := (eta p).
Notation reaches := (reaches p).
Notation clamp := (clamp B).
Notation snap := (snap l).
(** The noise, by its size D. *)
Variables (P M : R) (D : R -> R).
Hypothesis HD : noise p lambda P M D.
Notation out := (out p B l (fun u => - D u)).
Notation Pr x g := (law (out g) x).

Lemma p_gt_1 : (1 < p)%Z. Proof. lia. Qed.
Let Hp1 := p_gt_1.
Let B_pos := proj1 HB.
Notation clamp_B := (clamp_B B B_pos).
Notation clamp_mB := (clamp_mB B B_pos).
Notation clamp_in := (clamp_in B B_pos).
Notation clamp_range := (clamp_range B B_pos).
Let Hlambda := noise_scale p lambda P M D HD.
Let P_ge := noise_P p lambda P M D HD.
Let M_range := noise_M p lambda P M D HD.
Let D_nonneg := noise_nonneg p lambda P M D HD.
Let H_bounds := noise_reaches p lambda P M D HD.

(** ** Outputs and edges *)

(** The sum that is rounded is g - D or g + D, exactly. *)
Lemma out_true : forall g u, out g true u = clamp (snap (rnd (clamp g - D u))).
Proof.
  intros g u. unfold Snapping.out. rewrite Rmult_1_l, rnd_opp by exact Hp1. rewrite (rnd_F p (D u)) by apply HD. reflexivity.
Qed.

Lemma out_false : forall g u, out g false u = clamp (snap (rnd (clamp g + D u))).
Proof.
  intros g u. unfold Snapping.out. replace (-1 * - D u) with (D u) by ring. rewrite (rnd_F p (D u)) by apply HD. reflexivity.
Qed.

(** The edge below the multiple j of Lambda; n is the first multiple at or above B. *)
Definition half j := (IZR j - / 2) * Lambda.
Definition n := Zceil (B / Lambda).

Lemma Lambda_pos : 0 < Lambda. Proof. apply bpow_gt_0. Qed.

Lemma snap_ge : forall j y, (j <= Zfloor (rnd y / Lambda + / 2))%Z <-> reaches (half j) y = true.
Proof.
  intros j y. assert (L := Lambda_pos). unfold reaches, Edge.reaches, half.
  assert (E : (IZR j - / 2) * Lambda <= rnd y <-> IZR j <= rnd y / Lambda + / 2).
  { split; intros H.
    - assert (IZR j - / 2 <= rnd y / Lambda); [|lra].
      apply Rmult_le_reg_r with Lambda; [exact L|]. replace (rnd y / Lambda * Lambda) with (rnd y) by (field; lra). exact H.
    - assert (G : IZR j - / 2 <= rnd y / Lambda) by lra.
      apply Rmult_le_compat_r with (r := Lambda) in G; [|lra].
      replace (rnd y / Lambda * Lambda) with (rnd y) in G by (field; lra). exact G. }
  split; intros H.
  - apply Rle_bool_true. apply E. apply Rle_trans with (2 := Zfloor_lb _). now apply IZR_le.
  - destruct (Rle_bool_spec ((IZR j - / 2) * Lambda) (rnd y)) as [G|G]; [|discriminate].
    apply Zfloor_lub. now apply E.
Qed.

Lemma n_spec : forall k, B <= IZR k * Lambda <-> (n <= k)%Z.
Proof.
  intros k. assert (L := Lambda_pos). split; intros H.
  - apply Zceil_glb. apply Rmult_le_reg_r with Lambda; [exact L|].
    replace (B / Lambda * Lambda) with B by (field; lra). exact H.
  - assert (G := Zceil_ub (B / Lambda)). fold n in G. apply IZR_le in H.
    assert (B / Lambda <= IZR k) by lra.
    apply Rmult_le_compat_r with (r := Lambda) in H0; [|lra].
    replace (B / Lambda * Lambda) with B in H0 by (field; lra). exact H0.
Qed.

Lemma n_pos : (1 <= n)%Z.
Proof.
  destruct (Z_lt_le_dec n 1) as [h|h]; [exfalso|exact h].
  assert (H : (n <= 0)%Z) by lia. apply n_spec in H. simpl in H. lra.
Qed.

Lemma eq_bool : forall (a : bool) (x y : R), (x = y <-> a = true) -> Req_bool x y = a.
Proof.
  intros a x y [H1 H2]. destruct (Req_bool_spec x y) as [E|E].
  - symmetry; auto. - destruct a; [elim E; auto|reflexivity].
Qed.

Lemma event_B : forall y, Req_bool (clamp (snap (rnd y))) B = reaches (half n) y.
Proof.
  intros y. apply eq_bool. rewrite clamp_B. unfold Snapping.snap. rewrite n_spec. apply snap_ge.
Qed.

Lemma event_mB : forall y, Req_bool (clamp (snap (rnd y))) (- B) = negb (reaches (half (1 - n)) y).
Proof.
  intros y. apply eq_bool. rewrite clamp_mB. unfold Snapping.snap.
  set (k := Zfloor (rnd y / Lambda + / 2)).
  assert (E : IZR k * Lambda <= - B <-> (n <= - k)%Z).
  { rewrite <- n_spec, opp_IZR. split; lra. }
  rewrite E. rewrite negb_true_iff.
  assert (G := snap_ge (1 - n) y). fold k in G.
  destruct (reaches (half (1 - n)) y).
  - split; intros H; [|discriminate]. assert ((1 - n <= k)%Z) by now apply G. lia.
  - split; intros H; [reflexivity|]. destruct (Z_le_gt_dec (1 - n) k) as [h|h]; [|lia].
    apply G in h. discriminate.
Qed.

Lemma event_in : forall j y, - B < IZR j * Lambda < B ->
  Req_bool (clamp (snap (rnd y))) (IZR j * Lambda) = reaches (half j) y && negb (reaches (half (j + 1)) y).
Proof.
  intros j y Hj. assert (L := Lambda_pos). apply eq_bool. rewrite clamp_in by exact Hj. unfold Snapping.snap.
  set (k := Zfloor (rnd y / Lambda + / 2)).
  assert (G1 := snap_ge j y). assert (G2 := snap_ge (j + 1) y). fold k in G1, G2.
  rewrite andb_true_iff, negb_true_iff. split.
  - intros H. assert (k = j). { apply eq_IZR. apply Rmult_eq_reg_r with Lambda; lra. }
    split. apply G1; lia. destruct (reaches (half (j + 1)) y); [|reflexivity].
    assert ((j + 1 <= k)%Z) by now apply G2. lia.
  - intros [H1 H2]. apply G1 in H1. destruct (Z_le_gt_dec (j + 1) k) as [h|h].
    apply G2 in h. rewrite h in H2. discriminate. f_equal. f_equal. lia.
Qed.

(** ** The law of one edge *)
Notation near := (near eta P M).

Definition Q e g := / 2 * prob (fun u => reaches e (g - D u)) + / 2 * prob (fun u => reaches e (g + D u)).

(** The probability of reaching an edge, by the side on which the input is: half of H if the input is before the edge, 1 less half of H if beyond.
    Plan: one sign of the noise can never cross the edge; for the other, crossing is an event of the noise with a threshold at
    the distance, to which [noise_reaches] applies. *)
Lemma edge_law : forall e eh g, threshold (reaches e) eh ->
  meas (fun u => reaches e (g - D u)) /\ meas (fun u => reaches e (g + D u)) /\
  exists H, (reaches e g = false /\ g <= eh /\ near H ((eh - g) / lambda) /\ Q e g = / 2 * H)
         \/ (reaches e g = true /\ eh <= g /\ near H ((g - eh) / lambda) /\ Q e g = 1 - / 2 * H).
Proof.
  intros e eh g [T1 T2]. assert (U := reaches_up p Hp1 e).
  destruct (reaches e g) eqn:Eg.
  - assert (Hg : eh <= g). { destruct (Rle_lt_dec eh g) as [h|h]; [exact h|]. rewrite T2 in Eg by exact h. discriminate. }
    set (K := fun d => negb (reaches e (g - d))).
    assert (KU : up K).
    { intros d d' Hd. unfold K. rewrite !negb_true_iff. intros Hf.
      destruct (reaches e (g - d')) eqn:E'; [|reflexivity].
      rewrite <- Hf. symmetry. apply U with (2 := E'). lra. }
    assert (KT : threshold K (g - eh)).
    { split; intros d Hd; unfold K. rewrite T2 by lra. reflexivity. rewrite T1 by lra. reflexivity. }
    destruct (H_bounds K (g - eh) KU KT) as [M1 N1]. lra.
    destruct (prob_neg _ M1) as [M2 N2].
    assert (X : forall u, 0 < u < 1 -> negb (K (D u)) = reaches e (g - D u)) by (intros; unfold K; apply negb_involutive).
    destruct (prob_true (fun u => reaches e (g + D u))) as [M3 N3].
    { intros u Hu. apply U with (2 := Eg). assert (G := D_nonneg u Hu). lra. }
    split; [|split].
    + now apply (meas_ext _ _ X).
    + exact M3.
    + exists (prob (fun u => K (D u))). right. split; [reflexivity|]. split; [exact Hg|]. split; [exact N1|].
      unfold Q. rewrite N3. rewrite <- (prob_ext _ _ X), N2. lra.
  - assert (Hg : g <= eh). { destruct (Rle_lt_dec g eh) as [h|h]; [exact h|]. rewrite T1 in Eg by exact h. discriminate. }
    set (K := fun d => reaches e (g + d)).
    assert (KU : up K). { intros d d' Hd. unfold K. apply U. lra. }
    assert (KT : threshold K (eh - g)). { split; intros d Hd; unfold K. apply T1; lra. apply T2; lra. }
    destruct (H_bounds K (eh - g) KU KT) as [M1 N1]. lra.
    destruct (prob_false (fun u => reaches e (g - D u))) as [M3 N3].
    { intros u Hu. destruct (reaches e (g - D u)) eqn:E'; [|reflexivity].
      rewrite <- Eg. symmetry. apply U with (2 := E'). assert (G := D_nonneg u Hu). lra. }
    split; [exact M3|]. split; [exact M1|].
    exists (prob (fun u => K (D u))). left. split; [reflexivity|]. split; [exact Hg|]. split; [exact N1|].
    unfold Q. rewrite N3. unfold K. lra.
Qed.

Lemma Pr_B : forall g, Pr B g = Q (half n) (clamp g).
Proof.
  intros g. unfold law, Q. f_equal; f_equal; apply prob_ext; intros u _.
  rewrite out_true. apply event_B. rewrite out_false. apply event_B.
Qed.

Lemma Pr_mB : forall g, (exists eh, threshold (reaches (half (1 - n))) eh) -> Pr (- B) g = 1 - Q (half (1 - n)) (clamp g).
Proof.
  intros g [eh T]. destruct (edge_law _ _ (clamp g) T) as [M1 [M2 _]].
  destruct (prob_neg _ M1) as [_ N1]. destruct (prob_neg _ M2) as [_ N2].
  unfold law, Q.
  rewrite (prob_ext (fun u => Req_bool (out g true u) (- B)) (fun u => negb (reaches (half (1 - n)) (clamp g - D u)))).
  rewrite (prob_ext (fun u => Req_bool (out g false u) (- B)) (fun u => negb (reaches (half (1 - n)) (clamp g + D u)))).
  rewrite N1, N2. lra.
  intros u _. rewrite out_false. apply event_mB.
  intros u _. rewrite out_true. apply event_mB.
Qed.

Lemma half_mono : forall j y, reaches (half (j + 1)) y = true -> reaches (half j) y = true.
Proof. intros j y H. apply snap_ge in H. apply snap_ge. lia. Qed.

Lemma Pr_in : forall j g, - B < IZR j * Lambda < B ->
  (exists eh, threshold (reaches (half j)) eh) -> (exists eh, threshold (reaches (half (j + 1))) eh) ->
  Pr (IZR j * Lambda) g = Q (half j) (clamp g) - Q (half (j + 1)) (clamp g).
Proof.
  intros j g Hj [e1 T1] [e2 T2].
  destruct (edge_law _ _ (clamp g) T1) as [A1 [A2 _]]. destruct (edge_law _ _ (clamp g) T2) as [B1 [B2 _]].
  destruct (prob_diff _ _ A1 B1) as [_ N1]. { intros u _. apply half_mono. }
  destruct (prob_diff _ _ A2 B2) as [_ N2]. { intros u _. apply half_mono. }
  unfold law, Q.
  rewrite (prob_ext (fun u => Req_bool (out g true u) (IZR j * Lambda))
     (fun u => reaches (half j) (clamp g - D u) && negb (reaches (half (j + 1)) (clamp g - D u)))).
  rewrite (prob_ext (fun u => Req_bool (out g false u) (IZR j * Lambda))
     (fun u => reaches (half j) (clamp g + D u) && negb (reaches (half (j + 1)) (clamp g + D u)))).
  rewrite N1, N2. lra.
  intros u _. rewrite out_false. now apply event_in.
  intros u _. rewrite out_true. now apply event_in.
Qed.

(** What can be published: B, -B, and the multiples of Lambda between. *)
Lemma outputs : forall x, x = B \/ x = - B \/ (exists j, (1 - n <= j < n)%Z /\ - B < IZR j * Lambda < B /\ x = IZR j * Lambda)
  \/ (forall g s u, Req_bool (out g s u) x = false).
Proof.
  intros x. assert (L := Lambda_pos).
  destruct (Req_dec x B) as [Ex|Nx]; [now left|]. destruct (Req_dec x (- B)) as [Ex|Nx']; [right; now left|].
  right; right. set (j := Zfloor (x / Lambda + / 2)).
  destruct (Req_dec x (IZR j * Lambda)) as [Es|Ns].
  - destruct (Rlt_le_dec x B) as [xB|xB]; [destruct (Rlt_le_dec (- B) x) as [xB'|xB']|].
    + left. exists j. rewrite <- Es. split; [|split; [lra|reflexivity]]. split.
      * destruct (Z_le_gt_dec n (- j)) as [h|h]; [exfalso|lia]. apply n_spec in h. rewrite opp_IZR in h. lra.
      * destruct (Z_le_gt_dec n j) as [h|h]; [exfalso|lia]. apply n_spec in h. lra.
    + right. intros g s u. apply Req_bool_false. intros E.
      unfold Snapping.out in E. set (v := snap _) in E. assert (R := clamp_range v). lra.
    + right. intros g s u. apply Req_bool_false. intros E.
      unfold Snapping.out in E. set (v := snap _) in E. assert (R := clamp_range v). lra.
  - right. intros g s u. apply Req_bool_false. intros E.
    unfold Snapping.out in E. set (v := snap _) in E.
    assert (R := clamp_range v). assert (Hx : - B < x < B) by lra.
    apply (proj1 (clamp_in v x Hx)) in E. apply Ns. unfold j. rewrite <- E. unfold v, Snapping.snap.
    set (k := Zfloor _). replace (IZR k * Lambda / Lambda + / 2) with (IZR k + / 2) by (field; lra).
    replace (Zfloor (IZR k + / 2)) with k. reflexivity. symmetry. apply Zfloor_imp. rewrite plus_IZR. lra.
Qed.

Lemma Pr_never : forall x g, (forall g s u, Req_bool (out g s u) x = false) -> Pr x g = 0.
Proof.
  intros x g H. unfold law.
  destruct (prob_false (fun u => Req_bool (out g true u) x)) as [_ N1]. intros; apply H.
  destruct (prob_false (fun u => Req_bool (out g false u) x)) as [_ N2]. intros; apply H.
  rewrite N1, N2. lra.
Qed.

(** ** Edges are numbers of the format, and move by at most omega *)
Notation last := (last Lambda n).
Notation omega := (omega eta Lambda n).
Notation narrowest := (narrowest eta Lambda lambda n).
Notation widest := (widest eta Lambda lambda n).
Notation outside_reach := (outside_reach eta Lambda lambda B n).
Notation tail_reach := (tail_reach eta Lambda lambda B n).

Lemma n_le : (n <= 2 ^ (p - 6))%Z.
Proof.
  apply n_spec.
  replace (IZR (2 ^ (p - 6))) with (bpow radix2 (p - 6)). apply HB.
  change 2%Z with (radix_val radix2). rewrite <- IZR_Zpower by lia. reflexivity.
Qed.

Lemma half_F : forall j, (1 - n <= j <= n)%Z -> F p (half j).
Proof.
  intros j Hj. assert (N := n_le). assert (N1 := n_pos).
  replace (half j) with (IZR (2 * j - 1) * bpow radix2 (l - 1)).
  - apply F_multiple. 
    assert (2 ^ p = 2 ^ (p - 6) * 64)%Z.
    { replace p with ((p - 6) + 6)%Z at 1 by ring. rewrite Z.pow_add_r by lia. reflexivity. }
    assert (0 < 2 ^ (p - 6))%Z by (apply Z.pow_pos_nonneg; lia). lia.
  - unfold half. unfold Z.sub at 2. rewrite bpow_plus. rewrite minus_IZR, mult_IZR. simpl. lra.
Qed.

Lemma half_abs : forall j, (1 - n <= j <= n)%Z -> Rabs (half j) <= last.
Proof.
  intros j Hj. assert (L := Lambda_pos). unfold Snapping.last, half. apply Rabs_le.
  assert (IZR (1 - n) <= IZR j <= IZR n) by (split; apply IZR_le; lia). rewrite minus_IZR in H. split; nra.
Qed.

Lemma edge_moved : forall j, (1 - n <= j <= n)%Z ->
  exists eh, half j - omega <= eh <= half j /\ threshold (reaches (half j)) eh.
Proof.
  intros j Hj. destruct (moved_edge p Hp1 (half j) (half_F j Hj)) as [eh [H1 H2]].
  exists eh. split; [|exact H2]. assert (G := half_abs j Hj). assert (He := eta_pos p).
  assert (eta * Rabs (half j) <= omega) by (unfold Snapping.omega; apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma last_pos : 0 < last.
Proof.
  unfold Snapping.last, half. assert (L := Lambda_pos). assert (IZR 1 <= IZR n) by (apply IZR_le, n_pos). nra.
Qed.

Lemma omega_small : 0 < omega < Lambda / 2.
Proof.
  assert (He := eta_pos p). assert (L0 := last_pos). assert (L := Lambda_pos). split.
  - unfold Snapping.omega. now apply Rmult_lt_0_compat.
  - unfold Snapping.omega, Snapping.last, half. assert (N := n_le). apply IZR_le in N.
    replace (IZR (2 ^ (p - 6))) with (bpow radix2 (p - 6)) in N.
    2:{ change 2%Z with (radix_val radix2). rewrite <- IZR_Zpower by lia. reflexivity. }
    assert (eta * bpow radix2 (p - 6) = / 64).
    { unfold Format.eta. rewrite <- bpow_plus. replace (- p + (p - 6))%Z with (-6)%Z by ring. simpl. lra. }
    assert (eta * IZR n <= / 64) by (rewrite <- H; apply Rmult_le_compat_l; lra).
    replace (eta * ((IZR n - / 2) * Lambda)) with ((eta * IZR n - eta / 2) * Lambda) by field.
    apply Rlt_le_trans with (/ 64 * Lambda). apply Rmult_lt_compat_r; lra. lra.
Qed.

Lemma widths : 0 < narrowest <= widest.
Proof.
  assert (O := omega_small). assert (L := Lambda_pos). unfold Snapping.narrowest, Snapping.widest. split.
  apply Rdiv_lt_0_compat; lra. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|lra].
Qed.

Notation out_up := (Compare.out_up eta P M narrowest widest).
Notation out_down := (Compare.out_down eta P M narrowest widest).
Notation tail_up := (Compare.tail_up eta M).
Notation tail_down := (Compare.tail_down P).
Notation in_up := (Compare.in_up P narrowest).
Notation in_down := (Compare.in_down eta M narrowest).

(** The worst bounds for an output with two edges whose cell holds an input, the other being at most T away; and for one with one edge. *)
Definition two_up T := Rmax in_up (out_up T).
Definition two_down T := Rmin in_down (out_down T).
Definition one_up := Rmax in_up (tail_up tail_reach).
Definition one_down := Rmin in_down (tail_down tail_reach).

Lemma div_le : forall a b, a <= b -> a / lambda <= b / lambda.
Proof. intros a b H. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H]. Qed.

Lemma div_pos : forall a, 0 <= a -> 0 <= a / lambda.
Proof. intros a H. apply Rmult_le_pos; [exact H|left; now apply Rinv_0_lt_compat]. Qed.

(** An input g and a cell with the moved edges h1 and h2: g is inside, or outside at a distance t; either way the law of the program is within
    the bounds of step 4 of the ideal law. Plan: [edge_law] at both edges gives four places, of which one cannot be. *)
Lemma places : forall e1 e2 h1 h2 g, - B <= g <= B ->
  threshold (reaches e1) h1 -> threshold (reaches e2) h2 ->
  (forall y, reaches e2 y = true -> reaches e1 y = true) ->
  Lambda - omega <= h2 - h1 <= Lambda + omega ->
  h1 + B <= B + last - Lambda + omega -> B - h2 <= B + last - Lambda + omega ->
  let c := cell lambda h1 h2 g in
  (h1 <= g <= h2 /\ in_down * c <= Q e1 g - Q e2 g <= in_up * c) \/
  (exists t, 0 <= t <= outside_reach /\ (t = (h1 - g) / lambda \/ t = (g - h2) / lambda) /\
     forall T, t <= T -> out_down T * c <= Q e1 g - Q e2 g <= out_up T * c).
Proof.
  intros e1 e2 h1 h2 g Hg K1 K2 Hsub Hw Hl Hr c. unfold c, cell. clear c.
  assert (O := omega_small). assert (L := Lambda_pos).
  assert (He := eta_pos p). assert (HP := P_ge). assert (HM := M_range). assert (HW := widths).
  destruct (edge_law e1 h1 g K1) as [_ [_ [H1 C1]]].
  destruct (edge_law e2 h2 g K2) as [_ [_ [H2 C2]]].
  assert (Hww : narrowest <= (h2 - h1) / lambda <= widest) by (unfold Snapping.narrowest, Snapping.widest; split; apply div_le; lra).
  destruct C1 as [[R1 [G1 [N1 Q1]]]|[R1 [G1 [N1 Q1]]]], C2 as [[R2 [G2 [N2 Q2]]]|[R2 [G2 [N2 Q2]]]].
  - (* left of the cell *)
    right. rewrite !Q0_left by lra. rewrite Q1, Q2.
    replace ((h2 - g) / lambda) with ((h1 - g) / lambda + (h2 - h1) / lambda) in * by (field; lra).
    set (t := (h1 - g) / lambda) in *. set (w := (h2 - h1) / lambda) in *.
    exists t. split. unfold t, Snapping.outside_reach; split; [apply div_pos; lra|apply div_le; lra]. split. now left.
    intros T HT. assert (Ht : 0 <= t <= T) by (split; [apply div_pos; lra|exact HT]).
    assert (A := outside_up eta P M narrowest widest He HP HM HW _ _ _ _ _ N1 N2 Hww Ht).
    assert (A' := outside_down eta P M narrowest widest He HP HM HW _ _ _ _ _ N1 N2 Hww Ht). lra.
  - (* in no order *)
    rewrite (Hsub _ R2) in R1. discriminate.
  - (* inside *)
    left. split. lra. rewrite Q0_right by lra. rewrite Q0_left by lra. rewrite Q1, Q2.
    set (a := (g - h1) / lambda) in *. set (b := (h2 - g) / lambda) in *.
    assert (Ha : 0 <= a) by (apply div_pos; lra). assert (Hb : 0 <= b) by (apply div_pos; lra).
    assert (Hab : narrowest <= a + b). { replace (a + b) with ((h2 - h1) / lambda) by (unfold a, b; field; lra). lra. }
    assert (A := inside_up eta P M narrowest widest HP HW _ _ _ _ N1 N2 Ha Hb Hab).
    assert (A' := inside_down eta P M narrowest widest He HM HW _ _ _ _ N1 N2 Ha Hb Hab). lra.
  - (* right of the cell *)
    right. rewrite !Q0_right by lra. rewrite Q1, Q2.
    replace ((g - h1) / lambda) with ((g - h2) / lambda + (h2 - h1) / lambda) in * by (field; lra).
    set (t := (g - h2) / lambda) in *. set (w := (h2 - h1) / lambda) in *.
    exists t. split. unfold t, Snapping.outside_reach; split; [apply div_pos; lra|apply div_le; lra]. split. now right.
    intros T HT. assert (Ht : 0 <= t <= T) by (split; [apply div_pos; lra|exact HT]).
    assert (A := outside_up eta P M narrowest widest He HP HM HW _ _ _ _ _ N2 N1 Hww Ht).
    assert (A' := outside_down eta P M narrowest widest He HP HM HW _ _ _ _ _ N2 N1 Hww Ht). lra.
Qed.

(** The same for the outputs B and -B, whose cells have one edge. *)
Lemma upper_tail : forall e h g, - B <= g <= B -> threshold (reaches e) h -> h <= last ->
  one_down * Q0 lambda h g <= Q e g <= one_up * Q0 lambda h g.
Proof.
  intros e h g Hg K Hh. assert (O := omega_small). assert (L := Lambda_pos).
  assert (He := eta_pos p). assert (HP := P_ge). assert (HM := M_range). assert (HW := widths).
  assert (B1 := Rmax_l in_up (tail_up tail_reach)). assert (B2 := Rmin_l in_down (tail_down tail_reach)).
  assert (B3 := Rmax_r in_up (tail_up tail_reach)). assert (B4 := Rmin_r in_down (tail_down tail_reach)).
  fold one_up in B1, B3. fold one_down in B2, B4.
  destruct (edge_law e h g K) as [_ [_ [H [[R1 [G1 [N1 Q1]]]|[R1 [G1 [N1 Q1]]]]]]].
  - rewrite Q0_left by lra. rewrite Q1. set (t := (h - g) / lambda) in *.
    assert (Ht : 0 <= t <= tail_reach) by (unfold t, Snapping.tail_reach; split; [apply div_pos; lra|apply div_le; lra]).
    assert (A := near_up eta P M He HM _ _ _ N1 Ht). assert (A' := near_down eta P M HP _ _ _ N1 Ht).
    assert (X := exp_pos (- t)). split; nra.
  - rewrite Q0_right by lra. rewrite Q1. set (a := (g - h) / lambda) in *.
    assert (Ha : 0 <= a) by (apply div_pos; lra).
    assert (A := inside_tail_up eta P M narrowest widest HP HW _ _ N1 Ha).
    assert (A' := inside_tail_down eta P M narrowest widest He HM HW _ _ N1 Ha).
    assert (X := exp_neg a Ha). split; nra.
Qed.

Lemma lower_tail : forall e h g, - B <= g <= B -> threshold (reaches e) h -> - last - omega <= h ->
  one_down * (1 - Q0 lambda h g) <= 1 - Q e g <= one_up * (1 - Q0 lambda h g).
Proof.
  intros e h g Hg K Hh. assert (O := omega_small). assert (L := Lambda_pos).
  assert (He := eta_pos p). assert (HP := P_ge). assert (HM := M_range). assert (HW := widths).
  assert (B1 := Rmax_l in_up (tail_up tail_reach)). assert (B2 := Rmin_l in_down (tail_down tail_reach)).
  assert (B3 := Rmax_r in_up (tail_up tail_reach)). assert (B4 := Rmin_r in_down (tail_down tail_reach)).
  fold one_up in B1, B3. fold one_down in B2, B4.
  destruct (edge_law e h g K) as [_ [_ [H [[R1 [G1 [N1 Q1]]]|[R1 [G1 [N1 Q1]]]]]]].
  - rewrite Q0_left by lra. rewrite Q1. set (a := (h - g) / lambda) in *.
    assert (Ha : 0 <= a) by (apply div_pos; lra).
    assert (A := inside_tail_up eta P M narrowest widest HP HW _ _ N1 Ha).
    assert (A' := inside_tail_down eta P M narrowest widest He HM HW _ _ N1 Ha).
    assert (X := exp_neg a Ha). split; nra.
  - rewrite Q0_right by lra. rewrite Q1. set (t := (g - h) / lambda) in *.
    assert (Ht : 0 <= t <= tail_reach) by (unfold t, Snapping.tail_reach; split; [apply div_pos; lra|apply div_le; lra]).
    assert (A := near_up eta P M He HM _ _ _ N1 Ht). assert (A' := near_down eta P M HP _ _ _ N1 Ht).
    assert (X := exp_pos (- t)). split; nra.
Qed.

(** ** The cases *)
Lemma chain : forall U Dn k p0 p0' pr pr', 0 < Dn -> 0 <= U -> 0 <= k ->
  pr <= U * p0 -> p0 <= k * p0' -> Dn * p0' <= pr' -> pr <= k * (U / Dn) * pr'.
Proof.
  intros U Dn k p0 p0' pr pr' HDn HU Hk H1 H2 H3.
  assert (p0' <= pr' / Dn).
  { apply Rmult_le_reg_r with Dn. exact HDn. replace (pr' / Dn * Dn) with pr' by (field; lra). lra. }
  apply Rle_trans with (1 := H1). apply Rle_trans with (U * (k * (pr' / Dn))).
  apply Rmult_le_compat_l. exact HU. apply Rle_trans with (1 := H2). now apply Rmult_le_compat_l.
  right. field. lra.
Qed.

Lemma in_up_pos : 0 <= in_up.
Proof.
  assert (HP := P_ge). assert (Qq := q_lt narrowest widest widths). assert (X := exp_pos 1). unfold Compare.in_up.
  assert (0 <= 2 * (P - 1) / (exp 1 * (1 - Compare.q narrowest))); [|lra].
  apply Rmult_le_pos. lra. left; apply Rinv_0_lt_compat. nra.
Qed.

Lemma cell_nonneg : forall h1 h2 g, h1 <= h2 -> 0 <= cell lambda h1 h2 g.
Proof.
  intros h1 h2 g H. unfold cell, Q0. repeat destruct Rle_lt_dec; try lra.
  - assert (exp (- ((h2 - g) / lambda)) <= exp (- ((h1 - g) / lambda))); [|lra].
    apply exp_le'. apply Ropp_le_contravar. apply div_le. lra.
  - assert (X1 := exp_neg ((g - h1) / lambda)). assert (X2 := exp_neg ((h2 - g) / lambda)).
    assert (Y1 : 0 <= (g - h1) / lambda) by (apply div_pos; lra). assert (Y2 : 0 <= (h2 - g) / lambda) by (apply div_pos; lra).
    specialize (X1 Y1). specialize (X2 Y2). lra.
  - assert (exp (- ((g - h1) / lambda)) <= exp (- ((g - h2) / lambda))); [|lra].
    apply exp_le'. apply Ropp_le_contravar. apply div_le. lra.
Qed.

(** The probabilities of tails are not negative. *)
Lemma Q0_range : forall h g, 0 <= Q0 lambda h g <= 1.
Proof.
  intros h g. unfold Q0. destruct Rle_lt_dec as [H|H].
  - assert (X := exp_pos (- ((h - g) / lambda))). assert (Y : 0 <= (h - g) / lambda) by (apply div_pos; lra).
    assert (Z := exp_neg _ Y). lra.
  - assert (X := exp_pos (- ((g - h) / lambda))). assert (Y : 0 <= (g - h) / lambda) by (apply div_pos; lra).
    assert (Z := exp_neg _ Y). lra.
Qed.

Lemma out_up_pos : 0 <= outside_reach -> 0 <= out_up outside_reach.
Proof.
  intros T. assert (Qq := q_lt narrowest widest widths). unfold Compare.out_up.
  apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
  assert (Z1 := tail_up_ge_1 eta M (eta_pos p) M_range outside_reach T).
  assert (WW := widths). assert (Z2 := tail_down_le_1 P P_ge (outside_reach + widest) ltac:(lra)).
  assert (0 < Compare.tail_down P (outside_reach + widest)) by apply exp_pos. nra.
Qed.

Lemma div_le_mult : forall a b c, 0 < b -> a / b <= c -> a <= c * b.
Proof.
  intros a b c Hb H. apply Rmult_le_compat_r with (r := b) in H; [|lra].
  replace (a / b * b) with a in H by (field; lra). exact H.
Qed.

Section Pair.
(** Two inputs that are within Delta of each other when they are clamped; an input next to a cell that holds the other
    is at most [nearby] scales from it; ratio bounds (1 + up)/(1 - down) for the three kinds of pairs of places. *)
Variables (Delta nearby ratio : R) (g g' : R).
Hypothesis Hgg : Rabs (clamp g - clamp g') <= Delta.
Hypothesis Hnear : Delta / lambda <= nearby \/ outside_reach <= nearby.
Hypothesis HD1 : 0 < one_down.
Hypothesis HDo : 0 < out_down outside_reach.
Hypothesis HD2 : 0 < two_down nearby.
Hypothesis R1 : one_up / one_down <= ratio.
Hypothesis Ro : out_up outside_reach / out_down outside_reach <= ratio.
Hypothesis R2 : two_up nearby / two_down nearby <= ratio.

(** From the ideal law to the law of the program. *)
Lemma transfer : forall U Dn p0 p0' pr pr', 0 <= U -> 0 < Dn -> U / Dn <= ratio -> 0 <= p0' ->
  pr <= U * p0 -> p0 <= k lambda (clamp g) (clamp g') * p0' -> Dn * p0' <= pr' ->
  pr <= exp (Delta / lambda) * ratio * pr'.
Proof.
  intros U Dn p0 p0' pr pr' HU HDn HR Hp0 H1 H2 H3.
  assert (Hk : k lambda (clamp g) (clamp g') <= exp (Delta / lambda)).
  { unfold k. apply exp_le'. apply div_le. lra. }
  assert (Kp := k_pos lambda (clamp g) (clamp g')).
  assert (0 <= pr') by (apply Rle_trans with (2 := H3); apply Rmult_le_pos; lra).
  assert (0 <= U / Dn) by (apply Rmult_le_pos; [exact HU|left; now apply Rinv_0_lt_compat]).
  apply Rle_trans with (k lambda (clamp g) (clamp g') * (U / Dn) * pr').
  eapply chain; [exact HDn|exact HU|lra|exact H1|exact H2|exact H3].
  apply Rmult_le_compat_r. assumption. apply Rmult_le_compat; lra.
Qed.

(** x = B *)
Lemma case_B : Pr B g <= exp (Delta / lambda) * ratio * Pr B g'.
Proof.
  assert (N := n_pos). assert (C := clamp_range g). assert (C' := clamp_range g').
  destruct (edge_moved n) as [h [Hh T]]. lia.
  assert (A := upper_tail _ _ (clamp g) C T (proj2 Hh)). assert (A' := upper_tail _ _ (clamp g') C' T (proj2 Hh)).
  rewrite !Pr_B.
  apply transfer with (U := one_up) (Dn := one_down) (p0 := Q0 lambda h (clamp g)) (p0' := Q0 lambda h (clamp g')); try lra.
  - apply Rle_trans with (1 := in_up_pos). apply Rmax_l.
  - apply Q0_range.
  - now apply tail_ratio.
Qed.

(** x = -B *)
Lemma case_mB : Pr (- B) g <= exp (Delta / lambda) * ratio * Pr (- B) g'.
Proof.
  assert (N := n_pos). assert (C := clamp_range g). assert (C' := clamp_range g').
  destruct (edge_moved (1 - n)) as [h [Hh T]]. lia.
  assert (Hl : - last - omega <= h).
  { assert (half (1 - n) = - last) by (unfold Snapping.last, half; rewrite minus_IZR; lra). lra. }
  assert (A := lower_tail _ _ (clamp g) C T Hl). assert (A' := lower_tail _ _ (clamp g') C' T Hl).
  rewrite !Pr_mB by (now exists h). assert (Q := Q0_range h (clamp g')).
  apply transfer with (U := one_up) (Dn := one_down) (p0 := 1 - Q0 lambda h (clamp g)) (p0' := 1 - Q0 lambda h (clamp g')); try lra.
  - apply Rle_trans with (1 := in_up_pos). apply Rmax_l.
  - now apply tail_ratio'.
Qed.

(** x strictly between -B and B. Plan: [places] says for each input that it is inside the cell, or outside at a distance
    t; if one is inside, the other is within Delta of the cell; if none is, the far bound covers both. *)
Lemma case_between : forall j, (1 - n <= j < n)%Z -> - B < IZR j * Lambda < B ->
  Pr (IZR j * Lambda) g <= exp (Delta / lambda) * ratio * Pr (IZR j * Lambda) g'.
Proof.
  intros j Hj1 Hj. assert (O := omega_small). assert (L := Lambda_pos).
  assert (C := clamp_range g). assert (C' := clamp_range g').
  destruct (edge_moved j) as [h1 [Hh1 K1]]. lia. destruct (edge_moved (j + 1)) as [h2 [Hh2 K2]]. lia.
  assert (Hd : half (j + 1) = half j + Lambda) by (unfold half; rewrite (plus_IZR j 1); lra).
  assert (Ha : half (j + 1) <= last).
  { unfold Snapping.last, half. apply Rmult_le_compat_r. lra. assert (IZR (j + 1) <= IZR n) by (apply IZR_le; lia). lra. }
  assert (Hb : - last <= half j).
  { unfold Snapping.last, half. assert (IZR (1 - n) <= IZR j) by (apply IZR_le; lia). rewrite minus_IZR in H. nra. }
  assert (Sub : forall y, reaches (half (j + 1)) y = true -> reaches (half j) y = true) by (intros; now apply half_mono).
  assert (Wd : Lambda - omega <= h2 - h1 <= Lambda + omega) by lra.
  assert (A := places _ _ _ _ (clamp g) C K1 K2 Sub Wd ltac:(lra) ltac:(lra)).
  assert (A' := places _ _ _ _ (clamp g') C' K1 K2 Sub Wd ltac:(lra) ltac:(lra)).
  cbv zeta in A, A'.
  rewrite !Pr_in by (first [exact Hj|now exists h1|now exists h2]).
  assert (Hc := cell_nonneg h1 h2 (clamp g) ltac:(lra)). assert (Hc' := cell_nonneg h1 h2 (clamp g') ltac:(lra)).
  assert (Rat := cell_ratio lambda Hlambda h1 h2 (clamp g) (clamp g') ltac:(lra)).
  assert (B1 := Rmax_l in_up (out_up nearby)). assert (B2 := Rmin_l in_down (out_down nearby)).
  assert (B3 := Rmax_r in_up (out_up nearby)). assert (B4 := Rmin_r in_down (out_down nearby)).
  fold (two_up nearby) in B1, B3. fold (two_down nearby) in B2, B4.
  assert (HU2 : 0 <= two_up nearby) by (apply Rle_trans with (1 := in_up_pos); exact B1).
  assert (Abs1 := Rle_abs (clamp g - clamp g')). assert (Abs2 := Rle_abs (- (clamp g - clamp g'))). rewrite Rabs_Ropp in Abs2.
  assert (Two : forall pr pr', pr <= two_up nearby * cell lambda h1 h2 (clamp g) ->
    two_down nearby * cell lambda h1 h2 (clamp g') <= pr' -> pr <= exp (Delta / lambda) * ratio * pr').
  { intros pr pr' H1 H2. apply transfer with (1 := HU2) (2 := HD2) (3 := R2) (4 := Hc') (5 := H1) (6 := Rat) (7 := H2). }
  assert (Up : forall u c, u <= two_up nearby -> 0 <= c -> u * c <= two_up nearby * c) by (intros; now apply Rmult_le_compat_r).
  assert (Dn : forall u c, two_down nearby <= u -> 0 <= c -> two_down nearby * c <= u * c) by (intros; now apply Rmult_le_compat_r).
  destruct A as [[I S]|[t [Ht [Et S]]]], A' as [[I' S']|[t' [Ht' [Et' S']]]].
  - (* both in the cell *)
    apply Two.
    apply Rle_trans with (1 := proj2 S); now apply Up. apply Rle_trans with (2 := proj1 S'); now apply Dn.
  - (* g in the cell, g' within Delta of it *)
    assert (Hn : t' <= nearby).
    { destruct Hnear as [H|H]; [|lra]. apply Rle_trans with (2 := H). destruct Et' as [Et'|Et']; rewrite Et'; apply div_le; lra. }
    specialize (S' nearby Hn). apply Two.
    apply Rle_trans with (1 := proj2 S); now apply Up. apply Rle_trans with (2 := proj1 S'); now apply Dn.
  - (* g' in the cell, g within Delta of it *)
    assert (Hn : t <= nearby).
    { destruct Hnear as [H|H]; [|lra]. apply Rle_trans with (2 := H). destruct Et as [Et|Et]; rewrite Et; apply div_le; lra. }
    specialize (S nearby Hn). apply Two.
    apply Rle_trans with (1 := proj2 S); now apply Up. apply Rle_trans with (2 := proj1 S'); now apply Dn.
  - (* neither *)
    specialize (S outside_reach (proj2 Ht)). specialize (S' outside_reach (proj2 Ht')).
    apply transfer with (U := out_up outside_reach) (Dn := out_down outside_reach) (6 := Rat); try lra.
    apply out_up_pos. lra.
Qed.

(** The theorem of the page, for any noise of step 2. *)
Theorem snapping_cases : forall x, Pr x g <= exp (Delta / lambda) * ratio * Pr x g'.
Proof.
  intros x. destruct (outputs x) as [E|[E|[[j [Hj [Hj' E]]]|Nv]]].
  - subst x. apply case_B.
  - subst x. apply case_mB.
  - subst x. now apply case_between.
  - rewrite !Pr_never by exact Nv. lra.
Qed.
End Pair.

(** The law is one of measurable events, so a probability is not negative. *)
Lemma Pr_measurable : forall x g s, meas (fun u => Req_bool (out g s u) x).
Proof.
  intros x g s. assert (N := n_pos).
  assert (Reach : forall j, (1 - n <= j <= n)%Z -> meas (fun u => reaches (half j) (if s then clamp g - D u else clamp g + D u))).
  { intros j Hj. destruct (edge_moved j Hj) as [h [_ T]].
    destruct (edge_law _ _ (clamp g) T) as [M1 [M2 _]]. destruct s; assumption. }
  assert (O : forall u, out g s u = clamp (snap (rnd (if s then clamp g - D u else clamp g + D u)))).
  { intros u. destruct s; [apply out_true|apply out_false]. }
  destruct (outputs x) as [E|[E|[[j [Hj [Hj' E]]]|Nv]]].
  - subst x. apply meas_ext with (2 := Reach n ltac:(lia)). intros u _. rewrite O. symmetry; apply event_B.
  - subst x. destruct (prob_neg _ (Reach (1 - n)%Z ltac:(lia))) as [H _].
    apply meas_ext with (2 := H). intros u _. rewrite O. symmetry; apply event_mB.
  - subst x. destruct (prob_diff _ _ (Reach j ltac:(lia)) (Reach (j + 1)%Z ltac:(lia))) as [H _].
    { intros u _. apply half_mono. }
    apply meas_ext with (2 := H). intros u _. rewrite O. symmetry; now apply event_in.
  - apply prob_false. intros u _. apply Nv.
Qed.

Lemma Pr_nonneg : forall x g, 0 <= Pr x g.
Proof.
  intros x g. unfold law.
  assert (P1 := prob_nonneg _ (Pr_measurable x g true)). assert (P2 := prob_nonneg _ (Pr_measurable x g false)). lra.
Qed.

End Cases.
