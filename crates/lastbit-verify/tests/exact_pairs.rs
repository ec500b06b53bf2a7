//! The exact loss of the shipped code, for many pairs of neighbours.

use lastbit::mechanisms::snapping::Arithmetic;
use lastbit_exact::Rounding;
use lastbit_verify::exact::pairs::{Pair, cases, pair, table};

fn check(pair: &Pair) {
    assert!(pair.is_between(), "{:?}: {:?}", pair.case, pair.exact);
    // The published constants are not proved for this code, yet no pair here exceeds them.
    assert!(pair.exact.is_at_most(&pair.published), "{:?}", pair.case);
    assert!(pair.ideal < pair.published && pair.published < pair.charged);
    println!(
        "ε {:<4} Δ {:<5} f {:<10.6} loss ≈ {:.6}: ideal + {:.2e} at {}; published + {:.2e}, charged + {:.2e}",
        pair.case.epsilon,
        pair.case.sensitivity,
        pair.case.values[0],
        pair.exact.loss().midpoint(),
        pair.excess().get(),
        pair.exact.output,
        (&pair.published - &pair.ideal).to_f64(Rounding::NearestEven),
        (&pair.charged - &pair.ideal).to_f64(Rounding::NearestEven),
    );
}

#[test]
fn binary64_loses_more_than_the_ideal_and_less_than_is_charged() {
    let table = table(Arithmetic::Binary64).unwrap();
    assert!(table.len() >= 50);
    table.iter().for_each(check);
}

#[test]
fn multi_loses_more_than_the_ideal_and_less_than_is_charged() {
    // At 118 bits the excess is below 1e-31: only exact comparisons see it.
    for case in cases().into_iter().step_by(8) {
        let pair = pair(case, Arithmetic::Multi).unwrap();
        check(&pair);
        assert!(pair.excess().get() < 1e-30);
    }
}
