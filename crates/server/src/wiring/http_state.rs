//! The HTTP side over the use cases.

use super::application::ServerParts;
use super::keys::PublishedKeys;
use crate::settings::Settings;
use crate::telemetry;
use application::access::{AccessPorts, AuthorizeAccess, TokenCheck};
use application::erasure::Erasures;
use application::import::ingest::{IdempotentRequests, IngestRecords};
use application::ports::export_writer::{ExportFormat, ExportWriter, ExportWriters};
use application::ports::system::Entropy as _;
use application::read::{ReadChanges, ReadIntake, ReadRecords};
use application::token::{ClientAuthentication, Tokens};
use domain::id::UserId;
use export_adapter::ZipExport;
use http_adapter::{
    Admission, ApiState, ExportUseCases, HttpSettings, HttpState, IngestUseCases, LogSuppression,
    NdjsonExport, UnnamedProxyWarning,
};
use import_adapter::JsonIngestParser;
use mcp_adapter::McpState;
use page_adapter::ERROR_PAGES;
use std::sync::Arc;
use std::time::{Duration, Instant};
use system_adapter::{CachedAccessReader, SystemEntropy};

impl ServerParts<'_> {
    /// Wires what the API and the pages share.
    pub(super) fn shared(&self) -> HttpState {
        let (usage, doctor_pass) = (self.usage.clone(), self.keys.doctor_pass.clone());
        let settings = &self.services.settings;
        let process_start = Instant::now();
        HttpState {
            health: self.readiness.clone(),
            request_ids: Arc::new(|| SystemEntropy.uuid()),
            elapsed_time: Arc::new(move || process_start.elapsed()),
            record_usage: Arc::new(move |request, status| usage.record(request, status)),
            trace: telemetry::trace_continuation(settings),
            admission: Admission::new(settings.server.admission_limits()),
            log_suppression: LogSuppression::default(),
            unnamed_proxy: UnnamedProxyWarning::default(),
            is_doctor_pass: Arc::new(move |pass| doctor_pass.is_valid(pass)),
            error_pages: ERROR_PAGES,
            settings: HttpSettings {
                public_url: self.services.public_url.to_string(),
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
            },
        }
    }

    /// Wires the use cases of the API.
    pub(super) fn api(&self, http: Arc<HttpState>) -> ApiState {
        let (services, store, reads) = (self.services, &self.services.store, &self.reads);
        let (clock, tokens) = (&services.clock, &services.settings.tokens);
        let records = services.export_records();
        ApiState {
            http,
            client_authentication: ClientAuthentication {
                store: services.audited(),
                clients: store.clients.clone(),
                failures: store.failures.clone(),
                limits: tokens.authentication_limits(),
                allow_query_secrets: tokens.allow_query_secrets,
                metadata_policy: services.settings.clients.metadata_policy(),
            },
            tokens: Tokens {
                store: services.audited(),
                signer: self.keys.ring.clone(),
                check: self.token_check(),
                grants: store.grants.clone(),
                access: store.access.clone(),
                clients: store.clients.clone(),
                reads: reads.clone(),
            },
            ingest: IngestUseCases::new(
                IngestRecords::new(services.audited(), store.profiles.clone(), Arc::new(JsonIngestParser)),
                IdempotentRequests::new(store.idempotency.clone(), clock.clone()),
                services.record_services(),
            ),
            authorize_access: Arc::new(self.authorize_access()),
            read_records: ReadRecords { readers: store.record_readers(), recorder: reads.clone() },
            read_changes: Arc::new(ReadChanges::new(store.changes.clone(), reads.clone(), clock.clone())),
            erasures: Erasures { store: services.audited() },
            export: Arc::new(ExportUseCases { records, writers: Arc::new(Writers), reads: reads.clone() }),
            key_set: Arc::new(PublishedKeys(self.keys.ring.clone())),
        }
    }

    /// Wires the endpoint for assistants over the API.
    pub(super) fn mcp(&self, api: Arc<ApiState>) -> McpState {
        let records = self.services.record_services();
        let read_intake = ReadIntake::new(records.intakes, self.reads.clone());
        McpState { api, nights: records.nights, read_intake }
    }

    fn token_check(&self) -> TokenCheck {
        TokenCheck::new(self.keys.ring.clone(), self.keys.reload.clone())
    }

    fn authorize_access(&self) -> AuthorizeAccess {
        let (store, settings) = (&self.services.store, &self.services.settings);
        let max_age = Duration::from_millis(u64::from(settings.tokens.access_cache_milliseconds));
        let access = CachedAccessReader::new(store.access.clone(), max_age);
        let ports = AccessPorts {
            tokens: self.token_check(),
            access: Arc::new(access.measuring(self.services.clock.clone())),
            clients: store.clients.clone(),
            limiter: self.rate_limits.port(),
            clock: self.services.clock.clone(),
        };
        AuthorizeAccess::new(ports, settings.rate_limits.daily_limits())
    }
}

/// Writers of every export format. NDJSON lines have the fields of the API, so http-adapter writes them.
pub(crate) struct Writers;

impl ExportWriters for Writers {
    fn open(&self, format: ExportFormat, user_id: UserId) -> Box<dyn ExportWriter> {
        match format {
            ExportFormat::Ndjson => Box::new(NdjsonExport::new(user_id)),
            ExportFormat::Zip => Box::new(ZipExport::default()),
        }
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
