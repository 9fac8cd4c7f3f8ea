//! The dependency table.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;

use crate::read_to_string;
use anyhow::{Context as _, Result};

/// Path of the table relative to the workspace root.
pub const PATH: &str = "crates/workspace-checks/dependency-table.toml";

/// The table.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// One row per crate of the workspace.
    pub crates: BTreeMap<String, CrateRow>,
    /// Outside packages that only some crates may use.
    pub packages: BTreeMap<String, PackageRow>,
    /// Rules for every source file.
    pub source: SourceRules,
    /// Rules for reviewers.
    pub owners: OwnerRules,
    /// Rules for comments and documentation.
    pub prose: ProseRules,
}

/// Allowed dependencies and contents of a crate.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CrateRow {
    /// Workspace crates that it may depend on, by any kind of dependency.
    pub uses: Vec<String>,
    /// Workspace crates that it may also have as dev-dependencies.
    #[serde(default)]
    pub in_tests: Vec<String>,
    /// If present, the only outside packages that it may depend on.
    pub packages: Option<Vec<String>>,
    /// Outside packages that it may also have as dev-dependencies, if `packages` is present.
    #[serde(default)]
    pub packages_in_tests: Vec<String>,
    /// Outside packages that its code does not name, because only their features are needed.
    #[serde(default)]
    pub packages_for_features: Vec<String>,
    /// Features that it may not enable, as `package/feature`.
    #[serde(default)]
    pub never_features: Vec<String>,
    /// Code that none of its files may contain outside tests and comments.
    #[serde(default)]
    pub never_says: Vec<String>,
}

/// Which crates may use an outside package.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageRow {
    /// Crates that may depend on it, by any kind of dependency.
    pub only: Vec<String>,
    /// Crates that may have it as a dev-dependency; `*` for all.
    #[serde(default)]
    pub in_tests: Vec<String>,
    /// Reason of the rule.
    pub reason: String,
}

/// Rules for every source file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceRules {
    /// Maximum lines of a file outside its inline test module.
    pub max_lines: usize,
    /// First folders of machine-specific absolute paths.
    pub machine_folders: Vec<String>,
}

/// Rules for reviewers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnerRules {
    /// Team that reviews sensitive code.
    pub security: String,
    /// Names of folders with sensitive code.
    pub sensitive: BTreeSet<String>,
}

/// Rules for comments and documentation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProseRules {
    /// Maximum columns of a comment line.
    pub columns: usize,
    /// Prefixes of paths, relative to the root, that are exempt.
    pub unchecked: Vec<String>,
    /// Words to avoid, in lower case, each with its replacement.
    pub instead: BTreeMap<String, String>,
}

impl Table {
    /// Reads the table of the workspace at `root`.
    pub fn read(root: &Path) -> Result<Self> {
        toml::from_str(&read_to_string(&root.join(PATH))?).context(PATH)
    }
}
