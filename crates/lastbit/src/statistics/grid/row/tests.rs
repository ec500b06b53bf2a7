use super::*;

#[test]
fn a_whole_number_counts_as_the_double_nearest_to_it() {
    let mut numbers = vec![0, 1, -1, i64::MAX, i64::MIN];
    for bit in 0..63 {
        for near in -2..=2 {
            numbers.extend([(1i64 << bit) + near, -(1i64 << bit) + near]);
        }
    }
    let spread = |place: i64| place.wrapping_mul(0x9E37_79B9_7F4A_7C15_u64.cast_signed());
    numbers.extend((0..10_000).map(|place| spread(place) >> (place % 60)));
    for number in numbers {
        assert_eq!(GridRow::number(number).to_bits(), (number as f64).to_bits());
    }
}
