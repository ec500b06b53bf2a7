//! Milliseconds a selection, as JSON on one line: for `benches/peers.py`, which sets them beside
//! the peers' in the same run.

use std::hint::black_box;
use std::time::Instant;

use lastbit::Share;
use lastbit::domains::{AtomDomain, VectorDomain};
use lastbit::mechanisms::exponential::{Exponential, Score};
use lastbit::selection::quantile;
use lastbit_benches::{CANDIDATES, fastest, score_shapes, spread_rows};
use lastbit_noise::entropy::System;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mechanism = Exponential::new(&"1".parse()?, &"1".parse()?);
    let shapes = score_shapes(CANDIDATES);
    let integers = shapes
        .each_ref()
        .map(|(name, scores)| (*name, scores.iter().map(|&u| u as i64).collect::<Vec<_>>()));

    let rows = spread_rows(1_000_000);
    let domain = VectorDomain::new(AtomDomain::<u64>::new()).with_size(rows.len());
    let median = quantile(domain, &Share::half(), &"1".parse()?, None)?;
    let median = fastest(1, |_| {
        black_box(median.invoke(black_box(&rows))).expect("a point");
    });
    let sort = fastest(1, |_| {
        let mut rows = rows.clone();
        rows.sort_unstable();
        black_box(rows);
    });
    println!(
        "{{\"f64\":{{{}}},\"i64\":{{{}}},\"median\":{:.4},\"sort\":{:.4}}}",
        turn_by_turn(&mechanism, &shapes),
        turn_by_turn(&mechanism, &integers),
        median / 1e6,
        sort / 1e6,
    );
    Ok(())
}

/// The fastest of many selections from each shape, one shape after the other, so that other load
/// falls on all alike.
fn turn_by_turn<S: Score>(mechanism: &Exponential, shapes: &[(&str, Vec<S>)]) -> String {
    let mut entropy = System::default();
    let mut best = vec![f64::INFINITY; shapes.len()];
    for _ in 0..200 {
        for (best, (_, scores)) in best.iter_mut().zip(shapes) {
            let start = Instant::now();
            black_box(mechanism.draw(black_box(scores), &mut entropy)).expect("finite scores");
            *best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let fields = shapes.iter().zip(&best);
    let fields: Vec<String> = fields
        .map(|((name, _), ms)| format!("\"{name}\":{ms:.4}"))
        .collect();
    fields.join(",")
}
