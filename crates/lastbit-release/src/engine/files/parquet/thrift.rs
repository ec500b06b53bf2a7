//! As much of Thrift's compact protocol as is needed to read the header of a page, and to see that
//! a footer holds what it claims before anything is allocated for it. Statistics are passed over
//! unread.

/// Structures within structures; a footer has fewer than ten.
const MOST_DEPTH: usize = 32;

/// What a page says of itself.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct PageHeader {
    pub kind: i32,
    /// Bytes after decompression.
    pub uncompressed: i32,
    /// Bytes in the file.
    pub compressed: i32,
    /// Values with nulls, or entries of a dictionary.
    pub values: i32,
    pub encoding: i32,
    /// Of the definition levels, in pages of version 1.
    pub level_encoding: i32,
    /// What only pages of version 2 have.
    pub nulls: i32,
    pub rows: i32,
    pub definition_bytes: i32,
    pub repetition_bytes: i32,
    pub is_compressed: bool,
}

pub(super) const DATA_PAGE: i32 = 0;
pub(super) const INDEX_PAGE: i32 = 1;
pub(super) const DICTIONARY_PAGE: i32 = 2;
pub(super) const DATA_PAGE_V2: i32 = 3;

/// The encoding in which a value begins as the one before it.
pub(super) const DELTA_BYTE_ARRAY: i32 = 7;

impl PageHeader {
    /// The header at the start of the bytes, and its length; nothing if they are too short or no
    /// header.
    pub(super) fn read(bytes: &[u8]) -> Option<(PageHeader, usize)> {
        let mut input = Compact { bytes };
        let mut header = PageHeader {
            kind: -1,
            is_compressed: true,
            ..PageHeader::default()
        };
        input.fields(|input, id, kind| {
            match id {
                1 => header.kind = input.number()?,
                2 => header.uncompressed = input.number()?,
                3 => header.compressed = input.number()?,
                5 | 7 | 8 if kind == STRUCT => {
                    input.fields(|input, field, kind| header.field(input, id, field, kind))?;
                }
                _ => input.skip(kind, MOST_DEPTH)?,
            }
            Some(())
        })?;
        Some((header, bytes.len() - input.bytes.len()))
    }

    /// A field of the header of a data page (5), a dictionary (7) or a data page of version 2 (8).
    fn field(&mut self, input: &mut Compact, page: i16, field: i16, kind: u8) -> Option<()> {
        match (page, field) {
            (_, 1) => self.values = input.number()?,
            (5 | 7, 2) | (8, 4) => self.encoding = input.number()?,
            (5, 3) => self.level_encoding = input.number()?,
            (8, 2) => self.nulls = input.number()?,
            (8, 3) => self.rows = input.number()?,
            (8, 5) => self.definition_bytes = input.number()?,
            (8, 6) => self.repetition_bytes = input.number()?,
            // A flag is in its field's type.
            (8, 7) => self.is_compressed = kind == TRUE,
            _ => input.skip(kind, MOST_DEPTH)?,
        }
        Some(())
    }
}

/// Whether the bytes are one structure whose lists and texts are no longer than the bytes that are
/// left for them.
pub(super) fn is_plausible(bytes: &[u8]) -> bool {
    Compact { bytes }.skip(STRUCT, MOST_DEPTH).is_some()
}

const TRUE: u8 = 1;
const FALSE: u8 = 2;
const BYTE: u8 = 3;
const SHORT: u8 = 4;
const INT: u8 = 5;
const LONG: u8 = 6;
const DOUBLE: u8 = 7;
const BINARY: u8 = 8;
const LIST: u8 = 9;
const SET: u8 = 10;
const MAP: u8 = 11;
const STRUCT: u8 = 12;

struct Compact<'a> {
    bytes: &'a [u8],
}

impl Compact<'_> {
    fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    fn pass(&mut self, count: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(count).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let (number, length) = varint(self.bytes)?;
        self.bytes = &self.bytes[length..];
        Some(number)
    }

    /// A whole number, that must not be negative nor beyond 31 bits: all that a page says of itself
    /// are sizes and codes.
    fn number(&mut self) -> Option<i32> {
        let zigzag = self.varint()?;
        (zigzag & 1 == 0).then(|| i32::try_from(zigzag >> 1).ok())?
    }

    /// Calls `see` with the id and type of each field of a structure, to read or skip it.
    fn fields(&mut self, mut see: impl FnMut(&mut Self, i16, u8) -> Option<()>) -> Option<()> {
        let mut id = 0i16;
        loop {
            let head = self.byte()?;
            if head == 0 {
                return Some(());
            }
            id = match head >> 4 {
                0 => {
                    let zigzag = self.varint()?;
                    let number = (zigzag >> 1) as i64 ^ -((zigzag & 1) as i64);
                    i16::try_from(number).ok()?
                }
                more => id.checked_add(i16::from(more))?,
            };
            see(self, id, head & 15)?;
        }
    }

    fn skip(&mut self, kind: u8, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            TRUE | FALSE => Some(()),
            BYTE => self.pass(1),
            SHORT | INT | LONG => self.varint().map(|_| ()),
            DOUBLE => self.pass(8),
            BINARY => {
                let length = self.varint()?;
                self.pass(length)
            }
            STRUCT => self.fields(|input, _, kind| input.skip(kind, depth)),
            LIST | SET => {
                let head = self.byte()?;
                let count = match head >> 4 {
                    15 => self.varint()?,
                    few => u64::from(few),
                };
                self.elements(count, &[head & 15], depth)
            }
            MAP => match self.varint()? {
                0 => Some(()),
                count => {
                    let kinds = self.byte()?;
                    self.elements(count, &[kinds >> 4, kinds & 15], depth)
                }
            },
            _ => None,
        }
    }

    /// Every element takes a byte or more.
    fn elements(&mut self, count: u64, kinds: &[u8], depth: usize) -> Option<()> {
        if count > self.bytes.len() as u64 {
            return None;
        }
        for _ in 0..count {
            for kind in kinds {
                match *kind {
                    // Unlike a field, an element that is a flag has a byte.
                    TRUE | FALSE => self.pass(1)?,
                    kind => self.skip(kind, depth)?,
                }
            }
        }
        Some(())
    }
}

/// The number at the start of the bytes, seven bits a byte, and how many bytes it has.
pub(super) fn varint(bytes: &[u8]) -> Option<(u64, usize)> {
    let mut number = 0;
    for (place, byte) in bytes.iter().enumerate().take(10) {
        number |= u64::from(byte & 127) << (7 * place);
        if byte & 128 == 0 {
            return Some((number, place + 1));
        }
    }
    None
}

/// Whether an encoding is one of differences.
pub(super) fn is_delta(encoding: i32) -> bool {
    (5..=7).contains(&encoding)
}
