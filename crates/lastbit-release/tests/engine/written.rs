//! Random tables as bytes of files, in every way that writers write them.

use parquet::arrow::ArrowWriter;
use parquet::basic::{BrotliLevel, Compression, Encoding, GzipLevel, ZstdLevel};
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};

use super::common::{Cases, Row, batches};
use lastbit_release::plan::FileFormat;

/// The choices of a writer: the same for a table and all its neighbours.
pub enum Writer {
    Parquet(Box<WriterProperties>),
    Csv {
        delimiter: char,
        end: &'static str,
        mark: bool,
        quotes: Quotes,
        last: bool,
    },
    Json {
        end: &'static str,
        texts: bool,
    },
}

/// Which cells are quoted.
#[derive(Clone, Copy)]
pub enum Quotes {
    Needed,
    All,
    Texts,
}

impl Writer {
    pub fn pick(cases: &mut Cases) -> Writer {
        match cases.below(4) {
            0 => Writer::Csv {
                delimiter: cases.pick(&[',', ';', '\t']),
                end: cases.pick(&["\n", "\r\n"]),
                mark: cases.below(2) == 0,
                quotes: cases.pick(&[Quotes::Needed, Quotes::All, Quotes::Texts]),
                last: cases.below(2) == 0,
            },
            1 => Writer::Json {
                end: cases.pick(&["\n", "\r\n"]),
                texts: cases.below(2) == 0,
            },
            _ => Writer::Parquet(Box::new(properties(cases))),
        }
    }

    pub fn format(&self) -> FileFormat {
        match self {
            Writer::Parquet(_) => FileFormat::Parquet,
            Writer::Csv { delimiter, .. } => FileFormat::Csv {
                delimiter: *delimiter as u8,
                quote: b'"',
                gzip: false,
            },
            Writer::Json { .. } => FileFormat::Json { gzip: false },
        }
    }

    pub fn write(&self, rows: &[Row]) -> Vec<u8> {
        match self {
            Writer::Parquet(properties) => parquet(rows, properties),
            Writer::Csv {
                delimiter,
                end,
                mark,
                quotes,
                last,
            } => {
                let mut text = String::from(if *mark { "\u{feff}" } else { "" });
                let names = ["note", "person", "region", "cost", "age"];
                text += &names
                    .map(|name| quoted(name, *delimiter, *quotes))
                    .join(&delimiter.to_string());
                for row in rows {
                    text += end;
                    let cost = row.cost.map(|cost| cost.to_string());
                    let cells = [
                        &Some("é, \"x\"".to_owned()),
                        &row.person,
                        &row.region,
                        &cost,
                        &row.age,
                    ];
                    let cell = |cell: &Option<String>| {
                        quoted(cell.as_deref().unwrap_or(""), *delimiter, *quotes)
                    };
                    text += &cells.map(cell).join(&delimiter.to_string());
                }
                if *last {
                    text += end;
                }
                text.into_bytes()
            }
            Writer::Json { end, texts } => {
                let mut all = String::new();
                for row in rows {
                    let text = |text: &Option<String>| serde_json::to_string(text).unwrap();
                    let cost = match row.cost {
                        Some(cost) if cost.is_finite() && !texts => cost.to_string(),
                        cost => text(&cost.map(|cost| cost.to_string())),
                    };
                    let whole =
                        |name: &&String| name.parse::<i64>().is_ok_and(|n| n.to_string() == **name);
                    let person = match row.person.as_ref().filter(whole) {
                        Some(person) if !texts => person.clone(),
                        _ => text(&row.person),
                    };
                    let (region, age) = (text(&row.region), text(&row.age));
                    all += &format!(
                        "{{\"region\": {region}, \"note\": [{{\"age\": 1}}, \
                         \"}}\"],\"a\\u0067e\":{age}, \"cost\" : {cost},\"person\":{person}}}{end}"
                    );
                }
                all.into_bytes()
            }
        }
    }
}

fn quoted(cell: &str, delimiter: char, quotes: Quotes) -> String {
    let needed = cell.contains([delimiter, '"', '\n', '\r']);
    let wanted = match quotes {
        Quotes::Needed => false,
        Quotes::All => true,
        Quotes::Texts => cell.parse::<f64>().is_err() && !cell.is_empty(),
    };
    match needed || wanted {
        true => format!("\"{}\"", cell.replace('"', "\"\"")),
        false => cell.to_owned(),
    }
}

fn properties(cases: &mut Cases) -> WriterProperties {
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4,
        Compression::LZ4_RAW,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::BROTLI(BrotliLevel::default()),
    ];
    let texts = [
        Encoding::PLAIN,
        Encoding::DELTA_LENGTH_BYTE_ARRAY,
        Encoding::DELTA_BYTE_ARRAY,
    ];
    let mut properties = WriterProperties::builder()
        .set_writer_version(cases.pick(&[WriterVersion::PARQUET_1_0, WriterVersion::PARQUET_2_0]))
        .set_compression(cases.pick(&codecs))
        .set_statistics_enabled(cases.pick(&[
            EnabledStatistics::None,
            EnabledStatistics::Chunk,
            EnabledStatistics::Page,
        ]))
        .set_statistics_truncate_length(cases.pick(&[None, Some(1), Some(64)]))
        .set_dictionary_enabled(cases.below(2) == 0)
        .set_bloom_filter_enabled(cases.below(4) == 0)
        .set_max_row_group_row_count(Some(1 + cases.below(5) as usize))
        .set_data_page_row_count_limit(1 + cases.below(3) as usize)
        .set_write_batch_size(1);
    for column in ["person", "region", "age"] {
        properties = properties.set_column_encoding(column.into(), cases.pick(&texts));
    }
    let cost = cases.pick(&[Encoding::PLAIN, Encoding::BYTE_STREAM_SPLIT]);
    properties.set_column_encoding("cost".into(), cost).build()
}

fn parquet(rows: &[Row], properties: &WriterProperties) -> Vec<u8> {
    let mut bytes = Vec::new();
    let batches = match rows.is_empty() {
        true => batches(&[Row::empty()], 1)
            .iter()
            .map(|batch| batch.slice(0, 0))
            .collect(),
        false => batches(rows, 4),
    };
    let schema = batches[0].schema();
    let mut writer = ArrowWriter::try_new(&mut bytes, schema, Some(properties.clone())).unwrap();
    batches
        .iter()
        .for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
    bytes
}
