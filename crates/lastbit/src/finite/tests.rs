use super::*;

#[test]
fn what_is_not_finite_is_found_with_all_vectors() {
    for lanes in Lanes::all() {
        let mut rows: Vec<f64> = (0..100).map(|i| (f64::from(i) - 50.0) * 1e300).collect();
        rows[3] = -0.0;
        rows[4] = f64::from_bits(1);
        assert!(lanes.run(AllFinite(&rows)), "{lanes:?}");
        for at in 0..rows.len() {
            for bad in [f64::NAN, -f64::NAN, f64::INFINITY, -f64::INFINITY] {
                let row = core::mem::replace(&mut rows[at], bad);
                assert!(!lanes.run(AllFinite(&rows)), "{lanes:?}: {bad} at {at}");
                rows[at] = row;
            }
        }
        assert!(AllFinite::<f64>(&[]).run());
    }
}
