//! Search for a counterexample: the exact law of a program at a few bits, and two inputs that it
//! tells apart.

use std::collections::BTreeMap;

use lastbit::mechanisms::snapping::CHARGED;
use lastbit_exact::{Dyadic, Format, Interval, Natural, Rational, Rounding};
use lastbit_noise::UStar;

use super::premise::Premise;
use crate::language::{Distribution, UniformShape};
use crate::semantics::{Inputs, Instance, Value};

/// Two neighbouring inputs, an output, and the exact loss there.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Finding {
    /// The format, in bits.
    pub precision: u32,
    /// The bound B of the program that was run, if it has one.
    pub bound: Option<Rational>,
    /// f.
    pub value: Dyadic,
    /// f'.
    pub neighbour: Dyadic,
    /// The output at which the two laws differ most.
    pub output: Value,
    /// `|ln(P(x|f)/P(x|f'))|`, rounded down; infinite if only one of the two can give x.
    pub loss: f64,
    /// What the loss would have to stay within: the charge of a sound program at this precision,
    /// rounded up.
    pub allowed: f64,
}

impl Finding {
    /// Whether this shows that the program is not as private as it claims.
    pub fn is_counterexample(&self) -> bool {
        self.loss > self.allowed
    }

    /// The output as it is printed: a zero with its sign.
    pub fn printed_output(&self) -> String {
        if self.output.negative_zero {
            "-0".to_owned()
        } else {
            Rational::from(&self.output.number).to_string()
        }
    }
}

/// Runs the program at a few bits on all its randomness, for neighbours that the failed premise
/// suggests, and gives the largest loss relative to what is allowed; `None` if the program could
/// not be run, or not in a reasonable time.
///
/// `claimed` is the loss per sensitivity `Delta` that the program claims. If a program has a bound
/// `B`, only values of B within the limits of the format are tried: so what is found is the fault
/// of the program, not of its parameters.
pub fn search(
    instance: &Instance,
    premise: Option<Premise>,
    claimed: &Rational,
) -> Option<Finding> {
    if premise == Some(Premise::UnboundedExponent) {
        return beyond_the_last_exponent(instance);
    }
    let trials = trials(instance, premise, claimed)?;
    let findings = trials.into_iter().filter_map(|trial| trial.run(claimed));
    findings.max_by(|a, b| (a.loss - a.allowed).total_cmp(&(b.loss - b.allowed)))
}

/// The most work of one trial: some seconds.
const MOST_WORK: u64 = 1 << 25;

/// The program with a bound, a format, and inputs to try.
struct Trial {
    instance: Instance,
    precision: u32,
    bound: Option<Rational>,
    pairs: Vec<(Dyadic, Dyadic)>,
    /// How far outputs of interest lie from inputs, in units of the scale.
    reach: u32,
}

fn trials(instance: &Instance, premise: Option<Premise>, claimed: &Rational) -> Option<Vec<Trial>> {
    let delta = sensitivity(instance);
    let scale = &delta / claimed;
    let far = matches!(premise, Some(Premise::InnerClamp | Premise::OuterClamp));
    let short = uniform(instance)?.1.bits.is_some_and(|bits| bits <= 6);
    let formats: &[(u32, i64)] = match (far, short) {
        (true, _) => &[(6, 7)],
        (_, true) => &[(16, 24)],
        _ => &[(8, 7)],
    };
    let mut trials = Vec::new();
    for &(precision, quarters) in formats {
        let bounded = instance.parameters().contains_key("B");
        let mut parameters = instance.parameters().clone();
        // B in units of f, before any division by Delta.
        let bound = &scale * &Rational::new(quarters, 4);
        if bounded {
            let in_program = &bound * &input_factor(instance, &delta);
            parameters.insert("B".to_owned(), in_program);
        }
        let instance = Instance::new(instance.well_formed().clone(), &parameters).ok()?;
        let reach = if far {
            1 << (precision + 1)
        } else {
            2 * quarters as u32 / 4 + 3
        };
        let at = |x: Rational| x.round(precision as usize, Rounding::NearestEven);
        let step = |i: i64| &(&delta * &Rational::from(i)) * &Rational::new(1, 8);
        let mut pairs = Vec::new();
        if premise == Some(Premise::InnerClamp) {
            for exponent in precision - 1..=precision {
                let high = scale.times_power_of_two(i64::from(exponent));
                pairs.push((at(&high - &delta), at(high)));
            }
        } else if far {
            pairs.push((Dyadic::ZERO, at(delta.clone())));
        } else {
            let steps = (&bound / &delta.times_power_of_two(-3)).floor();
            let steps = i64::try_from(steps).unwrap_or(0).min(64);
            for i in -steps..=(steps - 8).max(-steps) {
                pairs.push((at(step(i)), at(step(i + 8))));
            }
        }
        trials.push(Trial {
            instance,
            precision,
            bound: bounded.then_some(bound),
            pairs,
            reach,
        });
    }
    Some(trials)
}

impl Trial {
    fn run(&self, claimed: &Rational) -> Option<Finding> {
        if self.work()? > MOST_WORK {
            return None;
        }
        let delta = sensitivity(&self.instance);
        let eta = Rational::ONE.times_power_of_two(-i64::from(self.precision));
        let (c1, c2) = CHARGED;
        let slope = match &self.bound {
            Some(bound) => &(&Rational::from(c1) * bound) / &delta,
            None => Rational::ZERO,
        };
        let factor = &Rational::ONE + &(&slope * &eta);
        let allowed = &(claimed * &factor) + &(&Rational::from(c2) * &eta);
        let allowed = allowed.to_f64(Rounding::Up);
        let mut laws: BTreeMap<Dyadic, Law> = BTreeMap::new();
        let mut worst: Option<Finding> = None;
        for (value, neighbour) in &self.pairs {
            for x in [value, neighbour] {
                if !laws.contains_key(x) {
                    laws.insert(x.clone(), self.law(x)?);
                }
            }
            let (one, other) = (&laws[value], &laws[neighbour]);
            if let Some((output, loss)) = one.largest_loss(other)
                && worst.as_ref().is_none_or(|worst| loss > worst.loss)
            {
                worst = Some(Finding {
                    precision: self.precision,
                    bound: self.bound.clone(),
                    value: value.clone(),
                    neighbour: neighbour.clone(),
                    output,
                    loss,
                    allowed,
                });
            }
        }
        worst
    }

    /// How many statements a run evaluates, about.
    fn work(&self) -> Option<u64> {
        let bits = uniform(&self.instance)?.1.bits.unwrap_or(self.precision);
        let uniforms = 1u64.checked_shl(bits - 1)?.checked_mul(self.last())?;
        let program = self.instance.program();
        let runs = uniforms.checked_mul(2 * self.pairs.len() as u64)?;
        runs.checked_mul(program.statements.len() as u64 + 1)?
            .checked_mul(1 << program.samples().count().min(8))
    }

    /// The last exponent of `U*` that is tried: e^-(reach) is 2^-(reach/ln 2), and 1/ln 2 < 1.45.
    fn last(&self) -> u64 {
        u64::from(self.reach) * 145 / 100 + 4
    }

    /// The exact law, except that all `U*` below the last exponent are taken to go where the
    /// smallest one tried goes.
    fn law(&self, value: &Dyadic) -> Option<Law> {
        let format = Format::new(self.precision).ok()?;
        let (name, shape) = uniform(&self.instance)?;
        let bits = shape.bits.unwrap_or(self.precision);
        let last = self.last();
        let signs: Vec<_> = self
            .instance
            .program()
            .samples()
            .filter(|(_, distribution)| **distribution == Distribution::Sign)
            .map(|(name, _)| name.to_owned())
            .collect();
        let mut law = Law::default();
        for combination in 0..1u32 << signs.len().min(4) {
            let mut inputs = Inputs::new(value.clone());
            for (i, sign) in signs.iter().enumerate() {
                let minus = combination >> i & 1 == 1;
                inputs = inputs.with(sign, Dyadic::from(if minus { -1 } else { 1 }));
            }
            let mut farthest = None;
            for e in 1..=last {
                for m in (0..1u32 << (bits - 1)).rev() {
                    let u = UStar::new(Natural::from(m), e, bits).value();
                    let inputs = inputs.clone().with(name, u);
                    let output = self.instance.floating(format, &inputs).ok()?.result;
                    let output = Key::from(output);
                    let weight = Natural::ONE << (last - e) as usize;
                    *law.weights.entry(output.clone()).or_default() += weight;
                    farthest = Some(output);
                }
            }
            let farthest = farthest?;
            *law.weights.entry(farthest.clone()).or_default() +=
                Natural::ONE << (bits - 1) as usize;
            law.ends.push(farthest);
        }
        Some(law)
    }
}

/// Outputs in order; −0 comes before 0.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Key(Dyadic, bool);

impl From<Value> for Key {
    fn from(value: Value) -> Key {
        Key(value.number, !value.negative_zero)
    }
}

#[derive(Default)]
struct Law {
    weights: BTreeMap<Key, Natural>,
    /// The farthest output of each combination of signs; nothing is known beyond these.
    ends: Vec<Key>,
}

impl Law {
    /// The output with the largest loss, among those whose probabilities are known for both.
    fn largest_loss(&self, other: &Law) -> Option<(Value, f64)> {
        let inside = |key: &Key| {
            [self, other].iter().all(|law| {
                let (low, high) = (law.ends.iter().min(), law.ends.iter().max());
                // With one sign only, nothing lies on the other side of the input.
                let one_sided = law.ends.len() == 1;
                low.is_some_and(|low| key > low)
                    && (one_sided || high.is_some_and(|high| key < high))
            })
        };
        // At ends that both laws share, such as ±B, everything beyond is clamped to the same
        // output.
        let shared = |key: &Key| self.ends.contains(key) && other.ends.contains(key);
        let keys = self.weights.keys().chain(other.weights.keys());
        keys.filter(|key| inside(key) || shared(key))
            .map(|key| {
                let loss = match (self.weights.get(key), other.weights.get(key)) {
                    (Some(a), Some(b)) => {
                        let ratio = Rational::new(a.max(b).clone(), a.min(b).clone());
                        Interval::from_rational(&ratio).ln().lo()
                    }
                    _ => f64::INFINITY,
                };
                let value = Value {
                    number: key.0.clone(),
                    negative_zero: !key.1,
                };
                (value, loss)
            })
            .max_by(|a, b| a.1.total_cmp(&b.1))
    }
}

/// `U*` stops at `2^-n`: the farthest output from f, if it is not yet clamped, is one that the
/// neighbour nearer to it by Δ reaches, and f + Δ in the other direction does not.
fn beyond_the_last_exponent(instance: &Instance) -> Option<Finding> {
    let (name, shape) = uniform(instance)?;
    let last = shape.exponents?;
    let precision = shape.bits.unwrap_or(53);
    let format = Format::new(precision).ok()?;
    let delta = sensitivity(instance).round(precision as usize, Rounding::NearestEven);
    let farthest = |f: &Dyadic| {
        let mut inputs = Inputs::new(f.clone()).with(name, Dyadic::power_of_two(-i64::from(last)));
        for (sign, distribution) in instance.program().samples() {
            if *distribution == Distribution::Sign {
                inputs = inputs.with(sign, Dyadic::ONE);
            }
        }
        Some(instance.floating(format, &inputs).ok()?.result)
    };
    let bound = instance.parameters().get("B")?.clone();
    // s = 1 adds the logarithm, so outputs go down from f as U* falls.
    for eighths in (-8..=8).rev() {
        let f =
            (&bound * &Rational::new(eighths, 8)).round(precision as usize, Rounding::NearestEven);
        let neighbour = format.add(&f, &delta, Rounding::NearestEven);
        let (one, other) = (farthest(&f)?, farthest(&neighbour)?);
        let clamped = Rational::from(&one.number) <= -&bound;
        if one.number < other.number && !clamped && Rational::from(&neighbour) <= bound {
            return Some(Finding {
                precision,
                bound: Some(bound),
                value: f,
                neighbour,
                output: one,
                loss: f64::INFINITY,
                allowed: f64::MAX,
            });
        }
    }
    None
}

/// The only uniform of a program.
fn uniform(instance: &Instance) -> Option<(&str, UniformShape)> {
    let mut uniforms = instance
        .program()
        .samples()
        .filter_map(|(name, distribution)| match distribution {
            Distribution::Uniform(shape) => Some((name, *shape)),
            _ => None,
        });
    let found = uniforms.next()?;
    uniforms.next().is_none().then_some(found)
}

fn sensitivity(instance: &Instance) -> Rational {
    let delta = instance.parameters().get("Delta");
    delta.cloned().unwrap_or(Rational::ONE)
}

/// What f is probably multiplied by before it meets the bound: 1/Δ in programs without a scale of
/// their own, else 1. Only which bounds are tried depends on it.
fn input_factor(instance: &Instance, delta: &Rational) -> Rational {
    let own_scale = instance.parameters().contains_key("lambda");
    if own_scale {
        Rational::ONE
    } else {
        &Rational::ONE / delta
    }
}
