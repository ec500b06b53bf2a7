(** Step 2, the noise: a chain of rounded operations on [LN(U* )], and the probability that it reaches a threshold.

    [noise] is all that the later steps know of the noise. [noise_ln] and [noise_operate] build it for every chain of
    rounded products and quotients by constants: each operation that can round adds a factor (1 + eta) to P and
    (1 - eta) to M, a power of two adds none. *)
From Coq Require Import Reals ZArith List Lra Psatz Bool.
From Flocq Require Import Core Mult_error.
From Coquelicot Require Import Coquelicot.
From Lastbit Require Import Format Probability.
Open Scope R_scope.

(** An event of the noise that, once true, stays true. *)
Definition up (K : R -> bool) := forall d d', d <= d' -> K d = true -> K d' = true.

(** K is true beyond t and false before; what it is at t is left open, so that ties need no analysis. *)
Definition threshold (K : R -> bool) t :=
  (forall d, t < d -> K d = true) /\ (forall d, d < t -> K d = false).

(** One rounded operation by a constant. *)
Inductive factor := Times (c : R) | Over (c : R).

(** What it multiplies by, before rounding. *)
Definition value f := match f with Times c => c | Over c => / c end.

(** lambda, if these are the operations on the logarithm. *)
Definition product (fs : list factor) := fold_left (fun x f => value f * x) fs 1.

Section Noise.
Variable p : Z.
Hypothesis Hp : (1 < p)%Z.
#[local] Instance prec_gt_0_p : Prec_gt_0 p.
Proof. unfold Prec_gt_0; lia. Qed.
Notation rnd := (rnd p).
Notation cut := (cut p).
Notation eta := (eta p).

(** The rounded operation, and a chain of them. *)
Definition operate (x : R) f := match f with Times c => rnd (c * x) | Over c => rnd (x / c) end.
Definition scaled (fs : list factor) (x : R) := fold_left operate fs x.

(** The size of the noise as a function D of the real uniform u whose first bits are U*. *)
Record noise (lambda P M : R) (D : R -> R) : Prop := {
  noise_scale : 0 < lambda;
  noise_P : 1 <= P;
  noise_M : 0 < M <= 1;
  noise_F : forall u, F p (D u);
  noise_nonneg : forall u, 0 < u < 1 -> 0 <= D u;
  noise_anti : forall u v, 0 < u -> u <= v -> v < 1 -> D v <= D u;
  noise_above : forall t u, 0 <= t -> 0 < u < 1 -> u < exp (- (t / lambda * P)) -> t < D u;
  noise_below : forall t u, 0 <= t -> 0 < u < 1 -> (1 + 2 * eta) * exp (- (t / lambda * M)) < u -> D u < t }.

(** The bounds on H(t), for reaching t and for passing it alike. *)
Theorem noise_reaches : forall lambda P M D, noise lambda P M D ->
  forall K t, up K -> threshold K t -> 0 <= t ->
  meas (fun u => K (D u)) /\
  exp (- (t / lambda * P)) <= prob (fun u => K (D u)) <= (1 + 2 * eta) * exp (- (t / lambda * M)).
Proof.
  intros lambda P M D [Hl HP HM _ _ Ha Hab Hbe] K t HK [K1 K2] Ht. assert (He := eta_pos p).
  assert (Tp : 0 <= t / lambda) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
  apply down_prob.
  - intros u v Hu Huv Hv H. apply HK with (2 := H). now apply Ha.
  - split. left; apply exp_pos. rewrite <- exp_0. apply Raux.exp_le.
    assert (0 <= t / lambda * P) by (apply Rmult_le_pos; lra). lra.
  - apply Rmult_le_pos. lra. left; apply exp_pos.
  - intros u Hu H. apply K1. now apply Hab.
  - intros u Hu H. apply K2. now apply Hbe.
Qed.

Lemma lncut_nonneg : forall u, 0 < u < 1 -> 0 <= - ln (cut u).
Proof.
  intros u Hu. assert (0 < cut u) by (apply cut_pos; lra || assumption).
  assert (cut u <= u) by (apply (cut_bounds p Hp); lra).
  assert (ln (cut u) <= ln 1) by (apply ln_le; lra). rewrite ln_1 in *. lra.
Qed.

(** The correctly rounded logarithm: one rounding. *)
Theorem noise_ln : noise 1 (1 + eta) (1 - eta) (fun u => rnd (- ln (cut u))).
Proof.
  assert (He := eta_pos p). assert (Hq := eta_le_quarter p Hp). constructor; try lra.
  - intros; now apply rnd_in_F.
  - intros u Hu. apply rnd_nonneg; [exact Hp|]. now apply lncut_nonneg.
  - intros u v Hu Huv Hv. apply rnd_mono; [exact Hp|]. apply Ropp_le_contravar.
    apply ln_le. now apply cut_pos. now apply cut_mono.
  - intros t u Ht Hu H. apply rnd_above; [exact Hp|exact Ht|].
    assert (Hc : 0 < cut u) by (apply cut_pos; lra || assumption).
    assert (Hcu : cut u <= u) by (apply (cut_bounds p Hp); lra).
    assert (G : ln (cut u) < ln (exp (- (t / 1 * (1 + eta))))) by (apply ln_increasing; lra).
    rewrite ln_exp in G. unfold Rdiv in G. rewrite Rinv_1, Rmult_1_r in G. lra.
  - intros t u Ht Hu H. apply rnd_below; [exact Hp|now apply lncut_nonneg|].
    assert (Hc : exp (- (t / 1 * (1 - eta))) < cut u).
    { apply Rlt_trans with (2 := proj1 (cut_bounds p Hp u (proj1 Hu))).
      apply Rmult_lt_reg_l with (1 + 2 * eta). lra.
      replace ((1 + 2 * eta) * (u / (1 + 2 * eta))) with u by (field; lra). exact H. }
    assert (G : ln (exp (- (t / 1 * (1 - eta)))) < ln (cut u)) by (apply ln_increasing; [apply exp_pos|exact Hc]).
    rewrite ln_exp in G. unfold Rdiv in G. rewrite Rinv_1, Rmult_1_r in G. lra.
Qed.

(** A rounded product: one factor (1 + eta), (1 - eta). *)
Lemma noise_product : forall lambda P M D c, 0 < c -> noise lambda P M D ->
  noise (c * lambda) (P * (1 + eta)) (M * (1 - eta)) (fun u => rnd (c * D u)).
Proof.
  intros lambda P M N c Hc [Hl HP HM HF Hn Ha Hab Hbe].
  assert (He := eta_pos p). assert (Hq := eta_le_quarter p Hp). assert (Hci : 0 < / c) by now apply Rinv_0_lt_compat.
  constructor.
  - now apply Rmult_lt_0_compat.
  - nra.
  - nra.
  - intros; now apply rnd_in_F.
  - intros u Hu. apply rnd_nonneg; [exact Hp|]. apply Rmult_le_pos. lra. now apply Hn.
  - intros u v Hu Huv Hv. apply rnd_mono; [exact Hp|]. apply Rmult_le_compat_l. lra. now apply Ha.
  - intros t u Ht Hu H. apply rnd_above; [exact Hp|exact Ht|].
    assert (G : t * (1 + eta) / c < N u).
    { apply Hab; [|exact Hu|].
      apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra.
      replace (t * (1 + eta) / c / lambda * P) with (t / (c * lambda) * (P * (1 + eta))) by (field; lra). exact H. }
    apply Rmult_lt_compat_l with (r := c) in G; [|exact Hc].
    replace (c * (t * (1 + eta) / c)) with (t * (1 + eta)) in G by (field; lra). exact G.
  - intros t u Ht Hu H. apply rnd_below; [exact Hp| |].
    apply Rmult_le_pos. lra. now apply Hn.
    assert (G : N u < t * (1 - eta) / c).
    { apply Hbe; [|exact Hu|].
      apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; lra.
      replace (t * (1 - eta) / c / lambda * M) with (t / (c * lambda) * (M * (1 - eta))) by (field; lra). exact H. }
    apply Rmult_lt_compat_l with (r := c) in G; [|exact Hc].
    replace (c * (t * (1 - eta) / c)) with (t * (1 - eta)) in G by (field; lra). exact G.
Qed.

(** A product by a power of two does not round. *)
Lemma noise_exact_product : forall lambda P M D k, noise lambda P M D ->
  noise (bpow radix2 k * lambda) P M (fun u => rnd (bpow radix2 k * D u)).
Proof.
  intros lambda P M N k [Hl HP HM HF Hn Ha Hab Hbe]. set (c := bpow radix2 k).
  assert (Hc : 0 < c) by apply bpow_gt_0. assert (Hci : 0 < / c) by now apply Rinv_0_lt_compat.
  assert (E : forall u, rnd (c * N u) = c * N u).
  { intros u. apply rnd_F. rewrite Rmult_comm. apply mult_bpow_exact_FLX. apply HF. }
  constructor; auto.
  - now apply Rmult_lt_0_compat.
  - intros; now apply rnd_in_F.
  - intros u Hu. rewrite E. apply Rmult_le_pos. lra. now apply Hn.
  - intros u v Hu Huv Hv. rewrite !E. apply Rmult_le_compat_l. lra. now apply Ha.
  - intros t u Ht Hu H. rewrite E.
    assert (G : t / c < N u).
    { apply Hab; [|exact Hu|]. apply Rmult_le_pos; lra.
      replace (t / c / lambda * P) with (t / (c * lambda) * P) by (field; lra). exact H. }
    apply Rmult_lt_compat_l with (r := c) in G; [|exact Hc]. replace (c * (t / c)) with t in G by (field; lra). exact G.
  - intros t u Ht Hu H. rewrite E.
    assert (G : N u < t / c).
    { apply Hbe; [|exact Hu|]. apply Rmult_le_pos; lra.
      replace (t / c / lambda * M) with (t / (c * lambda) * M) by (field; lra). exact H. }
    apply Rmult_lt_compat_l with (r := c) in G; [|exact Hc]. replace (c * (t / c)) with t in G by (field; lra). exact G.
Qed.

Lemma noise_ext : forall lambda P M D D', (forall u, D u = D' u) -> noise lambda P M D -> noise lambda P M D'.
Proof.
  intros lambda P M D D' E [Hl HP HM HF Hn Ha Hab Hbe]. constructor; auto; intros; rewrite <- ?E; auto.
Qed.

Lemma operate_value : forall f x, operate x f = rnd (value f * x).
Proof. intros [c|c] x; simpl; [reflexivity|]. f_equal. unfold Rdiv. ring. Qed.

(** Of these operations s can round; the others are by powers of two. *)
Inductive roundings : list factor -> nat -> Prop :=
  | no_operation : roundings nil 0
  | exact_operation : forall f fs s, (exists k, value f = bpow radix2 k) -> roundings fs s -> roundings (f :: fs) s
  | rounded_operation : forall f fs s, 0 < value f -> roundings fs s -> roundings (f :: fs) (S s).

Lemma noise_operate : forall fs s, roundings fs s -> forall lambda P M D, noise lambda P M D ->
  noise (fold_left (fun x f => value f * x) fs lambda) (P * (1 + eta) ^ s) (M * (1 - eta) ^ s)
    (fun u => scaled fs (D u)).
Proof.
  intros fs s H. induction H as [|f fs s [k E] H IH|f fs s E H IH]; intros lambda P M D N.
  - simpl. rewrite !Rmult_1_r. exact N.
  - simpl. rewrite E. apply IH. apply noise_ext with (2 := noise_exact_product _ _ _ _ k N).
    intros u. now rewrite operate_value, E.
  - simpl. rewrite <- !Rmult_assoc. apply IH. apply noise_ext with (2 := noise_product _ _ _ _ _ E N).
    intros u. now rewrite operate_value.
Qed.

(** The noise of a program: LN(U* ), which is negative, through a chain of operations. *)
Definition size (fs : list factor) (u : R) := scaled fs (rnd (- ln (cut u))).

Theorem noise_chain : forall fs s, roundings fs s ->
  noise (product fs) ((1 + eta) ^ S s) ((1 - eta) ^ S s) (size fs).
Proof. intros fs s H. simpl. exact (noise_operate fs s H _ _ _ _ noise_ln). Qed.

Lemma scaled_opp : forall fs x, scaled fs (- x) = - scaled fs x.
Proof.
  intros fs. induction fs as [|f fs IH]; intros x; [reflexivity|].
  change (scaled fs (operate (- x) f) = - scaled fs (operate x f)).
  rewrite <- IH. f_equal. rewrite !operate_value, <- rnd_opp by exact Hp. f_equal. ring.
Qed.

(** The page writes LN(U* ), which is negative. *)
Lemma size_opp : forall fs u, scaled fs (rnd (ln (cut u))) = - size fs u.
Proof.
  intros fs u. unfold size. rewrite <- scaled_opp. f_equal. rewrite <- rnd_opp by exact Hp. now rewrite Ropp_involutive.
Qed.

End Noise.
