//! Cases of reads and of the process.

mod large;
mod page;
mod process;
mod profile;

pub(crate) use profile::ratio;

use crate::outcome::Results;
use crate::stage::Stage;

/// Name and function of a case.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    pub(crate) run: fn(&mut Stage) -> anyhow::Result<Results>,
}

/// Cases of this module.
pub(crate) const CASES: [&[Case]; 4] = [profile::CASES, page::CASES, large::CASES, process::CASES];
