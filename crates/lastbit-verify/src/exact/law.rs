//! The exact law of `Snapping::draw`, by bisection over the patterns of `U*`.
//!
//! Each operation of the release is monotone, so for one sign the output moves one way as `U*`
//! falls, and the ranks with the same output are an interval. Its ends are found by bisection,
//! through the shipped function; its mass is a difference of two dyadics. Every probe is checked
//! against monotonicity, and the clamp makes all ranks beyond the first at the end B alike.

use lastbit::mechanisms::snapping::{self, Arithmetic, Snapping};
use lastbit_exact::{Dyadic, Integer, Natural};

use super::{Layout, Pattern, Replay};

/// The most cells whose law is listed.
pub const MOST_CELLS: u64 = 100_000;

/// Why a law was not found.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExactError {
    /// The mechanism of real numbers.
    #[error(
        "exact arithmetic has no bit patterns to bisect: its law is that of the real-valued \
         mechanism (`lastbit mechanism snapping law`); choose binary64 or multi"
    )]
    ExactArithmetic,
    /// More cells than are listed.
    #[error(
        "the law has {cells} cells, more than {most}; choose a smaller bound, or a larger scale \
         Δ/ε",
        most = MOST_CELLS
    )]
    TooManyCells {
        /// How many.
        cells: Integer,
    },
    /// The release refused the value.
    #[error(transparent)]
    Release(#[from] snapping::SnappingError),
    /// The release read other words than those of one draw.
    #[error(
        "the release read its random words in another order than one sign and one U*; the law \
         cannot be bisected"
    )]
    Layout,
    /// No noise reaches an end: whole outputs are out of reach.
    #[error("no U* leads to the end {end}: outputs beyond some noise are unreachable")]
    EndNotReached {
        /// The output that was looked for.
        end: f64,
    },
    /// The law rests on monotonicity, and a probe broke it.
    #[error("not monotone: the output {output} between {before} and {after}")]
    NotMonotone {
        /// The output at a smaller rank.
        before: f64,
        /// The output that is out of order.
        output: f64,
        /// The output at a larger rank.
        after: f64,
    },
}

/// An output and its probability.
#[derive(Clone, Debug, PartialEq)]
pub struct Mass {
    /// What is published.
    pub output: f64,
    /// Exactly how often.
    pub probability: Dyadic,
}

/// Every output of a release and its exact probability, in order of the outputs.
#[derive(Clone, Debug, PartialEq)]
pub struct ExactLaw {
    masses: Vec<Mass>,
}

impl ExactLaw {
    /// The outputs in increasing order, each with a positive probability; the probabilities sum to
    /// one.
    pub fn masses(&self) -> &[Mass] {
        &self.masses
    }

    /// The probability of this output, bit by bit; zero if it never occurs.
    pub fn probability(&self, output: f64) -> Dyadic {
        self.masses
            .binary_search_by(|mass| mass.output.total_cmp(&output))
            .map_or(Dyadic::ZERO, |i| self.masses[i].probability.clone())
    }

    /// From masses in any order; those of one output are added.
    pub fn from_masses(mut masses: Vec<Mass>) -> ExactLaw {
        masses.sort_by(|a, b| a.output.total_cmp(&b.output));
        let mut law: Vec<Mass> = Vec::with_capacity(masses.len());
        for mass in masses {
            match law.last_mut() {
                Some(last) if last.output.to_bits() == mass.output.to_bits() => {
                    last.probability = &last.probability + &mass.probability;
                }
                _ => law.push(mass),
            }
        }
        ExactLaw { masses: law }
    }
}

/// The exact law of `mechanism.draw(value, …)`, in binary64 or multi-precision arithmetic.
///
/// ```
/// use lastbit::Bounds;
/// use lastbit::mechanisms::snapping::{Arithmetic, Bound, Snapping};
/// use lastbit_exact::Dyadic;
/// use lastbit_verify::exact::exact_law;
/// let mechanism = Snapping::builder(Bounds::parse("-4", "4")?, "1".parse()?)
///     .epsilon("1".parse()?)
///     .bound(Bound::Value(4i64.into()))
///     .arithmetic(Arithmetic::Binary64)
///     .build()?;
/// let law = exact_law(&mechanism, 0.5)?;
/// let total = law.masses().iter().fold(Dyadic::ZERO, |sum, mass| &sum + &mass.probability);
/// assert_eq!((law.masses().len(), total), (9, Dyadic::ONE));          // −4, −3, …, 4
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn exact_law(mechanism: &Snapping, value: f64) -> Result<ExactLaw, ExactError> {
    let (Some(precision), Some(bound)) = (mechanism.precision(), mechanism.bound()) else {
        return Err(ExactError::ExactArithmetic);
    };
    let cells = bound
        .times_power_of_two(1 - mechanism.grid_exponent().get())
        .ceil()
        + Integer::from(1);
    if cells > Integer::from(MOST_CELLS) {
        return Err(ExactError::TooManyCells { cells });
    }
    // λ·LN(U*) is at most 0 and is negated if the sign is minus: minus moves the output up.
    let ends = [mechanism.publish(&-bound), mechanism.publish(bound)];
    bisected_law(precision, ends, |negative, pattern| {
        draw_at(mechanism, value, negative, pattern)
    })
}

/// The output of `mechanism.draw(value, …)` on the words of one sign and one pattern.
pub fn draw_at(
    mechanism: &Snapping,
    value: f64,
    negative: bool,
    pattern: &Pattern,
) -> Result<f64, ExactError> {
    let layout = match mechanism.arithmetic() {
        Arithmetic::Binary64 => Layout::Binary64,
        Arithmetic::Multi => Layout::Multi,
        Arithmetic::Exact => return Err(ExactError::ExactArithmetic),
    };
    let mut words = Replay::new(layout, negative, pattern);
    let output = mechanism.draw(value, &mut words)?;
    if words.is_used_up() {
        Ok(output)
    } else {
        Err(ExactError::Layout)
    }
}

/// The law of any output that is monotone in the rank of `U*`: it rises with the rank if the sign
/// is minus, falls if it is plus, and stays at an end once it is there. `ends` are the smallest and
/// the largest output.
///
/// This is what [`exact_law`] does to the shipped release; tests do it to the same mechanism at a
/// few bits.
pub fn bisected_law(
    precision: u32,
    ends: [f64; 2],
    output: impl Fn(bool, &Pattern) -> Result<f64, ExactError>,
) -> Result<ExactLaw, ExactError> {
    let mut masses = Vec::new();
    for negative in [false, true] {
        let end = ends[usize::from(negative)];
        Side {
            negative,
            end,
            precision,
            output: &|rank: &Natural| output(negative, &Pattern::of_rank(rank, precision)),
        }
        .bisect(&mut masses)?;
    }
    Ok(ExactLaw::from_masses(masses))
}

/// The outputs of one sign as a function of the rank.
struct Side<'a> {
    negative: bool,
    end: f64,
    precision: u32,
    output: &'a dyn Fn(&Natural) -> Result<f64, ExactError>,
}

impl Side<'_> {
    /// Appends the outputs from the smallest noise to the end, each with half its mass under this
    /// sign.
    fn bisect(&self, masses: &mut Vec<Mass>) -> Result<(), ExactError> {
        let beyond = self.first_octave_at_the_end()?;
        let mut start = Natural::ZERO;
        let mut mass_from_start = Dyadic::ONE;
        let mut output = (self.output)(&start)?;
        while output.to_bits() != self.end.to_bits() {
            // The output at `same` is `output`, at `other` it is `next`.
            let (mut same, mut other, mut next) = (start, beyond.clone(), self.end);
            while &other - &same > Natural::ONE {
                let middle = (&same + &other) >> 1;
                let there = (self.output)(&middle)?;
                self.check_order(output, there, next)?;
                if there.to_bits() == output.to_bits() {
                    same = middle;
                } else {
                    (other, next) = (middle, there);
                }
            }
            let mass_from_other = Pattern::mass_from(&other, self.precision);
            masses.push(Mass {
                output,
                probability: (&mass_from_start - &mass_from_other).times_power_of_two(-1),
            });
            (start, mass_from_start, output) = (other, mass_from_other, next);
        }
        masses.push(Mass {
            output,
            probability: mass_from_start.times_power_of_two(-1),
        });
        Ok(())
    }

    /// A rank whose output is the end, and so is that of every rank beyond.
    fn first_octave_at_the_end(&self) -> Result<Natural, ExactError> {
        let mut exponent = 1;
        loop {
            let rank = Pattern::last_rank(exponent, self.precision);
            if (self.output)(&rank)?.to_bits() == self.end.to_bits() {
                return Ok(rank);
            }
            // Fewer than 2^17 cells of width Λ < 2λ: the noise that crosses them all has an
            // exponent below 2^20.
            if exponent > 1 << 24 {
                return Err(ExactError::EndNotReached { end: self.end });
            }
            exponent *= 2;
        }
    }

    fn check_order(&self, before: f64, output: f64, after: f64) -> Result<(), ExactError> {
        let (low, high) = if self.negative {
            (before, after)
        } else {
            (after, before)
        };
        if low <= output && output <= high {
            Ok(())
        } else {
            Err(ExactError::NotMonotone {
                before,
                output,
                after,
            })
        }
    }
}
