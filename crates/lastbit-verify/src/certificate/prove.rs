//! The prover: from a claim to a certificate.
//!
//! The mathematics is `docs/verification.md`. In short: rounding in ⊕ only moves the edges of the
//! cells, by the same amounts for all inputs; so the law of an input differs from that of real
//! Laplace noise on those cells (which loses exactly Δ/λ) by what `LN`, the scaling and the
//! discreteness of `U*` do, and that is bounded relative to the ideal law, box by box in the
//! distance from input to cell.

use lastbit_exact::{Dyadic, Enclosure, Format, Integer, Outward, Rational, Rounding};

use super::claim::{Claim, Factor};
use super::decimal::{Decimal, power_of_ten, round_up};
use super::document::{BoundedBox, CASES, Case, Certificate, ClaimText, FORMAT, InputPlace};
use super::premise::{Premise, Refusal};

/// A certificate for the claim, or the first premise of the theorem that it does not meet.
///
/// Contract: for all f, f' of the format with |f − f'| ≤ Δ (within [`Claim::query_within`], if the
/// program does not clamp) and all outputs x, `P(x|f) ≤ e^certified · P(x|f')`.
pub fn prove(claim: &Claim) -> Result<Certificate, Refusal> {
    let geometry = Geometry::of(claim)?;
    let bounded = geometry.boxes()?;
    let cases = geometry.cases(&bounded)?;
    let excess = cases
        .iter()
        .map(|(_, excess)| excess)
        .max_by_key(|excess| excess.value())
        .ok_or_else(undecided)?
        .clone();
    let unit = power_of_ten(excess.places);
    let epsilon = &geometry.sensitivity / &geometry.scale;
    let whole = Rational::from((&epsilon * &unit).ceil());
    let certified = &(&whole / &unit) + &excess.value();
    let written = |(place, to, up, down): &(InputPlace, Rational, Decimal, Decimal)| BoundedBox {
        place: *place,
        to: to.to_string(),
        up: up.text(),
        down: down.text(),
    };
    Ok(Certificate {
        format: FORMAT.to_owned(),
        claim: ClaimText {
            precision: claim.precision,
            sensitivity: claim.sensitivity.to_string(),
            input: claim.input.iter().map(Factor::to_string).collect(),
            clamped: claim.clamped,
            query_within: claim.query_within().map(|most| most.to_string()),
            noise: claim.noise.iter().map(Factor::to_string).collect(),
            grid: geometry.grid.to_string(),
            bound: claim.bound.to_string(),
        },
        epsilon: epsilon.to_string(),
        boxes: bounded.iter().map(written).collect(),
        cases: CASES
            .iter()
            .zip(&cases)
            .map(|(output, (boxes, excess))| Case {
                output: (*output).to_owned(),
                boxes: *boxes,
                excess: excess.text(),
            })
            .collect(),
        excess: excess.text(),
        certified: certified.to_string(),
    })
}

/// Everything about a claim that the bounds are functions of.
struct Geometry {
    precision: u32,
    /// η.
    eta: Rational,
    /// Δ of what enters the sum.
    sensitivity: Rational,
    scale: Rational,
    grid: Rational,
    /// `(1 + η)^s − 1` and `1 − (1 − η)^s` for s roundings between `ln U*` and the noise.
    stretch: Rational,
    shrink: Rational,
    /// `(b + Λ/2)·η`: the edges lie within it of the multiples of Λ/2.
    wobble: Rational,
    /// The largest distances from an input to a cell with two edges, and with one.
    outside: Rational,
    tail: Rational,
}

type Bounded = (InputPlace, Rational, Decimal, Decimal);

impl Geometry {
    fn of(claim: &Claim) -> Result<Geometry, Refusal> {
        let precision = claim.precision;
        let refuse = |premise, detail: String| Err(Refusal::new(premise, detail));
        if !(8..=*Format::PRECISIONS.end()).contains(&precision) {
            let detail = format!("precision {precision}; choose 8 to 1000 bits");
            return refuse(Premise::Format, detail);
        }
        if !claim.sensitivity.is_positive() {
            let detail = format!("sensitivity must be positive, got {}", claim.sensitivity);
            return refuse(Premise::Format, detail);
        }
        if claim.input.len() > 1 || claim.noise.is_empty() || claim.noise.len() > 8 {
            let detail = "at most one operation on the input and one to eight on the noise";
            return refuse(Premise::Noise, detail.to_owned());
        }
        let factors = claim.input.iter().chain(&claim.noise);
        for number in factors.map(Factor::constant).chain([&claim.bound]) {
            let fits = |x: &Rational| {
                x.to_dyadic().is_some_and(|x| {
                    Rational::from(x.round(precision as usize, Rounding::NearestEven)) == *number
                })
            };
            if !number.is_positive() || !fits(number) {
                let detail = format!(
                    "{number} is not a positive number of {precision} bits; round it first"
                );
                return refuse(Premise::Format, detail);
            }
        }
        let scale = claim.scale();
        let grid = Rational::ONE.times_power_of_two(claim.grid_exponent);
        if grid < &scale - &scale.times_power_of_two(-20) || grid >= scale.times_power_of_two(1) {
            let detail = format!(
                "Lambda = {grid} where lambda = {scale}; take the smallest power of two at or \
                 above lambda"
            );
            return refuse(Premise::Grid, detail);
        }
        let bound = &claim.bound;
        if *bound <= scale || *bound >= scale.times_power_of_two(i64::from(precision) - 7) {
            let detail = format!(
                "B = {bound} where lambda = {scale} and p = {precision}; {}",
                if *bound <= scale {
                    "raise B"
                } else {
                    "raise p"
                }
            );
            return refuse(Premise::BoundRange, detail);
        }

        let eta = Rational::ONE.times_power_of_two(-i64::from(precision));
        let roundings = 1 + claim
            .noise
            .iter()
            .filter(|factor| !is_exact(factor))
            .count();
        let power = |base: &Rational| (0..roundings).fold(Rational::ONE, |x, _| &x * base);
        let input: Rational = claim
            .input
            .iter()
            .fold(Rational::ONE, |x, f| &x * &f.value());
        let rounded_input = claim.input.iter().any(|factor| !is_exact(factor));
        let input_error = if rounded_input {
            &eta.times_power_of_two(1) * bound
        } else {
            Rational::ZERO
        };
        // b, the largest multiple of Λ below B.
        let last = &Rational::from((bound / &grid).ceil()) - &Rational::ONE;
        let last = &last * &grid;
        let half = grid.times_power_of_two(-1);
        let wobble = &(&last + &half) * &eta;
        Ok(Geometry {
            precision,
            sensitivity: &(&claim.sensitivity * &input) + &input_error,
            stretch: &power(&(&Rational::ONE + &eta)) - &Rational::ONE,
            shrink: &Rational::ONE - &power(&(&Rational::ONE - &eta)),
            outside: &(&(bound + &last) - &half) + &wobble,
            tail: &(&(bound + &last) + &half) + &wobble,
            wobble,
            eta,
            scale,
            grid,
        })
    }

    /// One box inside; outside and in the tail distances up to Λ, 2Λ, 4Λ, …, and the largest.
    fn boxes(&self) -> Result<Vec<Bounded>, Refusal> {
        let (up, down) = self.inside()?;
        let mut boxes = vec![(InputPlace::Inside, Rational::ZERO, up, down)];
        for (place, reach) in [
            (InputPlace::Outside, &self.outside),
            (InputPlace::Tail, &self.tail),
        ] {
            let mut to = self.grid.clone();
            loop {
                let end = to.clone().min(reach.clone());
                let (up, down) = match place {
                    InputPlace::Outside => self.outside(&end)?,
                    _ => self.tail(&end)?,
                };
                boxes.push((place, end, up, down));
                if to >= *reach {
                    break;
                }
                to = to.times_power_of_two(1);
            }
        }
        Ok(boxes)
    }

    /// `e^(−w/λ)` for the narrowest cell, `w = Λ − wobble`.
    fn narrowest(&self, by: Outward) -> Enclosure {
        let width = &(&self.grid - &self.wobble) / &self.scale;
        by.exp(&-&width)
    }

    /// `e^(±t·rate/λ)`.
    fn drift(&self, distance: &Rational, rate: &Rational, by: Outward) -> Enclosure {
        by.exp(&(&(distance / &self.scale) * rate))
    }

    /// `1 + 2η`.
    fn discreteness(&self) -> Enclosure {
        let step = Dyadic::power_of_two(1 - i64::from(self.precision));
        Enclosure::exact(&Dyadic::ONE + &step)
    }

    /// `2·stretch/(e(1 − q))` and `(2η(1 + q^M) + 2·shrink/(e·M))/(1 − q)` with `M = 1 − shrink`.
    fn inside(&self) -> Result<(Decimal, Decimal), Refusal> {
        let kept = &Rational::ONE - &self.shrink;
        let up = |by: Outward| {
            let per_e = by.exp(&-&Rational::ONE);
            let rate = by.rational(&self.stretch.times_power_of_two(1));
            self.over_width(&by.mul(&per_e, &rate), by)
        };
        let down = |by: Outward| {
            let per_e = by.exp(&-&Rational::ONE);
            let rate = by.rational(&(&self.shrink.times_power_of_two(1) / &kept));
            let width = &(&self.grid - &self.wobble) / &self.scale;
            let ends = by.add(&one(), &by.exp(&-&(&width * &kept)));
            let steps = by.mul(&by.rational(&self.eta.times_power_of_two(1)), &ends);
            self.over_width(&by.add(&by.mul(&per_e, &rate), &steps), by)
        };
        Ok((self.decimal(up)?, self.decimal(down)?))
    }

    /// `1 − q`.
    fn width(&self, by: Outward) -> Enclosure {
        by.sub(&one(), &self.narrowest(by))
    }

    /// `x/(1 − q)`; `None` if so few bits do not tell q from 1.
    fn over_width(&self, x: &Enclosure, by: Outward) -> Option<Enclosure> {
        by.div(x, &self.width(by))
    }

    /// Up to distance t from the nearer edge, and t + Λ + wobble from the farther.
    fn outside(&self, t: &Rational) -> Result<(Decimal, Decimal), Refusal> {
        let far = &(t + &self.grid) + &self.wobble;
        let law = |near: Enclosure, far: Enclosure, by: Outward| {
            by.sub(&near, &by.mul(&self.narrowest(by), &far))
        };
        let up = |by: Outward| {
            let near = by.mul(&self.discreteness(), &self.drift(t, &self.shrink, by));
            let law = law(near, self.drift(&far, &-&self.stretch, by), by);
            self.over_width(&by.sub(&law, &self.width(by)), by)
        };
        let down = |by: Outward| {
            let far = by.mul(&self.discreteness(), &self.drift(&far, &self.shrink, by));
            let law = law(self.drift(t, &-&self.stretch, by), far, by);
            self.over_width(&by.sub(&self.width(by), &law), by)
        };
        Ok((self.decimal(up)?, self.decimal(down)?))
    }

    /// Up to distance t from the only edge.
    fn tail(&self, t: &Rational) -> Result<(Decimal, Decimal), Refusal> {
        let up = |by: Outward| {
            let law = by.mul(&self.discreteness(), &self.drift(t, &self.shrink, by));
            Some(by.sub(&law, &one()))
        };
        let down = |by: Outward| Some(by.sub(&one(), &self.drift(t, &-&self.stretch, by)));
        Ok((self.decimal(up)?, self.decimal(down)?))
    }

    /// The excess of the seven cases, with the boxes that each visits.
    fn cases(&self, boxes: &[Bounded]) -> Result<Vec<([usize; 3], Decimal)>, Refusal> {
        let count = |place| boxes.iter().filter(|bounded| bounded.0 == place).count();
        let (outside, tail) = (count(InputPlace::Outside), count(InputPlace::Tail));
        // If one neighbour is in the cell, or they lie on either side of it, both are within Δ of
        // it.
        let near = boxes
            .iter()
            .filter(|bounded| bounded.0 == InputPlace::Outside)
            .take_while(|bounded| bounded.1 < self.sensitivity)
            .count();
        let near = (near + 1).min(outside);
        let visits = [
            [1, 0, tail],
            [0, outside, 0],
            [1, near, 0],
            [0, near, 0],
            [1, near, 0],
            [0, outside, 0],
            [1, 0, tail],
        ];
        let excess = |visited: [usize; 3]| {
            let worst = |bound: fn(&Bounded) -> &Decimal| {
                [InputPlace::Inside, InputPlace::Outside, InputPlace::Tail]
                    .into_iter()
                    .zip(visited)
                    .flat_map(|(place, n)| boxes.iter().filter(move |b| b.0 == place).take(n))
                    .map(|bounded| bound(bounded).value())
                    .max()
                    .unwrap_or(Rational::ZERO)
            };
            let ratio = &(&Rational::ONE + &worst(|b| &b.2)) / &(&Rational::ONE - &worst(|b| &b.3));
            Ok((visited, self.decimal(|by| by.ln(&by.rational(&ratio)))?))
        };
        visits.into_iter().map(excess).collect()
    }

    fn decimal(&self, enclose: impl Fn(Outward) -> Option<Enclosure>) -> Result<Decimal, Refusal> {
        // Bounds are at least η, and have 25 digits, 84 bits.
        round_up(self.precision + 128, enclose).ok_or_else(undecided)
    }
}

fn one() -> Enclosure {
    Enclosure::exact(Dyadic::ONE)
}

/// Whether an operation by this constant never rounds: the constant is a power of two.
fn is_exact(factor: &Factor) -> bool {
    factor
        .constant()
        .to_dyadic()
        .is_some_and(|c| *c.mantissa() == Integer::ONE)
}

fn undecided() -> Refusal {
    Refusal::new(
        Premise::Format,
        "a bound could not be rounded to 25 digits in 2^15 bits",
    )
}
