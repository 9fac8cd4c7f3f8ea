//! Reviewers by path.

use std::path::{Path, PathBuf};

use crate::metadata::Workspace;
use crate::table::Table;
use crate::{Finding, read_to_string};
use anyhow::Result;

/// Path of the file relative to the root.
const PATH: &str = ".github/CODEOWNERS";

/// A line: a path from the root with its reviewers.
struct Rule {
    path: String,
    owners: Vec<String>,
}

impl Rule {
    /// Returns whether the line applies to a path relative to the root.
    fn applies_to(&self, path: &Path) -> bool {
        self.path == "*" || path.starts_with(self.path.trim_matches('/'))
    }
}

/// Finds paths that do not exist, and folders with sensitive code without the security team.
pub fn check(workspace: &Workspace, table: &Table) -> Result<Vec<Finding>> {
    let file = workspace.root.join(PATH);
    if !file.exists() {
        return Ok(vec![Finding::new(PATH, "the file is missing")]);
    }
    let rules = rules(&read_to_string(&file)?);
    let mut findings: Vec<Finding> = rules
        .iter()
        .filter(|rule| rule.path != "*" && !workspace.root.join(rule.path.trim_matches('/')).exists())
        .map(|rule| Finding::new(PATH, format!("{} does not exist", rule.path)))
        .collect();
    for package in &workspace.packages {
        let mut folders = Vec::new();
        add_folders(&package.folder().join("src"), &mut folders)?;
        let paths = folders.iter().map(|folder| folder.strip_prefix(&workspace.root).unwrap_or(folder));
        findings.extend(paths.filter(|path| is_sensitive(path, table)).filter_map(|path| {
            // The last line that applies counts.
            let rule = rules.iter().rev().find(|rule| rule.applies_to(path));
            let is_reviewed = rule.is_some_and(|rule| rule.owners.contains(&table.owners.security));
            let message = format!("the folder needs a line with {}", table.owners.security);
            (!is_reviewed).then(|| Finding::new(path.display().to_string(), message))
        }));
    }
    Ok(findings)
}

fn rules(text: &str) -> Vec<Rule> {
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .filter_map(|line| {
            let mut words = line.split_whitespace().map(str::to_owned);
            Some(Rule { path: words.next()?, owners: words.collect() })
        })
        .collect()
}

fn is_sensitive(path: &Path, table: &Table) -> bool {
    path.file_name().is_some_and(|name| table.owners.sensitive.contains(name.to_string_lossy().as_ref()))
}

/// Adds all folders below a folder.
fn add_folders(folder: &Path, found: &mut Vec<PathBuf>) -> Result<()> {
    if folder.exists() {
        for entry in std::fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_type()?.is_dir() {
                found.push(entry.path());
                add_folders(&entry.path(), found)?;
            }
        }
    }
    Ok(())
}
