//! Which data: a hash of the bytes of all files.

use std::fs::File;
use std::io::Read;

use super::EngineError;
use super::paths::files;
use crate::plan::Source;
use crate::query::Query;

/// BLAKE3, in hexadecimal, over the number of files and, in the order of their paths, the length
/// and the bytes of each: the same for the same files, wherever they lie. It reads everything and
/// prints nothing.
pub fn fingerprint(source: &Source) -> Result<String, EngineError> {
    let files = files(source)?;
    let mut all = blake3::Hasher::new_derive_key("lastbit data fingerprint 1");
    all.update(&(files.len() as u64).to_le_bytes());
    let mut block = vec![0; 1 << 18];
    for path in files {
        let fail = |source| EngineError::Read {
            path: path.clone(),
            source,
        };
        let mut file = File::open(&path).map_err(fail)?;
        let mut one = blake3::Hasher::new();
        let mut length = 0u64;
        loop {
            let read = file.read(&mut block).map_err(fail)?;
            if read == 0 {
                break;
            }
            one.update(&block[..read]);
            length += read as u64;
        }
        all.update(&length.to_le_bytes());
        all.update(one.finalize().as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
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
