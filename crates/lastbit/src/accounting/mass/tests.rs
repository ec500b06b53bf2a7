use lastbit_exact::Rational;

use super::*;

fn rational(mass: Mass, bits: usize) -> Rational {
    Rational::from(Integer::from(mass.natural())).times_power_of_two(-(bits as i64))
}

#[test]
fn doubles_become_units_and_units_doubles_on_the_safe_side_by_less_than_one_of_them() {
    for bits in [59, 90, 152, 245] {
        let unit = Rational::from(1i64).times_power_of_two(-(bits as i64));
        for p in [
            0.0,
            1.0,
            0.1,
            1.0 / 3.0,
            2e-17,
            1e-40,
            3.3e-70,
            1e-300,
            5e-324,
        ] {
            let exact = Rational::try_from(p).unwrap();
            let (above, below) = (
                Mass::above(Up::exact(p), bits),
                Mass::below(Down::exact(p), bits),
            );
            let (high, low) = (rational(above, bits), rational(below, bits));
            assert!(high >= exact && &high - &exact < unit, "{p} {bits}");
            assert!(low <= exact && &exact - &low < unit, "{p} {bits}");
            let back = |x: f64| Rational::try_from(x).unwrap();
            assert!(back(above.upper(bits).get()) >= high);
            assert!(back(above.lower(bits).get()) <= high);
            let width = above.upper(bits).get() - above.lower(bits).get();
            assert!(width <= above.upper(bits).get() * 2.3e-16);
        }
    }
}

#[test]
fn products_are_rounded_to_the_side_asked_for() {
    let third = Mass::above(Up::exact(1.0 / 3.0), 152) + Mass::UNIT;
    let exact = &rational(third, 152) * &rational(third, 152);
    let unit = Rational::from(1i64).times_power_of_two(-152);
    let (high, low) = (
        third.times(third, 152, true),
        third.times(third, 152, false),
    );
    assert!(rational(high, 152) >= exact && rational(low, 152) <= exact);
    assert_eq!(&rational(high, 152) - &rational(low, 152), unit);
}
