//! Where a text file may be cut: where rows begin.
//!
//! Threads look at equal chunks of a CSV file, each for both cases, that the chunk begins inside of
//! quotes and that it does not. Then, from the first chunk on, the end of each tells which case the
//! next one is. A chunk whose quotes are odd in its case is read byte by byte.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::csv::BYTE_ORDER_MARK;
use super::csv::marks::{BLOCK, Dialect, Masks, Quotes, equal};

/// Bytes read at a time.
const READ: usize = 1 << 18;

/// A run of quotes as long as this is not cut.
const MOST_QUOTES: usize = 1 << 12;

/// Where about every `size` bytes a row begins, without the first one.
pub(super) fn cuts(
    path: &Path,
    dialect: Dialect,
    length: u64,
    size: u64,
    threads: usize,
) -> io::Result<Vec<u64>> {
    let chunks = chunks(path, dialect, length, size)?;
    if chunks.len() < 2 {
        return Ok(vec![]);
    }
    let seen: Vec<Mutex<io::Result<Seen>>> = chunks
        .iter()
        .map(|_| Mutex::new(Ok(Seen::default())))
        .collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let (Some(chunk), Some(seen)) = (chunks.get(index), seen.get(index)) else {
                return;
            };
            let found = look(path, dialect, *chunk);
            *seen.lock().unwrap_or_else(PoisonError::into_inner) = found;
        }
    };
    thread::scope(|scope| {
        let others = (1..threads.min(chunks.len())).map(|_| scope.spawn(work));
        let others: Vec<_> = others.collect();
        work();
        // What a thread that failed left is looked at as if it had not begun.
        others.into_iter().for_each(|thread| drop(thread.join()));
    });
    let mut inside = false;
    let mut cuts = Vec::new();
    for (index, (chunk, seen)) in chunks.iter().zip(seen).enumerate() {
        let seen = seen.into_inner().unwrap_or_else(PoisonError::into_inner)?;
        let case = usize::from(inside);
        let (first, ends_inside) = match seen.is_done && !seen.odd[case] {
            true => (seen.first[case], inside ^ seen.odd_quotes),
            false => byte_by_byte(path, dialect, *chunk, inside)?,
        };
        // A row begins at the first chunk anyhow.
        if index > 0 && first < Some(length) {
            cuts.extend(first);
        }
        inside = ends_inside;
    }
    Ok(cuts)
}

/// A part of the file, which neither begins nor ends after a quote.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    start: u64,
    end: u64,
    /// The byte before.
    before: u8,
}

fn chunks(path: &Path, dialect: Dialect, length: u64, size: u64) -> io::Result<Vec<Chunk>> {
    let mut file = File::open(path)?;
    let mut mark = Vec::new();
    Read::by_ref(&mut file)
        .take(BYTE_ORDER_MARK.len() as u64)
        .read_to_end(&mut mark)?;
    let begin = match mark == BYTE_ORDER_MARK {
        true => mark.len() as u64,
        false => 0,
    };
    let mut starts = vec![(begin, b'\n')];
    let mut start = begin + size;
    let mut bytes = Vec::new();
    while start + size / 2 < length {
        // The byte before, and further ones while it is a quote.
        file.seek(SeekFrom::Start(start - 1))?;
        bytes.clear();
        Read::by_ref(&mut file)
            .take(MOST_QUOTES as u64)
            .read_to_end(&mut bytes)?;
        if let Some(quotes) = bytes.iter().position(|byte| *byte != dialect.quote) {
            start += quotes as u64;
            starts.push((start, bytes[quotes]));
        }
        start += size;
    }
    let ends = starts.iter().skip(1).map(|(start, _)| *start);
    let ends: Vec<u64> = ends.chain([length]).collect();
    let chunk = |((start, before), end): ((u64, u8), u64)| Chunk { start, end, before };
    Ok(starts.into_iter().zip(ends).map(chunk).collect())
}

/// What a chunk has, by whether it begins inside of quotes.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    is_done: bool,
    /// Whether the number of its quotes is odd.
    odd_quotes: bool,
    /// Whether an odd byte is in it.
    odd: [bool; 2],
    /// Where the first row after a line break begins.
    first: [Option<u64>; 2],
}

fn look(path: &Path, dialect: Dialect, chunk: Chunk) -> io::Result<Seen> {
    let starts_cell = chunk.before == dialect.delimiter || matches!(chunk.before, b'\r' | b'\n');
    let mut cases = [false, true].map(|inside| Quotes::new(inside, starts_cell));
    let mut seen = Seen::default();
    let mut quotes = 0;
    blocks(path, chunk, |at, block, bytes| {
        let masks = Masks::new(block, dialect).of_first(bytes);
        quotes ^= masks.quotes() & 1;
        for (case, follow) in cases.iter_mut().enumerate() {
            if seen.odd[case] {
                continue;
            }
            let followed = follow.follow(masks);
            // A chunk does not end after a quote, so nothing is odd because it ends.
            seen.odd[case] = followed.odd & of_first(bytes) != 0;
            if seen.first[case].is_none() {
                let breaks = equal(block, b'\n') & of_first(bytes) & followed.rows;
                seen.first[case] =
                    (breaks != 0).then(|| at + u64::from(breaks.trailing_zeros()) + 1);
            }
        }
    })?;
    seen.odd_quotes = quotes != 0;
    seen.is_done = true;
    Ok(seen)
}

fn of_first(bytes: usize) -> u64 {
    match bytes {
        BLOCK.. => u64::MAX,
        _ => (1 << bytes) - 1,
    }
}

/// Calls `see` with where each block of a chunk is, the block, and how many of its bytes count.
fn blocks(
    path: &Path,
    chunk: Chunk,
    mut see: impl FnMut(u64, &[u8; BLOCK], usize),
) -> io::Result<()> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(chunk.start))?;
    let mut file = file.take(chunk.end - chunk.start);
    let mut bytes = vec![0; READ];
    let mut at = chunk.start;
    loop {
        let mut held = 0;
        while held < READ {
            match file.read(&mut bytes[held..]) {
                Ok(0) => break,
                Ok(read) => held += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        if held == 0 {
            return Ok(());
        }
        let (whole, rest) = bytes[..held].as_chunks::<BLOCK>();
        for block in whole {
            see(at, block, BLOCK);
            at += BLOCK as u64;
        }
        if !rest.is_empty() {
            let mut block = [0; BLOCK];
            block[..rest.len()].copy_from_slice(rest);
            see(at, &block, rest.len());
            at += rest.len() as u64;
        }
    }
}

/// Where the first row after a line break begins in a chunk that begins inside of quotes or not,
/// and whether it ends inside of them.
fn byte_by_byte(
    path: &Path,
    dialect: Dialect,
    chunk: Chunk,
    inside: bool,
) -> io::Result<(Option<u64>, bool)> {
    /// What a byte is in.
    #[derive(Clone, Copy, PartialEq, Eq)]
    enum In {
        /// The start of a cell.
        Start,
        Cell,
        Quotes,
        /// Quotes, after a quote that closes or is the first of two.
        Closed,
    }
    let ends_cell = |byte: u8| byte == dialect.delimiter || matches!(byte, b'\r' | b'\n');
    let mut state = match (inside, ends_cell(chunk.before)) {
        (true, _) => In::Quotes,
        (false, true) => In::Start,
        (false, false) => In::Cell,
    };
    let mut first = None;
    blocks(path, chunk, |at, block, bytes| {
        for (&byte, place) in block[..bytes].iter().zip(0..) {
            state = match (state, byte) {
                (In::Start | In::Closed, byte) if byte == dialect.quote => In::Quotes,
                (In::Quotes, byte) if byte == dialect.quote => In::Closed,
                (In::Quotes, _) => In::Quotes,
                (_, byte) if ends_cell(byte) => In::Start,
                _ => In::Cell,
            };
            if byte == b'\n' && state == In::Start && first.is_none() {
                first = Some(at + place + 1);
            }
        }
    })?;
    Ok((first, state == In::Quotes))
}
