//! Pieces of any size, held in any part, read what one thread reads byte by byte.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use tempfile::TempDir;

use super::super::{Piece, TextFile, cut};
use super::*;
use crate::plan::FileFormat;

const FORMAT: FileFormat = FileFormat::Csv {
    delimiter: b',',
    quote: b'"',
    gzip: false,
};

struct Cases(u64);

impl Cases {
    fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (self.0 >> 33) as usize % most
    }

    fn of<'a>(&mut self, texts: &[&'a [u8]]) -> &'a [u8] {
        texts[self.below(texts.len())]
    }

    /// A file of two columns: most rows are sound, some files are damaged.
    fn file(&mut self) -> Vec<u8> {
        let mut text = self.of(&[b"", b"", BYTE_ORDER_MARK]).to_vec();
        text.extend_from_slice(self.of(&[b"x,y", b"\"x\",y", b"\"x\",\"y\""]));
        let odd = self.below(3) == 0;
        let break_of_file = self.of(&[b"\n", b"\n", b"\r\n", b"\r"]);
        for _ in 0..self.below(12) {
            text.extend_from_slice(break_of_file);
            if self.below(6) == 0 {
                text.extend_from_slice(self.of(&[b"\n", b"\r\n", b"\r", b"\n\n"]));
            }
            for place in 0..2 {
                if place > 0 {
                    text.push(b',');
                }
                self.cell(&mut text, odd);
            }
        }
        text.extend_from_slice(self.of(&[b"", break_of_file]));
        let place = self.below(text.len() + 1).max(9).min(text.len());
        match self.below(8) {
            0 => text.truncate(place),
            1 => text.insert(place, b'"'),
            2 => text.insert(place, b','),
            3 => text.insert(place, 0xe9),
            _ => {}
        }
        text
    }

    fn cell(&mut self, text: &mut Vec<u8>, odd: bool) {
        if odd && self.below(4) == 0 {
            text.extend_from_slice(self.of(&[b"5\" pipe", b"\"a\"b", b"a\"\"", b"\"a\"b\"c"]));
            return;
        }
        match self.below(3) {
            0 => text.extend_from_slice(self.of(&[b"", b"12.5", b"caf\xc3\xa9", b" a ", b"xyz"])),
            _ => {
                text.push(b'"');
                for _ in 0..self.below(6) {
                    let inner: [&[u8]; 8] = [
                        b"ab",
                        b",",
                        b"\n",
                        b"\r\n",
                        b"\"\"",
                        b"\"\"\"\"",
                        b"\xc3\xa9",
                        b"1,2\n3",
                    ];
                    text.extend_from_slice(self.of(&inner));
                }
                text.push(b'"');
            }
        }
    }
}

type Outcome = Result<Vec<[String; 2]>, String>;

fn read(pieces: &[Piece], held: usize, is_marked: bool) -> Outcome {
    let mut rows = Vec::new();
    for piece in pieces {
        let mut see = |batch: &RecordBatch| {
            let column = |place: usize| batch.column(place).as_string::<i32>().clone();
            let (x, y) = (column(0), column(1));
            rows.extend((0..x.len()).map(|row| [x.value(row), y.value(row)].map(str::to_owned)));
            Ok(())
        };
        let marks = is_marked.then(Marks::default);
        CsvReader::with(piece, &Arc::default(), held, marks)
            .and_then(|reader| reader.read(&mut see))
            .map_err(|error| error.to_string())?;
    }
    Ok(rows)
}

fn open(path: &Path) -> Result<Arc<TextFile>, String> {
    let wanted = Arc::new(vec!["x".to_owned(), "y".to_owned()]);
    let file = TextFile::open(path, &FORMAT, &wanted);
    file.map(Arc::new).map_err(|error| error.to_string())
}

#[test]
fn pieces_of_any_size_give_the_rows_and_the_error_of_one_thread() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.csv");
    let mut cases = Cases(1);
    let (mut sound, mut refused, mut cut_wrongly) = (0, 0, 0);
    for _ in 0..300 {
        let text = cases.file();
        fs::write(&path, &text).unwrap();
        let Ok(file) = open(&path) else { continue };
        let length = text.len() as u64;
        let expected = read(&file.between(&[]), HELD, false);
        match &expected {
            Ok(_) => sound += 1,
            Err(_) => refused += 1,
        }
        for held in [1, 3, 64, 100] {
            let whole = read(&file.between(&[]), held, true);
            assert_eq!(
                whole,
                expected,
                "{held} {:?}",
                text.escape_ascii().to_string()
            );
        }
        for size in 1..=length {
            let cuts = cut::cuts(&path, file.dialect(), length, size, 1 + size as usize % 2);
            let pieces = file.between(&cuts.unwrap());
            let found = read(&pieces, 1 + size as usize % 70, size % 3 > 0);
            assert_eq!(
                found,
                expected,
                "{size} {:?}",
                text.escape_ascii().to_string()
            );
            // What a cut at any line break would give.
            let lines = file.cuts_of_lines(length, size).unwrap();
            cut_wrongly += usize::from(read(&file.between(&lines), HELD, false) != expected);
        }
    }
    assert!(sound > 100 && refused > 30, "{sound} {refused}");
    assert!(cut_wrongly > 1000, "{cut_wrongly}");
}

/// Enough rows for blocks of 64 bytes, reads and several threads to matter.
#[test]
fn a_long_file_is_cut_where_rows_begin() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.csv");
    let mut cases = Cases(7);
    for odd in [false, true] {
        let mut text = b"x,y".to_vec();
        while text.len() < 1 << 20 {
            text.push(b'\n');
            cases.cell(&mut text, odd);
            text.push(b',');
            cases.cell(&mut text, odd);
        }
        fs::write(&path, &text).unwrap();
        let file = open(&path).unwrap();
        let expected = read(&file.between(&[]), HELD, false);
        assert!(expected.as_ref().is_ok_and(|rows| rows.len() > 10_000));
        for (size, threads) in [(1 << 16, 2), (100_003, 3), (1 << 18, 4)] {
            let length = text.len() as u64;
            let cuts = cut::cuts(&path, file.dialect(), length, size, threads).unwrap();
            assert!(cuts.len() as u64 >= length / size - 2, "{cuts:?}");
            assert!(read(&file.between(&cuts), HELD, true) == expected, "{size}");
        }
    }
}

/// The line that an error names is that of the file, whatever piece it is in.
#[test]
fn errors_of_pieces_name_the_line_of_the_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("t.csv");
    let text = "x,y\n".to_owned() + &"\"a\nb\",\"c\"\n".repeat(1000) + "1,2,3\n";
    fs::write(&path, &text).unwrap();
    let file = open(&path).unwrap();
    for size in [500, 1000, 3000] {
        let cuts = cut::cuts(&path, file.dialect(), text.len() as u64, size, 2).unwrap();
        assert!(cuts.len() > 1);
        let error = read(&file.between(&cuts), HELD, true).unwrap_err();
        assert!(error.contains("line 2002"), "{error}");
    }
}
