//! Composition.

use lastbit::composition::{
    adaptive, filtered, pair, parallel, poisson_subsample, sequential,
    subsample_without_replacement,
};
use lastbit::domains::AtomDomain;
use lastbit::measures::MaxDivergence;
use lastbit::mechanisms::laplace;
use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
use lastbit::transformations::{count, count_if};
use lastbit_exact::{Rational, Up};

use super::answers;
use super::data::*;

pub fn compositions_are_answered() {
    let data = vectors(&INTEGERS);
    let noise = || laplace(AtomDomain::<i64>::new(), &"1".parse().unwrap(), 0).unwrap();
    let counted = || (count(integers(), SymmetricDistance).unwrap() >> noise()).unwrap();
    let both = pair(&counted(), &counted()).unwrap();
    answers("composition/sequential:pair", &both, &data);
    let three = sequential([counted(), counted(), counted()]).unwrap();
    answers("composition/sequential:sequential", &three, &data);
    let part_of = |x: &i64| usize::try_from(*x).ok();
    let parts = parallel(
        integers(),
        SymmetricDistance,
        part_of,
        vec![counted(), counted()],
    );
    answers("composition/parallel:parallel", &parts.unwrap(), &data);
    let half = Rational::new(1, 2);
    let sampled = poisson_subsample(&counted(), &half).unwrap();
    answers("composition/subsampling:poisson_subsample", &sampled, &data);
    let two = integers().with_size(2);
    let changed = count_if(two, ChangeOneDistance, |&x| x > 0).unwrap();
    let sampled = subsample_without_replacement(&(changed >> noise()).unwrap(), 3).unwrap();
    answers(
        "composition/subsampling:subsample_without_replacement",
        &sampled,
        &data,
    );
    let budget = Up::ONE;
    let made = filtered(integers(), SymmetricDistance, MaxDivergence, 1, budget).unwrap();
    answers("composition/filter:filtered", &made, &data);
    let made = adaptive(
        integers(),
        SymmetricDistance,
        MaxDivergence,
        1,
        vec![budget],
    )
    .unwrap();
    answers("composition/adaptive:adaptive", &made, &data);
}
