//! The system's randomness, seen from threads and processes.

use std::cell::RefCell;
use std::collections::HashSet;

use lastbit_noise::entropy::{Entropy, System};

fn draw(count: usize) -> Vec<u64> {
    let mut words = vec![0; count];
    System::default().fill(&mut words).unwrap();
    words
}

#[test]
fn threads_draw_distinct_streams() {
    const THREADS: usize = 64;
    const WORDS: usize = 1000;
    let threads: Vec<_> = (0..THREADS)
        .map(|_| std::thread::spawn(|| draw(WORDS)))
        .collect();
    let all: HashSet<u64> = threads
        .into_iter()
        .flat_map(|thread| thread.join().unwrap())
        .collect();
    // Two of 64000 uniform words agree with probability at most 64000²/2^65 < 1.2e-10.
    assert_eq!(all.len(), THREADS * WORDS);
}

#[test]
fn a_draw_while_the_thread_ends_still_succeeds() {
    use std::sync::mpsc::{Sender, channel};
    struct DrawsOnDrop(Sender<bool>);
    impl Drop for DrawsOnDrop {
        fn drop(&mut self) {
            let mut entropy = System::default();
            let drawn = entropy.word().is_ok() && entropy.fill(&mut [0; 600]).is_ok();
            self.0.send(drawn).unwrap();
        }
    }
    thread_local! {
        static LAST: RefCell<Option<DrawsOnDrop>> = const { RefCell::new(None) };
    }
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        // Destructors of thread-locals run in some order; one of the two draws meets a destroyed
        // generator or a live one.
        LAST.with(|last| *last.borrow_mut() = Some(DrawsOnDrop(sender)));
        System::default().word().unwrap();
    })
    .join()
    .unwrap();
    assert!(receiver.recv().unwrap());
}

/// Bit `i` of N fair words is one between N/2 ± t times except with probability 2·exp(−2t²/N)
/// (Hoeffding); over 64 bits, and with t² = N·ln(128e9)/2, at most 1e-9.
#[test]
fn each_bit_is_fair() {
    const N: usize = 1 << 22;
    let mut ones = [0u32; 64];
    for word in draw(N) {
        for (i, count) in ones.iter_mut().enumerate() {
            *count += (word >> i & 1) as u32;
        }
    }
    let limit = (N as f64 * 128e9f64.ln() / 2.0).sqrt();
    for (i, &count) in ones.iter().enumerate() {
        let deviation = f64::from(count) - N as f64 / 2.0;
        assert!(deviation.abs() <= limit, "bit {i}: {deviation} > {limit}");
    }
}

#[cfg(unix)]
#[allow(unsafe_code)]
mod fork {
    use super::*;
    use std::io::{Read, Write};
    use std::os::fd::FromRawFd;

    const WORDS: usize = 32;

    /// The words that a forked child draws, first one at a time, then by a long fill.
    fn words_of_child() -> Vec<u64> {
        let mut ends = [0; 2];
        // SAFETY: writes two descriptors, which the Files below own, one in each process.
        assert_eq!(unsafe { libc::pipe(ends.as_mut_ptr()) }, 0);
        // SAFETY: the child draws, writes to the pipe and leaves by _exit.
        let pid = unsafe { libc::fork() };
        assert!(pid >= 0, "fork failed");
        if pid == 0 {
            let sent = std::panic::catch_unwind(|| {
                let mut entropy = System::default();
                let mut words: Vec<u64> = (0..WORDS).map(|_| entropy.word().unwrap()).collect();
                let mut long = vec![0; 600];
                entropy.fill(&mut long).unwrap();
                words.extend(&long[..WORDS]);
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                // SAFETY: this process's only owner of the descriptor.
                let mut pipe = unsafe { std::fs::File::from_raw_fd(ends[1]) };
                pipe.write_all(&bytes).unwrap();
            });
            // SAFETY: leaves at once, without running the parent's test harness.
            unsafe { libc::_exit(i32::from(sent.is_err())) }
        }
        // SAFETY: this process's only owners of the descriptors, and our own child.
        let mut pipe = unsafe {
            libc::close(ends[1]);
            std::fs::File::from_raw_fd(ends[0])
        };
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        let mut status = 0;
        assert_eq!(unsafe { libc::waitpid(pid, &mut status, 0) }, pid);
        assert_eq!((bytes.len(), status), (16 * WORDS, 0));
        bytes
            .chunks_exact(8)
            .map(|chunk| u64::from_le_bytes(chunk.try_into().unwrap()))
            .collect()
    }

    #[test]
    fn a_child_never_repeats_its_parent_or_its_sibling() {
        // Seeded, with words waiting in the buffer that a child must not use.
        let mut all = draw(WORDS);
        all.extend(words_of_child());
        all.extend(words_of_child());
        let mut entropy = System::default();
        all.extend((0..2 * WORDS).map(|_| entropy.word().unwrap()));
        let distinct: HashSet<u64> = all.iter().copied().collect();
        // 224 uniform words: a repetition has probability below 1.4e-15.
        assert_eq!(distinct.len(), all.len());
    }
}
