//! Tests specific to SQLite; `contract-tests` has those for every store.

#[cfg(test)]
mod audit;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod corrupt;
#[cfg(test)]
mod erasing;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod opening;
#[cfg(test)]
mod transaction;
