//! Hashing and judging of passwords.

use crate::settings::Settings;
use anyhow::Context;
use application::ports::system::{PasswordHasher, PasswordStrengthChecker};
use http_adapter::Operator;
use std::sync::Arc;
use system_adapter::{Argon2PasswordHasher, ZxcvbnStrengthChecker};

/// Creates a hasher with the parameters of the settings.
pub(crate) fn password_hasher(settings: &Settings) -> anyhow::Result<Arc<dyn PasswordHasher>> {
    let (parameters, limits) = (settings.passwords.parameters()?, settings.passwords.limits());
    let hasher = Argon2PasswordHasher::new(parameters, limits).context("passwords cannot be hashed")?;
    Ok(Arc::new(hasher))
}

/// Returns the strength checker of new passwords, which knows the names of the operator.
pub(crate) fn password_strength_checker(settings: &Settings) -> Arc<dyn PasswordStrengthChecker> {
    let Operator { name, contact } = settings.server.operator();
    let public_url = settings.server.public_url(settings.server.listen).ok().map(|url| url.to_string());
    Arc::new(ZxcvbnStrengthChecker::new([name, contact, public_url].into_iter().flatten().collect()))
}
