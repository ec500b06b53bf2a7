//! Decompression of pages, never beyond the size that the page states.

use std::io::{self, Read};

use flate2::read::MultiGzDecoder;
use parquet::basic::Compression;

/// Whether [`decompress`] knows the codec.
pub(super) fn is_known(codec: Compression) -> bool {
    use Compression::{BROTLI, GZIP, LZ4, LZ4_RAW, SNAPPY, UNCOMPRESSED, ZSTD};
    matches!(
        codec,
        UNCOMPRESSED | SNAPPY | GZIP(_) | LZ4 | LZ4_RAW | ZSTD(_) | BROTLI(_)
    )
}

/// Appends exactly `size` bytes to `out`, or fails. No more than that is held, whatever the
/// compressed bytes claim.
pub(super) fn decompress(
    codec: Compression,
    bytes: &[u8],
    size: usize,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    let start = out.len();
    match codec {
        Compression::UNCOMPRESSED => out.extend_from_slice(bytes),
        Compression::SNAPPY => {
            // The decoder refuses a stated length beyond its output.
            out.resize(start + size, 0);
            let written = snap::raw::Decoder::new().decompress(bytes, &mut out[start..])?;
            out.truncate(start + written);
        }
        Compression::LZ4_RAW => lz4_block(bytes, size, out)?,
        Compression::LZ4 => {
            if lz4_hadoop(bytes, size, out).is_err() {
                out.truncate(start);
                lz4_block(bytes, size, out)?;
            }
        }
        Compression::GZIP(_) => at_most(MultiGzDecoder::new(bytes), size, out)?,
        Compression::ZSTD(_) => {
            // In one step, so that no window of the sender's choice is allocated.
            out.resize(start + size, 0);
            let written = zstd::bulk::decompress_to_buffer(bytes, &mut out[start..])?;
            out.truncate(start + written);
        }
        Compression::BROTLI(_) => {
            at_most(
                brotli_decompressor::Decompressor::new(bytes, 4096),
                size,
                out,
            )?;
        }
        _ => return Err(io::ErrorKind::Unsupported.into()),
    }
    if out.len() - start != size {
        return Err(wrong("the page has another size than it states"));
    }
    Ok(())
}

fn wrong(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

/// One byte more than `size` shows that there is more.
fn at_most(decoder: impl Read, size: usize, out: &mut Vec<u8>) -> io::Result<()> {
    out.reserve(size + 1);
    decoder.take(size as u64 + 1).read_to_end(out).map(|_| ())
}

fn lz4_block(bytes: &[u8], size: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let start = out.len();
    out.resize(start + size, 0);
    let written = lz4_flex::block::decompress_into(bytes, &mut out[start..])
        .map_err(|_| wrong("the LZ4 block is damaged"))?;
    out.truncate(start + written);
    Ok(())
}

/// Blocks, each after its length and its compressed length, as Hadoop writes them.
fn lz4_hadoop(mut bytes: &[u8], size: usize, out: &mut Vec<u8>) -> io::Result<()> {
    let end = out.len() + size;
    while !bytes.is_empty() {
        let (Some((whole, rest)), true) = (bytes.split_first_chunk::<4>(), bytes.len() >= 8) else {
            return Err(wrong("the LZ4 block is cut"));
        };
        let whole = u32::from_be_bytes(*whole) as usize;
        let (length, rest) = rest.split_at(4);
        let length = length.iter().fold(0, |n, byte| n << 8 | usize::from(*byte));
        if whole > end - out.len() || length > rest.len() {
            return Err(wrong("the LZ4 block is longer than the page"));
        }
        let (block, rest) = rest.split_at(length);
        lz4_block(block, whole, out)?;
        bytes = rest;
    }
    Ok(())
}
