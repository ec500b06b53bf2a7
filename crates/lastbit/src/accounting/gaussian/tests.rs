use super::*;

#[test]
fn many_points_are_the_points_one_by_one() {
    let law = Gaussian::new(&Rational::new(3, 8));
    let step = 2f64.powi(-6);
    for places in [-40..=70, -70..=40, 3..=9, -9..=-3, 0..=0] {
        let all = law.profile_on(step, places.clone());
        let one = |k: i64| law.profile(Interval::point(k as f64 * step));
        let ends = |z: &Interval| (z.lo(), z.hi());
        let expected: Vec<Interval> = places.map(one).collect();
        assert!(all.iter().map(ends).eq(expected.iter().map(ends)));
    }
}
