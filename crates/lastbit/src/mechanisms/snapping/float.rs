//! The mechanism in rounded arithmetic: one skeleton, generic over the arithmetic.

use lastbit_exact::{Dyadic, Format, Rounding, Short, ShortFormat, ln};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::{SignedUStar64, UStar};

/// Binary floating point in which every operation rounds to nearest even, as [`noisy`] needs it.
///
/// Implemented by the hardware's binary64, by [`ShortArithmetic`] up to 120 bits and by
/// [`FormatArithmetic`] at any precision. The
/// certificate of the loss speaks of this code, so a test that enumerates it at 8 bits and a
/// release at 53 or 118 run the same lines.
pub trait FloatArithmetic {
    /// A number of the format.
    type Number: Clone;
    /// A draw of `U*` at the format's own precision.
    type Uniform;

    /// A fair sign (whether it is minus) and a draw of `U*`.
    fn draw(&self, entropy: &mut impl Entropy) -> Result<(bool, Self::Uniform), EntropyError>;
    /// `LN(u)`, correctly rounded; never positive.
    fn ln(&self, u: &Self::Uniform) -> Self::Number;
    /// `a ⊗ b`.
    fn multiply(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    /// `a ⊕ b`.
    fn add(&self, a: &Self::Number, b: &Self::Number) -> Self::Number;
    /// `−a` if `negative`, else `a`, exactly.
    fn negate_if(&self, negative: bool, a: &Self::Number) -> Self::Number;
    /// `a` clamped to `[−bound, bound]`, exactly.
    fn clamp(&self, a: &Self::Number, bound: &Self::Number) -> Self::Number;
    /// The nearest multiple of `2^exponent`, ties toward +∞, exactly.
    fn snap(&self, a: &Self::Number, exponent: i64) -> Self::Number;
}

/// What [`noisy`] needs besides the value: all public.
#[derive(Clone, Debug)]
pub struct FloatParameters<N> {
    /// λ.
    pub scale: N,
    /// The grid is the multiples of `2^grid_exponent`.
    pub grid_exponent: i64,
    /// B.
    pub bound: N,
}

/// `clamp_B(⌊clamp_B(g) ⊕ S ⊗ λ ⊗ LN(U*)⌉_Λ)`.
#[inline(always)]
pub fn noisy<A: FloatArithmetic>(
    arithmetic: &A,
    centred: &A::Number,
    negative: bool,
    uniform: &A::Uniform,
    parameters: &FloatParameters<A::Number>,
) -> A::Number {
    let inner = arithmetic.clamp(centred, &parameters.bound);
    let noise = arithmetic.multiply(&parameters.scale, &arithmetic.ln(uniform));
    let sum = arithmetic.add(&inner, &arithmetic.negate_if(negative, &noise));
    let snapped = arithmetic.snap(&sum, parameters.grid_exponent);
    arithmetic.clamp(&snapped, &parameters.bound)
}

/// A [`Format`] of any precision; values are [`Dyadic`]s.
#[derive(Clone, Copy, Debug)]
pub struct FormatArithmetic(pub Format);

impl FloatArithmetic for FormatArithmetic {
    type Number = Dyadic;
    type Uniform = UStar;

    fn draw(&self, entropy: &mut impl Entropy) -> Result<(bool, UStar), EntropyError> {
        let negative = entropy.word()? >> 63 == 1;
        Ok((negative, UStar::draw(self.0.precision(), entropy)?))
    }

    fn ln(&self, u: &UStar) -> Dyadic {
        self.0
            .ln(&u.value(), Rounding::NearestEven)
            .expect("U* is positive")
    }

    fn multiply(&self, a: &Dyadic, b: &Dyadic) -> Dyadic {
        self.0.mul(a, b, Rounding::NearestEven)
    }

    fn add(&self, a: &Dyadic, b: &Dyadic) -> Dyadic {
        self.0.add(a, b, Rounding::NearestEven)
    }

    fn negate_if(&self, negative: bool, a: &Dyadic) -> Dyadic {
        if negative { -a } else { a.clone() }
    }

    fn clamp(&self, a: &Dyadic, bound: &Dyadic) -> Dyadic {
        if a.abs() <= *bound {
            a.clone()
        } else if a.is_negative() {
            -bound
        } else {
            bound.clone()
        }
    }

    fn snap(&self, a: &Dyadic, exponent: i64) -> Dyadic {
        Dyadic::new(a.round_in(exponent), exponent)
    }
}

/// A [`ShortFormat`]: what [`FormatArithmetic`] computes at the same precision, from the same
/// words, in two limbs and in a time that does not depend on the numbers.
#[derive(Clone, Copy, Debug)]
pub struct ShortArithmetic(pub ShortFormat);

impl FloatArithmetic for ShortArithmetic {
    type Number = Short;
    type Uniform = Short;

    #[inline]
    fn draw(&self, entropy: &mut impl Entropy) -> Result<(bool, Short), EntropyError> {
        let negative = entropy.word()? >> 63 == 1;
        Ok((negative, UStar::draw_short(self.0, entropy)?))
    }

    #[inline]
    fn ln(&self, u: &Short) -> Short {
        self.0.ln(u).expect("U* is positive")
    }

    #[inline]
    fn multiply(&self, a: &Short, b: &Short) -> Short {
        self.0.mul(a, b)
    }

    #[inline]
    fn add(&self, a: &Short, b: &Short) -> Short {
        self.0.add(a, b)
    }

    #[inline]
    fn negate_if(&self, negative: bool, a: &Short) -> Short {
        a.negate_if(negative)
    }

    #[inline]
    fn clamp(&self, a: &Short, bound: &Short) -> Short {
        a.clamp(bound)
    }

    #[inline]
    fn snap(&self, a: &Short, exponent: i64) -> Short {
        a.snap(exponent)
    }
}

/// The processor's own binary64.
#[derive(Clone, Copy, Debug)]
pub struct Binary64;

impl FloatArithmetic for Binary64 {
    type Number = f64;
    type Uniform = SignedUStar64;

    #[inline]
    fn draw(&self, entropy: &mut impl Entropy) -> Result<(bool, SignedUStar64), EntropyError> {
        let draw = SignedUStar64::draw(entropy)?;
        Ok((draw.negative, draw))
    }

    #[inline]
    fn ln(&self, u: &SignedUStar64) -> f64 {
        if u.exponent <= 1022 {
            let bits = (1023 - u.exponent) << 52 | u.fraction;
            return ln(f64::from_bits(bits), Rounding::NearestEven);
        }
        ln_beyond_binary64(u)
    }

    #[inline]
    fn multiply(&self, a: &f64, b: &f64) -> f64 {
        a * b
    }

    #[inline]
    fn add(&self, a: &f64, b: &f64) -> f64 {
        a + b
    }

    #[inline]
    fn negate_if(&self, negative: bool, a: &f64) -> f64 {
        // No branch: a fair coin is mispredicted every other time.
        f64::from_bits(a.to_bits() ^ u64::from(negative) << 63)
    }

    #[inline]
    fn clamp(&self, a: &f64, bound: &f64) -> f64 {
        let a = if *a < *bound { *a } else { *bound };
        if a > -bound { a } else { -bound }
    }

    #[inline]
    fn snap(&self, a: &f64, exponent: i64) -> f64 {
        if exponent == 0 {
            return round_ties_up(*a);
        }
        let (up, down) = scale_factors(exponent);
        round_ties_up(a * down) * up
    }
}

/// `U*` below the smallest normal double, which happens once in 2^1022 draws: the same logarithm
/// through big numbers.
#[cold]
fn ln_beyond_binary64(u: &SignedUStar64) -> f64 {
    let value = Dyadic::new(1i64 << 52 | u.fraction as i64, -52 - u.exponent as i64);
    Format::new(53)
        .and_then(|format| format.ln(&value, Rounding::NearestEven))
        .expect("53 is a precision and U* is positive")
        .to_f64(Rounding::NearestEven)
}

/// `2^exponent` and `2^-exponent`, for a grid that the builder has checked to lie within ±1000.
#[inline]
fn scale_factors(exponent: i64) -> (f64, f64) {
    let power = |e: i64| f64::from_bits(((1023 + e) as u64) << 52);
    (power(exponent), power(-exponent))
}

/// `⌊x + 1/2⌋`, exactly, for every finite x and the infinities.
///
/// Contract: the integer r with `r − 1/2 ≤ x < r + 1/2`; a tie goes toward +∞ for both signs; zero
/// is `+0.0` or `-0.0`. `(x + 0.5).floor()` would not do: 0.49999999999999994 + 0.5 = 1.
#[inline]
pub fn round_ties_up(x: f64) -> f64 {
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
    if x.abs() < (1u64 << 51) as f64 {
        // Nearest, ties to even, as the sum has no bits below one. x − nearest is exact, at most
        // one half; a tie that went down goes up after all.
        let nearest = (x + ROUND) - ROUND;
        if x - nearest == 0.5 {
            nearest + 1.0
        } else {
            nearest
        }
    } else {
        // A multiple of one half: x − ⌊x⌋ is 0 or 1/2, exactly; NaN for an infinity.
        let below = x.floor();
        if x - below == 0.5 { below + 1.0 } else { below }
    }
}

#[cfg(test)]
mod tests;
