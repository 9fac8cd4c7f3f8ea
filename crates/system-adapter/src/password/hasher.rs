//! The hashing port, with argon2id.

use super::gate::{HashingGate, HashingLimits};
use super::memory::HashMemoryPool;
use super::parameters::HashParameters;
use super::stored_hash::{self, StoredHash};
use application::ports::system::{PasswordCheck, PasswordHasher, PasswordHashingError};
use async_trait::async_trait;
use domain::password::{Password, PasswordHash};
use std::sync::Arc;

/// Hashes with argon2id (RFC 9106), on threads that may block, never more than a few at a time.
pub struct Argon2PasswordHasher {
    parameters: HashParameters,
    /// What is checked for a person who has no hash. It costs what a hash of today costs; only until everybody who
    /// had a weaker one has signed in again does the time of a check tell one from the other.
    nobody: StoredHash,
    gate: HashingGate,
    memory: Arc<HashMemoryPool>,
}

impl Argon2PasswordHasher {
    /// Makes a hasher with the parameters of today.
    pub fn new(parameters: HashParameters, limits: HashingLimits) -> Result<Self, PasswordHashingError> {
        let nobody = StoredHash::of_nobody(parameters)?;
        Ok(Self { parameters, nobody, gate: HashingGate::new(limits), memory: Arc::default() })
    }
}

#[async_trait]
impl PasswordHasher for Argon2PasswordHasher {
    async fn hash(&self, password: &Password) -> Result<PasswordHash, PasswordHashingError> {
        // The copy goes with the work, which may outlive the request; it wipes itself.
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
