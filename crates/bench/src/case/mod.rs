//! The cases, in the order of the table of targets.

mod large;
mod page;
mod process;
mod profile;

use crate::outcome::Found;
use crate::stage::Stage;
use crate::{grants, growth, safety};

/// One case: its name, and what measures it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Stage) -> anyhow::Result<Found>,
}

/// Every case.
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
