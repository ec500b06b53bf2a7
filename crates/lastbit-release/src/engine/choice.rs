//! Which rows of a unit stay where it has more than its limits: one rule, which every engine can
//! compute.
//!
//! Of a unit's groups those with the smallest SHA-256 of `KEY|0|len(u):u` `len(g):g` stay, and of
//! its rows in a group those with the smallest SHA-256 of `KEY|1|len(u):u`
//! `len(g):g|word|word|…|copy`, all in one run without spaces:
//!
//! - KEY is the query's key in 64 hexadecimal digits;
//! - u is the one text of the unit (see [`crate::value`]) or, where that has more than 15 bytes,
//!   the first 30 hexadecimal digits of its SHA-256;
//! - g is the number of the group among the public ones, and for each discovered key `,len(k):k`;
//! - words are the row's offsets and codes that the table uses, `-` where there is none, so that no
//!   fraction is ever written;
//! - equal rows are numbered by `copy`, from 0. Lengths are in bytes.
//!
//! The one row of a unit in a joined private table is chosen as a group is, whose discovered keys
//! are its cells.
//!
//! Nothing depends on the order of rows, on other units, or on how the data are stored.

use sha2::{Digest, Sha256};

/// Units of more bytes are named by their hash.
pub(super) const MOST_UNIT_BYTES: usize = 15;

/// How many hexadecimal digits of its SHA-256 name a longer unit: 120 bits. Among 2^32 units two
/// have the same with probability below 2^-56.
pub(super) const UNIT_DIGITS: usize = 30;

/// The key as it stands in hashed texts.
pub(super) fn key_digits(key: &[u8; 32]) -> String {
    hex(key)
}

/// Hexadecimal digits, in small letters.
pub(super) fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble)]);
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(digit).collect()
}

/// The first 15 bytes of the SHA-256 of a unit's text.
pub(super) fn unit_hash(text: &str) -> [u8; UNIT_DIGITS / 2] {
    let hash = Sha256::digest(text.as_bytes());
    core::array::from_fn(|place| hash[place])
}

/// The name of a unit in hashed texts, from its one text.
pub(super) fn unit_name(text: &str) -> Vec<u8> {
    match text.len() <= MOST_UNIT_BYTES {
        true => text.as_bytes().to_vec(),
        false => hex(&unit_hash(text)).into_bytes(),
    }
}

/// A rank: the smallest stay.
pub(super) type Rank = [u8; 32];

/// Ranks the groups and rows of units.
pub(super) struct Ranking {
    /// After the key, which is one block.
    start: Sha256,
    text: Vec<u8>,
}

impl Ranking {
    pub(super) fn new(key: &[u8; 32]) -> Ranking {
        let mut start = Sha256::new();
        start.update(key_digits(key));
        Ranking {
            start,
            text: Vec::new(),
        }
    }

    fn begin(&mut self, what: u8, unit: &[u8], group: &[u8]) {
        self.text.clear();
        self.text.extend_from_slice(&[b'|', what, b'|']);
        for part in [unit, group] {
            push_digits(&mut self.text, part.len() as u64);
            self.text.push(b':');
            self.text.extend_from_slice(part);
        }
    }

    fn rank(&self) -> Rank {
        let mut hash = self.start.clone();
        hash.update(&self.text);
        hash.finalize().into()
    }

    /// The rank of one of a unit's groups.
    pub(super) fn group(&mut self, unit: &[u8], group: &[u8]) -> Rank {
        self.begin(b'0', unit, group);
        self.rank()
    }

    /// The ranks of a unit's rows in a group: of the words of each, and how many equal rows came
    /// before.
    pub(super) fn rows(&mut self, unit: &[u8], group: &[u8]) -> RowRanks<'_> {
        self.begin(b'1', unit, group);
        RowRanks {
            start: self.text.len(),
            choice: self,
        }
    }
}

/// Ranks rows of one unit in one group.
pub(super) struct RowRanks<'a> {
    choice: &'a mut Ranking,
    start: usize,
}

impl RowRanks<'_> {
    pub(super) fn rank(&mut self, words: impl Iterator<Item = Option<u64>>, copy: u64) -> Rank {
        let text = &mut self.choice.text;
        text.truncate(self.start);
        for word in words {
            text.push(b'|');
            match word {
                Some(word) => push_digits(text, word),
                None => text.push(b'-'),
            }
        }
        text.push(b'|');
        push_digits(text, copy);
        self.choice.rank()
    }
}

/// A group as it is hashed: its number among the public ones, and the values of discovered keys.
pub(super) fn group_text<T: AsRef<str>>(
    public: u64,
    discovered: impl IntoIterator<Item = T>,
) -> Vec<u8> {
    let mut text = Vec::new();
    push_digits(&mut text, public);
    for key in discovered {
        let key = key.as_ref();
        text.push(b',');
        push_digits(&mut text, key.len() as u64);
        text.push(b':');
        text.extend_from_slice(key.as_bytes());
    }
    text
}

/// Digits, without the machinery of formatting: this runs for every row above a limit.
fn push_digits(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut place = digits.len();
    loop {
        place -= 1;
        // Below 10.
        digits[place] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    text.extend_from_slice(&digits[place..]);
}

#[cfg(test)]
mod tests;
