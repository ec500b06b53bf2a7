(** Step 1, the sum: rounding it only moves the edges of the cells.

    Data and noise have met when the sum is rounded, so what rounding does is a function of the sum alone, the same
    for all inputs. *)
From Coq Require Import Reals ZArith Lra Psatz Bool.
From Flocq Require Import Core.
From Lastbit Require Import Format Probability Noise.
Open Scope R_scope.

Section Edge.
Variable p : Z.
Hypothesis Hp : (1 < p)%Z.
Notation rnd := (rnd p).
Notation eta := (eta p).

(** The rounded sum reaches e. *)
Definition reaches (e y : R) : bool := Rle_bool e (rnd y).

Lemma reaches_up : forall e, up (reaches e).
Proof.
  intros e d d' H. unfold reaches. case Rle_bool_spec; [|discriminate]. intros H1 _.
  apply Rle_bool_true. apply Rle_trans with (1 := H1). now apply rnd_mono.
Qed.

Lemma rnd_lt : forall e y, y < e - eta * Rabs e -> rnd y < e.
Proof.
  intros e y H. assert (He := eta_pos p). assert (Hq := eta_le_quarter p Hp).
  destruct (Rtotal_order e 0) as [N|[Z|P]].
  - rewrite Rabs_left in H by lra.
    assert (- e < rnd (- y)). { apply rnd_above. exact Hp. lra. lra. }
    rewrite rnd_opp in H0 by exact Hp. lra.
  - subst e. rewrite Rabs_R0 in H. assert (0 < rnd (- y)) by (apply rnd_pos; [exact Hp|lra]).
    rewrite rnd_opp in H0 by exact Hp. lra.
  - rewrite Rabs_pos_eq in H by lra.
    destruct (Rle_lt_dec 0 y).
    + apply rnd_below; [exact Hp|exact r|lra].
    + assert (0 < rnd (- y)) by (apply rnd_pos; [exact Hp|lra]).
      rewrite rnd_opp in H0 by exact Hp. lra.
Qed.

(** The moved edge: it depends on e alone. What happens at the moved edge itself, a tie of the rounding, is left
    open by [threshold] and never matters. Plan: the sums that round below e are bounded by e; the edge is their least
    upper bound. *)
Theorem moved_edge : forall e, F p e -> exists eh, e - eta * Rabs e <= eh <= e /\ threshold (reaches e) eh.
Proof.
  intros e Fe.
  set (S := fun y => rnd y < e).
  assert (Hb : forall y, S y -> y <= e).
  { intros y Hy. destruct (Rle_lt_dec y e) as [l|l]; [exact l|].
    unfold S in Hy. assert (rnd e <= rnd y) by (apply rnd_mono; [exact Hp|lra]).
    rewrite (rnd_F p) in H by assumption. lra. }
  destruct (completeness S) as [eh [E1 E2]].
  - exists e. exact Hb.
  - exists (e - eta * Rabs e - 1). apply rnd_lt. lra.
  - exists eh. split; [split|split].
    + destruct (Rle_lt_dec (e - eta * Rabs e) eh) as [l|l]; [exact l|exfalso].
      assert (S ((eh + (e - eta * Rabs e)) / 2)) by (apply rnd_lt; lra).
      apply E1 in H. lra.
    + apply E2. exact Hb.
    + intros d Hd. apply Rle_bool_true.
      destruct (Rle_lt_dec e (rnd d)) as [l|l]; [exact l|exfalso]. apply E1 in l. lra.
    + intros d Hd. apply Rle_bool_false.
      destruct (Rlt_le_dec (rnd d) e) as [l|l]; [exact l|exfalso].
      assert (eh <= d); [|lra]. apply E2. intros y Hy.
      destruct (Rle_lt_dec y d) as [l'|l']; [exact l'|].
      unfold S in Hy. assert (rnd d <= rnd y) by (apply rnd_mono; [exact Hp|lra]). lra.
Qed.

(** Odd multiples of half the grid are numbers of the format. *)
Lemma F_multiple : forall k e, (Z.abs k < 2 ^ p)%Z -> F p (IZR k * bpow radix2 e).
Proof.
  intros k e H. apply generic_format_FLX. exists (Float radix2 k e).
  reflexivity. simpl. exact H.
Qed.

End Edge.
