//! Migrations of the two stores.

use std::collections::BTreeSet;
use std::path::Path;

use crate::Finding;
use anyhow::Result;

const STORES: [&str; 2] = ["postgres", "sqlite"];
const STEPS: [&str; 2] = ["up.sql", "down.sql"];

/// Finds migrations that exist for only one store, and those without an up or down script.
pub fn check(root: &Path) -> Result<Vec<Finding>> {
    let [postgres, sqlite] = STORES.map(|store| names(root, store));
    let (postgres, sqlite) = (postgres?, sqlite?);
    let mut findings = Vec::new();
    for name in postgres.symmetric_difference(&sqlite) {
        let message = format!("the migration is not there for both {}", STORES.join(" and "));
        findings.push(Finding::new(format!("migrations/*/{name}"), message));
    }
    for (store, present) in [("postgres", &postgres), ("sqlite", &sqlite)] {
        for name in present {
            findings.extend(missing_steps(root, store, name));
        }
    }
    Ok(findings)
}

fn names(root: &Path, store: &str) -> Result<BTreeSet<String>> {
    let path = root.join("migrations").join(store);
    if !path.exists() {
        return Ok(BTreeSet::new());
    }
    let mut names = BTreeSet::new();
    for entry in std::fs::read_dir(&path)? {
        let entry = entry?;
        if entry.path().is_dir() {
            names.insert(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(names)
}

fn missing_steps(root: &Path, store: &str, name: &str) -> Vec<Finding> {
    let folder = format!("migrations/{store}/{name}");
    STEPS
        .iter()
        .filter(|step| {
            std::fs::read_to_string(root.join(&folder).join(step)).map_or(true, |sql| sql.trim().is_empty())
        })
        .map(|step| Finding::new(&folder, format!("{step} is absent or empty")))
        .collect()
}
