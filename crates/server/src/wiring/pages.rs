//! Services and use cases of the pages.

use super::Store;
use super::mail::MailParts;
use super::passwords::{checkpoint, password_links, passwords};
use super::services::{
    clients, codes, grants, imports, intakes, nights, passkeys, personal_tokens, profiles, sandbox_people,
    second_factors, sessions, uploads,
};
use super::webhooks::{outbound_policy, webhooks};
use crate::settings::{PublicUrl, Settings};
use application::account::{PasswordCheckpoint, Passwords, SignIns};
use application::audit::{ListActivity, ListReads};
use application::authorization::Authorizations;
use application::erasure::Erasures;
use application::mail::QueueMail;
use application::passkey::Passkeys;
use application::ports::system::{
    Clock, Fetcher, FormSealer, PasswordHasher, PasswordStrengthChecker, TotpSealer, WebhookSigner,
};
use application::second_factor::SecondFactors;
use application::webhook::Webhooks;
use http_adapter::{ExportUseCases, HttpState};
use import_adapter::Format;
use outbound_adapter::MetadataReader;
use page_adapter::{DeveloperServices, PageState};
use std::sync::Arc;

/// Dependencies of the page use cases.
pub(super) struct PageParts<'a> {
    pub(super) store: &'a Store,
    pub(super) settings: &'a Settings,
    pub(super) public_url: &'a PublicUrl,
    pub(super) hasher: Arc<dyn PasswordHasher>,
    pub(super) strength_checker: Arc<dyn PasswordStrengthChecker>,
    pub(super) totp_sealer: Arc<dyn TotpSealer>,
    pub(super) form_sealer: Arc<dyn FormSealer>,
    pub(super) webhook_signer: Arc<dyn WebhookSigner>,
    pub(super) mail: Option<&'a MailParts>,
    pub(super) fetcher: Arc<dyn Fetcher>,
    pub(super) clock: Arc<dyn Clock>,
}

impl PageParts<'_> {
    /// Wires the use cases of the pages.
    pub(super) fn state(&self, http: Arc<HttpState>, export: Arc<ExportUseCases>) -> PageState {
        let Self { store, settings, .. } = self;
        PageState {
            http,
            store: self.audited(),
            profiles: profiles(store, self.audited()),
            intakes: intakes(store, self.audited()),
            authorizations: self.authorizations(),
            sign_ins: self.sign_ins(),
            second_factors: self.second_factors(),
            sessions: sessions(store, self.audited(), settings),
            passwords: self.passwords(),
            password_links: password_links(store, self.audited(), settings, self.queue_mail()),
            nights: nights(store, self.audited()),
            grants: grants(store, self.audited()),
            personal_tokens: personal_tokens(store, self.audited()),
            developer: self.developer(),
            passkeys: self.passkeys(),
            list_activity: self.list_activity(),
            imports: imports(store, self.audited()),
            export,
            erasures: Erasures { store: self.audited() },
            upload_formats: Format::uploads(),
            uploads: uploads(self.audited(), settings),
        }
    }

    fn list_activity(&self) -> ListActivity {
        let Store { read_tallies, clients, personal_tokens, audit, .. } = self.store;
        let reads = ListReads::new(read_tallies.clone(), clients.clone(), personal_tokens.clone());
        ListActivity::new(reads, audit.clone())
    }

    fn developer(&self) -> Option<DeveloperServices> {
        self.settings.developers.self_service.then(|| DeveloperServices {
            clients: clients(self.store, self.audited(), self.settings),
            webhooks: self.webhooks(),
            people: sandbox_people(self.store, self.audited()),
            codes: codes(self.store, self.audited()),
        })
    }

    fn webhooks(&self) -> Webhooks {
        let policy = outbound_policy(self.settings, self.public_url);
        webhooks(self.store, self.audited(), self.webhook_signer.clone(), policy)
    }

    fn audited(&self) -> application::store::Store {
        self.store.audited(&self.clock)
    }

    fn passkeys(&self) -> Passkeys {
        passkeys(
            self.store,
            self.audited(),
            self.settings,
            self.public_url.relying_party(),
            self.queue_mail(),
        )
    }

    fn authorizations(&self) -> Authorizations {
        Authorizations {
            store: self.audited(),
            requests: self.store.authorization_requests.clone(),
            clients: self.store.clients.clone(),
            apps: self.store.connected_apps.clone(),
            failures: self.store.failures.clone(),
            anonymous_requests: self.settings.accounts.app_request_limit(),
            metadata: Arc::new(MetadataReader::new(self.fetcher.clone())),
            metadata_policy: self.settings.clients.metadata_policy(),
            issuer: self.public_url.to_string(),
        }
    }

    fn checkpoint(&self) -> PasswordCheckpoint {
        checkpoint(self.store, self.audited(), self.settings, self.hasher.clone())
    }

    fn sign_ins(&self) -> SignIns {
        SignIns {
            checkpoint: self.checkpoint(),
            pending: self.store.pending_sign_ins.clone(),
            totp_sealer: self.totp_sealer.clone(),
            form_sealer: self.form_sealer.clone(),
            policy: self.settings.accounts.second_factor.into(),
            mail: self.queue_mail(),
        }
    }

    fn second_factors(&self) -> SecondFactors {
        let sealer = self.totp_sealer.clone();
        second_factors(self.store, self.audited(), self.settings, sealer, self.queue_mail())
    }

    fn passwords(&self) -> Passwords {
        let checker = self.strength_checker.clone();
        let wired = passwords(self.store, self.settings, self.checkpoint(), checker);
        Passwords { mail: self.queue_mail(), ..wired }
    }

    fn queue_mail(&self) -> Option<QueueMail> {
        self.mail.map(|mail| mail.queue.clone())
    }
}
