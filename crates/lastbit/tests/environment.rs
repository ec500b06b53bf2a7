//! In a floating-point mode in which no bound holds, nothing is built, priced or released.
#![cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]

use lastbit::Bounds;
use lastbit::composition::filtered;
use lastbit::domains::AtomDomain;
use lastbit::measures::MaxDivergence;
use lastbit::mechanisms::snapping::Snapping;
use lastbit::mechanisms::{gaussian, laplace};
use lastbit::metrics::AbsoluteDistance;
use lastbit_exact::{Rational, Up};
use lastbit_noise::entropy::System;
use lastbit_testing::float_mode::{Mode, in_mode};

#[test]
fn every_wrong_mode_is_refused_wherever_a_bound_is_used() {
    let noise = || laplace(AtomDomain::<i64>::new(), &"2".parse().unwrap(), 0);
    let normal = || gaussian(AtomDomain::<i64>::new(), &"2".parse().unwrap(), 0);
    let snapping = || {
        let bounds = Bounds::parse("0", "10").unwrap();
        Snapping::builder(bounds, "1".parse().unwrap())
            .epsilon("1".parse().unwrap())
            .build()
    };
    let (built, snapped) = (noise().unwrap(), snapping().unwrap());
    let filter = filtered(
        AtomDomain::<i64>::new(),
        AbsoluteDistance,
        MaxDivergence,
        Rational::ONE,
        Up::ONE,
    );
    let mut queryable = filter.unwrap().invoke(&3).unwrap();
    for &mode in Mode::ALL {
        in_mode(mode, || {
            assert!(noise().unwrap_err().is_environment(), "{mode:?}");
            assert!(normal().unwrap_err().is_environment(), "{mode:?}");
            assert!(built.map(&Rational::ONE).unwrap_err().is_environment());
            assert!(built.invoke(&3).unwrap_err().is_environment());
            assert!(queryable.ask(&built).unwrap_err().is_environment());
            let refused = snapping().unwrap_err().to_string();
            assert!(refused.contains("no bound holds"), "{refused}");
            let entropy = &mut System::default();
            assert!(snapped.draw(3.0, entropy).is_err());
            assert!(snapped.draw_exact(&Rational::ONE, entropy).is_err());
        });
    }
    // Nothing was spent, and in the right mode all goes on.
    assert_eq!(queryable.account().spent().unwrap(), Up::ZERO);
    queryable.ask(&built).unwrap();
}
