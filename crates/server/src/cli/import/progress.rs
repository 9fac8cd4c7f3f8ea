//! How far an import is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};
use std::path::Path;

/// A bar on standard error; nothing when that is no terminal.
pub(super) struct Progress(ProgressBar);

impl Progress {
    /// Begins a bar for a file of this size.
    pub(super) fn begin(path: &Path, size: Option<u64>) -> Self {
        let bar = size.map_or_else(ProgressBar::new_spinner, ProgressBar::new);
        if let Ok(style) = ProgressStyle::with_template("{msg} {wide_bar} {bytes}/{total_bytes} {eta}") {
            bar.set_style(style);
        }
        let name = path.file_name().unwrap_or(path.as_os_str());
        bar.set_message(name.to_string_lossy().into_owned());
        Self(bar)
    }

    /// Moves the bar.
    pub(super) fn at(&self, bytes: u64) {
        self.0.set_position(bytes);
    }

    /// Takes the bar away.
    pub(super) fn end(&self) {
        self.0.finish_and_clear();
    }
}
