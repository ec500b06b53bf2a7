use super::*;
use lastbit_exact::Integer;

fn exactly(x: f64) -> f64 {
    Dyadic::from(Dyadic::try_from(x).unwrap().round_in(0)).to_f64(Rounding::NearestEven)
}

#[test]
fn erratum_1_negative_ties_go_up() {
    assert_eq!(round_ties_up(-0.5), 0.0);
    assert_eq!(round_ties_up(-2.5), -2.0);
    assert_eq!(round_ties_up(2.5), 3.0);
    assert_eq!(round_ties_up(-1.5), -1.0);
    let arithmetic = Binary64;
    assert_eq!(arithmetic.snap(&-5.0, 1), -4.0);
    assert_eq!(
        Dyadic::new(-5, 0).round_in(1),
        Integer::from(-2),
        "the big-number path agrees"
    );
}

#[test]
fn erratum_2_a_carry_needs_only_the_integer_bits() {
    // 7.5 = (111.1)₂: the integer bits are all ones, the fraction's are not; the carry makes
    // it 8.
    assert_eq!(round_ties_up(7.5), 8.0);
    assert_eq!(round_ties_up(1023.75), 1024.0);
    assert_eq!(round_ties_up(-7.75), -8.0);
    assert_eq!(
        round_ties_up((1u64 << 51) as f64 - 0.5),
        (1u64 << 51) as f64
    );
}

#[test]
fn rounding_is_exact_around_every_boundary() {
    let centres = (0..1074)
        .map(|e| 2f64.powi(-e))
        .chain((0..200).map(|i| i as f64 * 0.5));
    let large = (40..60).map(|e| 2f64.powi(e) - 0.5);
    for centre in centres.chain(large) {
        for x in [centre, centre.next_up(), centre.next_down()] {
            for x in [x, -x] {
                assert_eq!(round_ties_up(x), exactly(x), "{x:e}");
            }
        }
    }
    assert_eq!(round_ties_up(0.49999999999999994), 0.0);
    assert_eq!(round_ties_up(f64::INFINITY), f64::INFINITY);
    assert_eq!(round_ties_up(f64::NEG_INFINITY), f64::NEG_INFINITY);
}
