use super::*;

/// A file of so many bytes, all parts of which differ.
fn written(place: &Path, length: u64) -> Vec<u8> {
    let mixed = |byte: u64| (byte.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8;
    let bytes: Vec<u8> = (0..length).map(mixed).collect();
    std::fs::write(place, &bytes).unwrap();
    bytes
}

#[test]
fn a_file_has_the_same_hash_by_any_number_of_threads() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    let lengths = [
        0,
        1,
        PART - 1,
        PART,
        PART + 1,
        2 * PART,
        2 * PART + 1,
        3 * PART - 7,
    ];
    for length in lengths
        .into_iter()
        .chain([4 * PART, 5 * PART + 1025, 9 * PART])
    {
        let bytes = written(&file, length);
        let expected = blake3::hash(&bytes);
        assert_eq!(of_file(&file).unwrap(), (length, expected), "{length}");
        if length > PART {
            for threads in 1..=5 {
                let found = by_parts(&file, length, threads).unwrap();
                assert_eq!(found, Some(expected), "{length} bytes, {threads} threads");
            }
            // A file that grew or shrank meanwhile is read again.
            for other in [length - 1, length + 1] {
                assert_eq!(by_parts(&file, other, 2).unwrap(), None, "{length} {other}");
            }
        }
    }
}
