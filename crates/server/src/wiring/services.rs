//! Services of aggregates, for the server and for operator commands.

use super::{IfMissing, SharedClock, Store, explained, refusal};
use crate::settings::{PublicUrl, Settings};
use anyhow::{Context, bail};
use application::account::{PasswordCheckpoint, PasswordLinks, Passwords};
use application::audit::ListReads;
use application::client::Clients;
use application::code::Codes;
use application::export::ExportRecords;
use application::grant::Grants;
use application::import::{ImportRecords, Imports};
use application::mail::QueueMail;
use application::passkey::Passkeys;
use application::personal_token::PersonalTokens;
use application::ports::system::{PasswordHasher, PasswordStrengthChecker};
use application::record::RecordServices;
use application::sandbox::SandboxPeople;
use application::session::Sessions;
use application::store::AuditTrail;
use application::webhook::Webhooks;
use domain::outbound::OutboundPolicy;
use domain::passkey::RelyingParty;
use http_adapter::Operator;
use std::sync::Arc;
use system_adapter::{
    Argon2PasswordHasher, AwsLcPasskeyVerifier, EncryptedWebhookSigner, EncryptionKey, SystemEntropy,
    TimerPause, ZxcvbnStrengthChecker,
};

/// A store, the settings and a clock, and the services on them.
pub(crate) struct Services {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) public_url: PublicUrl,
    pub(crate) clock: SharedClock,
}

impl Services {
    /// Opens the store of the settings, which must exist and be migrated.
    pub(crate) async fn open(settings: Settings, clock: SharedClock) -> anyhow::Result<Self> {
        let store = Store::open(&settings, IfMissing::Refuse).await?;
        let place = settings.storage.place()?;
        let state = store.schema.state().await.map_err(|error| explained(store.schema.as_ref(), error));
        let state = state.with_context(|| format!("{place} is not responding"))?;
        if let Some(sentence) = refusal(&state) {
            bail!("{place}: {sentence}");
        }
        store.check_clock().await.with_context(|| place.to_string())?;
        Ok(Self { public_url: settings.server.public_url()?, store, settings, clock })
    }

    /// Returns the store of services, which record what they change.
    pub(crate) fn audited(&self) -> application::store::Store {
        let trail = AuditTrail::new(Arc::new(SystemEntropy), self.clock.clone());
        application::store::Store { units: self.store.units.clone(), trail }
    }

    /// Creates a hasher with the parameters of the settings.
    pub(crate) fn password_hasher(&self) -> anyhow::Result<Arc<dyn PasswordHasher>> {
        let (parameters, limits) = (self.settings.passwords.parameters()?, self.settings.passwords.limits());
        let hasher = Argon2PasswordHasher::new(parameters, limits).context("passwords cannot be hashed")?;
        Ok(Arc::new(hasher))
    }

    /// Returns the strength checker of new passwords, which knows the names of the operator.
    pub(crate) fn password_strength_checker(&self) -> Arc<dyn PasswordStrengthChecker> {
        let Operator { name, contact } = self.settings.server.operator();
        let public_url = Some(self.public_url.to_string());
        Arc::new(ZxcvbnStrengthChecker::new([name, contact, public_url].into_iter().flatten().collect()))
    }

    /// Returns which hosts this server may call: its own machine only if it is on loopback itself.
    pub(crate) const fn outbound_policy(&self) -> OutboundPolicy {
        OutboundPolicy {
            allow_loopback: self.public_url.is_loopback(),
            allow_private_networks: self.settings.outbound.allow_private_networks,
        }
    }

    pub(crate) fn checkpoint(&self, hasher: Arc<dyn PasswordHasher>) -> PasswordCheckpoint {
        PasswordCheckpoint {
            store: self.audited(),
            credentials: self.store.credentials.clone(),
            hasher,
            failures: self.store.failures.clone(),
            limits: self.settings.accounts.sign_in_limits(),
        }
    }

    /// Wires passwords; operator commands send no email about them.
    pub(crate) fn passwords(&self, hasher: Arc<dyn PasswordHasher>, mail: Option<QueueMail>) -> Passwords {
        Passwords {
            checkpoint: self.checkpoint(hasher),
            links: self.store.password_links.clone(),
            profiles: self.store.profiles.clone(),
            strength_checker: self.password_strength_checker(),
            policy: self.settings.accounts.second_factor.into(),
            mail,
        }
    }

    pub(crate) fn password_links(&self, mail: Option<QueueMail>) -> PasswordLinks {
        PasswordLinks {
            store: self.audited(),
            reader: self.store.password_links.clone(),
            failures: self.store.failures.clone(),
            limits: self.settings.accounts.link_limits(),
            is_sign_up_open: self.settings.accounts.sign_up_open,
            mail,
        }
    }

    pub(crate) fn clients(&self) -> Clients {
        Clients {
            store: self.audited(),
            reader: self.store.clients.clone(),
            grants: self.store.grants.clone(),
            usage: self.store.client_usage.clone(),
            limits: self.settings.rate_limits.daily_limits(),
        }
    }

    pub(crate) fn codes(&self) -> Codes {
        Codes { store: self.audited(), clients: self.store.clients.clone() }
    }

    pub(crate) fn export_records(&self) -> ExportRecords {
        ExportRecords::new(self.store.record_readers(), Arc::new(TimerPause), self.audited())
    }

    pub(crate) fn grants(&self) -> Grants {
        Grants {
            store: self.audited(),
            reader: self.store.grants.clone(),
            apps: self.store.connected_apps.clone(),
        }
    }

    pub(crate) fn import_records(&self) -> ImportRecords {
        ImportRecords { store: self.audited(), pause: None }
    }

    pub(crate) fn imports(&self) -> Imports {
        Imports {
            store: self.audited(),
            reader: self.store.imports.clone(),
            profiles: self.store.profiles.clone(),
        }
    }

    pub(crate) fn list_reads(&self) -> ListReads {
        let Store { read_tallies, clients, personal_tokens, .. } = &self.store;
        ListReads::new(read_tallies.clone(), clients.clone(), personal_tokens.clone())
    }

    /// Wires passkeys; without a relying party browsers offer none.
    pub(crate) fn passkeys(&self, relying_party: Option<RelyingParty>, mail: Option<QueueMail>) -> Passkeys {
        Passkeys {
            store: self.audited(),
            reader: self.store.passkeys.clone(),
            failures: self.store.failures.clone(),
            verifier: Arc::new(AwsLcPasskeyVerifier),
            relying_party,
            ceremony_limit: self.settings.accounts.app_request_limit(),
            sign_in_limits: self.settings.accounts.sign_in_limits(),
            policy: self.settings.accounts.second_factor.into(),
            mail,
        }
    }

    pub(crate) fn personal_tokens(&self) -> PersonalTokens {
        PersonalTokens { store: self.audited(), reader: self.store.personal_tokens.clone() }
    }

    pub(super) fn record_services(&self) -> RecordServices {
        RecordServices::new(&self.audited(), self.store.record_readers(), self.store.imports.clone())
    }

    pub(crate) fn sandbox_people(&self) -> SandboxPeople {
        SandboxPeople { store: self.audited(), reader: self.store.sandbox.clone() }
    }

    pub(crate) fn sessions(&self) -> Sessions {
        Sessions {
            store: self.audited(),
            reader: self.store.sessions.clone(),
            lifetime: self.settings.sessions.lifetime(),
            policy: self.settings.accounts.second_factor.into(),
            is_recording: Arc::default(),
        }
    }

    /// Wires webhook endpoints; the key opens their secrets.
    pub(crate) fn webhooks(&self, encryption_key: EncryptionKey) -> Webhooks {
        Webhooks {
            store: self.audited(),
            reader: self.store.webhooks.clone(),
            clients: self.store.clients.clone(),
            failures: self.store.failures.clone(),
            signer: Arc::new(EncryptedWebhookSigner::new(encryption_key)),
            policy: self.outbound_policy(),
        }
    }
}
