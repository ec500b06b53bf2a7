//! On data of a public size, rows are exchanged in pairs: an odd symmetric distance costs as much
//! as the even one above it.

use lastbit::composition::filtered;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::measures::MaxDivergence;
use lastbit::mechanisms::laplace;
use lastbit::metrics::{ChangeOneDistance, SymmetricDistance};
use lastbit::transformations::{Keep, count_if, filter, mean, resize, sum, variance};
use lastbit_exact::Up;

fn rows() -> VectorDomain<AtomDomain<i64>> {
    VectorDomain::new(AtomDomain::bounded(0, 10).unwrap()).with_size(4)
}

#[test]
fn a_small_budget_does_not_buy_a_mean_with_hardly_any_noise() {
    let mean = mean(rows(), SymmetricDistance).unwrap();
    let noise = laplace(AtomDomain::new(), &"1e-9".parse().unwrap(), -40).unwrap();
    let release = (mean >> noise).unwrap();
    let budget = Up::exact(1e-6);
    let filter = filtered(rows(), SymmetricDistance, MaxDivergence, 1, budget).unwrap();
    let mut queryable = filter.invoke(&vec![1, 2, 3, 4]).unwrap();
    for _ in 0..3 {
        assert!(queryable.ask(&release).unwrap_err().is_budget());
    }
    assert_eq!(queryable.account().spent().unwrap(), Up::ZERO);
}

#[test]
fn an_odd_distance_costs_as_much_as_one_more_row() {
    for d_in in 0..9u64 {
        let changes = d_in.div_ceil(2);
        macro_rules! costs_as_changes {
            ($($make:expr),*) => {$(
                let symmetric = $make(rows(), SymmetricDistance).unwrap();
                let change_one = $make(rows(), ChangeOneDistance).unwrap();
                let (left, right) = (symmetric.map(&d_in), change_one.map(&changes));
                assert_eq!(left.unwrap(), right.unwrap(), "{} at {d_in}", stringify!($make));
            )*};
        }
        costs_as_changes!(mean, sum, variance, |rows, metric| count_if(
            rows,
            metric,
            |row: &i64| *row > 5
        ));
        let filtered = filter(rows(), SymmetricDistance, |row: &i64| *row > 5).unwrap();
        assert_eq!(filtered.map(&d_in).unwrap(), 2 * changes.min(4));
        let resized = resize(rows(), SymmetricDistance, 3, Keep::Smallest, 0).unwrap();
        assert_eq!(resized.map(&d_in).unwrap(), changes.min(3));
    }
}
