//! Releases of different kinds, how often each is made, and what they cost together.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use lastbit::accounting::{BestBounds, Divergences, Pair, gaussian_epsilon};
use lastbit_exact::{Down, Interval, Rational, Up};
use lastbit_release::clean;

use super::source::{Kind, Source, not_negative, rate};

/// Sources and how often each is released.
pub struct Mixture(pub Vec<(Source, u64)>);

impl Mixture {
    /// Reads lines `COUNT KIND:X [sampled Q] [delta D]`; empty ones and those that begin with # are
    /// skipped.
    pub fn read(path: &Path) -> Result<Mixture> {
        const LARGEST: u64 = 1 << 20;
        let shown = clean::path(path);
        let size = std::fs::metadata(path).with_context(|| format!("cannot read {shown}"))?;
        if size.len() > LARGEST {
            bail!(
                "{shown} has more than a million bytes; a list of releases has a line for each kind"
            );
        }
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {shown}"))?;
        let mut list = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = entry(line)
                .map_err(|error| anyhow::anyhow!("{shown}, line {}: {error}", number + 1))?;
            merge(&mut list, entry);
        }
        if list.is_empty() {
            bail!("{shown} lists no releases; write a line such as: 10 laplace:0.1");
        }
        Ok(Mixture(list))
    }

    /// The number of releases in all.
    pub fn count(&self) -> u64 {
        self.0
            .iter()
            .fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// The pair of each kind and how often it comes; an error says why there is none.
    fn pairs(&self) -> Result<Vec<(Pair, u64)>> {
        let mut pairs = Vec::new();
        for (source, count) in &self.0 {
            let Some(pair) = source.pair() else {
                if source.sampled.is_some() {
                    bail!(
                        "no amplification by sampling is proved here for a zCDP loss; if it is by \
                         Gaussian noise, state it as gaussian:M, M = Δ/σ"
                    );
                }
                bail!(
                    "of a zCDP loss only Rényi divergences are known; if it is by Gaussian noise, \
                     state it as gaussian:M, M = Δ/σ"
                );
            };
            pairs.push((pair?, *count));
        }
        Ok(pairs)
    }

    /// The best bounds of all, tight for δ down to `smallest`; an error says why there are none.
    pub fn bounds(&self, smallest: Down) -> Result<BestBounds> {
        Ok(BestBounds::new(&self.pairs()?, smallest)?)
    }

    /// The bounds of all by the laws of their losses.
    pub fn by_laws(&self, smallest: Down) -> Result<BestBounds> {
        Ok(BestBounds::by_laws(&self.pairs()?, smallest)?)
    }

    /// The Rényi divergences of all; `None` if those of one are unknown.
    pub fn divergences(&self) -> Option<Divergences> {
        let one = |(source, count): &(Source, u64)| {
            Some((source.divergence()?, source.own_delta(), *count))
        };
        Divergences::new(self.0.iter().map(one).collect::<Option<Vec<_>>>()?).ok()
    }

    /// The sums of ε and of own δ, if every release has such a loss and none is sampled.
    pub fn sums(&self) -> Option<(Rational, Rational)> {
        let mut sums = (Rational::ZERO, Rational::ZERO);
        for (source, count) in &self.0 {
            let has_loss = source.is_pure() || source.kind == Kind::Approx;
            if !has_loss || source.sampled.is_some() {
                return None;
            }
            let count = Rational::from(*count);
            sums.0 = &sums.0 + &(&source.value * &count);
            sums.1 = &sums.1 + &(&source.own_delta() * &count);
        }
        Some(sums)
    }

    /// The exact ε at δ, if all noise is Gaussian and nothing is sampled.
    pub fn gaussian(&self, delta: &Rational) -> Option<Up> {
        let mut sum = Rational::ZERO;
        for (source, count) in &self.0 {
            if source.kind != Kind::Gaussian || source.release().is_none() {
                return None;
            }
            let square = &source.value * &source.value;
            sum = &sum + &(&square * &Rational::from(*count));
        }
        gaussian_epsilon(&sum, delta).ok()
    }

    /// Bounds of the ε from losses on a grid; an error says why there is none.
    pub fn epsilon(&self, delta: &Rational) -> Result<Interval> {
        let epsilon = self.by_laws(Down::from_rational(delta))?.epsilon(delta)?;
        if !epsilon.hi().is_finite() {
            let own = self.0.iter().fold(Rational::ZERO, |sum, (source, count)| {
                &sum + &(&source.own_delta() * &Rational::from(*count))
            });
            if own <= *delta {
                bail!(
                    "the laws of the losses give no finite ε at this δ: what of it the releases' \
                     own δ leave is too small"
                );
            }
            bail!("no finite ε at this δ: the releases' own δ add up to more");
        }
        Ok(epsilon)
    }

    /// One line for each kind.
    pub fn print(&self, out: &mut impl Write) -> Result<()> {
        for (source, count) in &self.0 {
            let noun = if *count == 1 { "release" } else { "releases" };
            writeln!(out, "{count} {noun} {}", source.describe())?;
        }
        Ok(())
    }
}

/// Adds releases to a list: equal ones are one kind.
fn merge(list: &mut Vec<(Source, u64)>, (source, count): (Source, u64)) {
    match list.iter_mut().find(|(other, _)| *other == source) {
        Some((_, times)) => *times = times.saturating_add(count),
        None => list.push((source, count)),
    }
}

fn entry(line: &str) -> Result<(Source, u64), String> {
    let form = "write COUNT KIND:X, then perhaps sampled Q or delta D, such as: 1000 gaussian:1 \
                sampled 0.01";
    let mut words = line.split_whitespace();
    let count = words.next().and_then(|word| word.parse().ok());
    let count: u64 = count.filter(|count| *count > 0).ok_or(form)?;
    let mut source = Source::parse(words.next().ok_or(form)?)?;
    let mut delta = None;
    while let Some(word) = words.next() {
        let value = words.next().ok_or(form)?;
        match word {
            "sampled" if source.sampled.is_none() => source.sampled = Some(rate(value)?),
            "delta" if delta.is_none() => delta = Some(not_negative("delta", value)?),
            "sampled" | "delta" => {
                return Err(format!(
                    "{word} is given twice; give it once, for each release of the line"
                ));
            }
            _ => return Err(form.to_owned()),
        }
    }
    source.delta = delta.unwrap_or(Rational::ZERO);
    if let Some(why) = source.refusal() {
        return Err(why.to_owned());
    }
    if let Some(Err(error)) = source.pair()
        && !error.is_unbounded()
    {
        return Err(error.to_string());
    }
    Ok((source, count))
}
