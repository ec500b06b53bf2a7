//! Losses that take finitely many values.

use lastbit_exact::{Interval, Rational};

use super::pair::{Law, Tails};

/// Atoms of the loss, the largest first.
#[derive(Debug)]
pub(super) struct Atoms {
    atoms: Vec<Atom>,
}

#[derive(Debug)]
struct Atom {
    loss: Interval,
    /// The mass under P, and under Q.
    p: Interval,
    q: Interval,
}

impl Atoms {
    /// The true category has probability `e^ε·r`, each other `r = 1/(e^ε + k − 1)`. For two
    /// neighbours the loss is ε at the one's category, −ε at the other's, and 0 at the other
    /// `k − 2`.
    pub(super) fn response(epsilon: &Rational, categories: u64) -> Atoms {
        let loss = Interval::from_rational(epsilon);
        let others = Interval::from_rational(&Rational::from(categories - 2));
        // Divided by e^ε: 1/(1 + (k−1)e^-ε).
        let shrink = (-loss).exp();
        let truth = Interval::ONE / (Interval::ONE + shrink + others * shrink);
        let lie = truth * shrink;
        let mut atoms = vec![Atom {
            loss,
            p: truth,
            q: lie,
        }];
        if categories > 2 {
            atoms.push(Atom {
                loss: Interval::ZERO,
                p: others * lie,
                q: others * lie,
            });
        }
        atoms.push(Atom {
            loss: -loss,
            p: lie,
            q: truth,
        });
        Atoms { atoms }
    }
}

impl Law for Atoms {
    fn profile(&self, z: Interval) -> Interval {
        let terms = self.atoms.iter();
        terms
            .take_while(|atom| atom.loss.hi() > z.lo())
            .fold(Interval::ZERO, |sum, atom| {
                sum + atom.p * (-(z - atom.loss).exp_m1()).max(Interval::ZERO)
            })
    }

    fn tails(&self, z: Interval) -> Tails {
        let mut tails = Tails::NONE;
        for atom in &self.atoms {
            let with = Tails {
                p: tails.p + atom.p,
                q: tails.q + atom.q,
            };
            tails = if atom.loss.lo() > z.hi() {
                with
            } else if atom.loss.hi() > z.lo() {
                tails.hull(with)
            } else {
                break;
            };
        }
        tails
    }

    fn atom(&self) -> Option<f64> {
        self.atoms.first().map(|atom| atom.loss.lo())
    }
}
