//! Events: sets of outputs, and how one is chosen that tells two inputs apart.

use std::collections::{HashMap, HashSet};

use super::Output;

/// The key of every NaN, and the first of those of words: NaNs that no number is stored as.
const NAN: u64 = 0xfff8 << 48;
const WORD: u64 = NAN | 1 << 40;

/// What an attacker may look at in one output. Any function of an output will do: the bound is
/// valid for every event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Feature {
    /// The output itself, bit for bit.
    Value,
    /// The place of the last bit that is set: how precise the number is.
    LastBit,
    /// The last eight bits of the double.
    LowByte,
}

impl Feature {
    /// All of them.
    pub const ALL: [Feature; 3] = [Feature::Value, Feature::LastBit, Feature::LowByte];

    /// The feature of an output; a word has none but itself.
    pub fn of(self, output: Output) -> u64 {
        let number = match output {
            Output::Word(index) => return WORD | u64::from(index),
            Output::Number(number) if number.is_nan() => return NAN,
            Output::Number(number) => number,
        };
        match self {
            Feature::Value => number.to_bits(),
            Feature::LastBit => last_bit(number) as i64 as u64,
            Feature::LowByte => number.to_bits() & 0xff,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Feature::Value => "value",
            Feature::LastBit => "place of the last bit",
            Feature::LowByte => "last eight bits",
        }
    }
}

/// The exponent of the last bit that is set; below every other for zero, above for infinities.
pub(crate) fn last_bit(number: f64) -> i32 {
    if number == 0.0 {
        return i32::MIN;
    }
    if number.is_infinite() {
        return i32::MAX;
    }
    let bits = number.to_bits();
    let biased = (bits >> 52 & 0x7ff) as i32;
    let significand = bits & ((1 << 52) - 1) | u64::from(biased != 0) << 52;
    biased.max(1) - 1075 + significand.trailing_zeros() as i32
}

/// A set of outputs.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// Numbers at most this.
    AtMost(f64),
    /// Numbers at least this.
    AtLeast(f64),
    /// Outputs with one of these features.
    OneOf(Feature, HashSet<u64>),
}

impl Event {
    /// Whether the output is in the set.
    pub fn contains(&self, output: Output) -> bool {
        match (self, output) {
            (Event::AtMost(most), Output::Number(x)) => x <= *most,
            (Event::AtLeast(least), Output::Number(x)) => x >= *least,
            (Event::OneOf(feature, set), output) => set.contains(&feature.of(output)),
            (_, Output::Word(_)) => false,
        }
    }

    /// How many of the outputs are in the set.
    pub fn count(&self, outputs: &[Output]) -> u64 {
        outputs
            .iter()
            .filter(|output| self.contains(**output))
            .count() as u64
    }
}

impl Event {
    /// What it means that an event of this sort tells inputs apart; `None` if it says so itself.
    pub fn meaning(&self) -> Option<&'static str> {
        match self {
            Event::OneOf(Feature::LastBit | Feature::LowByte, _) => Some(
                "The last bits of the outputs tell the inputs apart: which doubles can come out \
                 depends on the input, as where noise is added in floating-point arithmetic. \
                 Noise of the right size does not hide that; docs/attacks has a chapter on it.",
            ),
            _ => None,
        }
    }

    /// In words; `words` are those of the samples.
    pub fn describe(&self, words: &[String]) -> String {
        match self {
            Event::AtMost(most) => format!("output ≤ {most}"),
            Event::AtLeast(least) => format!("output ≥ {least}"),
            Event::OneOf(Feature::Value, set) if set.len() <= 4 => {
                let mut names: Vec<String> = set.iter().map(|key| name(*key, words)).collect();
                names.sort();
                format!("output is {}", names.join(" or "))
            }
            Event::OneOf(feature, set) => {
                format!("the {} is one of {} chosen ones", feature.name(), set.len())
            }
        }
    }
}

/// The output of a key of [`Feature::Value`].
fn name(key: u64, words: &[String]) -> String {
    let word = (key & WORD == WORD).then(|| words.get((key & u64::from(u32::MAX)) as usize));
    match word {
        Some(Some(word)) => format!("`{word}`"),
        Some(None) => "a word".to_owned(),
        None => format!("{:?}", f64::from_bits(key)),
    }
}

/// The event with the largest score, over thresholds (if wanted) and, for each feature, the sets of
/// its most telling values.
///
/// `score(x, y)` values an event that x outputs of `likely` and y of `unlikely` are in.
pub(crate) fn choose(
    likely: &[Output],
    unlikely: &[Output],
    thresholds: bool,
    features: &[Feature],
    score: &dyn Fn(u64, u64) -> f64,
) -> Option<Event> {
    let mut best: Option<(f64, Event)> = None;
    let mut offer = |value: f64, event: &mut dyn FnMut() -> Event| {
        if best.as_ref().is_none_or(|(most, _)| value > *most) {
            best = Some((value, event()));
        }
    };
    if thresholds {
        best_thresholds(likely, unlikely, score, &mut offer);
    }
    for feature in features {
        best_set(*feature, likely, unlikely, score, &mut offer);
    }
    best.map(|(_, event)| event)
}

type Offer<'a> = &'a mut dyn FnMut(f64, &mut dyn FnMut() -> Event);

fn best_thresholds(
    likely: &[Output],
    unlikely: &[Output],
    score: &dyn Fn(u64, u64) -> f64,
    offer: Offer<'_>,
) {
    let numbers = |outputs: &[Output]| {
        let mut numbers: Vec<f64> = outputs
            .iter()
            .filter_map(|output| match output {
                Output::Number(x) if !x.is_nan() => Some(*x + 0.0), // −0.0 = 0.0 in a comparison
                _ => None,
            })
            .collect();
        numbers.sort_by(f64::total_cmp);
        numbers
    };
    let (one, other) = (numbers(likely), numbers(unlikely));
    let below = |sorted: &[f64], x: f64| sorted.partition_point(|y| *y <= x) as u64;
    let mut i = 0;
    while i < one.len() {
        let at = one[i];
        let (x, y) = (below(&one, at), below(&other, at));
        offer(score(x, y), &mut || Event::AtMost(at));
        let strictly = |sorted: &[f64]| (sorted.len() - sorted.partition_point(|y| *y < at)) as u64;
        offer(score(strictly(&one), strictly(&other)), &mut || {
            Event::AtLeast(at)
        });
        // Every value near the ends, where the events are rare, and a thousand between.
        let distinct = x as usize;
        let step = (one.len() / 1000).min(i.min(one.len() - i) / 8);
        i = distinct.max(i + step);
    }
}

fn best_set(
    feature: Feature,
    likely: &[Output],
    unlikely: &[Output],
    score: &dyn Fn(u64, u64) -> f64,
    offer: Offer<'_>,
) {
    // Every other output orders the values by how telling they are, the rest values the sets: the
    // values that chance made most telling among many would look better than they are.
    let mut counts: HashMap<u64, [[u64; 2]; 2]> = HashMap::new();
    for (side, outputs) in [likely, unlikely].into_iter().enumerate() {
        for (i, output) in outputs.iter().enumerate() {
            counts.entry(feature.of(*output)).or_default()[i % 2][side] += 1;
        }
    }
    let mut values: Vec<(u64, [[u64; 2]; 2])> =
        counts.into_iter().filter(|(_, [n, _])| n[0] > 0).collect();
    let ratio = |n: [u64; 2]| n[0] as f64 / (n[1] as f64 + 1.0);
    values.sort_by(|a, b| ratio(b.1[0]).total_cmp(&ratio(a.1[0])).then(a.0.cmp(&b.0)));
    let (mut x, mut y, mut prefix) = (0, 0, None);
    let mut most = f64::NEG_INFINITY;
    for (i, (_, [_, n])) in values.iter().enumerate() {
        // Twice, as these are half of the outputs.
        x += 2 * n[0];
        y += 2 * n[1];
        let value = score(x, y);
        if value > most {
            (most, prefix) = (value, Some(i));
        }
    }
    if let Some(last) = prefix {
        offer(most, &mut || {
            Event::OneOf(
                feature,
                values[..=last].iter().map(|(value, _)| *value).collect(),
            )
        });
    }
}
