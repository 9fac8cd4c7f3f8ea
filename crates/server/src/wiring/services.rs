//! Services of aggregates, for pages and for operator commands.

use super::{SharedClock, Store};
use crate::settings::Settings;
use application::audit::AuditTrail;
use application::mail::QueueMail;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::ports::system::Entropy;
use domain::passkey::RelyingParty;
use std::sync::Arc;
use system_adapter::AwsLcPasskeyVerifier;

impl Store {
    /// Returns the store of services, which record what they change.
    pub(crate) fn audited(
        &self,
        entropy: &Arc<dyn Entropy>,
        clock: &SharedClock,
    ) -> application::store::Store {
        let trail = AuditTrail::new(entropy.clone(), clock.clone());
        application::store::Store { units: self.units.clone(), trail }
    }
}

/// Wires passkeys; without a relying party browsers offer none.
pub(crate) fn passkeys(
    store: &Store,
    audited: application::store::Store,
    settings: &Settings,
    relying_party: Option<RelyingParty>,
    mail: Option<QueueMail>,
) -> Passkeys {
    Passkeys {
        store: audited,
        reader: store.passkeys.clone(),
        failures: store.failures.clone(),
        verifier: Arc::new(AwsLcPasskeyVerifier),
        relying_party,
        ceremony_limit: settings.accounts.app_request_limit(),
        sign_in_limits: settings.accounts.sign_in_limits(),
        policy: settings.accounts.second_factor.into(),
        mail,
    }
}

/// Wires personal access tokens.
pub(crate) fn personal_tokens(store: &Store, audited: application::store::Store) -> PersonalTokens {
    PersonalTokens { store: audited, reader: store.personal_tokens.clone() }
}
