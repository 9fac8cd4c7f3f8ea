//! Width of comments and wording.

use std::path::Path;

use crate::metadata::Workspace;
use crate::source::files;
use crate::table::{ProseRules, Table};
use crate::{Finding, read_to_string};
use anyhow::Result;

/// Finds comment lines that are too wide, and comments and documentation with words that the glossary
/// replaces.
pub fn check(workspace: &Workspace, table: &Table) -> Result<Vec<Finding>> {
    let mut findings = Vec::new();
    for path in files(&workspace.root)? {
        let place = workspace.relative(&path);
        let Some(is_prose) = prose_lines(&path) else { continue };
        if table.prose.unchecked.iter().any(|prefix| place.starts_with(prefix.as_str())) {
            continue;
        }
        let text = read_to_string(&path)?;
        for (index, line) in text.lines().enumerate().filter(|(_, line)| is_prose(line)) {
            let place = format!("{place}:{}", index + 1);
            findings.extend(faults(line, &table.prose).into_iter().map(|fault| Finding::new(&place, fault)));
        }
    }
    Ok(findings)
}

/// Returns which lines of a file are prose; `None` if none are.
fn prose_lines(path: &Path) -> Option<fn(&str) -> bool> {
    match path.extension()?.to_str()? {
        "rs" => Some(|line| line.trim_start().starts_with("//")),
        "md" => Some(|_| true),
        "html" => Some(|line| !line.trim_start().starts_with('<')),
        _ => None,
    }
}

fn faults(line: &str, rules: &ProseRules) -> Vec<String> {
    let mut faults = Vec::new();
    let columns = line.chars().count();
    if line.trim_start().starts_with("//") && columns > rules.columns {
        faults.push(format!("a comment of {columns} columns; at most {}", rules.columns));
    }
    let lowercase = line.to_lowercase();
    for (avoided, instead) in &rules.instead {
        if contains_words(&lowercase, avoided) {
            faults.push(format!("`{avoided}`: write {instead}"));
        }
    }
    faults
}

/// Returns whether the words occur as whole words.
fn contains_words(text: &str, words: &str) -> bool {
    text.match_indices(words).any(|(start, _)| {
        let before = text.get(..start).and_then(|before| before.chars().next_back());
        let after = text.get(start + words.len()..).and_then(|after| after.chars().next());
        let in_word = |neighbour: Option<char>| neighbour.is_some_and(|c| c.is_alphanumeric() || c == '_');
        !in_word(before) && !in_word(after)
    })
}
