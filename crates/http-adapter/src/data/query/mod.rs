//! The query parameters of the data endpoints (decisions 5).

mod reader;
mod sleep;
mod supplements;
#[cfg(test)]
mod tests;

pub(super) use sleep::SleepParameters;
pub(super) use supplements::SupplementsParameters;
