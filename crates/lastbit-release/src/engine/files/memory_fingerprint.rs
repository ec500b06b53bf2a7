//! Which data: a hash of the cells of a table in memory.

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use super::EngineError;
use super::memory::{MemoryTable, plain};

/// Marks a missing text, which is longer than any that there is.
const NO_TEXT: u64 = u64::MAX;

/// BLAKE3, in hexadecimal, over the number of rows and, in the order of columns, the name, the type
/// and the cells of each: the same however the rows are cut into batches, texts are stored and
/// categories are coded. Columns of types that no plan can read count with name and type alone.
pub fn memory_fingerprint(table: &MemoryTable) -> Result<String, EngineError> {
    let mut all = blake3::Hasher::new_derive_key("lastbit data frame fingerprint 1");
    all.update(&table.rows().to_le_bytes());
    for (place, field) in table.schema().fields().iter().enumerate() {
        let kind = kind(field.data_type());
        for text in [field.name().as_str(), kind.as_str()] {
            all.update(&(text.len() as u64).to_le_bytes());
            all.update(text.as_bytes());
        }
        let (mut cells, mut there) = (Bytes::default(), Bytes::default());
        for batch in table.batches() {
            add(batch.column(place), &mut cells, &mut there)?;
        }
        all.update(cells.hash().as_bytes());
        all.update(there.hash().as_bytes());
    }
    Ok(all.finalize().to_hex().to_string())
}

/// One name for types that hold the same cells.
fn kind(data_type: &DataType) -> String {
    match data_type {
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => "text".to_owned(),
        DataType::Dictionary(_, values) => kind(values),
        DataType::Decimal32(_, scale)
        | DataType::Decimal64(_, scale)
        | DataType::Decimal128(_, scale) => format!("decimal {scale}"),
        other => other.to_string(),
    }
}

/// Bytes to hash, many at once.
#[derive(Default)]
struct Bytes {
    hasher: blake3::Hasher,
    waiting: Vec<u8>,
}

impl Bytes {
    fn put(&mut self, bytes: &[u8]) {
        const MOST: usize = 1 << 16;
        if self.waiting.len() + bytes.len() > MOST {
            self.hasher.update(&self.waiting);
            self.waiting.clear();
        }
        match bytes.len() > MOST {
            true => {
                self.hasher.update(bytes);
            }
            false => self.waiting.extend_from_slice(bytes),
        }
    }

    fn hash(mut self) -> blake3::Hash {
        self.hasher.update(&self.waiting);
        self.hasher.finalize()
    }
}

fn add(array: &ArrayRef, cells: &mut Bytes, there: &mut Bytes) -> Result<(), EngineError> {
    let array = plain(array)?;
    match array.data_type() {
        DataType::Utf8 => texts(array.as_string::<i32>().iter(), cells),
        DataType::LargeUtf8 => texts(array.as_string::<i64>().iter(), cells),
        DataType::Utf8View => texts(array.as_string_view().iter(), cells),
        DataType::Boolean => {
            for cell in array.as_boolean() {
                cells.put(&[cell.map_or(2, u8::from)]);
            }
        }
        data_type => {
            if let Some(width) = data_type.primitive_width() {
                primitives(&array, width, cells, there);
            }
        }
    }
    Ok(())
}

/// What lies under a missing cell is no part of the data.
fn primitives(array: &ArrayRef, width: usize, cells: &mut Bytes, there: &mut Bytes) {
    let data = array.to_data();
    let Some(buffer) = data.buffers().first() else {
        return;
    };
    let bytes = &buffer.as_slice()[data.offset() * width..][..data.len() * width];
    match array.nulls().filter(|nulls| nulls.null_count() > 0) {
        None => {
            cells.put(bytes);
            there.put(&vec![1; data.len()]);
        }
        Some(nulls) => {
            let zero = [0; 32];
            for (cell, is_there) in bytes.chunks_exact(width).zip(nulls.iter()) {
                cells.put(if is_there { cell } else { &zero[..width] });
                there.put(&[u8::from(is_there)]);
            }
        }
    }
}

fn texts<'a>(array: impl Iterator<Item = Option<&'a str>>, cells: &mut Bytes) {
    for text in array {
        let length = text.map_or(NO_TEXT, |text| text.len() as u64);
        cells.put(&length.to_le_bytes());
        cells.put(text.unwrap_or_default().as_bytes());
    }
}
