//! One file of a folder or an archive.

use super::reader::{EntryReader, Expected, Packing};
use super::unpacking::Bound;
use application::ports::import_source::ImportRefusal;
use domain::deceptive_text::without_deceptive;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// Maximum number of characters of a displayed name; its end is kept, because it distinguishes files of one
/// folder.
const CHARS_SHOWN: usize = 100;

/// One file of a folder or an archive, and how to read it.
#[derive(Debug)]
pub(super) struct Entry {
    /// Display name.
    pub(super) name: String,
    /// Size on disk in bytes.
    pub(super) packed_size: u64,
    /// File on disk that contains it.
    pub(super) path: Arc<Path>,
    /// Offset in that file.
    pub(super) start: u64,
    pub(super) packing: Packing,
    /// Expected unpacked content; `None` for a file of a folder.
    pub(super) expected: Option<Expected>,
}

impl Entry {
    /// Starts reading, with the remaining unpacking limit.
    pub(super) fn open(&self, bound: Bound) -> Result<EntryReader, ImportRefusal> {
        let unreadable =
            |error: io::Error| ImportRefusal::Unreadable(self.with_name(&error.kind().to_string()));
        let mut file = File::open(&self.path).map_err(unreadable)?;
        // The name may meanwhile denote something else, such as an endless pipe.
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(ImportRefusal::Unreadable(self.with_name("not a regular file")));
        }
        file.seek(SeekFrom::Start(self.start)).map_err(unreadable)?;
        let limit = self.expected.map_or(u64::MAX, |_| self.packed_size);
        Ok(EntryReader::new(self.name.clone(), file.take(limit), self.packing, self.expected).within(bound))
    }

    fn with_name(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }
}

/// Cleans and truncates a name for display.
pub(super) fn display_name(name: &str) -> String {
    let clean: Vec<char> = without_deceptive(name).chars().collect();
    clean.iter().skip(clean.len().saturating_sub(CHARS_SHOWN)).collect()
}

#[cfg(test)]
mod tests {
    use super::display_name;

    #[test]
    fn a_name_is_shown_without_what_disturbs_and_by_its_end() {
        assert_eq!(display_name("a/../\u{1b}[31m\u{202e}b\n.json"), "a/../[31mb.json");
        assert_eq!(display_name("so\u{ad}mme\u{61c}il/\u{200b}nuit.json"), "sommeil/nuit.json");
        let long = format!("{}/sleep.json", "\u{e9}".repeat(300));
        assert!(display_name(&long).ends_with("\u{e9}/sleep.json"));
        assert_eq!(display_name(&long).chars().count(), 100);
    }
}
