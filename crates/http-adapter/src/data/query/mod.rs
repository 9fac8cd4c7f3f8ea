//! Query parameters of the data endpoints (decisions 5) and of the change feed.

mod changes;
mod ignored;
mod reader;
mod sleep;
mod supplements;
#[cfg(test)]
mod tests;

pub(super) use changes::ChangesParameters;
pub(crate) use ignored::IgnoredParameters;
pub(super) use sleep::SleepParameters;
pub(super) use supplements::SupplementsParameters;
