//! What is to be proved: a floating snapping program with its numbers.

use core::fmt;
use core::str::FromStr;

use lastbit::mechanisms::snapping::{Snapping, float_grid_exponent};
use lastbit_exact::{Rational, Rounding};

/// One rounded operation by a public p-bit constant.
///
/// ```
/// use lastbit_verify::certificate::Factor;
/// let third: Factor = "/ 3".parse().unwrap();
/// assert_eq!(third.to_string(), "/ 3");
/// assert_eq!(third.value().to_string(), "1/3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Factor {
    /// `⊗ c`.
    Times(Rational),
    /// `⊘ c`.
    Over(Rational),
}

impl Factor {
    /// The constant.
    pub fn constant(&self) -> &Rational {
        match self {
            Factor::Times(c) | Factor::Over(c) => c,
        }
    }

    /// What the operation multiplies by, before rounding; zero for a division by zero, which no
    /// claim accepts.
    pub fn value(&self) -> Rational {
        match self {
            Factor::Times(c) => c.clone(),
            Factor::Over(c) => c.recip().unwrap_or(Rational::ZERO),
        }
    }
}

impl fmt::Display for Factor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Factor::Times(c) => write!(f, "* {c}"),
            Factor::Over(c) => write!(f, "/ {c}"),
        }
    }
}

impl FromStr for Factor {
    type Err = String;

    fn from_str(text: &str) -> Result<Factor, String> {
        let number = |rest: &str| rest.parse().map_err(|error| format!("{error}"));
        match (text.strip_prefix("* "), text.strip_prefix("/ ")) {
            (Some(rest), _) => Ok(Factor::Times(number(rest)?)),
            (_, Some(rest)) => Ok(Factor::Over(number(rest)?)),
            _ => Err(format!("`{text}` is not a factor; write `* c` or `/ c`")),
        }
    }
}

/// A floating snapping program and its numbers:
/// `clamp_B(⌊clamp_B(f ∘ input) ⊕ S ⊗ (LN(U*) ∘ noise)⌉_Λ)` at p bits.
///
/// `U*` has p bits and an unbounded exponent, ties of the grid go toward +∞, and zero is +0; `LN`
/// and every circled operation round to nearest even. A program that departs from this is not a
/// claim: see [`super::prove_program`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// p, the significant bits of every number.
    pub precision: u32,
    /// Δ: neighbouring data move f by at most this.
    pub sensitivity: Rational,
    /// What f goes through before it is clamped: nothing, or one operation.
    pub input: Vec<Factor>,
    /// Whether `f ∘ input` is clamped to [−B, B]. If not, the claim is about queries within
    /// [`Claim::query_within`] only.
    pub clamped: bool,
    /// What `LN(U*)` goes through, in order; the product of the factors is λ.
    pub noise: Vec<Factor>,
    /// `Λ = 2^grid_exponent`.
    pub grid_exponent: i64,
    /// B.
    pub bound: Rational,
}

impl Claim {
    /// The claim about the shipped mechanism: λ is Δ/ε' rounded up to p bits, Λ the smallest power
    /// of two ≥ λ(1 − 2^-20), B rounded up.
    ///
    /// `epsilon`, `sensitivity` and `bound` must be positive, or the prover will refuse the claim.
    ///
    /// ```
    /// use lastbit_verify::certificate::{Claim, check, prove};
    /// let claim = Claim::shipped(&"0.1".parse()?, &"1".parse()?, &"1000".parse()?, 53);
    /// let certificate = prove(&claim)?;
    /// assert!(check(&certificate).is_ok());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn shipped(
        epsilon: &Rational,
        sensitivity: &Rational,
        bound: &Rational,
        precision: u32,
    ) -> Claim {
        let up = |x: &Rational| Rational::from(x.round(precision.max(2) as usize, Rounding::Up));
        let ideal = epsilon.recip().unwrap_or(Rational::ZERO);
        let scale = up(&(sensitivity * &ideal));
        Claim {
            precision,
            sensitivity: sensitivity.clone(),
            input: Vec::new(),
            clamped: true,
            grid_exponent: float_grid_exponent(&scale).unwrap_or(0),
            noise: vec![Factor::Times(scale)],
            bound: up(bound),
        }
    }

    /// The claim about a mechanism with its own λ, Λ, B and p, and the sensitivity that it charges;
    /// `None` in exact arithmetic, which has no rounding to bound.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::mechanisms::snapping::{Arithmetic, Snapping};
    /// use lastbit_verify::certificate::{Claim, check, prove};
    /// let mechanism = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?)
    ///     .epsilon("0.5".parse()?)
    ///     .arithmetic(Arithmetic::Binary64)
    ///     .build()?;
    /// let claim = Claim::of_mechanism(&mechanism).unwrap();
    /// assert!(check(&prove(&claim)?)?.certified <= *mechanism.epsilon());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_mechanism(mechanism: &Snapping) -> Option<Claim> {
        Some(Claim {
            precision: mechanism.precision()?,
            sensitivity: mechanism.effective_sensitivity().clone(),
            input: Vec::new(),
            clamped: true,
            noise: vec![Factor::Times(mechanism.scale().clone())],
            grid_exponent: mechanism.grid_exponent().get(),
            bound: mechanism.bound()?.clone(),
        })
    }

    /// The largest |f| that the claim is about: all f of this size give `f ∘ input` in [−B, B],
    /// since B is a p-bit number and rounding is monotone. `None` for a program that clamps, which
    /// is a claim about every f.
    ///
    /// ```
    /// use lastbit_verify::certificate::{Claim, Factor};
    /// let mut claim = Claim::shipped(&"1".parse()?, &"1".parse()?, &"16".parse()?, 53);
    /// assert_eq!(claim.query_within(), None);
    /// claim.clamped = false;
    /// claim.input = vec![Factor::Times("1024".parse()?)];
    /// assert_eq!(claim.query_within(), Some("1/64".parse()?));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn query_within(&self) -> Option<Rational> {
        if self.clamped {
            return None;
        }
        let factor = self
            .input
            .iter()
            .fold(Rational::ONE, |x, f| &x * &f.value());
        // A factor of zero is refused by the prover, and bounds nothing.
        Some(&self.bound * &factor.recip().unwrap_or(Rational::ZERO))
    }

    /// λ, the exact product of the noise's factors.
    pub fn scale(&self) -> Rational {
        self.noise
            .iter()
            .fold(Rational::ONE, |product, factor| &product * &factor.value())
    }
}
