//! Which data: a hash of the bytes of all files.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

use blake3::Hash;
use blake3::hazmat::{
    ChainingValue, HasherExt, Mode, left_subtree_len, merge_subtrees_non_root, merge_subtrees_root,
};

use super::EngineError;
use super::paths::files;
use crate::plan::Source;
use crate::query::Query;

/// BLAKE3, in hexadecimal, over the number of files and, in the order of their paths, the length
/// and the bytes of each: the same for the same files, wherever they lie. It reads everything and
/// prints nothing. A long file is read by all cores.
pub fn fingerprint(source: &Source) -> Result<String, EngineError> {
    let files = files(source)?;
    let mut all = blake3::Hasher::new_derive_key("lastbit data fingerprint 1");
    all.update(&(files.len() as u64).to_le_bytes());
    for path in files {
        let (length, hash) = of_file(&path).map_err(|source| EngineError::Read {
            path: path.clone(),
            source,
        })?;
        all.update(&length.to_le_bytes());
        all.update(hash.as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

/// The length of a file and its hash.
fn of_file(path: &Path) -> io::Result<(u64, Hash)> {
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let length = path.metadata()?.len();
    let parts = length.div_ceil(PART).min(threads as u64);
    if parts > 1
        && let Some(hash) = by_parts(path, length, parts)?
    {
        return Ok((length, hash));
    }
    let mut hasher = blake3::Hasher::new();
    hasher.update_reader(File::open(path)?)?;
    Ok((hasher.count(), hasher.finalize()))
}

/// The bytes of a part that one thread hashes at a time. A power of two, so that each part is a
/// subtree of the hash.
const PART: u64 = 1 << 20;

/// The hash of more than one part of a file, by so many threads: the root of the tree over the
/// parts. `None` if the file does not have the length that it had.
fn by_parts(path: &Path, length: u64, threads: u64) -> io::Result<Option<Hash>> {
    let next = AtomicU64::new(0);
    let work = || -> io::Result<Option<Vec<(u64, ChainingValue)>>> {
        let mut file = File::open(path)?;
        let (mut block, mut found) = (vec![0; PART as usize], Vec::new());
        loop {
            let part = next.fetch_add(1, Ordering::Relaxed);
            let start = part * PART;
            if start >= length {
                return Ok(Some(found));
            }
            // At most the length of the block.
            let block = &mut block[..PART.min(length - start) as usize];
            file.seek(SeekFrom::Start(start))?;
            let is_last = start + block.len() as u64 == length;
            if !is_filled(&mut file, block)? || is_last && file.read(&mut [0])? > 0 {
                return Ok(None);
            }
            let mut hasher = blake3::Hasher::new();
            let value = hasher.set_input_offset(start).update(block);
            found.push((part, value.finalize_non_root()));
        }
    };
    let found = thread::scope(|scope| {
        let others: Vec<_> = (1..threads)
            .map_while(|_| thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut all = vec![work()];
        all.extend(others.into_iter().map(|other| {
            let failed = |_| Err(io::Error::other("a thread failed"));
            other.join().unwrap_or_else(failed)
        }));
        all
    });
    let mut parts = Vec::new();
    for found in found {
        match found? {
            Some(found) => parts.extend(found),
            None => return Ok(None),
        }
    }
    parts.sort_unstable_by_key(|(part, _)| *part);
    let values: Vec<ChainingValue> = parts.into_iter().map(|(_, value)| value).collect();
    let (left, right, length_of_left) = halves(&values, length);
    let left = value_of(left, length_of_left);
    let right = value_of(right, length - length_of_left);
    Ok(Some(merge_subtrees_root(&left, &right, Mode::Hash)))
}

/// The value of the subtree over these parts, of so many bytes.
fn value_of(parts: &[ChainingValue], length: u64) -> ChainingValue {
    match parts {
        [one] => *one,
        _ => {
            let (left, right, length_of_left) = halves(parts, length);
            let left = value_of(left, length_of_left);
            let right = value_of(right, length - length_of_left);
            merge_subtrees_non_root(&left, &right, Mode::Hash)
        }
    }
}

/// The parts of the left and of the right subtree, and the length of the left one: at least a part,
/// if there are more bytes than one part has.
fn halves(parts: &[ChainingValue], length: u64) -> (&[ChainingValue], &[ChainingValue], u64) {
    let length_of_left = left_subtree_len(length);
    let (left, right) = parts.split_at((length_of_left / PART) as usize);
    (left, right, length_of_left)
}

/// Whether there are so many bytes.
fn is_filled(file: &mut File, block: &mut [u8]) -> io::Result<bool> {
    match file.read_exact(block) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The fingerprint of all data that a query reads: its source and all joined tables.
pub fn query_fingerprint(query: &Query) -> Result<String, EngineError> {
    let first = fingerprint(&query.source)?;
    if query.derive.joins.is_empty() {
        return Ok(first);
    }
    let mut all = blake3::Hasher::new_derive_key("lastbit joined data fingerprint 1");
    all.update(first.as_bytes());
    for join in &query.derive.joins {
        let one = fingerprint(&join.source)?;
        all.update(&(one.len() as u64).to_le_bytes());
        all.update(one.as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

#[cfg(test)]
mod tests;
