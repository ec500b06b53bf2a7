//! Soundness of the judgement `e_R ⇓ e_F, [lo, hi]`: no value outside, for random programs, formats
//! and inputs.

use super::random_programs;

use random_programs::run;

/// Judgements in each of two threads; `cargo run --release -p lastbit-verify --example soundness`
/// does a million in all.
const EACH: u64 = 100_000;

#[test]
fn every_value_lies_in_the_interval_derived_for_it() {
    let halves = [1, 2].map(|seed| std::thread::spawn(move || run(seed, EACH, |_| {})));
    for half in halves {
        let tally = half.join().expect("no panic");
        assert_eq!(tally.miss, None);
        assert_eq!(tally.held, EACH);
        assert!(tally.intervals > 2 * EACH);
        // The generator must not avoid judgements, or the count would mean little.
        assert!(
            tally.without < EACH,
            "{} without a judgement",
            tally.without
        );
    }
}
