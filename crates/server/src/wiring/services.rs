//! Services of aggregates, for pages and for operator commands.

use super::{SharedClock, Store};
use crate::settings::Settings;
use application::account::Sessions;
use application::audit::AuditTrail;
use application::client::Clients;
use application::code::Codes;
use application::grant::Grants;
use application::import::Imports;
use application::intake::Intakes;
use application::mail::QueueMail;
use application::night::Nights;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::ports::system::TotpSealer;
use application::profile::Profiles;
use application::sandbox::SandboxPeople;
use application::second_factor::SecondFactors;
use application::upload::Uploads;
use domain::passkey::RelyingParty;
use std::sync::Arc;
use system_adapter::{AwsLcPasskeyVerifier, SystemEntropy};

impl Store {
    /// Returns the store of services, which record what they change.
    pub(crate) fn audited(&self, clock: &SharedClock) -> application::store::Store {
        let trail = AuditTrail::new(Arc::new(SystemEntropy), clock.clone());
        application::store::Store { units: self.units.clone(), trail }
    }
}

/// Wires clients.
pub(crate) fn clients(store: &Store, audited: application::store::Store, settings: &Settings) -> Clients {
    Clients {
        store: audited,
        reader: store.clients.clone(),
        grants: store.grants.clone(),
        usage: store.client_usage.clone(),
        limits: settings.rate_limits.daily_limits(),
    }
}

/// Wires codes that are issued without a browser.
pub(crate) fn codes(store: &Store, audited: application::store::Store) -> Codes {
    Codes { store: audited, clients: store.clients.clone() }
}

/// Wires grants.
pub(crate) fn grants(store: &Store, audited: application::store::Store) -> Grants {
    Grants { store: audited, reader: store.grants.clone(), apps: store.connected_apps.clone() }
}

/// Wires stored imports.
pub(crate) fn imports(store: &Store, audited: application::store::Store) -> Imports {
    Imports { store: audited, reader: store.imports.clone(), profiles: store.profiles.clone() }
}

/// Wires intakes and custom products.
pub(crate) fn intakes(store: &Store, audited: application::store::Store) -> Intakes {
    Intakes { store: audited, reader: store.supplements.clone() }
}

/// Wires nights.
pub(crate) fn nights(store: &Store, audited: application::store::Store) -> Nights {
    Nights { store: audited, reader: store.sleep.clone(), imports: store.imports.clone() }
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

/// Wires profiles.
pub(crate) fn profiles(store: &Store, audited: application::store::Store) -> Profiles {
    Profiles { store: audited, reader: store.profiles.clone() }
}

/// Wires sandbox people.
pub(crate) fn sandbox_people(store: &Store, audited: application::store::Store) -> SandboxPeople {
    SandboxPeople { store: audited, reader: store.sandbox.clone() }
}

/// Wires second factors.
pub(crate) fn second_factors(
    store: &Store,
    audited: application::store::Store,
    settings: &Settings,
    sealer: Arc<dyn TotpSealer>,
    mail: Option<QueueMail>,
) -> SecondFactors {
    let policy = settings.accounts.second_factor.into();
    SecondFactors { store: audited, reader: store.second_factors.clone(), sealer, policy, mail }
}

/// Wires sessions.
pub(crate) fn sessions(store: &Store, audited: application::store::Store, settings: &Settings) -> Sessions {
    Sessions {
        store: audited,
        reader: store.sessions.clone(),
        lifetime: settings.sessions.lifetime(),
        policy: settings.accounts.second_factor.into(),
        is_recording: Arc::default(),
    }
}

/// Wires uploads; `None` if they are disabled.
pub(super) fn uploads(audited: application::store::Store, settings: &Settings) -> Option<Uploads> {
    settings.uploads.enabled.then(|| Uploads { store: audited, limits: settings.uploads.limits() })
}
