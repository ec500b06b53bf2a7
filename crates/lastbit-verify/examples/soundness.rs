//! A million random programs × formats × inputs against the judgement, in as many threads as there
//! are processors.
//!
//! `cargo run --release -p lastbit-verify --example soundness [-- COUNT]`

#[path = "../tests/semantics/random_programs.rs"]
mod random_programs;

use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

fn main() -> ExitCode {
    let count = std::env::args()
        .nth(1)
        .map_or(Ok(1_000_000), |text| text.parse::<u64>());
    let Ok(count) = count else {
        eprintln!("error: the argument is how many programs, such as 1000000");
        return ExitCode::from(2);
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let done = AtomicU64::new(0);
    let tallies: Vec<_> = std::thread::scope(|scope| {
        let work: Vec<_> = (0..threads)
            .map(|i| {
                let done = &done;
                let share = count / threads + u64::from(i < count % threads);
                scope.spawn(move || {
                    random_programs::run(1000 + i, share, |held| {
                        if held.is_multiple_of(1000) {
                            let all = done.fetch_add(1000, Ordering::Relaxed) + 1000;
                            if all.is_multiple_of(100_000) {
                                eprintln!("{all} of {count}");
                            }
                        }
                    })
                })
            })
            .collect();
        work.into_iter().map(|thread| thread.join()).collect()
    });
    let mut sound = true;
    let (mut held, mut intervals, mut without) = (0, 0, 0);
    for tally in tallies {
        let Ok(tally) = tally else {
            eprintln!("error: a thread panicked");
            return ExitCode::FAILURE;
        };
        held += tally.held;
        intervals += tally.intervals;
        without += tally.without;
        if let Some(miss) = tally.miss {
            sound = false;
            println!("a miss: {miss}");
        }
    }
    println!(
        "{held} judgements held, {intervals} intervals looked at; {without} programs had no \
         judgement"
    );
    if sound {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
