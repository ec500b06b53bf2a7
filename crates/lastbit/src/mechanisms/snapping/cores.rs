//! Many draws on all cores.

use std::num::NonZero;
use std::sync::{Mutex, PoisonError};
use std::thread;

use lastbit_noise::entropy::System;

use super::{Snapping, SnappingError};

/// Draws that one core makes at a time: some 100 µs, more than it takes to start a thread.
const PART: usize = 1 << 14;

impl Snapping {
    /// [`Snapping::draw_slice`] from the system's randomness, on all cores.
    ///
    /// Every thread draws from a generator of its own, with seeds of its own from the operating
    /// system. Where no thread can be started, the calling one does all the work.
    ///
    /// ```
    /// use lastbit::Bounds;
    /// use lastbit::mechanisms::snapping::Snapping;
    /// let mechanism = Snapping::builder(Bounds::parse("0", "100")?, "1".parse()?)
    ///     .epsilon("0.5".parse()?)
    ///     .build()?;
    /// let mut noisy = vec![0.0; 100_000];
    /// mechanism.draw_slice_on_all_cores(&vec![41.7; 100_000], &mut noisy)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw_slice_on_all_cores(
        &self,
        values: &[f64],
        outputs: &mut [f64],
    ) -> Result<(), SnappingError> {
        self.check_slice(values, outputs)?;
        let parts = values.len().div_ceil(PART);
        let cores = thread::available_parallelism().map_or(1, NonZero::get);
        let parts_left = Mutex::new(values.chunks(PART).zip(outputs.chunks_mut(PART)));
        let next = || {
            // Nothing that holds the lock panics.
            let mut parts = parts_left.lock().unwrap_or_else(PoisonError::into_inner);
            parts.next()
        };
        let work = || {
            while let Some((values, outputs)) = next() {
                self.draw_slice(values, outputs, &mut System::default())?;
            }
            Ok(())
        };
        thread::scope(|scope| {
            let others: Vec<_> = (1..cores.min(parts))
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
                .collect();
            // All are waited for, also after an error.
            others.into_iter().fold(work(), |result, other| {
                let its = other
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                result.and(its)
            })
        })
    }
}
