//! The programs that ship with the crate.

macro_rules! program {
    ($name:literal) => {
        (
            $name,
            include_str!(concat!("../../programs/", $name, ".lb")),
        )
    };
}

/// The name and the text of every program under `programs/`, in alphabetical order.
///
/// ```
/// use lastbit_verify::language::{Checked, LIBRARY, parse};
/// for (name, text) in LIBRARY {
///     let program = parse(text).unwrap();
///     assert_eq!(program.name.as_deref(), Some(name));
///     Checked::new(program).unwrap();
/// }
/// ```
pub const LIBRARY: [(&str, &str); 14] = [
    program!("broken_fine_grid"),
    program!("broken_half_noise"),
    program!("broken_missing_outer_clamp"),
    program!("broken_no_sign"),
    program!("broken_short_uniform"),
    program!("broken_signed_zero"),
    program!("broken_underflow"),
    program!("ideal_laplace"),
    program!("ideal_snapping"),
    program!("naive_laplace"),
    program!("snapping"),
    program!("snapping_by_division"),
    program!("snapping_scaled"),
    program!("snapping_without_inner_clamp"),
];

/// The text of a program of the [`LIBRARY`] by its name.
pub fn library(name: &str) -> Option<&'static str> {
    LIBRARY
        .iter()
        .find(|(other, _)| *other == name)
        .map(|(_, text)| *text)
}
