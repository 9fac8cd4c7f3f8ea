//! Rules for crate manifests.

use toml::{Table, Value};

use crate::metadata::Workspace;
use crate::{Finding, read_to_string};
use anyhow::Result;

const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Finds crates that do not inherit the workspace's lints or versions.
pub fn check(workspace: &Workspace) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let manifest: Table = read_to_string(&package.manifest_path)?.parse()?;
        let place = workspace.relative(&package.manifest_path);
        if !inherits(manifest.get("lints")) {
            findings.push(Finding::new(&place, "the crate must say `lints.workspace = true`"));
        }
        for name in own_versions(&manifest).into_iter().filter(|name| *name != package.name) {
            let message = format!("`{name}` must be inherited: its version belongs into the root manifest");
            findings.push(Finding::new(&place, message));
        }
    }
    Ok(findings)
}

fn inherits(value: Option<&Value>) -> bool {
    value.and_then(|table| table.get("workspace")).and_then(Value::as_bool) == Some(true)
}

/// Returns the names of dependencies, including target-specific ones, that are not inherited.
fn own_versions(manifest: &Table) -> Vec<String> {
    let targets = manifest.get("target").and_then(Value::as_table);
    let of_targets = targets.into_iter().flat_map(Table::values).filter_map(Value::as_table);
    std::iter::once(manifest)
        .chain(of_targets)
        .flat_map(|table| DEPENDENCY_TABLES.iter().filter_map(move |name| table.get(*name)))
        .filter_map(Value::as_table)
        .flatten()
        .filter(|(_, value)| !inherits(Some(value)))
        .map(|(name, _)| name.clone())
        .collect()
}
