//! The mechanism at a few bits, every `U*` enumerated.
//!
//! [`Small`] computes with p ≤ 25 bits inside doubles, so that the production skeleton `noisy` runs
//! at the speed of the processor: sums and products of p-bit numbers are exact, or rounded to 53 ≥
//! 2p + 2 bits, from which rounding again to p bits gives the correctly rounded result (Figueroa
//! 1995).

use std::collections::BTreeMap;

use lastbit::mechanisms::snapping::{
    Binary64, FloatArithmetic, FloatParameters, FormatArithmetic, noisy,
};
use lastbit_exact::{Dyadic, Format, FormatError, Natural, Rounding};
use lastbit_noise::UStar;
use lastbit_noise::entropy::{Entropy, EntropyError};

use super::{ExactLaw, Mass};

/// The most bits that [`Small`] has.
pub const MOST_BITS: u32 = 25;

/// Arithmetic of p bits, and the logarithms of every `U*` down to some exponent.
///
/// A draw is given by its logarithm, which [`Small::law`] looks up.
///
/// ```
/// use lastbit::mechanisms::snapping::FloatParameters;
/// use lastbit_verify::exact::small::Small;
/// let small = Small::new(8, 8, 20)?;
/// let parameters = FloatParameters { scale: 1.0, grid_exponent: 0, bound: 1.5 };
/// assert_eq!(small.law(0.25, &parameters).unwrap().masses().len(), 5); // −1.5, −1, 0, 1, 1.5
/// # Ok::<(), lastbit_exact::FormatError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Small {
    precision: u32,
    uniform_precision: u32,
    /// `logarithms[e − 1][m]`.
    logarithms: Vec<Vec<f64>>,
}

impl Small {
    /// Arithmetic of `precision` bits; `U*` of `uniform_precision` bits (the same, unless it is
    /// meant to break) with exponents up to `last_exponent`.
    pub fn new(
        precision: u32,
        uniform_precision: u32,
        last_exponent: u64,
    ) -> Result<Small, FormatError> {
        let bits = 2..=MOST_BITS;
        for p in [precision, uniform_precision] {
            if !bits.contains(&p) {
                return Err(FormatError::Precision(p));
            }
        }
        let arithmetic = FormatArithmetic(Format::new(precision)?);
        let logarithm = |e: u64, m: u32| {
            let u = UStar::new(Natural::from(m), e, uniform_precision);
            arithmetic.ln(&u).to_f64(Rounding::NearestEven)
        };
        let octave = |e| {
            (0..1 << (uniform_precision - 1))
                .map(move |m| logarithm(e, m))
                .collect()
        };
        Ok(Small {
            precision,
            uniform_precision,
            logarithms: (1..=last_exponent).map(octave).collect(),
        })
    }

    /// An exponent beyond which every output is an end: `2^-e` is noise of more than 2B and a cell.
    pub fn last_exponent(bound_over_scale: f64) -> u64 {
        ((2.0 * bound_over_scale + 4.0) / core::f64::consts::LN_2) as u64 + 4
    }

    /// p.
    pub fn precision(&self) -> u32 {
        self.precision
    }

    /// The exact law of `noisy`, from every `U*`; `None` if the logarithms do not go far enough to
    /// reach both ends.
    ///
    /// Nothing is assumed about order except beyond the last exponent, whose `U*` all lead to the
    /// end.
    pub fn law(&self, value: f64, parameters: &FloatParameters<f64>) -> Option<ExactLaw> {
        let last = self.logarithms.len();
        // In units of 2^-(last + bits of U*), which is half of the least mass of a pattern.
        let mut units: BTreeMap<u64, Natural> = BTreeMap::new();
        for negative in [false, true] {
            let end = if negative {
                parameters.bound
            } else {
                -parameters.bound
            };
            let output = |ln: &f64| noisy(self, &value, negative, ln, parameters).to_bits();
            let mut ended = false;
            for (i, octave) in self.logarithms.iter().enumerate() {
                let mut all_at_the_end = true;
                let mut add = |output: u64, count: u64| {
                    all_at_the_end &= output == end.to_bits();
                    let weight = Natural::from(count) << (last - 1 - i);
                    *units.entry(output).or_insert(Natural::ZERO) += weight;
                };
                let mut run = (output(octave.first()?), 0);
                for ln in octave {
                    let here = output(ln);
                    if here != run.0 {
                        add(run.0, run.1);
                        run = (here, 0);
                    }
                    run.1 += 1;
                }
                add(run.0, run.1);
                if all_at_the_end {
                    // This exponent weighs as much as all that follow.
                    let rest = Natural::from(octave.len()) << (last - 1 - i);
                    *units.entry(end.to_bits()).or_insert(Natural::ZERO) += rest;
                    ended = true;
                    break;
                }
            }
            if !ended {
                return None;
            }
        }
        let exponent = -(last as i64) - i64::from(self.uniform_precision);
        let masses = units.into_iter().map(|(output, units)| Mass {
            output: f64::from_bits(output) + 0.0,
            probability: Dyadic::new(units, exponent),
        });
        Some(ExactLaw::from_masses(masses.collect()))
    }
}

/// A double rounded to `precision < 53` bits, to nearest even. The carry of the significand into
/// the exponent is right.
fn round(x: f64, precision: u32) -> f64 {
    let drop = 53 - precision;
    let bits = x.to_bits();
    let even = bits >> drop & 1;
    let rounded = bits + (1 << (drop - 1)) - 1 + even;
    f64::from_bits(rounded >> drop << drop)
}

impl FloatArithmetic for Small {
    type Number = f64;
    type Uniform = f64;

    fn draw(&self, _: &mut impl Entropy) -> Result<(bool, f64), EntropyError> {
        // Enumerated, never drawn.
        Err(EntropyError::exhausted())
    }
    fn ln(&self, logarithm: &f64) -> f64 {
        *logarithm
    }
    fn multiply(&self, a: &f64, b: &f64) -> f64 {
        round(a * b, self.precision)
    }
    fn add(&self, a: &f64, b: &f64) -> f64 {
        round(a + b, self.precision)
    }
    fn negate_if(&self, negative: bool, a: &f64) -> f64 {
        Binary64.negate_if(negative, a)
    }
    fn clamp(&self, a: &f64, bound: &f64) -> f64 {
        Binary64.clamp(a, bound)
    }
    fn snap(&self, a: &f64, exponent: i64) -> f64 {
        Binary64.snap(a, exponent)
    }
}
