//! Checks of workspace rules that neither the compiler nor a lint enforces.
//!
//! * [`dependency`]: dependencies between crates and on outside packages;
//! * [`manifest`]: every crate inherits the lints and takes versions from the root;
//! * [`source`]: file length, purity of the domain, no machine-specific paths;
//! * [`usage`]: every dependency is used;
//! * [`owner`]: `CODEOWNERS` names existing paths, and the security team for sensitive folders;
//! * [`migration`]: both stores have the same migrations, each reversible;
//! * [`prose`]: width of comments and the glossary.
//!
//! The binary prints the findings and fails if there are any. It works offline.

pub mod dependency;
pub mod manifest;
pub mod metadata;
pub mod migration;
pub mod owner;
pub mod prose;
pub mod source;
pub mod table;
pub mod usage;

use anyhow::{Context as _, Result};
use std::fmt;
use std::path::Path;

use metadata::Workspace;
use table::Table;

/// A broken rule and its location.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Finding {
    /// A path relative to the root, or a dependency such as `domain -> serde (normal)`.
    pub place: String,
    /// The violation, and the reason for the rule.
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

/// Runs every check on the workspace at `root` and returns the findings, sorted.
pub fn check(root: &Path) -> Result<Vec<Finding>> {
    let table = Table::read(root)?;
    let workspace = Workspace::read(root)?;
    let mut findings = dependency::check(&workspace, &table);
    findings.extend(manifest::check(&workspace)?);
    findings.extend(source::check(&workspace, &table)?);
    findings.extend(usage::check(&workspace, &table)?);
    findings.extend(owner::check(&workspace, &table)?);
    findings.extend(migration::check(root)?);
    findings.extend(prose::check(&workspace, &table)?);
    findings.sort();
    findings.dedup();
    Ok(findings)
}

pub(crate) fn read_to_string(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
}
