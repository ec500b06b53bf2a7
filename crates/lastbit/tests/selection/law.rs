//! The law of one selection by the exponential mechanism over a quality: in closed form, and of the
//! shipped draw by enumeration of its bits.

use lastbit::quality::StepFunction;
use lastbit_exact::{Interval, Rational, Rounding};
use lastbit_noise::entropy::Entropy;
use lastbit_noise::enumerate::masses;
use lastbit_testing::After;

/// `exp(rate·Q(x))/Σ` for every point x.
pub fn closed_form(quality: &StepFunction, rate: &Rational) -> Vec<Interval> {
    let most = quality.maximum();
    let weight =
        |value: i64| Interval::from_rational(&(rate * &Rational::from(value - most))).exp();
    let weights: Vec<Interval> = (0..quality.size())
        .map(|x| weight(quality.value(x)))
        .collect();
    let total = weights.iter().fold(Interval::ZERO, |sum, &w| sum + w);
    weights.into_iter().map(|w| w / total).collect()
}

/// The largest `ln(P/Q)` in both orders, rounded up.
pub fn max_divergence(p: &[Interval], q: &[Interval]) -> f64 {
    let ratios = p.iter().zip(q).map(|(&p, &q)| (p / q).ln());
    ratios.fold(0.0, |most, ratio| most.max(ratio.hi()).max(-ratio.lo()))
}

/// Asserts that a draw of a point has the law in closed form: the run by every beginning of its
/// first word, the place in the run by every beginning of the next.
pub fn assert_law<E: core::fmt::Debug>(
    quality: &StepFunction,
    rate: &Rational,
    mut draw: impl FnMut(&mut dyn Entropy) -> Result<u128, E>,
) {
    let law = closed_form(quality, rate);
    let runs: Vec<_> = quality.runs().collect();
    let run_of = |x: u128| runs.partition_point(|run| run.start <= x) - 1;
    let of_runs = masses(90, |bits| draw(bits).map(run_of));
    let mut passed = 0.0;
    for (index, run) in runs.iter().enumerate() {
        let points = run.start..run.start + run.length;
        let wanted = points.fold(Interval::ZERO, |sum, x| sum + law[x as usize]);
        let mass = of_runs.of(&index);
        let (lo, hi) = (mass.lo.to_f64(Rounding::Down), mass.hi.to_f64(Rounding::Up));
        assert!(hi - lo < 1e-15 * hi + 1e-20, "run {index}: {lo} to {hi}");
        assert!(
            lo <= wanted.hi() && wanted.lo() <= hi,
            "run {index}: {lo} to {hi} against {wanted:?}"
        );
        // A word in the middle of those that give the run.
        let word = ((passed + wanted.midpoint() / 2.0) * 2f64.powi(64)) as u64;
        passed += wanted.midpoint();
        let places = masses(90, |bits| draw(&mut After::new(word, bits)));
        for x in run.start..run.start + run.length {
            let uniform = Rational::new(1, lastbit_exact::Integer::from(run.length));
            assert!(places.of(&x).contains(&uniform), "place {x} of run {index}");
        }
    }
}

/// All multisets of `count` of these items, in order.
pub fn multisets<T: Copy>(items: &[T], count: usize) -> Vec<Vec<T>> {
    let mut all = vec![(0, Vec::new())];
    for _ in 0..count {
        all = all
            .iter()
            .flat_map(|(least, set): &(usize, Vec<T>)| {
                (*least..items.len()).map(move |i| (i, [&set[..], &[items[i]]].concat()))
            })
            .collect();
    }
    all.into_iter().map(|(_, set)| set).collect()
}

/// How many rows of the first are not in the second, as multisets.
pub fn missing<T: PartialEq + Copy>(left: &[T], right: &[T]) -> usize {
    let mut rest = right.to_vec();
    let found = left.iter().filter(|x| {
        let at = rest.iter().position(|y| y == *x);
        at.map(|at| rest.swap_remove(at)).is_some()
    });
    left.len() - found.count()
}
