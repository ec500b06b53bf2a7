//! The columns of a source, by what its files declare: names, and types where the format has them.

use arrow_schema::DataType;

use super::parquet::ParquetFile;
use super::paths::listed;
use super::run::check;
use super::text;
use super::{EngineError, Options};
use crate::plan::{Declared, DeclaredType, FileFormat, Files, Plan, Source};
use crate::statistic::query;

/// What [`declared`] reads of a file of this format, in words.
pub fn declared_from(format: &FileFormat) -> &'static str {
    match format {
        FileFormat::Csv { .. } => {
            "the first line of the file, taken as the names of columns, of which no types are \
             declared; no other line was looked at"
        }
        FileFormat::Parquet => "the names and types in the schema of the file; no cell was read",
        FileFormat::Json { .. } => {
            "the names in the first 1000 lines of the file, which declares no types; of the cells \
             beside them nothing was kept"
        }
    }
}

/// The columns of the first file: from the header of CSV, the schema of Parquet, or the names in
/// the first lines of JSON. What may be cells in the place of names is refused, and not told.
pub fn declared(source: &Files) -> Result<Vec<Declared>, EngineError> {
    let paths = listed(source)?;
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
    if text::may_be_a_row(&names) {
        return Err(EngineError::NoNames(path.clone()));
    }
    let column = |name| Declared { name, of: None };
    Ok(names.into_iter().map(column).collect())
}

/// Refuses a plan that names a column that its files lack, as far as their headers and schemas say
/// so: no row is read. Files that are not there, or that say nothing before their lines are read,
/// are left to the release.
pub fn check_names(plan: &Plan) -> Result<(), EngineError> {
    let joined = plan.derive.joins.iter().map(|join| &join.source);
    let mut sources = [&plan.source].into_iter().chain(joined);
    let has_names = |source: &Source| match source {
        Source::Files(files) => {
            !matches!(files.format, FileFormat::Json { .. })
                && matches!(declared(files), Ok(_) | Err(EngineError::NoNames(_)))
        }
        Source::Database(_) => false,
    };
    if !sources.all(has_names) {
        return Ok(());
    }
    let (query, _) = query(plan, [0; 32]);
    match check(&query) {
        Err(error) if error.unknown_column().is_some() => Err(error),
        _ => Ok(()),
    }
}

/// What is between the cells of a CSV file, if that is not what its source says: whatever makes
/// more columns of its header.
pub fn delimiter(source: &Files) -> Option<u8> {
    let FileFormat::Csv { quote, gzip, .. } = source.format else {
        return None;
    };
    let columns = |format: FileFormat| {
        let format = format.clone();
        let paths = listed(source).ok()?;
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

#[cfg(test)]
mod tests;
