//! Unused dependencies.

use crate::metadata::{Dependency, Package, Workspace};
use crate::source::files;
use crate::table::Table;
use crate::{Finding, read_to_string};
use anyhow::Result;

/// Finds dependencies that no file of the crate names, except those that the table lists for their features.
pub fn check(workspace: &Workspace, table: &Table) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        let code = code_of(package)?;
        let exempt = table.crates.get(&package.name).map(|row| row.packages_for_features.as_slice());
        let is_exempt = |dependency: &Dependency| {
            // A crate lists itself as a dev-dependency to enable its own test feature.
            dependency.name == package.name || exempt.unwrap_or_default().contains(&dependency.name)
        };
        let unused = package.dependencies.iter().filter(|dependency| !is_exempt(dependency));
        findings.extend(unused.filter(|dependency| !names(&code, dependency)).map(|dependency| {
            let place = format!("{} -> {} ({})", package.name, dependency.name, dependency.kind());
            Finding::new(place, "no file of the crate names it: remove the dependency")
        }));
    }
    Ok(findings)
}

/// Returns the code of all Rust files of a crate.
fn code_of(package: &Package) -> Result<String> {
    let mut code = String::new();
    let rust =
        files(package.folder())?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    for path in rust {
        for line in read_to_string(&path)?.lines() {
            // Also cuts URLs in texts.
            code.push_str(line.split_once("//").map_or(line, |(before, _)| before));
            code.push('\n');
        }
    }
    Ok(code)
}

/// Returns whether code has a path that begins with the dependency, or imports it.
fn names(code: &str, dependency: &Dependency) -> bool {
    let name = dependency.rename.as_ref().unwrap_or(&dependency.name).replace('-', "_");
    code.match_indices(&name).any(|(start, _)| {
        let (before, after) =
            (code.get(..start).unwrap_or_default(), code.get(start + name.len()..).unwrap_or_default());
        let is_word = !before.ends_with(|letter: char| letter.is_alphanumeric() || letter == '_');
        let is_imported = before.ends_with("use ") && [";", " as "].iter().any(|end| after.starts_with(end));
        is_word && (after.starts_with("::") || is_imported)
    })
}
