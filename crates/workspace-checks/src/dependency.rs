//! Dependency rules.

use std::collections::BTreeSet;

use crate::Finding;
use crate::metadata::{Dependency, Package, Workspace};
use crate::table::{CrateRow, PATH, Table};

/// Compares every dependency of the workspace with the table.
#[must_use]
pub fn check(workspace: &Workspace, table: &Table) -> Vec<Finding> {
    let mut findings = rows_without_a_crate(workspace, table);
    for package in &workspace.packages {
        let Some(row) = table.crates.get(&package.name) else {
            findings.push(Finding::new(
                format!("crates.{}", package.name),
                format!("the crate has no row in {PATH}"),
            ));
            continue;
        };
        // A crate lists itself as a dev-dependency to enable its own test feature.
        for dependency in package.dependencies.iter().filter(|dependency| dependency.name != package.name) {
            let reasons = reasons_against(package, row, dependency, table);
            let place = format!("{} -> {} ({})", package.name, dependency.name, dependency.kind());
            findings.extend(reasons.into_iter().map(|reason| Finding::new(&place, reason)));
        }
    }
    findings
}

/// Finds rows, and names within rows, that match no crate.
fn rows_without_a_crate(workspace: &Workspace, table: &Table) -> Vec<Finding> {
    let known: BTreeSet<&str> = workspace.packages.iter().map(|package| package.name.as_str()).collect();
    let rows = table.crates.iter().flat_map(|(name, row)| {
        let named = row.uses.iter().chain(&row.in_tests).chain([name]);
        named.map(move |crate_name| (format!("crates.{name}"), crate_name))
    });
    let packages = table.packages.iter().flat_map(|(name, row)| {
        let named = row.only.iter().chain(row.in_tests.iter().filter(|crate_name| *crate_name != "*"));
        named.map(move |crate_name| (format!("packages.{name}"), crate_name))
    });
    rows.chain(packages)
        .filter(|(_, crate_name)| !known.contains(crate_name.as_str()))
        .map(|(place, crate_name)| {
            Finding::new(place, format!("{PATH} names `{crate_name}`, which is no crate"))
        })
        .collect()
}

fn reasons_against(package: &Package, row: &CrateRow, dependency: &Dependency, table: &Table) -> Vec<String> {
    let mut reasons = Vec::new();
    if dependency.path.is_some() {
        reasons.extend(inner_edge(row, dependency));
        return reasons;
    }
    reasons.extend(listed_package(row, dependency));
    reasons.extend(restricted_package(package, dependency, table));
    reasons.extend(features(row, dependency));
    reasons
}

fn inner_edge(row: &CrateRow, dependency: &Dependency) -> Option<String> {
    let allowed = row.uses.contains(&dependency.name)
        || (dependency.is_dev() && row.in_tests.contains(&dependency.name));
    (!allowed).then(|| "this crate of the workspace is out of its reach".to_owned())
}

fn listed_package(row: &CrateRow, dependency: &Dependency) -> Option<String> {
    let packages = row.packages.as_ref()?;
    let allowed = packages.contains(&dependency.name)
        || (dependency.is_dev() && row.packages_in_tests.contains(&dependency.name));
    (!allowed).then(|| "not among the packages that its row lists".to_owned())
}

fn restricted_package(package: &Package, dependency: &Dependency, table: &Table) -> Option<String> {
    let row = table.packages.get(&dependency.name)?;
    let in_tests = || row.in_tests.iter().any(|name| name == "*" || *name == package.name);
    let allowed = row.only.contains(&package.name) || (dependency.is_dev() && in_tests());
    (!allowed).then(|| row.reason.clone())
}

fn features(row: &CrateRow, dependency: &Dependency) -> Vec<String> {
    dependency
        .features
        .iter()
        .filter(|feature| row.never_features.contains(&format!("{}/{feature}", dependency.name)))
        .map(|feature| format!("its row forbids the feature `{feature}`"))
        .collect()
}
