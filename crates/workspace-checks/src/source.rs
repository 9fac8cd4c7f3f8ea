//! Rules for the text of source files.

use std::path::{Path, PathBuf};

use crate::metadata::Workspace;
use crate::table::{CrateRow, Table};
use crate::{Finding, read_to_string};
use anyhow::{Context as _, Result};

/// Folders with build output, downloads or data, which are never committed.
const NOT_COMMITTED: [&str; 5] = [".git", "target", "restwell-data", "__pycache__", "node_modules"];

/// Finds files that are too long, contain text that is banned in their crate, or name a path of one machine.
pub fn check(workspace: &Workspace, table: &Table) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for package in &workspace.packages {
        for path in files(package.folder())?.into_iter().filter(|path| is_rust(path) && !is_test(path)) {
            let text = read_to_string(&path)?;
            let place = workspace.relative(&path);
            findings.extend(too_long(&place, &text, table.source.max_lines));
            if let Some(row) = table.crates.get(&package.name) {
                findings.extend(forbidden_words(&place, &text, row));
            }
        }
    }
    for path in files(&workspace.root)? {
        // Binary files contain no typed paths.
        if let Ok(text) = std::fs::read_to_string(&path) {
            findings.extend(machine_paths(&workspace.relative(&path), &text, table));
        }
    }
    Ok(findings)
}

/// Returns all files below a folder, except in folders that are never committed.
pub(crate) fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_file() {
            found.push(entry.path());
        } else if kind.is_dir() && !NOT_COMMITTED.iter().any(|name| entry.file_name() == **name) {
            found.extend(files(&entry.path())?);
        }
    }
    Ok(found)
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// Returns whether a file holds only tests: `tests.rs`, or anything in a folder `tests`, `benches` or `fuzz`.
fn is_test(path: &Path) -> bool {
    let in_test_folder = path.iter().any(|part| part == "tests" || part == "benches" || part == "fuzz");
    in_test_folder || path.file_name().is_some_and(|name| name == "tests.rs")
}

/// Returns the lines before an inline test module, which is last in a file.
fn outside_tests(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let start_of_tests = lines.windows(2).position(|pair| {
        matches!(pair, [attribute, module]
            if *attribute == "#[cfg(test)]" && module.starts_with("mod ") && module.ends_with('{'))
    });
    lines.into_iter().take(start_of_tests.unwrap_or(usize::MAX)).collect()
}

fn too_long(place: &str, text: &str, max_lines: usize) -> Option<Finding> {
    let lines = outside_tests(text).len();
    (lines > max_lines)
        .then(|| Finding::new(place, format!("{lines} lines outside tests; at most {max_lines}: split it")))
}

fn forbidden_words(place: &str, text: &str, row: &CrateRow) -> Vec<Finding> {
    let lines = outside_tests(text);
    let code = lines.iter().map(|line| line.split_once("//").map_or(*line, |(code, _)| code));
    let numbered = code.enumerate();
    numbered
        .flat_map(|(index, line)| {
            let reported = row.never_says.iter().filter(move |words| line.contains(words.as_str()));
            reported.map(move |words| {
                Finding::new(
                    format!("{place}:{}", index + 1),
                    format!("`{words}` has no place in this crate"),
                )
            })
        })
        .collect()
}

fn machine_paths(place: &str, text: &str, table: &Table) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        for folder in table.source.machine_folders.iter().filter(|folder| names_folder(line, folder)) {
            let message = format!("names a path below `{folder}`, which is there on one machine only");
            findings.push(Finding::new(format!("{place}:{}", index + 1), message));
        }
    }
    findings
}

/// Returns whether a line contains an absolute path that starts with this folder.
fn names_folder(line: &str, folder: &str) -> bool {
    let path = format!("/{folder}/");
    line.match_indices(&path).any(|(start, _)| {
        let before = line.get(..start).and_then(|text| text.chars().next_back());
        !before.is_some_and(|character| character.is_alphanumeric() || "._-}~*".contains(character))
    })
}
