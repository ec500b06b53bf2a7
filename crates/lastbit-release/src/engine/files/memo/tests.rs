use std::sync::Arc;

use arrow_array::{StringArray, StringViewArray};

use super::*;

/// More texts than places, of all lengths, so that they take each other's places.
#[test]
fn words_are_those_of_values_whatever_was_seen_before() {
    let mut state = 1u64;
    let mut next = |most: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) % most
    };
    let cells: Vec<Option<String>> = (0..20_000)
        .map(|_| match next(8) {
            0 => None,
            1 => Some(String::new()),
            2 => Some(format!("{}.0", next(500))),
            3 => Some(format!(" {}", next(500))),
            4 => Some("x".repeat(next(20) as usize) + &next(40).to_string()),
            5 => Some(format!("é{}\0", next(300))),
            _ => Some(next(500).to_string()),
        })
        .collect();
    let word = |cell: Value| match cell {
        Value::Missing => 7,
        Value::Whole(number) => number as u64,
        Value::Text(text) => text.bytes().fold(1 << 40, |all: u64, byte| {
            u64::wrapping_mul(all, 31) ^ u64::from(byte)
        }),
    };
    let expected: Vec<u64> = cells
        .iter()
        .map(|cell| {
            let mut buffer = String::new();
            word(
                cell.as_deref()
                    .map_or(Value::Missing, |text| value(text, &mut buffer)),
            )
        })
        .collect();
    let arrays: [ArrayRef; 2] = [
        Arc::new(StringArray::from(cells.clone())),
        Arc::new(StringViewArray::from_iter(cells)),
    ];
    let mut memo = Memo::default();
    for array in &arrays {
        let mut words = Vec::new();
        memo.words(array, "x", &mut words, word).unwrap();
        assert!(words == expected);
    }
}
