//! The exact loss of the shipped code, for many pairs of neighbours.

use lastbit::mechanisms::snapping::Arithmetic;
use lastbit_exact::Rounding;
use lastbit_verify::certificate::{Claim, check, prove};
use lastbit_verify::exact::pairs::{InputPair, cases, mechanism, pair, table};

fn is_between(pair: &InputPair) {
    assert!(pair.is_between(), "{:?}: {:?}", pair.case, pair.exact);
    // The published constants are not proved for this code, yet no pair here exceeds them.
    assert!(pair.exact.is_at_most(&pair.published), "{:?}", pair.case);
    assert!(pair.ideal < pair.published && pair.published < pair.charged);
    println!(
        "ε {:<4} Δ {:<5} f {:<10.6} loss ≈ {:.6}: ideal + {:.2e} at {}; published + {:.2e}, \
         charged + {:.2e}",
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
    table.iter().for_each(is_between);
}

#[test]
fn multi_loses_more_than_the_ideal_and_less_than_is_charged() {
    // At 118 bits the excess is below 1e-31: only exact comparisons see it.
    for case in cases().into_iter().step_by(8) {
        let pair = pair(case, Arithmetic::Multi).unwrap();
        is_between(&pair);
        assert!(pair.excess().get() < 1e-30);
    }
}

#[test]
fn binary64_loses_no_more_than_its_certificate() {
    // Seven pairs in each setting, one certificate for all of them.
    for pairs in table(Arithmetic::Binary64).unwrap().chunks(7) {
        let mechanism = mechanism(&pairs[0].case, Arithmetic::Binary64).unwrap();
        let claim = Claim::of_mechanism(&mechanism).unwrap();
        let certified = check(&prove(&claim).unwrap()).unwrap().certified;
        for pair in pairs {
            assert_eq!(pair.case.bounds, pairs[0].case.bounds);
            assert!(pair.exact.is_at_most(&certified), "{:?}", pair.case);
            assert!(certified <= pair.charged, "{:?}", pair.case);
            assert_eq!(pair.certified.as_ref(), Some(&certified));
        }
    }
}
