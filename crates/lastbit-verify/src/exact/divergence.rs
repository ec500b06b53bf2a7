//! The exact max-divergence between two laws.

use core::cmp::Ordering;

use lastbit_exact::{Down, Dyadic, Enclosure, Interval, Rational, Up, ln_enclosure};

use super::ExactLaw;

/// The largest log-ratio of probabilities between two laws, over all outputs and both orderings.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Divergence {
    /// An output at which it is reached.
    pub output: f64,
    /// The larger of the two probabilities of that output, and the smaller: the loss is the
    /// logarithm of their ratio, exactly.
    pub larger: Dyadic,
    /// Zero if one law never gives the output; the loss is infinite then.
    pub smaller: Dyadic,
}

impl Divergence {
    /// The loss, far more closely than the precision of the arithmetic that the laws come from;
    /// `None` if infinite.
    pub fn enclosure(&self) -> Option<Enclosure> {
        (!self.smaller.is_zero()).then(|| ln_ratio(&self.larger, &self.smaller))
    }

    /// The loss, to a double on each side.
    pub fn loss(&self) -> Interval {
        log_ratio(&self.larger, &self.smaller)
    }

    /// Whether the loss is proved to be at least this.
    pub fn is_at_least(&self, loss: &Rational) -> bool {
        self.enclosure()
            .is_none_or(|exact| Rational::from(exact.lo()) >= *loss)
    }

    /// Whether the loss is proved to be at most this.
    pub fn is_at_most(&self, loss: &Rational) -> bool {
        self.enclosure()
            .is_some_and(|exact| Rational::from(exact.hi()) <= *loss)
    }
}

/// `max over outputs of |ln P(x) − ln Q(x)|`. The maximum is found among exact ratios; only its
/// logarithm is enclosed.
///
/// ```
/// use lastbit_exact::Dyadic;
/// use lastbit_verify::exact::{ExactLaw, Mass, divergence};
/// let law = |heads| ExactLaw::from_masses(vec![
///     Mass { output: 0.0, probability: &Dyadic::ONE - &heads },
///     Mass { output: 1.0, probability: heads },
/// ]);
/// let found = divergence(&law(Dyadic::new(1, -2)), &law(Dyadic::new(3, -2)));
/// assert!(found.loss().contains(3f64.ln()));
/// ```
pub fn divergence(one: &ExactLaw, other: &ExactLaw) -> Divergence {
    let mut worst = Divergence {
        output: f64::NAN,
        larger: Dyadic::ONE,
        smaller: Dyadic::ONE,
    };
    for (output, a, b) in joined(one, other) {
        let (larger, smaller) = if a >= b { (a, b) } else { (b, a) };
        if worst.output.is_nan() || &larger * &worst.smaller > &worst.larger * &smaller {
            (worst.output, worst.larger, worst.smaller) = (output, larger, smaller);
        }
    }
    worst
}

/// The signed loss `ln P(x) − ln Q(x)` at every output.
pub fn losses(one: &ExactLaw, other: &ExactLaw) -> Vec<(f64, Interval)> {
    joined(one, other)
        .map(|(output, a, b)| (output, log_ratio(&a, &b)))
        .collect()
}

/// An enclosure of `ln(a/b)`; infinite on the side of a zero.
pub fn log_ratio(a: &Dyadic, b: &Dyadic) -> Interval {
    const ALL: f64 = f64::INFINITY;
    match (a.is_zero(), b.is_zero()) {
        (true, true) => Interval::point(0.0),
        (false, true) => Interval::new(f64::MAX, ALL).expect("in order"),
        (true, false) => Interval::new(-ALL, f64::MIN).expect("in order"),
        (false, false) => {
            let exact = ln_ratio(a, b);
            Interval::between(Down::from_dyadic(exact.lo()), Up::from_dyadic(exact.hi()))
                .expect("an enclosure is in order")
        }
    }
}

/// `ln(a/b)` for positive a and b, to 128 bits beyond the length of either.
fn ln_ratio(a: &Dyadic, b: &Dyadic) -> Enclosure {
    if a == b {
        return Enclosure::exact(Dyadic::ZERO);
    }
    let length = |x: &Dyadic| x.floor_log2().map_or(0, |top| top - x.exponent());
    let bits = 128 + length(a).max(length(b)) as u32;
    let (ln_a, ln_b) = (ln_enclosure(a, bits), ln_enclosure(b, bits));
    Enclosure::new(ln_a.lo() - ln_b.hi(), ln_a.hi() - ln_b.lo()).expect("enclosures are in order")
}

/// Every output of either law, in order, with both probabilities.
fn joined<'a>(
    one: &'a ExactLaw,
    other: &'a ExactLaw,
) -> impl Iterator<Item = (f64, Dyadic, Dyadic)> + 'a {
    let (mut left, mut right) = (
        one.masses().iter().peekable(),
        other.masses().iter().peekable(),
    );
    core::iter::from_fn(move || {
        let order = match (left.peek(), right.peek()) {
            (None, None) => return None,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => a.output.total_cmp(&b.output),
        };
        let a = if order != Ordering::Greater {
            left.next()
        } else {
            None
        };
        let b = if order != Ordering::Less {
            right.next()
        } else {
            None
        };
        let output = a.or(b)?.output;
        let mass = |m: Option<&super::Mass>| m.map_or(Dyadic::ZERO, |m| m.probability.clone());
        Some((output, mass(a), mass(b)))
    })
}
