//! Really changes the floating-point mode of the thread.
// The control register is read and written with inline assembly.
#![allow(unsafe_code)]

/// A mode in which no bound of ours holds.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)]
pub enum Mode {
    Upward,
    Downward,
    TowardZero,
    FlushToZero,
    #[cfg(target_arch = "x86_64")]
    SubnormalsAreZero,
}

impl Mode {
    /// All of them that this processor has.
    pub const ALL: &[Mode] = &[
        Mode::Upward,
        Mode::Downward,
        Mode::TowardZero,
        Mode::FlushToZero,
        #[cfg(target_arch = "x86_64")]
        Mode::SubnormalsAreZero,
    ];
}

/// Runs `body` in the mode, and restores the mode before.
pub fn in_mode<T>(mode: Mode, body: impl FnOnce() -> T) -> T {
    struct Restore(Register);
    impl Drop for Restore {
        fn drop(&mut self) {
            write(self.0);
        }
    }
    let restore = Restore(read());
    write(restore.0 & !CLEARED | bits(mode));
    std::hint::black_box(body)()
}

#[cfg(target_arch = "x86_64")]
mod register {
    use super::Mode;
    use core::arch::asm;

    pub type Register = u32;
    /// Rounding control, flush to zero, denormals are zero.
    pub const CLEARED: u32 = 3 << 13 | 1 << 15 | 1 << 6;

    pub fn bits(mode: Mode) -> u32 {
        match mode {
            Mode::Downward => 1 << 13,
            Mode::Upward => 2 << 13,
            Mode::TowardZero => 3 << 13,
            Mode::FlushToZero => 1 << 15,
            Mode::SubnormalsAreZero => 1 << 6,
        }
    }

    #[inline(never)]
    pub fn read() -> u32 {
        let mut control = 0u32;
        // SAFETY: stores the control register of this thread to a local variable.
        unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut control) };
        control
    }

    #[inline(never)]
    pub fn write(control: u32) {
        // SAFETY: only rounding and subnormal bits differ from what was read; exceptions stay
        // masked.
        unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const control) };
    }
}

#[cfg(target_arch = "aarch64")]
mod register {
    use super::Mode;
    use core::arch::asm;

    pub type Register = u64;
    /// Rounding mode and flush to zero, which covers arguments and results.
    pub const CLEARED: u64 = 3 << 22 | 1 << 24;

    pub fn bits(mode: Mode) -> u64 {
        match mode {
            Mode::Upward => 1 << 22,
            Mode::Downward => 2 << 22,
            Mode::TowardZero => 3 << 22,
            Mode::FlushToZero => 1 << 24,
        }
    }

    #[inline(never)]
    pub fn read() -> u64 {
        let control: u64;
        // SAFETY: reads the control register of this thread.
        unsafe { asm!("mrs {}, fpcr", out(reg) control) };
        control
    }

    #[inline(never)]
    pub fn write(control: u64) {
        // SAFETY: only rounding and subnormal bits differ from what was read.
        unsafe { asm!("msr fpcr, {}", in(reg) control) };
    }
}

use register::{CLEARED, Register, bits, read, write};
