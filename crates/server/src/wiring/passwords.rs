//! Passwords and links to choose them, for pages and for operator commands.

use super::Store;
use crate::settings::Settings;
use application::account::{PasswordCheckpoint, PasswordLinks, Passwords};
use application::mail::QueueMail;
use application::ports::system::{PasswordHasher, PasswordStrengthChecker};
use std::sync::Arc;

/// Wires checks of passwords.
pub(crate) fn checkpoint(
    store: &Store,
    audited: application::store::Store,
    settings: &Settings,
    hasher: Arc<dyn PasswordHasher>,
) -> PasswordCheckpoint {
    PasswordCheckpoint {
        store: audited,
        credentials: store.credentials.clone(),
        hasher,
        failures: store.failures.clone(),
        limits: settings.accounts.sign_in_limits(),
    }
}

/// Wires passwords without email, because the operator's commands send none.
pub(crate) fn passwords(
    store: &Store,
    settings: &Settings,
    checkpoint: PasswordCheckpoint,
    strength_checker: Arc<dyn PasswordStrengthChecker>,
) -> Passwords {
    Passwords {
        checkpoint,
        links: store.password_links.clone(),
        profiles: store.profiles.clone(),
        strength_checker,
        policy: settings.accounts.second_factor.into(),
        mail: None,
    }
}

/// Wires password links.
pub(crate) fn password_links(
    store: &Store,
    audited: application::store::Store,
    settings: &Settings,
    mail: Option<QueueMail>,
) -> PasswordLinks {
    PasswordLinks {
        store: audited,
        reader: store.password_links.clone(),
        failures: store.failures.clone(),
        limits: settings.accounts.link_limits(),
        is_sign_up_open: settings.accounts.sign_up_open,
        mail,
    }
}
