//! What a mechanism gave.

/// Which of the two inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The first.
    A,
    /// The second.
    B,
}

impl Side {
    /// Both, in order.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The letter.
    pub fn name(self) -> &'static str {
        match self {
            Side::A => "A",
            Side::B => "B",
        }
    }
}

/// One output of a mechanism: a number, bit for bit, or a word that is none.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Output {
    /// A double; NaN, infinities and −0.0 are outputs too.
    Number(f64),
    /// The index of a word in [`Samples::words`].
    Word(u32),
}

/// Outputs of both inputs.
#[derive(Clone, Debug, Default)]
pub struct Samples {
    /// From A and from B.
    pub outputs: [Vec<Output>; 2],
    /// The words that occurred.
    pub words: Vec<String>,
}

impl Samples {
    /// Draws `draws` outputs from each side, alternating, so that a drift in time is no difference
    /// between the sides.
    pub fn draw<E>(
        mut mechanism: impl FnMut(Side) -> Result<Output, E>,
        draws: usize,
    ) -> Result<Samples, E> {
        let mut samples = Samples::default();
        for _ in 0..draws {
            for (side, outputs) in Side::BOTH.into_iter().zip(&mut samples.outputs) {
                outputs.push(mechanism(side)?);
            }
        }
        Ok(samples)
    }
}
