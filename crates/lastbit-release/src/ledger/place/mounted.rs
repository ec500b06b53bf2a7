//! Whether a file is mounted by itself, as `mount --bind` and containers do. Then it has another
//! name with other files beside it, and its link count does not show that.

use std::path::Path;

/// Whether something is mounted at this path. Where the system does not say, nothing is.
#[cfg(target_os = "linux")]
pub(super) fn is_mount_point(path: &Path) -> bool {
    std::fs::canonicalize(path).is_ok_and(|path| {
        std::fs::read("/proc/self/mountinfo").is_ok_and(|list| is_listed(&list, &path))
    })
}

/// Other systems mount directories alone.
#[cfg(not(target_os = "linux"))]
pub(super) fn is_mount_point(_path: &Path) -> bool {
    false
}

/// Whether the list of `/proc/self/mountinfo` has a mount at this path: the fifth field, where
/// spaces, line breaks and backslashes are three octal digits after a backslash.
#[cfg(any(target_os = "linux", test))]
fn is_listed(list: &[u8], path: &Path) -> bool {
    let mut name = Vec::new();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b' ' | b'\t' | b'\n' | b'\\' => {
                name.extend_from_slice(format!("\\{byte:03o}").as_bytes());
            }
            _ => name.push(*byte),
        }
    }
    list.split(|byte| *byte == b'\n')
        .any(|line| line.split(|byte| *byte == b' ').nth(4) == Some(&name))
}

#[cfg(test)]
mod tests;
