//! One file of a folder or an archive.

use super::reader::{EntryReader, Expected, Packing};
use super::unpacking::Bound;
use application::ports::import_source::ImportRefusal;
use domain::deceptive_text::without_deceptive;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::Arc;

/// The most characters of a name that are shown: its end, which tells files of one folder apart.
const CHARS_SHOWN: usize = 100;

/// One file of a folder or an archive, and how to read it.
#[derive(Debug)]
pub(super) struct Entry {
    /// The name as it is shown.
    pub(super) name: String,
    /// How many bytes it takes on disk.
    pub(super) packed_size: u64,
    /// The file on disk in which it is.
    pub(super) path: Arc<Path>,
    /// Where in that file it begins.
    pub(super) start: u64,
    pub(super) packing: Packing,
    /// What it must be when it is unpacked; nothing for a file of a folder.
    pub(super) expected: Option<Expected>,
}

impl Entry {
    /// Begins to read; it may unpack to what is left of a bound.
    pub(super) fn open(&self, bound: Bound) -> Result<EntryReader, ImportRefusal> {
        let unreadable = |error: io::Error| ImportRefusal::Unreadable(self.says(&error.kind().to_string()));
        let mut file = File::open(&self.path).map_err(unreadable)?;
        // A name can come to stand for something else, and a pipe would never end.
        if !file.metadata().map_err(unreadable)?.is_file() {
            return Err(ImportRefusal::Unreadable(self.says("not a regular file")));
        }
        file.seek(SeekFrom::Start(self.start)).map_err(unreadable)?;
        let limit = self.expected.map_or(u64::MAX, |_| self.packed_size);
        Ok(EntryReader::new(self.name.clone(), file.take(limit), self.packing, self.expected).within(bound))
    }

    fn says(&self, text: &str) -> String {
        if self.name.is_empty() { text.to_owned() } else { format!("{}: {text}", self.name) }
    }
}

/// Makes a name fit to be shown: without deceptive characters, and not too long.
pub(super) fn shown(name: &str) -> String {
    let clean: Vec<char> = without_deceptive(name).chars().collect();
    clean.iter().skip(clean.len().saturating_sub(CHARS_SHOWN)).collect()
}

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn a_name_is_shown_without_what_disturbs_and_by_its_end() {
        assert_eq!(shown("a/../\u{1b}[31m\u{202e}b\n.json"), "a/../[31mb.json");
        assert_eq!(shown("so\u{ad}mme\u{61c}il/\u{200b}nuit.json"), "sommeil/nuit.json");
        let long = format!("{}/sleep.json", "\u{e9}".repeat(300));
        assert!(shown(&long).ends_with("\u{e9}/sleep.json"));
        assert_eq!(shown(&long).chars().count(), 100);
    }
}
