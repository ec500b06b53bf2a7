use super::*;

/// Random bytes, most of which have a meaning.
fn blocks(count: u32) -> impl Iterator<Item = [u8; BLOCK]> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..count).map(move |_| {
        core::array::from_fn(|_| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            b"\"\",,\n\rab\"x\x80\xff"[(state >> 33) as usize % 12]
        })
    })
}

const DIALECT: Dialect = Dialect {
    delimiter: b',',
    quote: b'"',
};

#[test]
fn masks_say_which_bytes_are_equal() {
    for block in blocks(2000) {
        for byte in *b"\",\n\r\xff\0" {
            let bits = block.iter().enumerate();
            let expected = bits.fold(0, |all, (place, other)| {
                all | u64::from(*other == byte) << place
            });
            assert_eq!(equal(&block, byte), expected);
        }
    }
}

/// Reading byte by byte, where every quote must be where one may be.
#[test]
fn up_to_the_first_odd_byte_counting_quotes_says_what_reading_does() {
    let mut long = 0;
    for (index, block) in blocks(40_000).enumerate() {
        // Fewer quotes make longer runs without an odd byte.
        let block = block.map(|byte| match index % 3 {
            0 => byte,
            _ if byte == b'a' || byte == b'x' => b',',
            _ => byte,
        });
        let mut quotes = Quotes::new(false, true);
        let followed = quotes.follow(Masks::new(&block, DIALECT));
        let (mut inside, mut starts, mut closed) = (false, true, false);
        for (place, &byte) in block.iter().enumerate() {
            let bit = |mask: u64| mask >> place & 1 == 1;
            let ends = !inside && matches!(byte, b',' | b'\n' | b'\r');
            let is_odd = match byte {
                b'"' if inside => false,
                b'"' => !starts && !closed,
                _ => closed && !ends,
            };
            assert_eq!(bit(followed.odd), is_odd, "{block:?} at {place}");
            if is_odd {
                break;
            }
            (inside, closed) = match byte {
                b'"' => (!inside, inside),
                _ => (inside, false),
            };
            starts = ends;
            assert_eq!(bit(followed.ends), ends);
            assert_eq!(bit(followed.inside), inside);
            assert_eq!(bit(followed.rows), ends && byte != b',');
            long += usize::from(place > 30);
        }
    }
    assert!(long > 100, "{long}");
}
