//! Table of all settings. Defaults, known keys and the reference are derived from it.

use super::SECTIONS;
use super::section::Row;

/// Section of the table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Section {
    /// Name of the section in a file.
    pub(crate) name: &'static str,
    /// Description.
    pub(crate) about: &'static str,
    pub(crate) rows: &'static [Row],
}

/// Lists the sections in the order of the reference.
pub(crate) fn sections() -> impl Iterator<Item = Section> {
    SECTIONS.iter().copied()
}

/// Lists every setting in the order of the reference.
pub(crate) fn rows() -> impl Iterator<Item = &'static Row> {
    SECTIONS.iter().flat_map(|section| section.rows)
}
