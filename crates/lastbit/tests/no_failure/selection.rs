//! Selection from ordered points.

use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::selection::*;

use super::answers;
use super::data::*;

pub fn points_are_selected() {
    let (integer_data, float_data) = (vectors(&INTEGERS), vectors(&FLOATS));
    let delta: lastbit::Delta = "1e-6".parse().unwrap();
    let epsilon = "1".parse().unwrap();
    let half = lastbit::Share::half();
    for size in [1, 2, 3, 1000] {
        for delta in [None, Some(&delta)] {
            let domain = || integers().with_size(size);
            if let Ok(made) = quantile(domain(), &half, &epsilon, delta) {
                answers("selection/quantile:quantile", &made, &integer_data);
            }
            if let Ok(made) = quantile(floats().with_size(size), &half, &epsilon, delta) {
                answers("selection/quantile:quantile", &made, &float_data);
            }
            if let Ok(made) = interior_point(domain(), &epsilon, delta) {
                answers("selection/quantile:interior_point", &made, &integer_data);
            }
            for offer in offers(1 << 64, &epsilon, delta, &"0.05".parse().unwrap()).unwrap() {
                if let Ok(made) = quantile_by(domain(), &half, &offer) {
                    answers("selection/quantile:quantile_by", &made, &integer_data);
                }
                if let Ok(made) = ball_radius_by(domain(), 1, &offer) {
                    answers("selection/ball_radius:ball_radius_by", &made, &integer_data);
                }
            }
            for count in 1..=size.min(3) as u64 {
                if let Ok(made) = ball_radius(domain(), count, &epsilon, delta) {
                    answers("selection/ball_radius:ball_radius", &made, &integer_data);
                }
                let bounded = VectorDomain::new(AtomDomain::bounded(-2.0, 10.0).unwrap());
                let bounded = bounded.with_size(size);
                if let Ok(made) = ball_radius_on_grid(bounded, -10, count, &epsilon, delta) {
                    answers(
                        "selection/ball_radius:ball_radius_on_grid",
                        &made,
                        &float_data,
                    );
                }
            }
            let labelled = VectorDomain::new(LabelledDomain::new(AtomDomain::<i64>::new()));
            let data: Vec<Vec<(i64, bool)>> = integer_data
                .iter()
                .map(|row| row.iter().map(|&x| (x, x > 0 || x == i64::MIN)).collect())
                .collect();
            if let Ok(made) = threshold_learner(labelled.clone().with_size(size), &epsilon, delta) {
                answers(
                    "selection/threshold_learner:threshold_learner",
                    &made,
                    &data,
                );
            }
            for offer in offers(1 << 64, &epsilon, delta, &"0.05".parse().unwrap()).unwrap() {
                if let Ok(made) = threshold_learner_by(labelled.clone().with_size(size), &offer) {
                    answers(
                        "selection/threshold_learner:threshold_learner_by",
                        &made,
                        &data,
                    );
                }
            }
            let made = threshold_learner_add_remove(labelled, &epsilon).unwrap();
            answers(
                "selection/threshold_learner:threshold_learner_add_remove",
                &made,
                &data,
            );
        }
        let quartiles = [0.25, 0.5, 0.75].map(|q| lastbit::Share::try_from(q).unwrap());
        let domain = || integers().with_size(size);
        if let Ok(made) = quantiles(domain(), &quartiles, &epsilon) {
            answers("selection/quantiles:quantiles", &made, &integer_data);
        }
        for method in [QuantilesMethod::Split, QuantilesMethod::Bisection] {
            if let Ok(made) = quantiles_by(domain(), &quartiles, &epsilon, method) {
                answers("selection/quantiles:quantiles_by", &made, &integer_data);
            }
            if let Ok(made) = quantiles_by_zcdp(domain(), &quartiles, &epsilon, method) {
                answers(
                    "selection/quantiles:quantiles_by_zcdp",
                    &made,
                    &integer_data,
                );
            }
        }
    }
}
