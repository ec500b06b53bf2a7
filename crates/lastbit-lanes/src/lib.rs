//! Runs a computation with the widest vectors that the processor has.
//!
//! A [`Kernel`] is plain code, of which the compiler makes one copy for each kind of processor: the
//! baseline of the target (SSE2 on x86-64, NEON on AArch64), AVX2 and AVX-512. Every copy does the
//! same operations of IEEE 754, which the compiler neither reorders nor fuses, so all give the same
//! bits; the tests of a kernel run it with [`Lanes::all`] and compare.
//!
//! ```
//! use lastbit_lanes::{Kernel, Lanes};
//! struct Squares<'a>(&'a mut [f64]);
//! impl Kernel for Squares<'_> {
//!     type Output = ();
//!     #[inline(always)]
//!     fn run(self) {
//!         self.0.iter_mut().for_each(|x| *x *= *x);
//!     }
//! }
//! let mut numbers = [1.5; 100];
//! Lanes::widest().run(Squares(&mut numbers));
//! assert_eq!(numbers, [2.25; 100]);
//! ```

#![deny(unsafe_code)]

/// A computation that is compiled once for each kind of processor.
pub trait Kernel {
    /// What it computes.
    type Output;

    /// Computes it. Write `#[inline(always)]` here and on what it calls: what is not inlined is
    /// compiled for the baseline alone, and slow but right.
    fn run(self) -> Self::Output;
}

/// Vector instructions that this processor has: the one way to get a value is to ask it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes(Width);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Lanes {
    /// What every processor of the target has.
    pub const BASELINE: Lanes = Lanes(Width::Baseline);

    /// The widest. The processor is asked once; after that, it takes about a nanosecond.
    #[inline]
    pub fn widest() -> Lanes {
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx512() {
                return Lanes(Width::Avx512);
            }
            if has_avx2() {
                return Lanes(Width::Avx2);
            }
        }
        Lanes::BASELINE
    }

    /// All that this processor has, narrowest first.
    pub fn all() -> Vec<Lanes> {
        let mut all = vec![Lanes::BASELINE];
        #[cfg(target_arch = "x86_64")]
        {
            if has_avx2() {
                all.push(Lanes(Width::Avx2));
            }
            if has_avx512() {
                all.push(Lanes(Width::Avx512));
            }
        }
        all
    }

    /// Runs the copy of a kernel that was compiled for these instructions.
    #[inline]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Width::Baseline => kernel.run(),
            // SAFETY: `widest` and `all`, which alone make such values, asked the processor for
            // every feature that the function enables, and the operating system for their
            // registers.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Width::Avx2 => unsafe { avx2(kernel) },
            // SAFETY: the same.
            #[cfg(target_arch = "x86_64")]
            #[allow(unsafe_code)]
            Width::Avx512 => unsafe { avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    std::is_x86_feature_detected!("avx2")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx512() -> bool {
    std::is_x86_feature_detected!("avx2")
        && std::is_x86_feature_detected!("avx512f")
        && std::is_x86_feature_detected!("avx512bw")
        && std::is_x86_feature_detected!("avx512dq")
        && std::is_x86_feature_detected!("avx512vl")
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

#[cfg(test)]
mod tests;
