//! The hashing port with argon2id.

use super::gate::{HashingGate, HashingLimits};
use super::memory::{HashMemory, HashMemoryPool};
use super::parameters::HashParameters;
use super::stored_hash::{self, StoredHash};
use application::ports::system::{PasswordCheck, PasswordHasher, PasswordHashingError};
use async_trait::async_trait;
use domain::password::{Password, PasswordHash};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Measurements, of which the fastest counts: the first one maps the memory, and any may be disturbed.
const MEASUREMENTS: usize = 2;

/// Hashes with argon2id (RFC 9106) on blocking threads, a few at a time.
pub struct Argon2PasswordHasher {
    parameters: HashParameters,
    /// Checked for a person without a password hash, at the cost of a current hash. Until everybody with
    /// weaker parameters has signed in again, the time of a check may reveal whether an account exists.
    nobody: StoredHash,
    gate: HashingGate,
    memory: Arc<HashMemoryPool>,
}

impl Argon2PasswordHasher {
    /// Creates a hasher with the current parameters.
    pub fn new(parameters: HashParameters, limits: HashingLimits) -> Result<Self, PasswordHashingError> {
        let nobody = StoredHash::of_nobody(parameters)?;
        Ok(Self { parameters, nobody, gate: HashingGate::new(limits), memory: Arc::default() })
    }

    /// Measures one hash with these parameters on this machine.
    pub fn time_of_hash(parameters: HashParameters) -> Result<Duration, PasswordHashingError> {
        let password =
            Password::parse("a password to measure with").map_err(|_| PasswordHashingError::Failed)?;
        let mut memory = HashMemory::default();
        let mut fastest = Duration::MAX;
        for _ in 0..MEASUREMENTS {
            let started = Instant::now();
            stored_hash::hash(&password, parameters, &mut memory)?;
            fastest = fastest.min(started.elapsed());
        }
        Ok(fastest)
    }
}

#[async_trait]
impl PasswordHasher for Argon2PasswordHasher {
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError> {
        // The job may outlive the request; its copy of the password wipes itself.
        let (password, parameters) = (password.clone(), self.parameters);
        let memory = Arc::clone(&self.memory);
        self.gate.run(move || memory.lend(|memory| stored_hash::hash(&password, parameters, memory))).await?
    }

    async fn check<'a>(
        &self,
        password: &'a Password,
        stored: Option<&'a PasswordHash>,
    ) -> Result<PasswordCheck, PasswordHashingError> {
        let known = stored.map(StoredHash::parse).transpose()?;
        let is_somebody = known.is_some();
        let checked = known.unwrap_or_else(|| self.nobody.clone());
        let (password, today) = (password.clone(), self.parameters);
        let memory = Arc::clone(&self.memory);
        self.gate
            .run(move || {
                let is_right = memory.lend(|memory| checked.matches(&password, memory))? && is_somebody;
                Ok(PasswordCheck { is_right, is_outdated: checked.is_weaker_than(today) })
            })
            .await?
    }
}

#[cfg(test)]
mod tests;
