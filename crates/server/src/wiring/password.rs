//! Hashing and judging of passwords.

use crate::settings::Settings;
use anyhow::Context;
use application::ports::system::{PasswordHasher, PasswordStrengthChecker};
use std::sync::Arc;
use system_adapter::{Argon2PasswordHasher, ZxcvbnStrengthChecker};

/// Creates a hasher with the parameters of the settings.
pub(crate) fn password_hasher(settings: &Settings) -> anyhow::Result<Arc<dyn PasswordHasher>> {
    let (parameters, limits) = (settings.passwords.parameters()?, settings.passwords.limits());
    let hasher = Argon2PasswordHasher::new(parameters, limits).context("passwords cannot be hashed")?;
    Ok(Arc::new(hasher))
}

/// Returns the strength checker of new passwords.
pub(crate) fn password_strength_checker() -> Arc<dyn PasswordStrengthChecker> {
    Arc::new(ZxcvbnStrengthChecker)
}
