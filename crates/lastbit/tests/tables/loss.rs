//! Exact losses of noise on numbers, beside the mechanisms that round them up; and decimals.

use lastbit::Error;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::{gaussian, laplace, laplace_zcdp};
use lastbit::metrics::Norms;
use lastbit::solve::{Decimal, Parameter};
use lastbit::tables::Noise;
use lastbit_exact::{Rational, Up};
use proptest::prelude::*;

fn numbers() -> VectorDomain<AtomDomain<Rational>> {
    VectorDomain::new(AtomDomain::new())
}

proptest! {
    /// A loss as an exact number is the one that the mechanism rounds up.
    #[test]
    fn losses_are_those_of_the_mechanisms(
        a in 1i64..2000,
        b in 1i64..300,
        c in 1i64..90,
        d in 1i64..40,
    ) {
        let (scale, distance) = (Rational::new(a, b), Rational::new(c, d));
        let norms = Norms { l1: distance.clone(), l2_squared: &distance * &distance };
        let noise = Noise::Laplace(lastbit::mechanisms::Scale::new(scale.clone()).unwrap());
        let Noise::Laplace(of) = &noise else { unreachable!() };
        let exact = noise.pure(-9).unwrap().map(&norms).unwrap();
        prop_assert_eq!(&exact, &(&distance / &scale));
        let stated = laplace(numbers(), of, -9).unwrap().map(&distance).unwrap();
        prop_assert_eq!(Up::from_rational(&exact), stated);

        let rho = noise.zcdp(-9).unwrap().map(&norms).unwrap();
        let stated = laplace_zcdp(numbers(), of, -9).unwrap().map(&distance).unwrap();
        prop_assert_eq!(rho, Rational::try_from(stated.get()).unwrap());

        let noise = Noise::Gaussian(lastbit::mechanisms::Variance::new(&scale * &scale).unwrap());
        let Noise::Gaussian(of) = &noise else { unreachable!() };
        let exact = noise.zcdp(-9).unwrap().map(&norms).unwrap();
        let root = &distance / &scale;
        prop_assert_eq!(&exact, &(&root * &root).times_power_of_two(-1));
        // The mechanism's distance is rounded up before it is squared.
        let rounded = Up::from_rational(&distance);
        let stated = gaussian(numbers(), of, -9).unwrap().map(&rounded).unwrap();
        let exact = Up::from_rational(&exact).get();
        prop_assert!(exact <= stated.get() && stated.get() <= exact * (1.0 + 1e-14));
        prop_assert!(noise.pure(-9).is_err());

        // And noise of a loss has that loss, exactly.
        let epsilon = lastbit::Epsilon::new(scale.clone()).unwrap();
        let made = Noise::laplace(&norms, &epsilon).unwrap();
        prop_assert_eq!(made.pure(-9).unwrap().map(&norms).unwrap(), scale.clone());
        let rho = lastbit::mechanisms::Rho::new(scale.clone()).unwrap();
        let made = Noise::gaussian(&norms, &rho).unwrap();
        prop_assert_eq!(made.zcdp(-9).unwrap().map(&norms).unwrap(), scale);
    }

    /// A decimal comes back from its number and from its place, and the next one is next.
    #[test]
    fn decimals_come_back(place in 0u64..400 * 900_000_000_000) {
        let decimal = Decimal::at(place);
        let value = decimal.get();
        prop_assert_eq!(decimal.place(), Some(place));
        prop_assert_eq!(Decimal::at_least(&value), decimal);
        prop_assert_eq!(Decimal::at_most(&value), decimal);
        prop_assert_eq!(decimal.to_string().parse::<Rational>().unwrap(), value.clone());
        if place > 0 {
            let before = Decimal::at(place - 1);
            prop_assert!(before.get() < value);
            let between = (&before.get() + &value).times_power_of_two(-1);
            prop_assert_eq!(Decimal::at_least(&between), decimal);
            prop_assert_eq!(Decimal::at_most(&between), before);
        }
    }
}

#[test]
fn decimals_end_where_they_are_said_to() -> Result<(), Error> {
    let (first, last) = Decimal::ALL.into_inner();
    assert_eq!(Decimal::at_most(&Rational::ZERO), first);
    let power = |exponent| lastbit_exact::decimal::power_of_ten(exponent);
    assert_eq!(first.get(), power(-200));
    assert!(last.get() < power(200));
    assert_eq!(Decimal::at_least(&power(300)), last);
    // The next one after 9.99…9 has one digit more.
    assert_eq!(
        Decimal::at_least(&"0.999999999999".parse().unwrap()).to_string(),
        "0.999999999999"
    );
    assert_eq!(
        Decimal::at_least(&"0.9999999999991".parse().unwrap()).to_string(),
        "1"
    );
    Ok(())
}
