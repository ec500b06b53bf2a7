//! Whether the time of a call goes with the data or with the noise.

use std::hint::black_box;
use std::time::Instant;

use lastbit_noise::entropy::Entropy;
use lastbit_noise::uniform_u64_below;

use super::target::{Input, Target, TargetError};

/// Spearman's rank correlation, and the largest that chance made of the same numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Correlation {
    /// ρ of ranks, in [−1, 1].
    pub rho: f64,
    /// The largest |ρ| among the permutations.
    pub threshold: f64,
    /// How many permutations.
    pub permutations: u32,
}

impl Correlation {
    /// Whether |ρ| is above every permutation's. If nothing is there, that happens with probability
    /// `1/(permutations + 1)` at most.
    pub fn is_significant(&self) -> bool {
        self.rho.abs() > self.threshold
    }

    /// The probability of a false alarm.
    pub fn false_alarm(&self) -> f64 {
        1.0 / (f64::from(self.permutations) + 1.0)
    }
}

/// What the attack found.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Timing {
    /// Between the time and which input it was, A or one far away; where an output is a choice,
    /// among calls of equal outputs.
    pub data: Correlation,
    /// Between the time and the size of the noise; `None` where an output is a choice.
    pub noise: Option<Correlation>,
    /// The median time of a call, in nanoseconds.
    pub median_nanoseconds: f64,
}

/// Times `draws` calls on inputs that are drawn at random between A and Far, so that a drift of the
/// clock is no correlation.
///
/// The inputs are independent coin flips and the noise is independent of everything, so under the
/// hypothesis that the time tells nothing, all permutations are equally likely: the test is exact.
/// Whoever sees the time also sees the output. If the output is a choice, its own influence on the
/// time is no leak, so calls are compared and permuted among those with the same output.
pub fn timing(
    target: &mut Target,
    draws: usize,
    permutations: u32,
    entropy: &mut impl Entropy,
) -> Result<Timing, TargetError> {
    let (mut times, mut data, mut noise, mut strata) = (vec![], vec![], vec![], vec![]);
    for i in 0..draws + draws / 10 {
        let far = entropy.word().map_err(TargetError::new)? >> 63 == 1;
        let input = if far { Input::Far } else { Input::A };
        let start = Instant::now();
        let output = black_box(target.draw(black_box(input))?);
        let time = start.elapsed();
        if i >= draws / 10 {
            // The first tenth warms caches.
            times.push(time.as_nanos() as f64);
            data.push(f64::from(far));
            match target.noise(input, output) {
                Some(size) => noise.push(size),
                None => strata.push(output.to_bits()),
            }
        }
    }
    let mut sorted = times.clone();
    sorted.sort_by(f64::total_cmp);
    let with_noise = noise.len() == times.len();
    strata.resize(times.len(), 0);
    Ok(Timing {
        data: stratified(&times, &data, &strata, permutations, entropy)?,
        noise: if with_noise {
            Some(correlation(&times, &noise, permutations, entropy)?)
        } else {
            None
        },
        median_nanoseconds: sorted.get(sorted.len() / 2).copied().unwrap_or(0.0),
    })
}

/// Spearman's ρ of two columns of equal length, and the largest |ρ| of `permutations` permutations
/// of the second, for rows that are independent of each other.
///
/// ```
/// use lastbit_noise::entropy::System;
/// use lastbit_verify::attack::timing::correlation;
/// let times: Vec<f64> = (0..200).map(f64::from).collect();
/// let noise: Vec<f64> = times.iter().map(|t| t * t).collect(); // monotone, so ρ = 1
/// let found = correlation(&times, &noise, 99, &mut System::default())?;
/// assert!(found.rho > 0.999 && found.is_significant());
/// # Ok::<(), lastbit_verify::attack::TargetError>(())
/// ```
pub fn correlation(
    one: &[f64],
    other: &[f64],
    permutations: u32,
    entropy: &mut impl Entropy,
) -> Result<Correlation, TargetError> {
    stratified(one, other, &vec![0; one.len()], permutations, entropy)
}

/// [`correlation`] with ranks and permutations within each stratum: what differs between strata
/// does not count.
///
/// The permutations turn each run of `RUN` calls of a stratum by a random number of places. They
/// are a group, so the test is as exact as with all permutations, and take two passes over the
/// numbers in order.
pub fn stratified(
    one: &[f64],
    other: &[f64],
    strata: &[u64],
    permutations: u32,
    entropy: &mut impl Entropy,
) -> Result<Correlation, TargetError> {
    let mut order: Vec<usize> = (0..strata.len()).collect();
    order.sort_by_key(|i| strata[*i]);
    let groups: Vec<&[usize]> = order.chunk_by(|i, j| strata[*i] == strata[*j]).collect();
    let ranked = |numbers: &[f64]| -> Vec<f64> {
        let group =
            |group: &&[usize]| ranks(&group.iter().map(|i| numbers[*i]).collect::<Vec<_>>());
        groups.iter().flat_map(group).collect()
    };
    let (one, other) = (ranked(one), ranked(other));
    let square = |ranks: &[f64]| ranks.iter().map(|x| x * x).sum::<f64>();
    let norms = (square(&one) * square(&other)).sqrt();
    // Of one permutation; all sum in one order, so equal permutations give equal numbers.
    let rho = |turn: Turn<'_>| -> Result<f64, TargetError> {
        let (mut start, mut sum) = (0, 0.0);
        for group in &groups {
            let end = start + group.len();
            let runs = one[start..end]
                .chunks(RUN)
                .zip(other[start..end].chunks(RUN));
            for (one, other) in runs {
                sum += product_turned(one, other, turn(other.len())?);
            }
            start = end;
        }
        // A constant column goes with nothing.
        Ok(if norms == 0.0 { 0.0 } else { sum / norms })
    };
    let found = rho(&mut |_| Ok(0))?;
    let mut threshold: f64 = 0.0;
    for _ in 0..permutations {
        let turned = rho(&mut |length| {
            let by = uniform_u64_below(length as u64, entropy).map_err(TargetError::new)?;
            Ok(by as usize)
        })?;
        threshold = threshold.max(turned.abs());
    }
    Ok(Correlation {
        rho: found,
        threshold,
        permutations,
    })
}

/// How many calls in a row a permutation turns among themselves.
const RUN: usize = 32;

/// By how many places to turn a run of this length.
type Turn<'a> = &'a mut dyn FnMut(usize) -> Result<usize, TargetError>;

/// The sum of products of two runs of equal length, the second turned.
fn product_turned(one: &[f64], other: &[f64], by: usize) -> f64 {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let (first, rest) = one.split_at(one.len() - by);
    product(first, &other[by..]) + product(rest, &other[..by])
}

/// Centred ranks; equal numbers share the middle of theirs. NaN is a rank of its own, at the end.
fn ranks(numbers: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|i, j| numbers[*i].total_cmp(&numbers[*j]));
    let middle = (numbers.len() as f64 - 1.0) / 2.0;
    let mut ranks = vec![0.0; numbers.len()];
    let mut start = 0;
    while start < order.len() {
        let first = numbers[order[start]];
        let length = order[start..]
            .iter()
            .take_while(|i| numbers[**i].total_cmp(&first).is_eq())
            .count();
        for i in &order[start..start + length] {
            ranks[*i] = start as f64 + (length as f64 - 1.0) / 2.0 - middle;
        }
        start += length;
    }
    ranks
}
