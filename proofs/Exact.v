(** The exact mechanism: real Laplace noise and any monotone rounding of the sum lose |g - g'|/lambda, and no more.

    This is the default mode, whose sampler decides from finitely many bits to which cell the real sum belongs; see [LazyReal]. A
    grid of any step, a clamp, and both together are monotone. *)
From Coq Require Import Reals ZArith List Lra Psatz Bool Classical.
From Flocq Require Import Core.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Probability Noise Laplace Compare Snapping Events.
Open Scope R_scope.

Section Exact.
Variable lambda : R.
Hypothesis Hlambda : 0 < lambda.

(** A real Laplace number of scale lambda: a fair sign and the logarithm of a real uniform. *)
Definition laplace (s : bool) (u : R) : R := (if s then 1 else -1) * (lambda * ln u).

Lemma ln_neg : forall u, 0 < u < 1 -> ln u < 0.
Proof. intros u Hu. rewrite <- ln_1. apply ln_increasing; lra. Qed.

(** -lambda ln u passes t as long as u is before e^(-t/lambda). *)
Lemma before : forall t u, 0 < u < 1 -> u < exp (- (t / lambda)) -> t < - (lambda * ln u).
Proof.
  intros t u Hu H. apply ln_increasing in H; [|lra]. rewrite ln_exp in H.
  apply Rmult_lt_compat_l with (r := lambda) in H; [|exact Hlambda].
  replace (lambda * - (t / lambda)) with (- t) in H by (field; lra). lra.
Qed.

Lemma beyond : forall t u, 0 < u < 1 -> exp (- (t / lambda)) < u -> - (lambda * ln u) < t.
Proof.
  intros t u Hu H. apply ln_increasing in H; [|apply exp_pos]. rewrite ln_exp in H.
  apply Rmult_lt_compat_l with (r := lambda) in H; [|exact Hlambda].
  replace (lambda * - (t / lambda)) with (- t) in H by (field; lra). lra.
Qed.

(** The noise passes a threshold t with the probability e^(-t/lambda). *)
Lemma laplace_size : forall K t, up K -> threshold K t -> 0 <= t ->
  meas (fun u => K (- (lambda * ln u))) /\ prob (fun u => K (- (lambda * ln u))) = exp (- (t / lambda)).
Proof.
  intros K t HK [K1 K2] Ht.
  assert (E0 := exp_pos (- (t / lambda))).
  assert (E1 : exp (- (t / lambda)) <= 1).
  { apply exp_neg. apply Rmult_le_pos; [exact Ht|left; now apply Rinv_0_lt_compat]. }
  destruct (down_prob (fun u => K (- (lambda * ln u))) (exp (- (t / lambda))) (exp (- (t / lambda)))) as [M [A B]]; try lra.
  - intros u v Hu Huv Hv H. apply HK with (2 := H).
    assert (ln u <= ln v) by (apply ln_le; lra). nra.
  - intros u Hu H. apply K1. now apply before.
  - intros u Hu H. apply K2. now apply beyond.
  - split; [exact M|lra].
Qed.

(** The law of step 3: g plus Laplace noise is beyond a with the probability [Q0]. *)
Theorem laplace_reaches : forall K a g, up K -> threshold K a ->
  (forall s, meas (fun u => K (g + laplace s u))) /\ chance (fun s u => K (g + laplace s u)) = Q0 lambda a g.
Proof.
  intros K a g HK [K1 K2].
  assert (Plus : forall u, g + laplace false u = g + - (lambda * ln u)) by (intros; unfold laplace; ring).
  assert (Minus : forall u, g + laplace true u = g - - (lambda * ln u)) by (intros; unfold laplace; ring).
  destruct (Rle_lt_dec g a) as [H|H].
  - destruct (laplace_size (fun d => K (g + d)) (a - g)) as [M1 P1]; [| |lra|].
    { intros d d' Hd. apply HK. lra. }
    { split; intros d Hd; [apply K1|apply K2]; lra. }
    destruct (prob_false (fun u => K (g - - (lambda * ln u)))) as [M2 P2].
    { intros u Hu. apply K2. assert (L := ln_neg u Hu). nra. }
    split.
    + intros [|]; [apply (meas_ext (fun u => K (g - - (lambda * ln u))))|apply (meas_ext (fun u => K (g + - (lambda * ln u))))];
        try assumption; intros u _; now rewrite ?Plus, ?Minus.
    + unfold chance. rewrite (prob_ext (fun u => K (g + laplace true u)) (fun u => K (g - - (lambda * ln u)))) by (intros; now rewrite Minus).
      rewrite (prob_ext (fun u => K (g + laplace false u)) (fun u => K (g + - (lambda * ln u)))) by (intros; now rewrite Plus).
      rewrite P1, P2, Q0_left by exact H. ring.
  - destruct (laplace_size (fun d => negb (K (g - d))) (g - a)) as [M1 P1]; [| |lra|].
    { intros d d' Hd. rewrite !negb_true_iff. intros Hf. destruct (K (g - d')) eqn:E; [|reflexivity].
      rewrite <- Hf. symmetry. apply HK with (2 := E). lra. }
    { split; intros d Hd; [rewrite K2 by lra|rewrite K1 by lra]; reflexivity. }
    destruct (prob_neg _ M1) as [M1' P1'].
    assert (N : forall u, 0 < u < 1 -> negb (negb (K (g - - (lambda * ln u)))) = K (g + laplace true u)).
    { intros u _. now rewrite negb_involutive, Minus. }
    destruct (prob_true (fun u => K (g + laplace false u))) as [M2 P2].
    { intros u Hu. rewrite Plus. apply K1. assert (L := ln_neg u Hu). nra. }
    split.
    + intros [|]; [now apply (meas_ext _ _ N)|exact M2].
    + unfold chance. rewrite P2, <- (prob_ext _ _ N), P1', P1, Q0_right by lra. field.
Qed.

(** A monotone event has a threshold, or is always or never true. *)
Lemma up_threshold : forall K, up K -> (forall y, K y = true) \/ (forall y, K y = false) \/ exists a, threshold K a.
Proof.
  intros K HK.
  destruct (classic (exists y, K y = false)) as [[y0 H0]|H0].
  2:{ left. intros y. destruct (K y) eqn:E; [reflexivity|]. elim H0. now exists y. }
  right. destruct (classic (exists y, K y = true)) as [[y1 H1]|H1].
  2:{ left. intros y. destruct (K y) eqn:E; [|reflexivity]. elim H1. now exists y. }
  right. assert (Hb : forall y, K y = false -> y <= y1).
  { intros y Hy. destruct (Rle_lt_dec y y1) as [h|h]; [exact h|]. rewrite (HK y1 y) in Hy; [discriminate|lra|exact H1]. }
  destruct (completeness (fun y => K y = false)) as [a [A1 A2]].
  - exists y1. exact Hb.
  - now exists y0.
  - exists a. split; intros d Hd.
    + destruct (K d) eqn:E; [reflexivity|]. apply A1 in E. lra.
    + destruct (K d) eqn:E; [exfalso|reflexivity]. assert (a <= d); [|lra]. apply A2. intros y Hy.
      destruct (Rle_lt_dec y d) as [h|h]; [exact h|]. rewrite (HK d y) in Hy; [discriminate|lra|exact E].
Qed.

Section Rounding.
(** Any monotone function of the sum: a grid of any step, a clamp, both. *)
Variable r : R -> R.
Hypothesis r_mono : forall y y', y <= y' -> r y <= r y'.

(** The law of what is published. *)
Definition exact (g x : R) : R := law (fun s u => r (g + laplace s u)) x.

(** That the sum y is rounded to x or more; to more than x. *)
Definition at_least x y := Rle_bool x (r y).
Definition above x y := Rlt_bool x (r y).

Lemma at_least_up : forall x, up (at_least x).
Proof.
  intros x d d' H. unfold at_least. case Rle_bool_spec; [|discriminate]. intros G _. apply Rle_bool_true.
  apply Rle_trans with (1 := G). now apply r_mono.
Qed.

Lemma above_up : forall x, up (above x).
Proof.
  intros x d d' H. unfold above. case Rlt_bool_spec; [|discriminate]. intros G _. apply Rlt_bool_true.
  apply Rlt_le_trans with (1 := G). now apply r_mono.
Qed.

(** The probability of a monotone event, for every input. *)
Definition value_of K (q : R -> R) := forall g, (forall s, meas (fun u => K (g + laplace s u))) /\
  chance (fun s u => K (g + laplace s u)) = q g.

Lemma up_value : forall K, up K -> exists q, value_of K q /\
  ((forall y, K y = true) /\ (forall g, q g = 1) \/ (forall y, K y = false) /\ (forall g, q g = 0)
   \/ exists a, threshold K a /\ (forall g, q g = Q0 lambda a g)).
Proof.
  intros K HK. destruct (up_threshold K HK) as [H|[H|[a H]]].
  - exists (fun _ => 1). split; [|left; auto]. intros g.
    assert (T : forall s, meas (fun u => K (g + laplace s u)) /\ prob (fun u => K (g + laplace s u)) = 1) by (intros s; apply prob_true; auto).
    split; [intros s; apply T|]. unfold chance. rewrite (proj2 (T true)), (proj2 (T false)). field.
  - exists (fun _ => 0). split; [|right; left; auto]. intros g.
    assert (T : forall s, meas (fun u => K (g + laplace s u)) /\ prob (fun u => K (g + laplace s u)) = 0) by (intros s; apply prob_false; auto).
    split; [intros s; apply T|]. unfold chance. rewrite (proj2 (T true)), (proj2 (T false)). field.
  - exists (Q0 lambda a). split; [|right; right; exists a; auto]. intros g. now apply laplace_reaches.
Qed.

Lemma above_at_least : forall x y, above x y = true -> at_least x y = true.
Proof. intros x y. unfold above, at_least. case Rlt_bool_spec; [|discriminate]. intros H _. apply Rle_bool_true. lra. Qed.

(** x is published where the sum is at least at the lower end of its cell and not above it. *)
Lemma exact_event : forall g s x, meas (fun u => Req_bool (r (g + laplace s u)) x) /\
  prob (fun u => Req_bool (r (g + laplace s u)) x)
  = prob (fun u => at_least x (g + laplace s u)) - prob (fun u => above x (g + laplace s u)).
Proof.
  intros g s x. destruct (up_value _ (at_least_up x)) as [q1 [V1 _]]. destruct (up_value _ (above_up x)) as [q2 [V2 _]].
  destruct (prob_diff _ _ (proj1 (V1 g) s) (proj1 (V2 g) s)) as [M P]; [intros u _; apply above_at_least|].
  assert (X : forall u, 0 < u < 1 -> at_least x (g + laplace s u) && negb (above x (g + laplace s u)) = Req_bool (r (g + laplace s u)) x).
  { intros u _. unfold at_least, above.
    case Req_bool_spec; case Rle_bool_spec; case Rlt_bool_spec; intros; simpl; try reflexivity; exfalso; lra. }
  split; [exact (meas_ext _ _ X M)|]. rewrite <- P. symmetry. exact (prob_ext _ _ X).
Qed.

(** *** Theorem. Real Laplace noise, rounded by any monotone function, is private. *)
Theorem exact_private : forall Delta x g g', Rabs (g - g') <= Delta -> exact g x <= exp (Delta / lambda) * exact g' x.
Proof.
  intros Delta x g g' Hg.
  destruct (up_value _ (at_least_up x)) as [q1 [V1 C1]]. destruct (up_value _ (above_up x)) as [q2 [V2 C2]].
  assert (Sub := above_at_least x).
  assert (Law : forall g, exact g x = q1 g - q2 g).
  { intros h. rewrite <- (proj2 (V1 h)), <- (proj2 (V2 h)). unfold exact, law, chance.
    rewrite (proj2 (exact_event h true x)), (proj2 (exact_event h false x)). ring. }
  rewrite !Law.
  assert (Hk : k lambda g g' <= exp (Delta / lambda)).
  { unfold k. apply exp_le'. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact Hg]. }
  assert (Kp := k_pos lambda g g').
  assert (K1 : 1 <= k lambda g g').
  { unfold k. apply Rle_trans with (exp 0); [rewrite exp_0; lra|]. apply exp_le'.
    apply Rmult_le_pos; [apply Rabs_pos|left; now apply Rinv_0_lt_compat]. }
  assert (Pos : 0 <= q1 g' - q2 g').
  { rewrite <- Law. unfold exact, law.
    assert (A1 := prob_nonneg _ (proj1 (exact_event g' true x))). assert (A2 := prob_nonneg _ (proj1 (exact_event g' false x))).
    cbv beta in A1, A2. lra. }
  apply Rle_trans with (k lambda g g' * (q1 g' - q2 g')); [|apply Rmult_le_compat_r; lra].
  destruct C1 as [[T1 E1]|[[T1 E1]|[a [T1 E1]]]]; destruct C2 as [[T2 E2]|[[T2 E2]|[c [T2 E2]]]]; rewrite ?E1, ?E2 in *; try lra.
  - apply tail_ratio'. exact Hlambda.
  - exfalso. assert (G := Sub (c + 1)). rewrite T1 in G. discriminate G. apply T2. lra.
  - exfalso. assert (G := Sub (a - 1) (T2 _)). rewrite (proj2 T1) in G by lra. discriminate.
  - rewrite !Rminus_0_r. apply tail_ratio. exact Hlambda.
  - apply cell_ratio; [exact Hlambda|]. destruct (Rle_lt_dec a c) as [h|h]; [exact h|exfalso].
    assert (G := Sub ((a + c) / 2)). rewrite (proj2 T1) in G by lra. discriminate G. apply T2. lra.
Qed.

(** For every set of outputs, if bounded sums have finitely many: those of size m have the outputs of a list. *)
Theorem exact_sets : forall outs : R -> list R, (forall m y, Rabs y <= m -> In (r y) (outs m)) ->
  forall Delta g g', Rabs (g - g') <= Delta ->
  loss_at_most (Delta / lambda) (fun s u => r (g + laplace s u)) (fun s u => r (g' + laplace s u)).
Proof.
  intros outs Ho Delta g g' Hg.
  set (size e := Rabs g + Rabs g' + lambda * - ln e).
  assert (Hs : forall e s u, 0 < e < 1 -> e < u < 1 -> Rabs (laplace s u) <= lambda * - ln e).
  { intros e s u He Hu. assert (L : ln e < ln u) by (apply ln_increasing; lra). assert (N := ln_neg u ltac:(lra)).
    assert (0 <= lambda * (ln u - ln e)) by (apply Rmult_le_pos; lra).
    assert (0 <= lambda * - ln u) by (apply Rmult_le_pos; lra). unfold laplace. apply Rabs_le. destruct s; lra. }
  apply sets with (xs := fun e => nodup Req_EM_T (outs (size e))).
  - intros s x. apply exact_event.
  - intros s x. apply exact_event.
  - intros e _. apply NoDup_nodup.
  - intros e s u He Hu. assert (L := Hs e s u He Hu). assert (A := Rabs_pos g). assert (A' := Rabs_pos g').
    rewrite !nodup_In. split; apply Ho; apply Rle_trans with (1 := Rabs_triang _ _); unfold size; lra.
  - intros x. now apply exact_private.
Qed.
End Rounding.

(** A grid of any step, ties toward +infinity. *)
Definition to_grid (step y : R) := IZR (Zfloor (y / step + / 2)) * step.

Lemma to_grid_mono : forall step y y', 0 < step -> y <= y' -> to_grid step y <= to_grid step y'.
Proof.
  intros step y y' Hs H. apply Rmult_le_compat_r; [lra|]. apply IZR_le. apply Zfloor_le.
  apply Rplus_le_compat_r. apply Rmult_le_compat_r; [left; now apply Rinv_0_lt_compat|exact H].
Qed.

Lemma clamp_mono : forall B y y', y <= y' -> clamp B y <= clamp B y'.
Proof. intros B y y' H. unfold clamp. apply Rle_max_compat_l. now apply Rle_min_compat_l. Qed.

(** The points of the grid for sums of size m. *)
Definition grid_points (step m : R) : list R :=
  map (fun i => IZR (Z.of_nat i - Zceil (m / step)) * step) (seq 0 (Z.to_nat (2 * Zceil (m / step) + 1))).

Lemma grid_points_all : forall step m y, 0 < step -> Rabs y <= m -> In (to_grid step y) (grid_points step m).
Proof.
  intros step m y Hs Hy. set (N := Zceil (m / step)). set (k := Zfloor (y / step + / 2)).
  assert (U := Zceil_ub (m / step)). fold N in U. apply Rabs_le_inv in Hy.
  assert (I := Rinv_0_lt_compat step Hs). assert (- (m / step) <= y / step <= m / step) by (unfold Rdiv; nra).
  assert (L1 := Zfloor_lb (y / step + / 2)). assert (L2 := Zfloor_ub (y / step + / 2)). fold k in L1, L2.
  assert (K : (- N <= k <= N)%Z).
  { split; [assert (- N < k + 1)%Z; [|lia]|assert (k < N + 1)%Z; [|lia]]; apply lt_IZR; rewrite ?opp_IZR, ?plus_IZR; lra. }
  apply in_map_iff. exists (Z.to_nat (k + N)). split.
  - unfold to_grid. fold N k. do 2 f_equal. rewrite Z2Nat.id by lia. ring.
  - apply in_seq. fold N. lia.
Qed.

(** The exact mechanism on a grid of any step: Delta/lambda, for every set of outputs. *)
Corollary exact_grid : forall step Delta g g', 0 < step -> Rabs (g - g') <= Delta ->
  loss_at_most (Delta / lambda) (fun s u => to_grid step (g + laplace s u)) (fun s u => to_grid step (g' + laplace s u)).
Proof.
  intros step Delta g g' Hs Hg. apply (exact_sets (to_grid step)) with (outs := grid_points step).
  - intros y y' H. now apply to_grid_mono.
  - intros m y H. now apply grid_points_all.
  - exact Hg.
Qed.

(** The exact snapping mechanism, with its clamps. *)
Corollary exact_snapping : forall step B Delta g g', 0 < step -> 0 < B -> Rabs (g - g') <= Delta ->
  loss_at_most (Delta / lambda)
    (fun s u => clamp B (to_grid step (clamp B g + laplace s u))) (fun s u => clamp B (to_grid step (clamp B g' + laplace s u))).
Proof.
  intros step B Delta g g' Hs HB Hg. apply (loss_after _ _ _ _ _ (clamp B)). apply exact_grid; [exact Hs|].
  apply Rle_trans with (2 := Hg). now apply clamp_lip.
Qed.

End Exact.
