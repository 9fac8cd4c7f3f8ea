//! The HTTP side over the use cases.

use super::KeyParts;
use super::RateLimits;
use super::Store;
use super::export::Writers;
use super::published_keys::PublishedKeys;
use super::services::{intakes, nights};
use crate::lifecycle::Readiness;
use crate::settings::{PublicUrl, Settings};
use crate::telemetry;
use application::access::{AccessPorts, AuthorizeAccess, TokenCheck};
use application::audit::{AuditTrail, ReadRecorder};
use application::client_usage::UsageRecorder;
use application::erasure::Erasures;
use application::export::{ExportReaders, ExportRecords};
use application::import::ingest::{IdempotentRequests, IngestRecords};
use application::ports::system::{Clock, Entropy};
use application::read::{ReadChanges, ReadIntake, ReadProfile, ReadSleep, ReadSupplements};
use application::token::{ClientAuthentication, Tokens};
use http_adapter::{
    Admission, ApiState, ExportUseCases, HttpSettings, HttpState, IngestUseCases, LogSuppression,
    UnnamedProxyWarning,
};
use import_adapter::JsonIngestParser;
use mcp_adapter::McpState;
use page_adapter::ERROR_PAGES;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system_adapter::{CachedAccessReader, TimerPause};

/// Dependencies of the handlers.
pub(super) struct HttpParts<'a> {
    pub(super) store: &'a Store,
    pub(super) settings: &'a Settings,
    pub(super) public_url: &'a PublicUrl,
    pub(super) keys: &'a KeyParts,
    pub(super) reads: ReadRecorder,
    pub(super) usage: UsageRecorder,
    pub(super) rate_limits: &'a RateLimits,
    pub(super) readiness: Arc<Readiness>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
}

impl HttpParts<'_> {
    /// Wires what the API and the pages share.
    pub(super) fn shared(&self) -> HttpState {
        let (request_ids, usage) = (self.entropy.clone(), self.usage.clone());
        let doctor_pass = self.keys.doctor_pass.clone();
        let process_start = Instant::now();
        HttpState {
            health: self.readiness.clone(),
            request_ids: Arc::new(move || request_ids.uuid()),
            elapsed_time: Arc::new(move || process_start.elapsed()),
            record_usage: Arc::new(move |request, status| usage.record(request, status)),
            trace: telemetry::trace_continuation(self.settings),
            admission: Admission::new(self.settings.server.admission_limits()),
            log_suppression: LogSuppression::default(),
            unnamed_proxy: UnnamedProxyWarning::default(),
            is_doctor_pass: Arc::new(move |pass| doctor_pass.is_valid(pass)),
            error_pages: ERROR_PAGES,
            settings: self.http_settings(),
        }
    }

    /// Wires the use cases of the API.
    pub(super) fn api(&self, http: Arc<HttpState>) -> ApiState {
        let (store, reads) = (self.store, &self.reads);
        ApiState {
            http,
            client_authentication: self.client_authentication(),
            tokens: Tokens {
                store: self.audited(),
                signer: self.keys.ring.clone(),
                check: self.token_check(),
                grants: store.grants.clone(),
                access: store.access.clone(),
                clients: store.clients.clone(),
                reads: reads.clone(),
            },
            ingest: self.ingest(),
            authorize_access: Arc::new(self.authorize_access()),
            read_profile: Arc::new(ReadProfile::new(store.profiles.clone(), reads.clone())),
            read_sleep: Arc::new(ReadSleep::new(store.sleep.clone(), reads.clone())),
            read_supplements: Arc::new(ReadSupplements::new(store.supplements.clone(), reads.clone())),
            read_changes: Arc::new(ReadChanges::new(
                store.changes.clone(),
                reads.clone(),
                self.clock.clone(),
            )),
            erasures: Erasures { store: self.audited() },
            export: Arc::new(self.export(reads.clone())),
            key_set: Arc::new(PublishedKeys(self.keys.ring.clone())),
        }
    }

    /// Wires the endpoint for assistants over the API.
    pub(super) fn mcp(&self, api: Arc<ApiState>) -> McpState {
        McpState {
            api,
            nights: nights(self.store, self.audited()),
            read_intake: ReadIntake::new(intakes(self.store, self.audited()), self.reads.clone()),
        }
    }

    fn export(&self, reads: ReadRecorder) -> ExportUseCases {
        let store = self.store;
        let readers = ExportReaders {
            profiles: store.profiles.clone(),
            sleep: store.sleep.clone(),
            supplements: store.supplements.clone(),
            pause: Arc::new(TimerPause),
        };
        let trail = AuditTrail::new(self.entropy.clone(), self.clock.clone());
        let records = ExportRecords::new(readers, store.units.clone(), trail);
        ExportUseCases { records, writers: Arc::new(Writers), reads }
    }

    fn http_settings(&self) -> HttpSettings {
        let settings = self.settings;
        HttpSettings {
            public_url: self.public_url.to_string(),
            cors_allowed_origins: settings.cors.allowed_origins.0.clone(),
            answer_timeout: answer_timeout(settings),
            sends_mail: settings.mail.is_set(),
            metadata_policy: settings.clients.metadata_policy(),
            operator: settings.server.operator(),
            sign_up_open: settings.accounts.sign_up_open && settings.mail.is_set(),
            reads_kept_days: settings.audit.read_days,
            max_upload_bytes: settings.uploads.limits().max_bytes,
            max_open_uploads: settings.uploads.limits().max_open,
            // The other half is for the remaining steps of the stop.
            stopping_uploads: Duration::from_secs(u64::from(settings.server.stop_seconds)) / 2,
            // The settings are already validated; with invalid ones no proxy is trusted.
            proxies: settings.server.trusted_proxies().unwrap_or_default(),
        }
    }

    fn client_authentication(&self) -> ClientAuthentication {
        let tokens = &self.settings.tokens;
        ClientAuthentication {
            store: self.audited(),
            clients: self.store.clients.clone(),
            failures: self.store.failures.clone(),
            limits: tokens.authentication_limits(),
            allow_query_secrets: tokens.allow_query_secrets,
            metadata_policy: self.settings.clients.metadata_policy(),
        }
    }

    fn token_check(&self) -> TokenCheck {
        TokenCheck::new(self.keys.ring.clone(), self.keys.reload.clone())
    }

    fn audited(&self) -> application::store::Store {
        self.store.audited(&self.clock)
    }

    fn ingest(&self) -> IngestUseCases {
        let (units, entropy, clock) = (&self.store.units, &self.entropy, &self.clock);
        let parser = Arc::new(JsonIngestParser);
        IngestUseCases::new(
            IngestRecords::new(
                self.store.profiles.clone(),
                units.clone(),
                parser,
                entropy.clone(),
                clock.clone(),
            ),
            IdempotentRequests::new(self.store.idempotency.clone(), clock.clone()),
            intakes(self.store, self.audited()),
            nights(self.store, self.audited()),
        )
    }

    fn authorize_access(&self) -> AuthorizeAccess {
        let milliseconds = self.settings.tokens.access_cache_milliseconds;
        let max_age = Duration::from_millis(u64::from(milliseconds));
        let access = CachedAccessReader::new(self.store.access.clone(), max_age);
        let ports = AccessPorts {
            tokens: self.token_check(),
            access: Arc::new(access.measuring(self.clock.clone())),
            clients: self.store.clients.clone(),
            limiter: self.rate_limits.port(),
            clock: self.clock.clone(),
        };
        AuthorizeAccess::new(ports, self.settings.rate_limits.daily_limits())
    }
}

/// Returns the maximum time of a request: its body, a connection, a lock and a statement.
fn answer_timeout(settings: &Settings) -> Duration {
    const BODY_SECONDS: u32 = 5;
    let storage = &settings.storage;
    let seconds = [
        BODY_SECONDS,
        storage.connect_timeout_seconds,
        storage.lock_timeout_seconds,
        storage.statement_timeout_seconds,
    ];
    Duration::from_secs(seconds.into_iter().map(u64::from).sum())
}
