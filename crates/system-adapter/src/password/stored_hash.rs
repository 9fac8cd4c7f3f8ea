//! Stored hashes with their own parameters.

use super::memory::HashMemory;
use super::parameters::{HASH_BYTES, HashParameters, SALT_BYTES, cost_kib};
use crate::entropy;
use application::ports::system::PasswordHashingError;
use argon2::password_hash::phc;
use argon2::{ARGON2ID_IDENT, Algorithm, Argon2, Params, Version};
use domain::password::{Password, PasswordHash};

/// Maximum number of lanes of a stored hash.
const MAX_LANES: u32 = 16;

/// A stored argon2id hash with acceptable cost.
#[derive(Clone)]
pub(super) struct StoredHash {
    parsed: phc::PasswordHash,
    params: Params,
}

impl StoredHash {
    /// Parses a stored hash. Only argon2id within the bounds of [`HashParameters`] is ever written; anything
    /// else was put there to stall the server.
    pub(super) fn parse(stored: &PasswordHash) -> Result<Self, PasswordHashingError> {
        let parsed = phc::PasswordHash::new(stored.as_phc()).map_err(|_| PasswordHashingError::Failed)?;
        let is_argon2id = parsed.algorithm == ARGON2ID_IDENT && parsed.version == Some(Version::V0x13.into());
        let params = Params::try_from(&parsed).map_err(|_| PasswordHashingError::Failed)?;
        let is_affordable = params.m_cost() <= *HashParameters::MEMORY_KIB.end()
            && params.t_cost() <= *HashParameters::ITERATIONS.end()
            && params.p_cost() <= MAX_LANES
            && cost_kib(params.m_cost(), params.t_cost()) <= HashParameters::MAX_WORK_KIB;
        let is_whole = parsed.salt.is_some() && parsed.hash.is_some();
        if is_argon2id && is_affordable && is_whole {
            Ok(Self { parsed, params })
        } else {
            Err(PasswordHashingError::Failed)
        }
    }

    /// Creates a random hash that matches no password.
    pub(super) fn of_nobody(parameters: HashParameters) -> Result<Self, PasswordHashingError> {
        let params = parameters.to_argon2().map_err(|_| PasswordHashingError::Failed)?;
        let salt =
            phc::Salt::new(&entropy::draw::<SALT_BYTES>()).map_err(|_| PasswordHashingError::Failed)?;
        let hash =
            phc::Output::new(&entropy::draw::<HASH_BYTES>()).map_err(|_| PasswordHashingError::Failed)?;
        Self::assemble(params, salt, hash)
    }

    fn assemble(params: Params, salt: phc::Salt, hash: phc::Output) -> Result<Self, PasswordHashingError> {
        let parsed = phc::PasswordHash {
            algorithm: ARGON2ID_IDENT,
            version: Some(Version::V0x13.into()),
            params: phc::ParamsString::try_from(&params).map_err(|_| PasswordHashingError::Failed)?,
            salt: Some(salt),
            hash: Some(hash),
        };
        Ok(Self { parsed, params })
    }

    /// Returns the parameters as in the text form.
    #[cfg(test)]
    pub(super) fn parameters_text(&self) -> String {
        self.parsed.params.to_string()
    }

    /// Returns whether a password matches, in the time that the hash's own parameters take.
    pub(super) fn matches(
        &self,
        password: &Password,
        memory: &mut HashMemory,
    ) -> Result<bool, PasswordHashingError> {
        let salt = self.parsed.salt.as_ref().ok_or(PasswordHashingError::Failed)?;
        let computed = compute(password, salt, &self.params, memory)?;
        // Compared in constant time.
        Ok(self.parsed.hash == Some(computed))
    }

    /// Returns whether any parameter is weaker than today's (security.md T86).
    pub(super) fn is_weaker_than(&self, today: HashParameters) -> bool {
        self.params.m_cost() < today.memory_kib()
            || self.params.t_cost() < today.iterations()
            || self.parsed.salt.is_none_or(|salt| salt.len() < SALT_BYTES)
            || self.parsed.hash.is_none_or(|hash| hash.len() < HASH_BYTES)
    }
}

/// Hashes a password with a fresh salt.
pub(super) fn hash(
    password: &Password,
    parameters: HashParameters,
    memory: &mut HashMemory,
) -> Result<PasswordHash, PasswordHashingError> {
    let params = parameters.to_argon2().map_err(|_| PasswordHashingError::Failed)?;
    let salt = phc::Salt::new(&entropy::draw::<SALT_BYTES>()).map_err(|_| PasswordHashingError::Failed)?;
    let output = compute(password, &salt, &params, memory)?;
    let hash = StoredHash::assemble(params, salt, output)?;
    Ok(PasswordHash::from_phc(hash.parsed.to_string()))
}

/// Computes argon2id in this memory.
fn compute(
    password: &Password,
    salt: &phc::Salt,
    params: &Params,
    memory: &mut HashMemory,
) -> Result<phc::Output, PasswordHashingError> {
    let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params.clone());
    let mut buffer = [0; phc::Output::MAX_LENGTH];
    let length = params.output_len().unwrap_or(HASH_BYTES);
    let output = buffer.get_mut(..length).ok_or(PasswordHashingError::Failed)?;
    let password = password.expose().as_bytes();
    memory
        .with_blocks(params.block_count(), |blocks| {
            argon2.hash_password_into_with_memory(password, salt, output, blocks)
        })?
        .map_err(|_| PasswordHashingError::Failed)?;
    phc::Output::new(output).map_err(|_| PasswordHashingError::Failed)
}
