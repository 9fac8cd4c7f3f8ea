//! The table of what may depend on what.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::{CheckError, read_to_string};

/// Where the table lies, relative to the root of the workspace.
pub const PATH: &str = "crates/workspace-checks/dependency-table.toml";

/// The whole table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// A row for every crate of the workspace.
    pub crates: BTreeMap<String, CrateRow>,
    /// Packages from outside that only some crates may touch.
    pub packages: BTreeMap<String, PackageRow>,
    /// What holds for every source file.
    pub source: SourceRules,
    /// How comments and documentation are written.
    pub prose: ProseRules,
}

/// What one crate of the workspace may depend on and may say.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateRow {
    /// Workspace crates it may depend on, by any kind of edge.
    pub uses: Vec<String>,
    /// Workspace crates it may also have as dev-dependencies.
    #[serde(default)]
    pub in_tests: Vec<String>,
    /// When given: the only packages from outside that it may depend on.
    pub packages: Option<Vec<String>>,
    /// Packages from outside that it may also have as dev-dependencies, when `packages` is given.
    #[serde(default)]
    pub packages_in_tests: Vec<String>,
    /// Features that it may not switch on, as `package/feature`.
    #[serde(default)]
    pub never_features: Vec<String>,
    /// Pieces of code that none of its files may contain outside tests and comments.
    #[serde(default)]
    pub never_says: Vec<String>,
}

/// Which crates may touch a package from outside.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageRow {
    /// The crates that may depend on it, by any kind of edge.
    pub only: Vec<String>,
    /// The crates that may have it as a dev-dependency; `*` stands for all.
    #[serde(default)]
    pub in_tests: Vec<String>,
    /// Why.
    pub reason: String,
}

/// What holds for every source file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRules {
    /// Lines that a file may have outside its inline test module.
    pub max_lines: usize,
    /// First folders of absolute paths that exist on one machine only.
    pub machine_folders: Vec<String>,
}

/// How comments and documentation are written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProseRules {
    /// Columns that a line with a comment may have.
    pub columns: usize,
    /// Beginnings of paths, relative to the root, that were not rewritten yet.
    pub unchecked: Vec<String>,
    /// Words to avoid, in lower case, each with what to write instead.
    pub instead: BTreeMap<String, String>,
}

impl Table {
    /// Reads the table of the workspace at `root`.
    ///
    /// # Errors
    ///
    /// When it is absent, is not TOML, or has a key that nobody knows.
    pub fn read(root: &Path) -> Result<Self, CheckError> {
        let path = root.join(PATH);
        let text = read_to_string(&path)?;
        toml::from_str(&text).map_err(|source| CheckError::IllFormed { path, source })
    }
}
