//! Where cells and rows of CSV end, 64 bytes at a time.
//!
//! Quotes alternate between opening and closing, as long as each that opens begins a cell or
//! follows one that closes (a doubled quote), and what follows one that closes is the end of the
//! cell or such a quote. A byte that breaks this rule is *odd*. Up to the first odd byte, counting
//! quotes tells what is inside of them, just as reading byte by byte does.

/// The bytes with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Dialect {
    pub delimiter: u8,
    pub quote: u8,
}

impl Dialect {
    /// Whether each of these bytes has one meaning.
    pub(in super::super) fn is_plain(self) -> bool {
        let breaks = |byte: u8| matches!(byte, b'\r' | b'\n');
        self.delimiter != self.quote && !breaks(self.delimiter) && !breaks(self.quote)
    }
}

/// Bytes that are looked at together.
pub(in super::super) const BLOCK: usize = 64;

/// Which bytes of a block have a meaning, the first in the lowest bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in super::super) struct Masks {
    quotes: u64,
    delimiters: u64,
    breaks: u64,
}

impl Masks {
    pub(in super::super) fn new(block: &[u8; BLOCK], dialect: Dialect) -> Masks {
        Masks {
            quotes: equal(block, dialect.quote),
            delimiters: equal(block, dialect.delimiter),
            breaks: bits(&block.map(|byte| u8::from(byte == b'\n') | u8::from(byte == b'\r'))),
        }
    }

    /// Of the first so many bytes; the others have no meaning.
    pub(in super::super) fn of_first(self, bytes: usize) -> Masks {
        let valid = match bytes {
            BLOCK.. => u64::MAX,
            _ => (1 << bytes) - 1,
        };
        Masks {
            quotes: self.quotes & valid,
            delimiters: self.delimiters & valid,
            breaks: self.breaks & valid,
        }
    }

    pub(in super::super) fn quotes(self) -> u32 {
        self.quotes.count_ones()
    }
}

/// Which bytes are equal to this one.
#[inline]
pub(in super::super) fn equal(block: &[u8; BLOCK], byte: u8) -> u64 {
    bits(&block.map(|other| u8::from(other == byte)))
}

/// Bytes that are 0 or 1, as bits.
#[inline]
fn bits(block: &[u8; BLOCK]) -> u64 {
    let (words, _) = block.as_chunks::<8>();
    let mut all = 0;
    for (place, word) in words.iter().enumerate() {
        // Byte i moves to bit 56 + i, and no two products meet.
        let eight = u64::from_le_bytes(*word).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        all |= eight << (8 * place);
    }
    all
}

/// The bits that have an odd number of ones at or below them.
fn parity(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

/// Follows quotes from block to block.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Quotes {
    /// All ones inside of quotes.
    inside: u64,
    /// 1 if a quote may open here.
    may_open: u64,
    /// 1 after a quote that closes.
    closed: u64,
}

/// What quotes say about a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Followed {
    /// Where cells end.
    pub ends: u64,
    /// Where rows end.
    pub rows: u64,
    /// What is inside of quotes; an opening quote is, a closing one is not.
    pub inside: u64,
    /// Odd bytes; everything is right up to the first of them.
    pub odd: u64,
}

impl Quotes {
    /// From a place that follows neither a quote nor half of a doubled one: inside of quotes or
    /// not, at the start of a cell or not.
    pub(in super::super) fn new(inside: bool, starts_cell: bool) -> Quotes {
        Quotes {
            inside: if inside { u64::MAX } else { 0 },
            may_open: u64::from(starts_cell && !inside),
            closed: 0,
        }
    }

    #[inline]
    pub(in super::super) fn follow(&mut self, masks: Masks) -> Followed {
        let Masks {
            quotes,
            delimiters,
            breaks,
        } = masks;
        let inside = match quotes {
            0 => self.inside,
            _ => parity(quotes) ^ self.inside,
        };
        let ends = (delimiters | breaks) & !inside;
        let (opening, closing) = (quotes & inside, quotes & !inside);
        let before = ends | closing;
        let unasked = opening & !(before << 1 | self.may_open);
        let unfinished = (closing << 1 | self.closed) & !(ends | opening);
        self.may_open = before >> 63;
        self.closed = closing >> 63;
        self.inside = match inside >> 63 {
            0 => 0,
            _ => u64::MAX,
        };
        Followed {
            ends,
            rows: breaks & !inside,
            inside,
            odd: unasked | unfinished,
        }
    }
}

/// Where the cells of a text end, and which of these places end a row.
#[derive(Debug, Default)]
pub(super) struct Marks {
    /// Places in the text; beyond `count`, what earlier texts left.
    ends: Vec<u32>,
    count: usize,
    /// Places in `ends`.
    pub rows: Vec<u32>,
}

impl Marks {
    /// Marks a text that begins with a row and has at most 2^31 bytes, up to its first odd byte,
    /// and says whether there is one.
    pub(super) fn find(&mut self, text: &[u8], dialect: Dialect) -> bool {
        self.ends.resize(self.ends.len().max(text.len() + BLOCK), 0);
        self.rows.clear();
        self.count = 0;
        let mut quotes = Quotes::new(false, true);
        let (blocks, rest) = text.as_chunks::<BLOCK>();
        let mut start = 0;
        for block in blocks {
            let followed = quotes.follow(Masks::new(block, dialect));
            self.push(start, followed);
            if followed.odd != 0 {
                return true;
            }
            start += BLOCK as u32;
        }
        let mut block = [0; BLOCK];
        block[..rest.len()].copy_from_slice(rest);
        let mut followed = quotes.follow(Masks::new(&block, dialect).of_first(rest.len()));
        // What follows the text is not known yet.
        followed.odd &= (1 << rest.len()) - 1;
        self.push(start, followed);
        followed.odd != 0
    }

    #[inline]
    fn push(&mut self, start: u32, followed: Followed) {
        let Followed {
            mut ends,
            mut rows,
            odd,
            ..
        } = followed;
        if odd != 0 {
            let before = (1 << odd.trailing_zeros()) - 1;
            (ends, rows) = (ends & before, rows & before);
        }
        while rows != 0 {
            let below = (rows & rows.wrapping_neg()) - 1;
            let place = self.count as u32 + (ends & below).count_ones();
            self.rows.push(place);
            rows &= rows - 1;
        }
        // Each place before had 64 bytes, so there is room for 64 more.
        let count = ends.count_ones() as usize;
        for place in &mut self.ends[self.count..self.count + count] {
            *place = start + ends.trailing_zeros();
            ends &= ends - 1;
        }
        self.count += count;
    }

    pub(super) fn ends(&self) -> &[u32] {
        &self.ends[..self.count]
    }
}

#[cfg(test)]
mod tests;
