//! Cases in the order of the targets.

mod large;
mod page;
mod process;
mod profile;

use crate::outcome::Results;
use crate::stage::Stage;
use crate::{grants, growth, safety};

/// Name and function of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Stage) -> anyhow::Result<Results>,
}

/// Returns all cases.
pub(crate) fn all() -> Vec<Case> {
    let mut all = Vec::new();
    all.extend_from_slice(profile::CASES);
    all.extend_from_slice(page::CASES);
    all.extend_from_slice(large::CASES);
    all.extend_from_slice(process::CASES);
    all.extend_from_slice(grants::CASES);
    all.extend_from_slice(growth::CASES);
    all.extend_from_slice(safety::CASES);
    all
}
