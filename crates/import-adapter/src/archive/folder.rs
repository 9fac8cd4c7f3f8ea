//! Files of a folder.

use super::entry::{Entry, display_name};
use super::reader::Packing;
use super::{ENTRY_LIMIT, Listing, too_many};
use application::ports::import_source::ImportRefusal;
use std::io;
use std::path::{Path, PathBuf};

/// Maximum depth of folders.
const DEPTH_LIMIT: usize = 64;

/// Lists the files of a folder and its subfolders by name.
pub(super) fn list(folder: &Path) -> Result<Listing, ImportRefusal> {
    let mut found = Listed { root: folder, files: Vec::new(), others: Vec::new(), seen: 0 };
    found.scan_folder(folder, 0)?;
    let Listed { mut files, mut others, .. } = found;
    files.sort();
    others.sort();
    let entries = files.into_iter().map(|(name, path, size)| Entry {
        name: display_name(&name),
        packed_size: size,
        path: path.into(),
        start: 0,
        packing: Packing::Stored,
        expected: None,
    });
    Ok(Listing { path: folder.into(), entries: entries.collect(), others })
}

struct Listed<'a> {
    root: &'a Path,
    /// Name within the folder, path and size.
    files: Vec<(String, PathBuf, u64)>,
    others: Vec<String>,
    seen: usize,
}

impl Listed<'_> {
    fn scan_folder(&mut self, folder: &Path, depth: usize) -> Result<(), ImportRefusal> {
        if depth > DEPTH_LIMIT {
            let text = format!("it contains folders nested more than {DEPTH_LIMIT} levels deep");
            return Err(ImportRefusal::Unreadable(text));
        }
        let entries = std::fs::read_dir(folder).map_err(|error| self.unreadable(folder, &error))?;
        for entry in entries {
            let entry = entry.map_err(|error| self.unreadable(folder, &error))?;
            self.seen = self.seen.saturating_add(1);
            if self.seen > ENTRY_LIMIT {
                return Err(too_many());
            }
            let path = entry.path();
            // The metadata of a link itself.
            let metadata = entry.metadata().map_err(|error| self.unreadable(&path, &error))?;
            if metadata.is_dir() {
                self.scan_folder(&path, depth.saturating_add(1))?;
            } else if metadata.is_file() {
                self.files.push((self.name(&path), path, metadata.len()));
            } else {
                self.others.push(display_name(&self.name(&path)));
            }
        }
        Ok(())
    }

    fn name(&self, path: &Path) -> String {
        path.strip_prefix(self.root).unwrap_or(path).to_string_lossy().into_owned()
    }

    fn unreadable(&self, path: &Path, error: &io::Error) -> ImportRefusal {
        let name = display_name(&self.name(path));
        let of = if name.is_empty() { String::new() } else { format!("{name}: ") };
        ImportRefusal::Unreadable(format!("{of}{}", error.kind()))
    }
}
