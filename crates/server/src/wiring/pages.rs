//! Services and use cases of the pages.

use super::application::{ServerParts, guarded_fetcher};
use application::account::SignIns;
use application::audit::ListActivity;
use application::authorization::Authorizations;
use application::erasure::Erasures;
use application::profile::Profiles;
use application::second_factor::SecondFactors;
use application::upload::Uploads;
use http_adapter::{ExportUseCases, HttpState};
use import_adapter::Format;
use outbound_adapter::MetadataReader;
use page_adapter::{DeveloperServices, PageState};
use std::sync::Arc;
use system_adapter::{EncryptedFormSealer, EncryptedTotpSealer};

impl ServerParts<'_> {
    /// Wires the use cases of the pages.
    pub(super) fn pages(&self, http: Arc<HttpState>, export: Arc<ExportUseCases>) -> PageState {
        let (services, store, settings) = (self.services, &self.services.store, &self.services.settings);
        let audited = || services.audited();
        let mail = || self.mail.map(|mail| mail.queue.clone());
        let totp_sealer = Arc::new(EncryptedTotpSealer::new(self.encryption_key.clone()));
        let policy = settings.accounts.second_factor.into();
        PageState {
            http,
            store: audited(),
            profiles: Profiles { store: audited(), reader: store.profiles.clone() },
            records: services.record_services(),
            authorizations: self.authorizations(),
            sign_ins: SignIns {
                checkpoint: services.checkpoint(self.hasher.clone()),
                pending: store.pending_sign_ins.clone(),
                totp_sealer: totp_sealer.clone(),
                form_sealer: Arc::new(EncryptedFormSealer::new(self.encryption_key.clone())),
                policy,
                mail: mail(),
            },
            second_factors: SecondFactors {
                store: audited(),
                reader: store.second_factors.clone(),
                sealer: totp_sealer,
                policy,
                mail: mail(),
            },
            sessions: services.sessions(),
            passwords: services.passwords(self.hasher.clone(), mail()),
            password_links: services.password_links(mail()),
            grants: services.grants(),
            personal_tokens: services.personal_tokens(),
            developer: settings.developers.self_service.then(|| DeveloperServices {
                clients: services.clients(),
                webhooks: services.webhooks(self.encryption_key.clone()),
                people: services.sandbox_people(),
                codes: services.codes(),
            }),
            passkeys: services.passkeys(services.public_url.relying_party(), mail()),
            list_activity: ListActivity::new(services.list_reads(), store.audit.clone()),
            imports: services.imports(),
            export,
            erasures: Erasures { store: audited() },
            upload_formats: Format::uploads(),
            uploads: settings
                .uploads
                .enabled
                .then(|| Uploads { store: audited(), limits: settings.uploads.limits() }),
        }
    }

    fn authorizations(&self) -> Authorizations {
        let (services, store, settings) = (self.services, &self.services.store, &self.services.settings);
        // Separate, so that slow webhooks do not delay sign-ins.
        let fetcher = guarded_fetcher(services.outbound_policy().for_unreviewed());
        Authorizations {
            store: services.audited(),
            requests: store.authorization_requests.clone(),
            clients: store.clients.clone(),
            apps: store.connected_apps.clone(),
            failures: store.failures.clone(),
            anonymous_requests: settings.accounts.app_request_limit(),
            metadata: Arc::new(MetadataReader::new(fetcher)),
            metadata_policy: settings.clients.metadata_policy(),
            issuer: services.public_url.to_string(),
        }
    }
}
