(** Casts between measures of privacy: a loss of at most eps is (eps tanh(eps/2))-zCDP, and so (eps^2/2)-zCDP. [BoundedRange] and [LaplaceCast] have
    the casts of a bounded range and of Laplace noise.

    For two laws over finitely many outputs and every order alpha > 1, the Renyi divergence is at most alpha rho. Plan: r^alpha is
    convex, so on [e^-eps, e^eps] it lies below its chord; the mean of the chord is cosh((alpha - 1/2) eps)/cosh(eps/2), whatever
    the laws; and ln cosh(sqrt t) is concave in t. *)
From Coq Require Import Reals List Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Compare.
Import ListNotations.
Open Scope R_scope.

(** ** Hyperbolic functions *)

Lemma cosh_pos : forall y, 0 < cosh y.
Proof. intros y. unfold cosh. assert (A := exp_pos y). assert (B := exp_pos (- y)). lra. Qed.

Lemma sinh_nonneg : forall y, 0 <= y -> 0 <= sinh y.
Proof. intros y Hy. unfold sinh. assert (exp (- y) <= exp y) by (apply exp_le'; lra). lra. Qed.

(** A function that is 0 at 0 and has a derivative that is not negative. *)
Lemma grows : forall (f f' : R -> R) a x, a <= x -> (forall y, a <= y <= x -> is_derive f y (f' y)) ->
  (forall y, a <= y <= x -> 0 <= f' y) -> f a <= f x.
Proof.
  intros f f' a x Hx Hd Hp. destruct (Req_dec a x) as [E|N]; [rewrite E; lra|].
  destruct (MVT_cor2 f f' a x) as [c [E Hc]].
  - lra.
  - intros y Hy. apply is_derive_Reals. now apply Hd.
  - assert (0 <= f' c) by (apply Hp; lra). assert (0 <= f' c * (x - a)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** tanh(k y) <= k tanh y for k >= 1, without its denominators. *)
Lemma sinh_cosh : forall k y, 1 <= k -> 0 <= y -> sinh (k * y) * cosh y <= k * (sinh y * cosh (k * y)).
Proof.
  intros k y Hk Hy.
  set (f := fun z => k * (sinh z * cosh (k * z)) - sinh (k * z) * cosh z).
  set (f' := fun z => (k * k - 1) * (sinh z * sinh (k * z))).
  assert (G : f 0 <= f y).
  { apply (grows f f'); [exact Hy| |].
    - intros z _. unfold f, f', sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. unfold f'. apply Rmult_le_pos; [nra|]. apply Rmult_le_pos; apply sinh_nonneg; nra. }
  assert (Z : f 0 = 0).
  { unfold f, sinh, cosh. rewrite Rmult_0_r, Ropp_0. field. }
  unfold f in G at 2. lra.
Qed.

Lemma tanh_scale : forall k y, 1 <= k -> 0 <= y -> tanh (k * y) <= k * tanh y.
Proof.
  intros k y Hk Hy. assert (S := sinh_cosh k y Hk Hy). assert (C := cosh_pos y). assert (C' := cosh_pos (k * y)).
  unfold tanh. apply Rmult_le_reg_r with (cosh (k * y) * cosh y); [nra|].
  replace (sinh (k * y) / cosh (k * y) * (cosh (k * y) * cosh y)) with (sinh (k * y) * cosh y) by (field; lra).
  replace (k * (sinh y / cosh y) * (cosh (k * y) * cosh y)) with (k * (sinh y * cosh (k * y))) by (field; lra). exact S.
Qed.

Lemma tanh_le : forall y, 0 <= y -> tanh y <= y.
Proof.
  intros y Hy.
  assert (G : (fun z => z * cosh z - sinh z) 0 <= (fun z => z * cosh z - sinh z) y).
  { apply (grows (fun z => z * cosh z - sinh z) (fun z => z * sinh z) 0 y); [exact Hy| |].
    - intros z _. unfold sinh, cosh. auto_derive; [exact I|]. field.
    - intros z Hz. apply Rmult_le_pos; [lra|apply sinh_nonneg; lra]. }
  cbv beta in G. assert (C := cosh_pos y). unfold tanh. apply Rmult_le_reg_r with (cosh y); [exact C|].
  replace (sinh y / cosh y * cosh y) with (sinh y) by (field; lra). assert (sinh 0 = 0) by apply sinh_0. lra.
Qed.

(** ln cosh(x e) - ln cosh(e/2) is at most (x^2 - 1/4) e tanh(e/2) for x >= 1/2. *)
Lemma cosh_bound : forall e x, 0 <= e -> / 2 <= x ->
  cosh (x * e) <= cosh (e / 2) * exp ((x * x - / 4) * (e * tanh (e / 2))).
Proof.
  intros e x He Hx. set (c := e * tanh (e / 2)).
  set (f := fun z => (z * z - / 4) * c - ln (cosh (z * e))).
  assert (G : f (/ 2) <= f x).
  { apply (grows f (fun z => 2 * z * c - e * tanh (z * e))); [exact Hx| |].
    - intros z _. assert (C := cosh_pos (z * e)). unfold f, tanh, sinh, cosh in *. auto_derive; [exact C|]. field.
      unfold cosh in C. lra.
    - intros z Hz. assert (T := tanh_scale (2 * z) (e / 2) ltac:(lra) ltac:(lra)).
      replace (2 * z * (e / 2)) with (z * e) in T by field. unfold c.
      apply Rmult_le_compat_l with (r := e) in T; [|exact He]. lra. }
  unfold f in G. replace (/ 2 * / 2 - / 4) with 0 in G by field. replace (/ 2 * e) with (e / 2) in G by (unfold Rdiv; ring).
  assert (C1 := cosh_pos (x * e)). assert (C2 := cosh_pos (e / 2)).
  rewrite <- (exp_ln (cosh (x * e))) by exact C1. rewrite <- (exp_ln (cosh (e / 2))) by exact C2. rewrite <- exp_plus.
  apply exp_le'. lra.
Qed.

(** ** The chord *)

Lemma chord : forall alpha a b r, 1 < alpha -> 0 < a < b -> a <= r <= b ->
  Rpower r alpha * (b - a) <= (b - r) * Rpower a alpha + (r - a) * Rpower b alpha.
Proof.
  intros alpha a b r Ha Hab Hr.
  destruct (Req_dec r a) as [E|N1]; [subst r; lra|]. destruct (Req_dec r b) as [E|N2]; [subst r; lra|].
  assert (D : forall y, 0 < y -> derivable_pt_lim (fun z => Rpower z alpha) y (alpha * Rpower y (alpha - 1)))
    by (intros y Hy; now apply derivable_pt_lim_power).
  destruct (MVT_cor2 (fun z => Rpower z alpha) (fun y => alpha * Rpower y (alpha - 1)) a r) as [c [E1 H1]];
    [lra|intros y Hy; apply D; lra|].
  destruct (MVT_cor2 (fun z => Rpower z alpha) (fun y => alpha * Rpower y (alpha - 1)) r b) as [d [E2 H2]];
    [lra|intros y Hy; apply D; lra|].
  assert (M : Rpower c (alpha - 1) <= Rpower d (alpha - 1)) by (apply Rle_Rpower_l; lra).
  assert (M' : alpha * Rpower c (alpha - 1) <= alpha * Rpower d (alpha - 1)) by (apply Rmult_le_compat_l; lra).
  set (m1 := alpha * Rpower c (alpha - 1)) in *. set (m2 := alpha * Rpower d (alpha - 1)) in *.
  cbv beta in E1, E2. fold m1 in E1. fold m2 in E2.
  assert (P : 0 <= (r - a) * (b - r) * (m2 - m1)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  replace ((r - a) * (b - r) * (m2 - m1)) with ((r - a) * (m2 * (b - r)) - (b - r) * (m1 * (r - a))) in P by ring.
  rewrite <- E1, <- E2 in P. lra.
Qed.

(** ** The laws: for each output its probability under one data set and under its neighbour. *)

Definition total (f : R * R -> R) (l : list (R * R)) := fold_right (fun x t => f x + t) 0 l.

(** The loss is at most eps, both ways. *)
Definition pure (eps : R) (l : list (R * R)) :=
  List.Forall (fun x => 0 < snd x /\ fst x <= exp eps * snd x /\ snd x <= exp eps * fst x) l /\
  total fst l = 1 /\ total snd l = 1.

(** e^((alpha - 1) D_alpha), D_alpha the Renyi divergence of order alpha. *)
Definition renyi (alpha : R) (l : list (R * R)) := total (fun x => snd x * Rpower (fst x / snd x) alpha) l.

(** rho-zCDP: D_alpha is at most alpha rho, for every alpha > 1. *)
Definition zcdp (rho : R) (l : list (R * R)) := forall alpha, 1 < alpha -> renyi alpha l <= exp (alpha * (alpha - 1) * rho).

Lemma renyi_chord : forall alpha a b l, 1 < alpha -> 0 < a < b ->
  List.Forall (fun x => 0 < snd x /\ a * snd x <= fst x <= b * snd x) l ->
  renyi alpha l * (b - a)
  <= (b * total snd l - total fst l) * Rpower a alpha + (total fst l - a * total snd l) * Rpower b alpha.
Proof.
  intros alpha a b l Ha Hab H.
  induction H as [|[p q] l [Hq [H1 H2]] H IH]; simpl in *; [unfold renyi; simpl; lra|].
  unfold renyi in *. simpl. set (Ya := Rpower a alpha) in *. set (Yb := Rpower b alpha) in *.
  assert (R1 : p / q <= b) by (apply Rmult_le_reg_r with q; [exact Hq|]; replace (p / q * q) with p by (field; lra); lra).
  assert (R2 : a <= p / q) by (apply Rmult_le_reg_r with q; [exact Hq|]; replace (p / q * q) with p by (field; lra); lra).
  assert (C := chord alpha a b (p / q) Ha Hab (conj R2 R1)). fold Ya Yb in C.
  apply Rmult_le_compat_l with (r := q) in C; [|lra].
  replace (q * ((b - p / q) * Ya + (p / q - a) * Yb)) with ((b * q - p) * Ya + (p - a * q) * Yb) in C by (field; lra).
  set (Y := Rpower (p / q) alpha) in *. nra.
Qed.

(** *** Theorem. A pure loss of eps is (eps tanh(eps/2))-zCDP. *)
Theorem pure_zcdp : forall eps l, 0 < eps -> pure eps l -> zcdp (eps * tanh (eps / 2)) l.
Proof.
  intros eps l He [Hl [Hp Hq]] alpha Ha.
  assert (Hab : 0 < exp (- eps) < exp eps) by (split; [apply exp_pos|apply exp_increasing; lra]).
  assert (Inv : exp (- eps) * exp eps = 1) by (rewrite <- exp_plus, Rplus_opp_l; apply exp_0).
  assert (Hl' : List.Forall (fun x => 0 < snd x /\ exp (- eps) * snd x <= fst x <= exp eps * snd x) l).
  { apply Forall_impl with (2 := Hl). intros x [H1 [H2 H3]]. split; [exact H1|]. split; [|exact H2].
    apply Rmult_le_compat_l with (r := exp (- eps)) in H3; [|lra]. rewrite <- Rmult_assoc, Inv in H3. lra. }
  assert (C := renyi_chord alpha _ _ l Ha Hab Hl'). rewrite Hp, Hq, !Rmult_1_r in C.
  assert (B := cosh_bound eps (alpha - / 2) ltac:(lra) ltac:(lra)).
  replace ((alpha - / 2) * (alpha - / 2) - / 4) with (alpha * (alpha - 1)) in B by field.
  rewrite <- Rmult_assoc in B. rewrite <- Rmult_assoc.
  set (X := exp (alpha * (alpha - 1) * eps * tanh (eps / 2))) in *.
  (* t = e^(eps/2) and w = e^(alpha eps) *)
  set (t := exp (eps / 2)). set (w := exp (alpha * eps)).
  assert (Ht : 1 < t). { unfold t. rewrite <- exp_0. apply exp_increasing. lra. }
  assert (Hw : 0 < w) by apply exp_pos.
  assert (E1 : exp eps = t * t) by (unfold t; rewrite <- exp_plus; f_equal; field).
  assert (E2 : exp (- eps) = / (t * t)) by (rewrite <- E1; apply exp_Ropp).
  assert (E3 : Rpower (exp eps) alpha = w) by (unfold Rpower; rewrite ln_exp; reflexivity).
  assert (E4 : Rpower (exp (- eps)) alpha = / w).
  { unfold Rpower. rewrite ln_exp. unfold w. rewrite <- exp_Ropp. f_equal. ring. }
  assert (E5 : cosh ((alpha - / 2) * eps) = (w / t + t / w) / 2).
  { unfold cosh. do 2 f_equal.
    - unfold w, t, Rdiv at 1. rewrite <- exp_Ropp, <- exp_plus. f_equal. field.
    - unfold w, t, Rdiv at 1. rewrite <- exp_Ropp, <- exp_plus. f_equal. field. }
  assert (E6 : cosh (eps / 2) = (t + / t) / 2) by (unfold cosh, t; rewrite exp_Ropp; reflexivity).
  rewrite E3, E4, E1, E2 in C. rewrite E5, E6 in B.
  assert (Tt : 1 < t * t) by nra.
  assert (D : 0 < t * t - / (t * t)).
  { assert (/ (t * t) < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra. }
  apply Rmult_le_reg_r with (t * t - / (t * t)); [exact D|]. apply Rle_trans with (1 := C).
  replace ((t * t - 1) * / w + (1 - / (t * t)) * w) with ((w / t + t / w) / 2 * (2 * (t - / t))) by (field; lra).
  replace (X * (t * t - / (t * t))) with ((t + / t) / 2 * X * (2 * (t - / t))) by (field; lra).
  apply Rmult_le_compat_r; [|exact B].
  assert (/ t < 1) by (rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). lra.
Qed.

(** The better known bound. *)
Corollary pure_zcdp_half : forall eps l, 0 < eps -> pure eps l -> zcdp (eps * eps / 2) l.
Proof.
  intros eps l He H alpha Ha. apply Rle_trans with (1 := pure_zcdp eps l He H alpha Ha). apply exp_le'.
  apply Rmult_le_compat_l; [nra|]. assert (T := tanh_le (eps / 2) ltac:(lra)). nra.
Qed.
