//! Tests specific to Postgres; `contract-tests` has those for every store.

#[cfg(test)]
mod audit;
#[cfg(test)]
mod catalogue;
#[cfg(test)]
mod citus;
#[cfg(test)]
mod cluster;
#[cfg(test)]
mod connection;
#[cfg(test)]
mod contract;
#[cfg(test)]
mod corrupt;
#[cfg(test)]
mod distribution;
#[cfg(test)]
mod failover;
#[cfg(test)]
mod frozen;
#[cfg(test)]
mod made_up;
#[cfg(test)]
mod made_up_sign_in;
#[cfg(test)]
mod migration;
#[cfg(test)]
mod packed_view;
#[cfg(test)]
mod plan;
#[cfg(test)]
mod pooler;
#[cfg(test)]
mod race;
#[cfg(test)]
mod read_tally;
#[cfg(test)]
mod replica;
#[cfg(test)]
mod sign_in_race;
#[cfg(test)]
mod silence;
#[cfg(test)]
mod unit_of_work;
#[cfg(test)]
mod use_case_race;
