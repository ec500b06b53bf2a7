use std::path::Path;

use super::{is_listed, is_mount_point};

#[test]
fn a_mount_is_found_in_the_list_by_its_whole_name() {
    let list = b"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n\
        63 43 254:0 /srv/a.ledger /data/my\\040own.ledger rw,relatime - ext4 /dev/vda rw\n";
    assert!(is_listed(list, Path::new("/data/my own.ledger")));
    assert!(is_listed(list, Path::new("/")));
    for other in [
        "/data/my",
        "/data",
        "/srv/a.ledger",
        "/data/my\\040own.ledger",
    ] {
        assert!(!is_listed(list, Path::new(other)), "{other}");
    }
}

#[test]
fn the_root_is_a_mount_and_a_new_file_is_none() {
    let file = tempfile::NamedTempFile::new().unwrap();
    assert!(!is_mount_point(file.path()));
    assert_eq!(is_mount_point(Path::new("/")), cfg!(target_os = "linux"));
}
