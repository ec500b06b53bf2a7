use std::sync::Arc;

use arrow_array::{Float32Array, Float64Array};

use super::*;

fn said(array: ArrayRef) -> Vec<String> {
    let mut said = Vec::new();
    texts(&array, "x", |cell| said.push(cell.to_text())).unwrap();
    said
}

/// Whether it is written or not: also around where the shortest digits of whole numbers stop
/// being all of their digits.
#[test]
fn a_float_says_its_shortest_digits() {
    let mut doubles = vec![0.0, -0.0, 0.5, -7.0, 12.0, 1e15, 1e16, 1e22, 1e300, 5e-324];
    doubles.extend([f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX]);
    let mut singles = vec![0.0, -0.0, 0.1, 3.0, 1e10, f32::MAX, f32::INFINITY, f32::NAN];
    for off in -40..40 {
        for power in [23, 24, 25, 30, 52, 53, 54, 62, 63, 64] {
            let power = 2f64.powi(power);
            doubles.extend([power, -power].map(|x| x + f64::from(off)));
            singles.extend([power, -power].map(|x| x as f32 + off as f32));
        }
    }
    let canonical = |text: String| crate::value::canonical(&text).unwrap_or_default();
    let written = doubles.iter().map(|x| match x.is_nan() {
        true => String::new(),
        false => canonical(format!("{x:e}")),
    });
    let written: Vec<String> = written.collect();
    assert_eq!(said(Arc::new(Float64Array::from(doubles))), written);
    let written = singles.iter().map(|x| match x.is_nan() {
        true => String::new(),
        false => canonical(format!("{x:e}")),
    });
    let written: Vec<String> = written.collect();
    assert_eq!(said(Arc::new(Float32Array::from(singles))), written);
}

/// All texts of up to six of these characters, and random longer ones.
#[test]
fn a_number_is_what_the_standard_library_reads() {
    let check = |text: &str| {
        let expected = text.trim().parse().unwrap_or(f64::NAN);
        assert_eq!(number(Some(text)).to_bits(), expected.to_bits(), "{text:?}");
    };
    let mut texts = vec![String::new()];
    for _ in 0..6 {
        let longer = texts
            .iter()
            .flat_map(|text| ["-", "+", ".", "0", "7", " ", "e"].map(|c| text.clone() + c));
        texts = longer.collect();
        texts.iter().for_each(|text| check(text));
    }
    let mut state = 1u64;
    for _ in 0..200_000 {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        let mut text = (state >> (state & 63)).to_string();
        let place = (state >> 40) as usize % (text.len() + 1);
        text.insert(place, '.');
        check(&text);
        check(&format!("-{text}"));
    }
}
