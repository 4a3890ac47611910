//! A progress bar on standard error, where that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// Nothing is shown before this: most runs are over by then.
const PATIENCE: Duration = Duration::from_millis(300);
const EVERY: Duration = Duration::from_millis(100);
const WIDTH: u64 = 30;

pub(crate) struct Progress {
    wanted: bool,
    shown: bool,
    next: Instant,
}

impl Progress {
    pub(crate) fn new(wanted: bool) -> Self {
        Progress {
            wanted: wanted && io::stderr().is_terminal(),
            shown: false,
            next: Instant::now() + PATIENCE,
        }
    }

    /// Draws the bar, if it is time to.
    pub(crate) fn step(&mut self, done: u64, total: u64, runs: usize) {
        if !self.wanted || Instant::now() < self.next {
            return;
        }
        self.next = Instant::now() + EVERY;
        self.shown = true;
        // Progress is not worth an error.
        let _ = io::stderr().write_all(line(done, total, runs).as_bytes());
    }

    /// Takes the bar away, for other output.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = io::stderr().write_all(b"\r\x1b[K");
        }
    }
}

fn line(done: u64, total: u64, runs: usize) -> String {
    // Of standard input the size is not known.
    if total == 0 || done > total {
        return format!("\r\x1b[K{runs} runs");
    }
    let filled = (u128::from(done) * u128::from(WIDTH) / u128::from(total)) as usize;
    let bar = "#".repeat(filled) + &"-".repeat(WIDTH as usize - filled);
    let percent = u128::from(done) * 100 / u128::from(total);
    format!("\r\x1b[K[{bar}] {percent:3}%  {runs} runs")
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn bars() {
        assert_eq!(line(0, 0, 5), "\r\x1b[K5 runs");
        let half = "#".repeat(15) + &"-".repeat(15);
        assert_eq!(line(50, 100, 7), format!("\r\x1b[K[{half}]  50%  7 runs"));
        assert!(line(u64::MAX, u64::MAX, 1).contains("100%"));
    }
}
