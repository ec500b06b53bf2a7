//! The generation seen from real processes.
#![cfg(unix)]
#![allow(unsafe_code)]

use std::panic::{AssertUnwindSafe, catch_unwind};

use lastbit_fork::generation;

/// Runs `child` in a new process made by `fork` and returns its exit code, 99 for a panic.
fn exit_code_of(fork: fn() -> libc::pid_t, child: impl FnOnce() -> i32) -> i32 {
    match fork() {
        // SAFETY: leaves at once, without unwinding into the parent's test harness.
        0 => unsafe { libc::_exit(catch_unwind(AssertUnwindSafe(child)).unwrap_or(99)) },
        pid => {
            assert!(pid > 0, "fork failed");
            let mut status = 0;
            // SAFETY: waits for our own child and writes to a local.
            assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
            assert!(libc::WIFEXITED(status));
            libc::WEXITSTATUS(status)
        }
    }
}

fn by_library() -> libc::pid_t {
    // SAFETY: the child calls `generation`, `fork`, `waitpid` and `_exit` only.
    unsafe { libc::fork() }
}

/// `fork` as the kernel offers it: no handler of the C library runs.
#[cfg(target_os = "linux")]
fn by_kernel() -> libc::pid_t {
    // SAFETY: no flags but the signal at exit, so the child has a copy of this memory and stack, as
    // with `fork`.
    unsafe { libc::syscall(libc::SYS_clone, libc::SIGCHLD, 0, 0, 0, 0) as libc::pid_t }
}

fn differs_in_child_and_grandchild(fork: fn() -> libc::pid_t) {
    let parent = generation();
    let code = exit_code_of(fork, || {
        let child = generation();
        if child == parent || child != generation() {
            return 1;
        }
        let grandchild_code = exit_code_of(fork, || {
            let grandchild = generation();
            i32::from(grandchild == child || grandchild == parent || grandchild != generation())
        });
        if grandchild_code != 0 {
            return 2;
        }
        if generation() != child { 3 } else { 42 }
    });
    assert_eq!(code, 42);
    assert_eq!(generation(), parent);
}

#[test]
fn a_child_and_a_grandchild_have_new_generations() {
    differs_in_child_and_grandchild(by_library);
}

#[cfg(target_os = "linux")]
#[test]
fn a_fork_behind_the_back_of_the_c_library_is_seen() {
    differs_in_child_and_grandchild(by_kernel);
}

#[test]
fn a_chain_of_forks_never_repeats_a_generation() {
    fn descend(ancestors: &mut Vec<u64>, depth: usize) -> i32 {
        let mine = generation();
        if ancestors.contains(&mine) {
            return 1;
        }
        if depth == 0 {
            return 42;
        }
        ancestors.push(mine);
        exit_code_of(by_library, || descend(ancestors, depth - 1))
    }
    assert_eq!(descend(&mut Vec::with_capacity(16), 12), 42);
}

#[test]
fn threads_agree_and_keep_the_generation_while_another_forks() {
    let expected = generation();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..10_000).for_each(|_| assert_eq!(generation(), expected)));
        }
        for _ in 0..20 {
            assert_eq!(
                exit_code_of(by_library, || i32::from(generation() == expected)),
                0
            );
        }
    });
    assert_eq!(generation(), expected);
}
