//! The float skeleton of snapping over every `U*` of a small format.

use std::collections::BTreeMap;

use lastbit::mechanisms::snapping::{FloatArithmetic, FloatParameters, FormatArithmetic, noisy};
use lastbit_exact::{Dyadic, Format, Natural};
use lastbit_noise::UStar;
use lastbit_noise::entropy::{Entropy, EntropyError};

/// [`FormatArithmetic`] with its logarithms of all `U*` down to an exponent looked up instead of
/// computed again.
pub struct Enumerated {
    arithmetic: FormatArithmetic,
    /// Precision of `U*`; that of the arithmetic, unless a test means to break it.
    uniform_precision: u32,
    /// `logarithms[e − 1][mantissa]`.
    logarithms: Vec<Vec<Dyadic>>,
}

impl Enumerated {
    /// All `U*` of a precision down to the last exponent.
    pub fn new(precision: u32, uniform_precision: u32, last_exponent: u64) -> Enumerated {
        let arithmetic = FormatArithmetic(Format::new(precision).unwrap());
        let logarithms = (1..=last_exponent)
            .map(|e| {
                (0..1u32 << (uniform_precision - 1))
                    .map(|m| arithmetic.ln(&UStar::new(Natural::from(m), e, uniform_precision)))
                    .collect()
            })
            .collect();
        Enumerated {
            arithmetic,
            uniform_precision,
            logarithms,
        }
    }

    /// The precision of the arithmetic.
    pub fn precision(&self) -> u32 {
        self.arithmetic.0.precision()
    }

    /// The exact law, in units of `2^-(last_exponent + p)`. Beyond the last exponent every output
    /// is an end, which is checked.
    pub fn law(
        &self,
        value: &Dyadic,
        parameters: &FloatParameters<Dyadic>,
    ) -> BTreeMap<Dyadic, u128> {
        let last = self.logarithms.len();
        let mut law = BTreeMap::new();
        for negative in [false, true] {
            for e in 1..=last {
                for m in 0..self.logarithms[0].len() {
                    let output = noisy(self, value, negative, &(e, m), parameters);
                    *law.entry(output).or_insert(0) += 1u128 << (last - e);
                }
            }
            // All smaller U* together weigh as much as the last exponent once more, and go where
            // its smallest one goes.
            let rest = noisy(self, value, negative, &(last, 0), parameters);
            assert_eq!(rest.abs(), parameters.bound, "enumerate further");
            *law.get_mut(&rest).unwrap() += 1u128 << (self.uniform_precision - 1);
        }
        law
    }
}

impl FloatArithmetic for Enumerated {
    type Number = Dyadic;
    type Uniform = (usize, usize);

    fn draw(&self, _: &mut impl Entropy) -> Result<(bool, Self::Uniform), EntropyError> {
        Err(EntropyError::exhausted())
    }
    fn ln(&self, &(e, m): &(usize, usize)) -> Dyadic {
        self.logarithms[e - 1][m].clone()
    }
    fn multiply(&self, a: &Dyadic, b: &Dyadic) -> Dyadic {
        self.arithmetic.multiply(a, b)
    }
    fn add(&self, a: &Dyadic, b: &Dyadic) -> Dyadic {
        self.arithmetic.add(a, b)
    }
    fn negate_if(&self, negative: bool, a: &Dyadic) -> Dyadic {
        self.arithmetic.negate_if(negative, a)
    }
    fn clamp(&self, a: &Dyadic, bound: &Dyadic) -> Dyadic {
        self.arithmetic.clamp(a, bound)
    }
    fn snap(&self, a: &Dyadic, exponent: i64) -> Dyadic {
        self.arithmetic.snap(a, exponent)
    }
}
