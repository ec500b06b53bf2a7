use super::*;

/// The first three bits as a number.
fn octant(bits: &mut Prefix) -> Result<u64, EntropyError> {
    Ok(bits.word()? >> 61)
}

#[test]
fn a_function_of_three_bits_is_decided_exactly_at_depth_three() {
    let found = masses(3, octant);
    assert_eq!(found.undecided(), Dyadic::ZERO);
    assert_eq!(found.outcomes().len(), 8);
    for outcome in 0..8 {
        let mass = found.of(&outcome);
        assert_eq!((&mass.lo, &mass.hi), (&Dyadic::power_of_two(-3), &mass.lo));
    }
    assert_eq!(found.of(&8).hi, Dyadic::ZERO);
}

#[test]
fn undecided_cells_widen_only_the_outcomes_between_their_ends() {
    let found = masses(2, octant);
    assert_eq!(found.undecided(), Dyadic::ONE);
    for outcome in 0..8 {
        let mass = found.of(&outcome);
        assert_eq!((mass.lo, mass.hi), (Dyadic::ZERO, Dyadic::power_of_two(-2)));
    }
}

#[test]
fn a_draw_that_fails_may_be_anything() {
    let found = masses(1, |bits| match bits.word()? >> 63 {
        0 => Ok(7),
        _ => Err(EntropyError::exhausted()),
    });
    assert_eq!(found.of(&7).lo, Dyadic::power_of_two(-1));
    assert_eq!(found.of(&7).hi, Dyadic::ONE);
    assert_eq!(found.of(&1000).hi, Dyadic::power_of_two(-1));
}

#[test]
#[should_panic(expected = "not monotone")]
fn a_draw_that_is_not_monotone_is_found_out() {
    // 0, 1, 1, 0 on the quarters: both ends of the whole interval say 0.
    masses(4, |bits| -> Result<u64, EntropyError> {
        let quarter = bits.word()? >> 62;
        Ok((quarter ^ quarter >> 1) & 1)
    });
}

#[test]
fn prefixes_cross_words_from_the_most_significant_bit_on() {
    let bits = (Natural::from(0xABCD_EF01_2345_6789u64) << 4) | Natural::from(0b0110u8);
    let mut stream = Prefix::new(bits, 68, 0);
    let mut words = [0; 3];
    stream.fill(&mut words).unwrap();
    assert_eq!(words, [0xABCD_EF01_2345_6789, 0b0110 << 60, 0]);
    assert_eq!(Prefix::new(0u8, 0, 5).word(), Ok(5));
    assert_eq!(Prefix::new(u64::MAX, 64, 0).word(), Ok(u64::MAX));
}

#[test]
fn a_stream_ends() {
    let mut stream = Prefix::of_words([1, 2], 3);
    let mut words = vec![0; WORD_LIMIT];
    stream.fill(&mut words).unwrap();
    assert_eq!(words[..4], [1, 2, 3, 3]);
    assert!(stream.word().unwrap_err().is_exhausted());
}
