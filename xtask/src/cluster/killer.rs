//! What kills workers at random moments.

use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::{Context, Result};

use super::machines::Machines;

/// Kills until there were enough, or nobody needs it. Tests read from a file how many are left, and
/// say by another beside it that they have a session: it is integers that are to be found wrong,
/// and a session that cannot begin has none.
pub struct Killer {
    count_file: PathBuf,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Killer {
    pub fn start(machines: &Arc<Machines>, kills: usize) -> Result<Killer> {
        let count_file = machines.directory().join("kills");
        write(&count_file, kills)?;
        let begin = count_file.with_extension("begin");
        let is_over = Arc::new(AtomicBool::new(false));
        let (file, over, machines) = (count_file.clone(), is_over.clone(), machines.clone());
        let thread = thread::spawn(move || {
            let tick = Duration::from_millis(50);
            while !begin.exists() {
                if over.load(Ordering::Relaxed) {
                    return;
                }
                thread::sleep(tick);
            }
            let random = RandomState::new();
            let mut left = kills;
            for turn in 0u64.. {
                let chance = random.hash_one(turn);
                // From a fifth of a second to eight seconds, in which a statement has several
                // stages.
                let wait = Duration::from_millis(200 + chance % 7800);
                for _ in 0..wait.as_millis() / tick.as_millis() {
                    if over.load(Ordering::Relaxed) {
                        return;
                    }
                    thread::sleep(tick);
                }
                match machines.kill((chance >> 32) as usize) {
                    Ok(true) => left -= 1,
                    Ok(false) => continue,
                    Err(error) => {
                        eprintln!("no worker can be killed and started again: {error:#}");
                        return;
                    }
                }
                if write(&file, left).is_err() || left == 0 {
                    return;
                }
            }
        });
        Ok(Killer {
            count_file,
            is_over,
            thread: Some(thread),
        })
    }

    /// The file that says how many kills are left.
    pub fn count_file(&self) -> &Path {
        &self.count_file
    }
}

/// Whole, for whoever reads it meanwhile.
fn write(file: &Path, left: usize) -> Result<()> {
    let partial = file.with_extension("partial");
    fs::write(&partial, left.to_string())?;
    fs::rename(&partial, file).context("could not count the kills")
}

impl Drop for Killer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
