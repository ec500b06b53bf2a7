//! The generation lives in a *cell* that reads zero in a new child; whoever reads zero assigns the
//! next generation.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

/// The largest generation given out in this process and its ancestors. A child inherits it, so the
/// number it takes is above every number that its copied memory can hold.
static LAST: AtomicU64 = AtomicU64::new(0);

/// The cell before one is installed, and when none can be: always zero.
static NO_CELL: AtomicU64 = AtomicU64::new(0);

/// The cell that the handler of `pthread_atfork` renews.
static HANDLED_CELL: AtomicU64 = AtomicU64::new(0);

/// The cell in use: `NO_CELL`, `HANDLED_CELL`, or a page mapped until the process ends.
static CELL: AtomicPtr<AtomicU64> = AtomicPtr::new((&raw const NO_CELL).cast_mut());

#[inline]
pub(crate) fn generation() -> u64 {
    match cell().load(Ordering::Acquire) {
        0 => assign(),
        generation => generation,
    }
}

#[inline]
fn cell() -> &'static AtomicU64 {
    #[allow(unsafe_code)]
    // SAFETY: CELL holds the address of a static or of a page that `wiped_page` returned; both are
    // aligned, zero or written as AtomicU64 only, and never freed once they are in CELL.
    unsafe {
        &*CELL.load(Ordering::Acquire)
    }
}

/// Gives this process its generation. Lock-free, so a fork in the middle leaves a child that can do
/// the same.
#[cold]
fn assign() -> u64 {
    let fresh = next();
    if ptr::eq(cell(), &NO_CELL) && !install() {
        return fresh;
    }
    match cell().compare_exchange(0, fresh, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => fresh,
        Err(assigned_by_another_thread) => assigned_by_another_thread,
    }
}

fn next() -> u64 {
    LAST.fetch_add(1, Ordering::AcqRel) + 1
}

/// Replaces `NO_CELL`; false if the system offers no way to see a fork.
fn install() -> bool {
    if let Some(page) = wiped_page() {
        if !replace(page) {
            unmap(page);
        }
        true
    } else if register_handler() {
        replace(&HANDLED_CELL);
        true
    } else {
        false
    }
}

/// Makes `new` the cell, unless another thread was first.
fn replace(new: *const AtomicU64) -> bool {
    let none = (&raw const NO_CELL).cast_mut();
    CELL.compare_exchange(none, new.cast_mut(), Ordering::AcqRel, Ordering::Acquire)
        .is_ok()
}

/// Has [`renew_in_child`] called in each child; registering twice is harmless.
fn register_handler() -> bool {
    #[allow(unsafe_code)]
    // SAFETY: the handler is a function of this program that only touches two atomics.
    let status = unsafe { libc::pthread_atfork(None, None, Some(renew_in_child)) };
    status == 0
}

extern "C" fn renew_in_child() {
    HANDLED_CELL.store(next(), Ordering::Release);
}

/// The bytes asked of `mmap`, which rounds them up to a page.
#[cfg(any(target_os = "linux", target_os = "android"))]
const LENGTH: usize = size_of::<AtomicU64>();

/// A new page of zeros that a child finds zero again; `None` if the kernel cannot.
#[cfg(any(target_os = "linux", target_os = "android"))]
fn wiped_page() -> Option<*const AtomicU64> {
    #[allow(unsafe_code)]
    // SAFETY: an anonymous private mapping at an address the kernel chooses touches no memory in
    // use.
    let page = unsafe {
        libc::mmap(
            ptr::null_mut(),
            LENGTH,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0,
        )
    };
    if page == libc::MAP_FAILED {
        return None;
    }
    let advise = |advice| {
        #[allow(unsafe_code)]
        // SAFETY: the page was mapped above and nothing points into it yet; either advice leaves it
        // mapped.
        let status = unsafe { libc::madvise(page, LENGTH, advice) };
        status == 0
    };
    // Some emulators accept every advice and do nothing; they accept −1 too.
    if !advise(-1) && advise(libc::MADV_WIPEONFORK) {
        Some(page.cast())
    } else {
        unmap(page.cast());
        None
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
fn unmap(page: *const AtomicU64) {
    #[allow(unsafe_code)]
    // SAFETY: the page comes from `wiped_page` and is not in CELL, so no reference to it exists.
    // A failure would leak one page; nothing depends on it.
    let _ = unsafe { libc::munmap(page.cast_mut().cast(), LENGTH) };
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn wiped_page() -> Option<*const AtomicU64> {
    None
}

#[cfg(not(any(target_os = "linux", target_os = "android")))]
fn unmap(_: *const AtomicU64) {}

#[cfg(test)]
mod tests;
