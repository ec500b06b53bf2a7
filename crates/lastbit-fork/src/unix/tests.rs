#![allow(unsafe_code)]

use super::*;

/// Runs `child` in a forked process and returns its exit code; `child` must not panic.
fn exit_code_of_child(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: the child touches atomics only, then leaves by _exit without unwinding or running
    // destructors.
    unsafe {
        match libc::fork() {
            0 => libc::_exit(child()),
            pid => {
                assert!(pid > 0, "fork failed");
                let mut status = 0;
                assert_eq!(libc::waitpid(pid, &mut status, 0), pid);
                assert!(libc::WIFEXITED(status));
                libc::WEXITSTATUS(status)
            }
        }
    }
}

#[test]
fn the_handler_alone_renews_its_cell_in_a_child() {
    assert!(register_handler());
    HANDLED_CELL.store(next(), Ordering::Release);
    let parent = HANDLED_CELL.load(Ordering::Acquire);
    let code = exit_code_of_child(|| i32::from(HANDLED_CELL.load(Ordering::Acquire) > parent) + 40);
    assert_eq!(code, 41);
    assert_eq!(HANDLED_CELL.load(Ordering::Acquire), parent);
}

#[cfg(target_os = "linux")]
#[test]
fn a_wiped_page_is_zero_in_a_child_and_kept_in_the_parent() {
    let page = wiped_page().expect("Linux 4.14 or newer");
    // SAFETY: the page stays mapped until unmap below.
    let cell = unsafe { &*page };
    cell.store(7, Ordering::Release);
    assert_eq!(
        exit_code_of_child(|| cell.load(Ordering::Acquire) as i32 + 40),
        40
    );
    assert_eq!(cell.load(Ordering::Acquire), 7);
    unmap(page);
}
