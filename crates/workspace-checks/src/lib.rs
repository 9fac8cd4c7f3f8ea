//! Checks of the workspace's own shape, which no compiler and no lint holds.
//!
//! * [`dependency`]: which crate may depend on which, against one table;
//! * [`manifest`]: every crate inherits the lints, and every version comes from the root;
//! * [`source`]: files stay short, the domain stays pure, no path of one machine is written down;
//! * [`migration`]: both stores have the same migrations, each with a way back;
//! * [`prose`]: comments keep to a width, and prose keeps to the glossary.
//!
//! The binary of this crate prints what is wrong and fails; `.ci/run` calls it first, because it is the
//! cheapest gate. Everything here works without a network.

pub mod dependency;
pub mod manifest;
pub mod metadata;
pub mod migration;
pub mod prose;
pub mod source;
pub mod table;

use std::fmt;
use std::path::{Path, PathBuf};

use metadata::Workspace;
use table::Table;

/// One broken rule: where it is broken, and how.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// A file relative to the root, or an edge such as `domain -> serde (normal)`.
    pub place: String,
    /// What is wrong there, and why it is a rule.
    pub message: String,
}

impl Finding {
    pub(crate) fn new(place: impl Into<String>, message: impl Into<String>) -> Self {
        Self { place: place.into(), message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.place, self.message)
    }
}

/// Why the checks could not be made at all.
#[derive(Debug, thiserror::Error)]
pub enum CheckError {
    /// A file or folder could not be read.
    #[error("{}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not the TOML that was expected.
    #[error("{}: {source}", path.display())]
    IllFormed {
        /// The file.
        path: PathBuf,
        /// What the parser said.
        source: toml::de::Error,
    },
    /// `cargo metadata` failed.
    #[error("cargo metadata failed: {0}")]
    Cargo(String),
    /// `cargo metadata` printed something else than it documents.
    #[error("cargo metadata is not understood: {0}")]
    Metadata(#[from] serde_json::Error),
}

/// Makes every check on the workspace at `root` and returns what is broken, sorted; nothing when all is well.
///
/// # Errors
///
/// When the workspace or the table cannot be read.
pub fn check(root: &Path) -> Result<Vec<Finding>, CheckError> {
    let table = Table::read(root)?;
    let workspace = Workspace::read(root)?;
    let mut findings = dependency::check(&workspace, &table);
    findings.extend(manifest::check(&workspace)?);
    findings.extend(source::check(&workspace, &table)?);
    findings.extend(migration::check(root)?);
    findings.extend(prose::check(&workspace, &table)?);
    findings.sort();
    findings.dedup();
    Ok(findings)
}

pub(crate) fn read_to_string(path: &Path) -> Result<String, CheckError> {
    std::fs::read_to_string(path)
        .map_err(|source| CheckError::Unreadable { path: path.to_path_buf(), source })
}
