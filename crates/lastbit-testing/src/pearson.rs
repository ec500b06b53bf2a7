//! Counts against a law.

/// Pearson's statistic, gathered cell by cell, with a threshold that has a stated false-alarm
/// probability.
///
/// For chi-square with k degrees of freedom, the statistic exceeds `k + 2√(kt) + 2t` with
/// probability at most `e^-t` (Laurent and Massart 2000). Enough expected draws a cell, which each
/// test chooses, make it chi-square; `e^-t = 10^-9/tests`, so that the false alarms of `tests`
/// tests together are at most 10^-9.
#[derive(Debug, Default)]
pub struct Pearson {
    statistic: f64,
    cells: u32,
}

impl Pearson {
    /// Adds a cell.
    pub fn add(&mut self, seen: f64, expected: f64) {
        self.statistic += (seen - expected).powi(2) / expected;
        self.cells += 1;
    }

    /// How many cells were added.
    pub fn cells(&self) -> u32 {
        self.cells
    }

    /// Panics when the counts do not fit the law.
    #[track_caller]
    pub fn fits(&self, tests: usize, name: &str) {
        let Pearson { statistic, cells } = self;
        assert!(*cells >= 2, "{name}: too few cells to say anything");
        let k = f64::from(cells - 1);
        let t = (tests as f64 * 1e9).ln();
        let threshold = k + 2.0 * (k * t).sqrt() + 2.0 * t;
        assert!(
            *statistic <= threshold,
            "{name}: {statistic} > {threshold} with {cells} cells"
        );
    }
}
