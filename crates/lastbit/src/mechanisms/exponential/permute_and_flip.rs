use lastbit_exact::{Interval, Rational, Rounding};
use lastbit_noise::entropy::{Entropy, EntropyError};
use lastbit_noise::{LazyUniform, UniformError, uniform_u64_below};

use super::score;
use super::{Exponential, Score, SelectionError, exact, kernel, rate_f64};

impl Exponential {
    /// Permute-and-flip: go through the candidates in random order and publish the first whose
    /// coin, heads with probability exactly `exp(rate·(u(r) − max u))`, falls on heads. Never a
    /// lower expected score than [`Exponential::draw`] at the same ε; pure ε-DP.
    ///
    /// Its range is not bounded by ε, so under zCDP it costs what any ε-DP release does, and the
    /// exponential mechanism is usually the better choice there.
    ///
    /// **The draw.** The coins are independent of the order, and the first of those with heads in a
    /// random order is any of them with equal probability. So all coins are flipped, and one of the
    /// heads is drawn uniformly; the largest score always falls on heads.
    ///
    /// **Privacy.** The law is that of the largest score after exponential noise of mean `1/rate`
    /// on each (Ding et al., 2021). Given the noise of the others, r wins if its own is at least
    /// `max(t, 0)`, `t = max_(s≠r)(u(s) + Z_s) − u(r)`: with probability `e^(−rate·max(t, 0))`.
    /// Neighbours move t by at most 2Δ, or Δ for monotone scores, so the probability changes by a
    /// factor of at most `e^ε`. ∎
    ///
    /// ```
    /// use lastbit::mechanisms::exponential::Exponential;
    /// use lastbit::System;
    /// let mechanism = Exponential::new(&"0.5".parse()?, &"1".parse()?);
    /// assert!(mechanism.permute_and_flip(&[310i64, 12, 298], &mut System::default())? < 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// **Time.** As for [`Exponential`], with one word drawn for each candidate.
    pub fn permute_and_flip<S: Score>(
        &self,
        scores: &[S],
        entropy: &mut impl Entropy,
    ) -> Result<usize, SelectionError> {
        let largest = score::largest(scores)?;
        let rate = rate_f64(&self.rate);
        let mut heads = vec![false; scores.len()];
        let mut words = [0; kernel::BLOCK];
        let mut weights = [0.0; kernel::BLOCK];
        let blocks = scores.chunks(kernel::BLOCK);
        for (scores, heads) in blocks.zip(heads.chunks_mut(kernel::BLOCK)) {
            let words = &mut words[..scores.len()];
            entropy.fill(words)?;
            kernel::block_weights(scores, &largest, rate, &mut weights);
            let mut decided = !rate.is_nan();
            for ((head, &word), &weight) in heads.iter_mut().zip(&*words).zip(&weights) {
                let above = weight - (word >> 11) as f64 * TWO_M53;
                *head = above > 0.0;
                decided &= above.abs() > MARGIN;
            }
            if !decided {
                let coins = scores.iter().zip(&*words).zip(&weights).zip(heads);
                for (((score, &word), &weight), head) in coins {
                    let above = weight - (word >> 11) as f64 * TWO_M53;
                    if rate.is_nan() || above.abs() <= MARGIN {
                        let y = &self.rate * &(largest.exact() - score.exact());
                        *head = flip(&y, word, entropy)?;
                    }
                }
            }
        }
        let count = heads.iter().map(|&head| u64::from(head)).sum();
        let chosen = match uniform_u64_below(count, entropy) {
            Ok(chosen) => chosen,
            Err(UniformError::Entropy(error)) => return Err(error.into()),
            Err(_) => return Err(SelectionError::Empty),
        };
        // The candidates before the one at which `chosen + 1` heads have been seen.
        let mut seen = 0;
        let mut index = 0;
        for &head in &heads {
            seen += u64::from(head);
            index += usize::from(seen <= chosen);
        }
        Ok(index)
    }

    /// The probability of each candidate under [`Exponential::permute_and_flip`], enclosed. Takes
    /// `n³` steps for n candidates.
    ///
    /// `P(r) = w_r·E[1/(1 + H)]`, `H` the number of heads among the others: a sum of independent
    /// coins.
    pub fn permute_and_flip_law<S: Score>(
        &self,
        scores: &[S],
    ) -> Result<Vec<Interval>, SelectionError> {
        let largest = score::largest(scores)?.exact();
        let weights: Vec<Interval> = scores
            .iter()
            .map(|score| interval_weight(&(&self.rate * &(&largest - &score.exact()))))
            .collect();
        let law = |r: usize| {
            let mut heads = vec![Interval::ONE];
            for (_, &weight) in weights.iter().enumerate().filter(|&(s, _)| s != r) {
                let tails = Interval::ONE - weight;
                heads.push(Interval::ZERO);
                for k in (0..heads.len()).rev() {
                    let fewer = if k == 0 { Interval::ZERO } else { heads[k - 1] };
                    heads[k] = heads[k] * tails + fewer * weight;
                }
            }
            let terms = heads.iter().zip(1u32..);
            let mean = terms.fold(Interval::ZERO, |sum, (&p, k)| sum + p / Interval::from(k));
            weights[r] * mean
        };
        Ok((0..scores.len()).map(law).collect())
    }
}

const TWO_M53: f64 = 1.0 / (1u64 << 53) as f64;
/// A weight is at most 1 and off by less than 0.61·2^-43 + 2^-60 ([`kernel::Sums::new`]), and 53
/// bits of U leave it open by 2^-53.
const MARGIN: f64 = 1.0 / (1u64 << 43) as f64;

/// Whether `U < e^-y`, `U` beginning with the word.
#[cold]
pub(super) fn flip(
    y: &Rational,
    word: u64,
    entropy: &mut impl Entropy,
) -> Result<bool, EntropyError> {
    if !y.is_positive() {
        return Ok(true);
    }
    let mut uniform = LazyUniform::with_prefix(word, 64);
    loop {
        let bits = u32::try_from(uniform.length() + 8).unwrap_or(u32::MAX);
        let probability = exact::weight(y, bits);
        // e^-y is irrational for a rational y ≠ 0, so some number of bits decides.
        if uniform.upper() <= *probability.lo() {
            return Ok(true);
        }
        if uniform.lower() >= *probability.hi() {
            return Ok(false);
        }
        uniform.refine_to(2 * uniform.length(), entropy)?;
    }
}

fn interval_weight(y: &Rational) -> Interval {
    let weight = exact::weight(y, 60);
    Interval::new(
        weight.lo().to_f64(Rounding::Down),
        weight.hi().to_f64(Rounding::Up).min(1.0),
    )
    .expect("lo ≤ e^-y ≤ hi, e^-y ≤ 1")
}
