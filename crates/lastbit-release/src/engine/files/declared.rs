//! The columns of a source, by what its files declare: names, and types where the format has them.
//! No cell is read.

use arrow_schema::DataType;

use super::parquet::ParquetFile;
use super::paths::files;
use super::text;
use super::{EngineError, Options};
use crate::plan::{Declared, DeclaredType, FileFormat, Source};

/// The columns of the first file: from the header of CSV, the schema of Parquet, or the names in
/// the first lines of JSON.
pub fn declared(source: &Source) -> Result<Vec<Declared>, EngineError> {
    let paths = files(source)?;
    let Some(path) = paths.first() else {
        return Err(EngineError::NoFile(source.paths.join(", ")));
    };
    if source.format == FileFormat::Parquet {
        let file = ParquetFile::open(path, &[], Options::default().memory)?;
        let column = |(name, data_type): (&str, &DataType)| Declared {
            name: name.to_owned(),
            of: Some(declared_type(data_type)),
        };
        return Ok(file.declared().map(column).collect());
    }
    let names = text::names(path, &source.format)?;
    let column = |name| Declared { name, of: None };
    Ok(names.into_iter().map(column).collect())
}

/// What is between the cells of a CSV file, if that is not what its source says: whatever makes
/// more columns of its header.
pub fn delimiter(source: &Source) -> Option<u8> {
    let FileFormat::Csv { quote, gzip, .. } = source.format else {
        return None;
    };
    let columns = |format: FileFormat| {
        let format = format.clone();
        let paths = files(source).ok()?;
        Some(text::names(paths.first()?, &format).ok()?.len())
    };
    let own = columns(source.format.clone())?;
    let others = [b',', b';', b'\t', b'|']
        .into_iter()
        .filter_map(|delimiter| {
            let format = FileFormat::Csv {
                delimiter,
                quote,
                gzip,
            };
            Some((delimiter, columns(format)?))
        });
    let most = others.max_by_key(|(_, columns)| *columns);
    most.filter(|(_, columns)| *columns > own)
        .map(|(delimiter, _)| delimiter)
}

fn declared_type(data_type: &DataType) -> DeclaredType {
    match data_type {
        DataType::Boolean => DeclaredType::Boolean,
        DataType::Utf8 | DataType::Utf8View | DataType::LargeUtf8 => DeclaredType::Text,
        number if number.is_numeric() => DeclaredType::Number,
        other => DeclaredType::Other(other.to_string()),
    }
}
