//! Creates the secret of an authenticator app that a person sets up.

use crate::ports::storage::StorageError;
use crate::ports::system::{Clock, Entropy, TotpEnrolment, TotpSealer};
use chrono::TimeDelta;
use derive_more::Constructor;
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
#[derive(Constructor)]
pub struct BeginSetUp {
    sealer: Arc<dyn TotpSealer>,
    entropy: Arc<dyn Entropy>,
    clock: Arc<dyn Clock>,
}

impl BeginSetUp {
    /// Returns a new secret for this user. `shown` is the secret of a form that was submitted with an error.
    /// It is shown again, because the person's app already has it.
    pub fn run(&self, user_id: UserId, shown: Option<&str>) -> Result<NewAuthenticator, StorageError> {
        let now = self.clock.now();
        let shown = shown.and_then(|text| Some((self.sealer.open_enrolment(user_id, text)?, text)));
        if let Some((TotpEnrolment { secret, expires_at }, text)) = shown
            && now < expires_at
        {
            return Ok(NewAuthenticator { secret, enrolment: text.to_owned() });
        }
        let secret = TotpSecret::from_bytes(&self.entropy.secret_bytes());
        let expires_at = now + TimeDelta::minutes(SET_UP_MINUTES);
        let enrolment = TotpEnrolment { secret: secret.clone(), expires_at };
        let enrolment = self.sealer.seal_enrolment(user_id, &enrolment);
        let enrolment = enrolment.map_err(|error| StorageError::Internal(Box::new(error)))?;
        Ok(NewAuthenticator { secret, enrolment })
    }
}
