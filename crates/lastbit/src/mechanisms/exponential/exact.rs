//! The second tier and the law: weights as enclosures of any precision.

use lastbit_exact::{Dyadic, Enclosure, Integer, Natural, Rational, Rounding, exp_enclosure};
use lastbit_noise::LazyUniform;
use lastbit_noise::entropy::{Entropy, EntropyError};

use super::score::{Item, ScoreNumber};

/// Bits of `U` with which the second tier begins.
const FIRST_BITS: usize = 128;

/// The candidate `r` with `P_(r−1) ≤ U·P_n < P_r`, `P` the prefix sums of
/// `length·e^(−rate·(largest − score))`.
///
/// More bits of the same `U` are drawn, and weights enclosed more closely, until one candidate is
/// left. A boundary `P_r/P_n` is one number, so with probability 1 this ends.
#[cold]
pub(super) fn choose<I: Item>(
    items: &[I],
    largest: &I::Score,
    rate: &Rational,
    uniform: &mut LazyUniform,
    entropy: &mut impl Entropy,
) -> Result<usize, EntropyError> {
    let mut bits = uniform.length().max(FIRST_BITS);
    loop {
        uniform.refine_to(bits, entropy)?;
        if let Some(index) = decide(items, [None, None], largest, rate, uniform) {
            return Ok(index);
        }
        bits = 2 * uniform.length();
    }
}

/// The same among candidates with others before and after them, whose scores may be lower than
/// given; `None` if one of the others may be the choice, or if more than the first bits of `U` are
/// needed.
#[cold]
pub(super) fn choose_among<I: Item>(
    items: &[I],
    tails: [Option<&I>; 2],
    largest: &I::Score,
    rate: &Rational,
    uniform: &mut LazyUniform,
    entropy: &mut impl Entropy,
) -> Result<Option<usize>, EntropyError> {
    uniform.refine_to(FIRST_BITS, entropy)?;
    Ok(decide(items, tails, largest, rate, uniform))
}

/// The item that is chosen by every `U` that begins with the bits drawn, whatever the tails weigh
/// up to their bounds.
fn decide<I: Item>(
    items: &[I],
    tails: [Option<&I>; 2],
    largest: &I::Score,
    rate: &Rational,
    uniform: &LazyUniform,
) -> Option<usize> {
    let largest = largest.exact();
    let count = items.iter().map(Item::exact_length);
    let count = count.fold(Natural::ZERO, |sum, length| sum + length);
    let length = uniform.length();
    // At most 4 units for each candidate, and the total is at least 1: boundaries are known to
    // 2^-(length + 24), and to the weight of the tails.
    let scale = length + 32 + bit_length(&count);
    let weight = |item: &I| {
        let (least, most) = weight_in_units(&(rate * &(&largest - &item.score().exact())), scale);
        let many = item.exact_length();
        (least * &many, most * many)
    };
    let at_most = |tail: Option<&I>| tail.map_or(Natural::ZERO, |tail| weight(tail).1);
    let (mut low, mut high) = (Natural::ZERO, at_most(tails[0]));
    // Where each item begins, and where the last one ends.
    let mut boundaries = Vec::with_capacity(items.len() + 1);
    boundaries.push((low.clone(), high.clone()));
    for item in items {
        let (least, most) = weight(item);
        low += least;
        high += most;
        boundaries.push((low.clone(), high.clone()));
    }
    high += at_most(tails[1]);
    // Nothing is before the first item or after the last one, unless there is a tail.
    let [before, after] = tails.map(|tail| tail.is_some());
    let boundaries = &boundaries[usize::from(!before)..items.len() + usize::from(after)];
    // U is in [cell, cell + 1]·2^-length.
    let cell = uniform.lower().floor_in(-(length as i64));
    let cell = Natural::try_from(cell).expect("a uniform is at least 0");
    let least = &cell * &low;
    let most = (cell + Natural::ONE) * &high;
    let first = boundaries.partition_point(|(_, high)| high << length <= least);
    let last = boundaries.partition_point(|(low, _)| low << length < most);
    let index = first.checked_sub(usize::from(before))?;
    (first == last && index < items.len()).then_some(index)
}

fn bit_length(n: &Natural) -> usize {
    Dyadic::from(Integer::from(n.clone()))
        .floor_log2()
        .map_or(0, |top| top as usize + 1)
}

/// `(least, most)` with `least ≤ e^-y·2^scale ≤ most ≤ least + 4`, for `y ≥ 0`; equal for `y = 0`.
///
/// An exponent below 0, that of an empty run, counts as 0.
fn weight_in_units(y: &Rational, scale: usize) -> (Natural, Natural) {
    if !y.is_positive() {
        return (Natural::ONE << scale, Natural::ONE << scale);
    }
    // e^-scale < 2^-scale.
    if *y >= Rational::from(scale as u64) {
        return (Natural::ZERO, Natural::ONE);
    }
    let exponent = scale as i64;
    // y is in [floor, floor + 2^-scale], so e^-y is at most 1 unit below e^-floor.
    let floor = Dyadic::new(y.times_power_of_two(exponent).floor(), -exponent);
    let bits = u32::try_from(scale + 2).unwrap_or(u32::MAX);
    let enclosure = exp_enclosure(&-&floor, bits);
    let least = enclosure.lo().floor_in(-exponent) - Integer::ONE;
    let most = enclosure.hi().ceil_in(-exponent);
    (
        Natural::try_from(least).unwrap_or(Natural::ZERO),
        Natural::try_from(most).unwrap_or(Natural::ONE << scale),
    )
}

/// The probability of every item, enclosed with `hi − lo ≤ 2^-bits·lo` as long as its exponent is
/// below 2^40, and by `[0, 2^-(2^40)]` beyond; `[0, 0]` for an empty run.
pub(super) fn law<I: Item>(
    items: &[I],
    largest: &I::Score,
    rate: &Rational,
    bits: u32,
) -> Vec<Enclosure> {
    let largest = largest.exact();
    let bits = bits.clamp(8, 1 << 20);
    let count = items.iter().map(Item::exact_length);
    let count = count.fold(Natural::ZERO, |sum, length| sum + length);
    // 4 units for each of `count` candidates, against a total of at least 1: relatively 2^-(bits +
    // 4).
    let scale = bits as usize + 6 + bit_length(&count);
    let exponents: Vec<Rational> = items
        .iter()
        .map(|item| rate * &(&largest - &item.score().exact()))
        .collect();
    let (mut low, mut high) = (Natural::ZERO, Natural::ZERO);
    for (item, exponent) in items.iter().zip(&exponents) {
        let (least, most) = weight_in_units(exponent, scale);
        low += least * item.exact_length();
        high += most * item.exact_length();
    }
    let items = items.iter().zip(&exponents);
    items
        .map(|(item, exponent)| {
            let length = Dyadic::from(Integer::from(item.exact_length()));
            let weight = weight(exponent, bits + 4);
            // Relatively 2^-(bits + 4) for the weight, the total and each quotient: less than
            // 2^-bits together.
            let precision = bits as usize + 5;
            let lo = quotient(
                &(weight.lo() * &length),
                &high,
                scale,
                precision,
                Rounding::Down,
            );
            let hi = quotient(
                &(weight.hi() * &length),
                &low,
                scale,
                precision,
                Rounding::Up,
            );
            Enclosure::new(lo, hi.min(Dyadic::ONE))
                .expect("lo ≤ weight/total ≤ hi, and a probability is at most 1")
        })
        .collect()
}

/// The probability that the score of the choice satisfies a condition, with `hi − lo ≤ 2^-bits`.
pub(super) fn probability<I: Item>(
    items: &[I],
    largest: &I::Score,
    rate: &Rational,
    bits: u32,
    condition: impl Fn(&I::Score) -> bool,
) -> Enclosure {
    let top = largest.exact();
    let bits = bits.clamp(8, 1 << 20) as usize;
    let count = items.iter().map(Item::exact_length);
    let count = count.fold(Natural::ZERO, |sum, length| sum + length);
    // 4 units for each of `count` candidates, against a total of at least 1: 2^-(bits + 4).
    let scale = bits + 6 + bit_length(&count);
    let mut sums = [const { (Natural::ZERO, Natural::ZERO) }; 2];
    for item in items {
        let (least, most) = weight_in_units(&(rate * &(&top - &item.score().exact())), scale);
        let (low, high) = &mut sums[usize::from(condition(item.score()))];
        *low += least * item.exact_length();
        *high += most * item.exact_length();
    }
    // x/(x + y) grows with x and falls with y.
    let [(rest_low, rest_high), (low, high)] = sums;
    let share = |part: Natural, rest: Natural, rounding| {
        if part.is_zero() {
            return Dyadic::ZERO;
        }
        let total = Integer::from(&part + rest);
        Rational::new(Integer::from(part), total).round(bits + 4, rounding)
    };
    let lo = share(low, rest_high, Rounding::Down);
    let hi = share(high, rest_low, Rounding::Up);
    Enclosure::new(lo, hi).expect("both enclose the same probability")
}

/// `e^-y` with `hi − lo ≤ 2^-bits·lo` for `0 ≤ y < 2^40`, and `[0, 2^-(2^40)]` beyond.
pub(super) fn weight(y: &Rational, bits: u32) -> Enclosure {
    if !y.is_positive() {
        return Enclosure::exact(Dyadic::ONE);
    }
    let limit = Rational::from(1u64 << 40);
    if *y >= limit {
        return exp_enclosure(&Dyadic::from(-(1i64 << 40)), bits);
    }
    // y < 2^40 is known to 2^-(bits + 2), and so relatively is e^-y.
    let scale = i64::from(bits) + 2;
    let floor = y.times_power_of_two(scale).floor();
    let ceiling = Dyadic::new(&floor + Integer::ONE, -scale);
    let largest = exp_enclosure(&-&Dyadic::new(floor, -scale), bits + 2);
    let smallest = exp_enclosure(&-&ceiling, bits + 2);
    Enclosure::new(smallest.lo().clone(), largest.hi().clone()).expect(
        "e^-y is in both enclosures, so the lower end of one is at most the upper end of the other",
    )
}

/// `weight/(total·2^-scale)`, rounded to `precision` bits in the given direction.
fn quotient(
    weight: &Dyadic,
    total: &Natural,
    scale: usize,
    precision: usize,
    rounding: Rounding,
) -> Dyadic {
    let mantissa = Rational::new(weight.mantissa().clone(), Integer::from(total.clone()));
    mantissa
        .round(precision, rounding)
        .times_power_of_two(weight.exponent() + scale as i64)
}
