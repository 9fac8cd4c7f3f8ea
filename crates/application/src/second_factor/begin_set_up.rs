//! Creates the secret of an authenticator app that a person sets up.

use crate::ports::storage::StorageError;
use crate::ports::system::{Clock, Entropy, TotpEnrolment, TotpVault};
use chrono::TimeDelta;
use domain::id::UserId;
use domain::second_factor::TotpSecret;
use std::sync::Arc;

/// Time to install an app and enter the first code.
const SET_UP_MINUTES: i64 = 20;

/// A new secret, which is not stored.
#[derive(Debug, Clone)]
pub struct NewAuthenticator {
    /// The secret, to show to the person.
    pub secret: TotpSecret,
    /// The secret for the form, encrypted.
    pub enrolment: String,
}

/// Creates secrets.
pub struct BeginSetUp {
    vault: Arc<dyn TotpVault>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl BeginSetUp {
    /// Creates the use case.
    pub fn new(vault: Arc<dyn TotpVault>, entropy: Arc<dyn Entropy>, clock: Arc<dyn Clock>) -> Self {
        Self { vault, entropy, clock }
    }

    /// Returns a new secret for this user. `shown` is that of a form that was submitted with an error: it is
    /// shown again, because the person's app has it already.
    pub fn run(&self, user_id: UserId, shown: Option<&str>) -> Result<NewAuthenticator, StorageError> {
        let now = self.clock.now();
        let shown = shown.and_then(|text| Some((self.vault.open_enrolment(user_id, text)?, text)));
        if let Some((TotpEnrolment { secret, expires_at }, text)) = shown
            && now < expires_at
        {
            return Ok(NewAuthenticator { secret, enrolment: text.to_owned() });
        }
        let secret = TotpSecret::from_bytes(&self.entropy.secret_bytes());
        let expires_at = now + TimeDelta::minutes(SET_UP_MINUTES);
        let enrolment = TotpEnrolment { secret: secret.clone(), expires_at };
        let enrolment = self.vault.seal_enrolment(user_id, &enrolment);
        let enrolment = enrolment.map_err(|error| StorageError::Internal(Box::new(error)))?;
        Ok(NewAuthenticator { secret, enrolment })
    }
}
