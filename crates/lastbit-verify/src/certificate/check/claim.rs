//! What the checker recomputes from a claim, and the inequalities that the boxes assert.

use core::fmt;

use lastbit_exact::{Integer, Rational, Rounding};

use super::super::document::{ClaimText, InputPlace};
use super::sign::Sum;
use super::{BadStep, bad, step};

/// Premises established per claim.
pub(super) const STEPS: usize = 6;

/// What an accepted certificate is about, as the checker read it:
/// `clamp_B(⌊clamp_B(f ∘ input) ⊕ S ⊗ (LN(U*) ∘ noise)⌉_Λ)` at p bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// p.
    pub precision: u32,
    /// Δ, of f.
    pub sensitivity: Rational,
    /// Operations on f before the clamp.
    pub input: Vec<Operation>,
    /// Δ_in, of what enters the sum: Δ times the factor of the input, and 2ηB if that rounds.
    pub input_sensitivity: Rational,
    /// Whether the program clamps to [−B, B] what enters the sum.
    pub clamped: bool,
    /// If it does not, the largest |f| that the certificate is about.
    pub query_within: Option<Rational>,
    /// Operations on `LN(U*)`.
    pub noise: Vec<Operation>,
    /// λ.
    pub scale: Rational,
    /// Λ.
    pub grid: Rational,
    /// B.
    pub bound: Rational,
}

impl fmt::Display for Stated {
    /// The program, in the language of mechanisms.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let chain = |first: &str, operations: &[Operation]| {
            operations
                .iter()
                .fold(first.to_owned(), |text, next| format!("{text} {next}"))
        };
        let (input, noise) = (chain("f", &self.input), chain("ln~(u)", &self.noise));
        match self.clamped {
            true => write!(f, "clamp(round(clamp({input}, B)")?,
            false => write!(f, "clamp(round({input}")?,
        }
        write!(f, " (+) s (*) ({noise}), Lambda), B)")
    }
}

/// A rounded operation by a positive constant of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Whether it divides by the constant; else it multiplies.
    pub divides: bool,
    /// The constant.
    pub constant: Rational,
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.divides { "(/)" } else { "(*)" };
        write!(f, "{sign} {}", self.constant)
    }
}

/// A claim that meets the premises, as numbers.
pub(super) struct Facts {
    pub precision: u32,
    /// Δ_in, of what enters the sum.
    pub sensitivity: Rational,
    /// λ.
    pub scale: Rational,
    grid: Rational,
    bound: Rational,
    eta: Rational,
    /// `(1 ± η)^s` for the s roundings from `ln U*` to the noise.
    larger: Rational,
    smaller: Rational,
    pub stated: Stated,
}

impl Facts {
    pub fn of(claim: &ClaimText) -> Result<Facts, BadStep> {
        let precision = claim.precision;
        if !(8..=1000).contains(&precision) {
            return bad("claim.precision", "outside 8..=1000".to_owned());
        }
        let sensitivity = positive("claim.sensitivity", &claim.sensitivity)?;
        let bound = p_bit("claim.bound", &claim.bound, precision)?;
        let grid = positive("claim.grid", &claim.grid)?;
        if !is_power_of_two(&grid) {
            return bad("claim.grid", "not a power of two".to_owned());
        }
        if claim.input.len() > 1 || !(1..=8).contains(&claim.noise.len()) {
            let problem = "at most one operation on the input, one to eight on the noise";
            return bad("claim.noise", problem.to_owned());
        }
        let input_operations = operations("claim.input", &claim.input, precision)?;
        let noise_operations = operations("claim.noise", &claim.noise, precision)?;
        let (input, rounded) = product(&input_operations);
        let (scale, roundings) = product(&noise_operations);
        if grid < &scale * &(&Rational::ONE - &Rational::ONE.times_power_of_two(-20))
            || grid >= scale.times_power_of_two(1)
        {
            return bad(
                "claim.grid",
                "not (1 - 2^-20) lambda <= Lambda < 2 lambda".to_owned(),
            );
        }
        if bound <= scale || bound >= scale.times_power_of_two(i64::from(precision) - 7) {
            let problem = "not lambda < B < 2^(p-7) lambda";
            return bad("claim.bound", problem.to_owned());
        }
        // Without a clamp, what enters the sum is bounded by what is asked of f. B is a p-bit
        // number and rounding is monotone, so |f ∘ input| ≤ B where |f| times the factor is at most
        // B.
        let query_within = (!claim.clamped).then(|| &bound / &input);
        stated_bound(claim.query_within.as_deref(), query_within.as_ref())?;
        let eta = Rational::ONE.times_power_of_two(-i64::from(precision));
        // Two inputs of size at most B, each rounded once.
        let error = &(&Rational::from(2 * rounded) * &eta) * &bound;
        let power = |base: Rational| (0..=roundings).fold(Rational::ONE, |x, _| &x * &base);
        let input_sensitivity = &(&sensitivity * &input) + &error;
        Ok(Facts {
            precision,
            sensitivity: input_sensitivity.clone(),
            stated: Stated {
                precision,
                sensitivity,
                input: input_operations,
                input_sensitivity,
                clamped: claim.clamped,
                query_within,
                noise: noise_operations,
                scale: scale.clone(),
                grid: grid.clone(),
                bound: bound.clone(),
            },
            larger: power(&Rational::ONE + &eta),
            smaller: power(&Rational::ONE - &eta),
            scale,
            grid,
            bound,
            eta,
        })
    }

    /// The last edge, b + Λ/2 with b the largest multiple of Λ below B.
    fn last_edge(&self) -> Rational {
        let multiples = &Rational::from((&self.bound / &self.grid).ceil()) - &Rational::new(1, 2);
        &multiples * &self.grid
    }

    /// Half a unit in the last place of the last edge, at most: how far ⊕ moves an edge.
    fn wobble(&self) -> Rational {
        &self.last_edge() * &self.eta
    }

    /// Place and largest distance of each box, in order.
    pub fn ends(&self) -> Vec<(InputPlace, Rational)> {
        let mut ends = vec![(InputPlace::Inside, Rational::ZERO)];
        let tail = &(&self.bound + &self.last_edge()) + &self.wobble();
        let outside = &tail - &self.grid;
        for (place, reach) in [(InputPlace::Outside, outside), (InputPlace::Tail, tail)] {
            let mut to = self.grid.clone();
            while to < reach {
                ends.push((place, to.clone()));
                to = to.times_power_of_two(1);
            }
            ends.push((place, reach));
        }
        ends
    }

    /// `(1 + v)·ideal − largest probability`, up to a positive factor: not negative if `up = v`
    /// holds.
    pub fn up(&self, place: InputPlace, to: &Rational, v: &Rational) -> Sum {
        let allowed = &Rational::ONE + v;
        let steps = &Rational::ONE + &self.eta.times_power_of_two(1);
        let nearer = &(to / &self.scale) * &(&Rational::ONE - &self.smaller);
        let stretch = &self.larger - &Rational::ONE;
        let farther = &(&self.far(to) / &self.scale) * &stretch;
        let q = self.narrowest();
        match place {
            // v (1 − q) ≥ 2·stretch/e.
            InputPlace::Inside => Sum::new()
                .constant(v.clone())
                .term(-v, q)
                .term(-&stretch.times_power_of_two(1), -&Rational::ONE),
            // (1 + v)(1 − q) ≥ (1 + 2η) e^nearer − q e^−farther.
            InputPlace::Outside => Sum::new()
                .constant(allowed.clone())
                .term(-&allowed, q.clone())
                .term(-&steps, nearer)
                .term(Rational::ONE, &q - &farther),
            // 1 + v ≥ (1 + 2η) e^nearer.
            InputPlace::Tail => Sum::new().constant(allowed).term(-&steps, nearer),
        }
    }

    /// `least probability − (1 − v)·ideal`, up to a positive factor: not negative if `down = v`
    /// holds.
    pub fn down(&self, place: InputPlace, to: &Rational, v: &Rational) -> Sum {
        let allowed = &Rational::ONE - v;
        let steps = &Rational::ONE + &self.eta.times_power_of_two(1);
        let shrink = &Rational::ONE - &self.smaller;
        let nearer = &(to / &self.scale) * &(&self.larger - &Rational::ONE);
        let farther = &(&self.far(to) / &self.scale) * &shrink;
        let q = self.narrowest();
        match place {
            // v (1 − q) ≥ 2η (1 + q^smaller) + 2·shrink/(e·smaller).
            InputPlace::Inside => Sum::new()
                .constant(v - &self.eta.times_power_of_two(1))
                .term(-v, q.clone())
                .term(-&self.eta.times_power_of_two(1), &q * &self.smaller)
                .term(
                    -&(&shrink.times_power_of_two(1) / &self.smaller),
                    -&Rational::ONE,
                ),
            // e^−nearer − q (1 + 2η) e^farther ≥ (1 − v)(1 − q).
            InputPlace::Outside => Sum::new()
                .term(Rational::ONE, -&nearer)
                .term(-&steps, &q + &farther)
                .constant(-&allowed)
                .term(allowed, q),
            // e^−nearer ≥ 1 − v.
            InputPlace::Tail => Sum::new().term(Rational::ONE, -&nearer).constant(-&allowed),
        }
    }

    /// The exponent of q: minus the width of the narrowest cell over λ.
    fn narrowest(&self) -> Rational {
        &(&self.wobble() - &self.grid) / &self.scale
    }

    /// The farther edge of the widest cell.
    fn far(&self, to: &Rational) -> Rational {
        &(to + &self.grid) + &self.wobble()
    }
}

fn operations(name: &str, texts: &[String], precision: u32) -> Result<Vec<Operation>, BadStep> {
    let operation = |(i, text): (usize, &String)| {
        let name = format!("{name}[{i}]");
        let (divides, digits) = match text.split_once(' ') {
            Some(("*", digits)) => (false, digits),
            Some(("/", digits)) => (true, digits),
            _ => return bad(&name, "neither `* c` nor `/ c`".to_owned()),
        };
        let constant = p_bit(&name, digits, precision)?;
        Ok(Operation { divides, constant })
    };
    texts.iter().enumerate().map(operation).collect()
}

/// The product of the factors, and how many of them round: those by no power of two.
fn product(operations: &[Operation]) -> (Rational, i64) {
    let mut value = Rational::ONE;
    let mut roundings = 0;
    for Operation { divides, constant } in operations {
        roundings += i64::from(!is_power_of_two(constant));
        value = match divides {
            true => &value / constant,
            false => &value * constant,
        };
    }
    (value, roundings)
}

/// The certificate states the bound on f that it needs, and no other.
fn stated_bound(given: Option<&str>, needed: Option<&Rational>) -> Result<(), BadStep> {
    let name = "claim.query_within";
    match (given, needed) {
        (None, None) => Ok(()),
        (Some(text), Some(needed)) if number(name, text)? == *needed => Ok(()),
        (_, Some(needed)) => bad(name, format!("expected {needed}: nothing is clamped")),
        (Some(_), None) => bad(name, "the program clamps: nothing is asked of f".to_owned()),
    }
}

pub(super) fn number(name: &str, text: &str) -> Result<Rational, BadStep> {
    text.parse()
        .map_err(|error| step(name, &format!("{error}")))
}

fn positive(name: &str, text: &str) -> Result<Rational, BadStep> {
    let value = number(name, text)?;
    if value.is_positive() {
        Ok(value)
    } else {
        bad(name, "not positive".to_owned())
    }
}

fn p_bit(name: &str, text: &str, precision: u32) -> Result<Rational, BadStep> {
    let value = positive(name, text)?;
    let nearest = value.round(precision as usize, Rounding::NearestEven);
    if Rational::from(nearest) == value {
        Ok(value)
    } else {
        bad(name, format!("not a number of {precision} bits"))
    }
}

fn is_power_of_two(x: &Rational) -> bool {
    x.to_dyadic().is_some_and(|x| *x.mantissa() == Integer::ONE)
}
