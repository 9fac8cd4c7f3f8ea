//! Progress of an import: a bar on a terminal, otherwise a line every few seconds.

use crate::cli::output;
use application::import::ImportPass;
use domain::deceptive_text::escape_deceptive;
use indicatif::{HumanBytes, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::{IsTerminal as _, stderr};
use std::path::Path;
use std::sync::Mutex;
use std::time::{Duration, Instant};

/// Interval of the lines without a terminal.
const PRINT_INTERVAL: Duration = Duration::from_secs(5);

/// Progress of one file on standard error.
pub(super) struct Progress {
    bar: ProgressBar,
    name: String,
    /// Time of the last line; `None` on a terminal.
    last_line: Option<Mutex<LastLine>>,
}

struct LastLine {
    at: Instant,
    reading: ImportPass,
}

impl Progress {
    /// Starts reporting on a file of this size.
    pub(super) fn begin(path: &Path, size: Option<u64>) -> Self {
        let bar = size.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        let template = "{msg} {wide_bar} {bytes}/{total_bytes} {bytes_per_sec} {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let has_terminal = stderr().is_terminal();
        if !has_terminal {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let name = escape_deceptive(&name).into_owned();
        bar.set_message(format!("checking {name}"));
        let last = LastLine { at: Instant::now(), reading: ImportPass::Checking };
        Self { bar, name, last_line: (!has_terminal).then(|| Mutex::new(last)) }
    }

    /// Reports a position.
    pub(super) fn at(&self, reading: ImportPass, bytes: u64) {
        let Some(last) = &self.last_line else {
            self.show(reading, bytes);
            return;
        };
        let Ok(mut last) = last.lock() else { return };
        if last.reading != reading {
            last.reading = reading;
            self.bar.reset();
        }
        self.bar.set_position(bytes);
        if last.at.elapsed() >= PRINT_INTERVAL {
            last.at = Instant::now();
            output::note(self.line(reading, bytes));
        }
    }

    fn show(&self, reading: ImportPass, bytes: u64) {
        if bytes < self.bar.position() {
            self.bar.reset();
        }
        if self.is_all_read(reading, bytes) {
            if let Ok(style) = ProgressStyle::with_template("{msg} {elapsed}") {
                self.bar.set_style(style);
            }
            self.bar.set_message(self.all_read());
        } else {
            self.bar.set_message(format!("{} {}", verb(reading), self.name));
        }
        self.bar.set_position(bytes);
    }

    /// Returns whether the whole file is read while records may still be stored. Formats without time order
    /// report their nights only at the end of the file, so the bytes no longer show how much is left.
    fn is_all_read(&self, reading: ImportPass, bytes: u64) -> bool {
        reading == ImportPass::Storing && self.bar.length().is_some_and(|total| bytes >= total)
    }

    fn all_read(&self) -> String {
        format!("storing {}: the whole file has been read, storing the remaining records", self.name)
    }

    fn line(&self, reading: ImportPass, bytes: u64) -> String {
        if self.is_all_read(reading, bytes) {
            return self.all_read();
        }
        let rate = self.bar.elapsed().as_secs_f64();
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the rate is displayed with a few digits"
        )]
        let rate = if rate > 0.0 { (bytes as f64 / rate) as u64 } else { 0 };
        let total = self.bar.length().map(|total| format!(" of {}", HumanBytes(total))).unwrap_or_default();
        let (verb, name) = (verb(reading), &self.name);
        let left = HumanDuration(self.bar.eta());
        format!("{verb} {name}: {}{total}, {}/s, {left} left", HumanBytes(bytes), HumanBytes(rate))
    }

    /// Removes the bar.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

const fn verb(reading: ImportPass) -> &'static str {
    match reading {
        ImportPass::Checking => "checking",
        ImportPass::Storing => "storing",
    }
}

#[cfg(test)]
mod tests {
    use super::{ImportPass, Progress};
    use std::path::Path;

    #[test]
    fn a_plain_progress_line_has_the_share_done_the_speed_and_the_time_left() {
        let progress = Progress::begin(Path::new("folder/export.xml"), Some(4_096));
        let line = progress.line(ImportPass::Storing, 1_024);
        assert!(line.starts_with("storing export.xml: 1.00 KiB of 4.00 KiB, "), "{line}");
        assert!(line.contains("/s, ") && line.ends_with(" left"), "{line}");
        let line = progress.line(ImportPass::Storing, 4_096);
        assert_eq!(line, "storing export.xml: the whole file has been read, storing the remaining records");
        let line = Progress::begin(Path::new("a\u{202e}b.zip"), None).line(ImportPass::Checking, 0);
        assert!(line.starts_with(r"checking a\u{202e}b.zip: "), "{line}");
        let line = Progress::begin(Path::new("folder"), None).line(ImportPass::Checking, 0);
        assert!(line.starts_with("checking folder: 0 B, "), "{line}");
    }
}
