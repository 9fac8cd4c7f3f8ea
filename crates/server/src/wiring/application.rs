//! Composition of the server: use cases over ports, and the HTTP side over use cases.

use super::{KeyParts, MailParts, RateLimits, Services};
use crate::lifecycle::{
    ActiveUploads, Cleaning, Housekeeping, LeasedJob, Readiness, SandboxDays, WebhookSender,
};
use application::audit::{FlushReads, ReadRecorder};
use application::client_usage::{FlushUsage, UsageRecorder};
use application::ports::storage::{Job, StorageError};
use application::ports::system::{Entropy, Fetcher, PasswordHasher};
use application::upload::ProcessUploads;
use application::webhook::{DeliverEvents, DisabledNotice};
use chrono::TimeDelta;
use domain::outbound::OutboundPolicy;
use http_adapter::ApiState;
use import_adapter::SpoolFolder;
use mcp_adapter::McpState;
use outbound_adapter::{GuardedFetcher, SystemResolver};
use page_adapter::PageState;
use std::sync::Arc;
use system_adapter::{
    EncryptedWebhookSigner, EncryptionKey, InProcessReadLedger, InProcessUsageLedger, SystemEntropy,
};

/// A running server.
pub(crate) struct Application {
    pub(crate) services: Services,
    pub(crate) api: Arc<ApiState>,
    pub(crate) mcp: Arc<McpState>,
    pub(crate) pages: Arc<PageState>,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) keys: KeyParts,
    pub(crate) rate_limits: RateLimits,
    pub(crate) housekeeping: Housekeeping,
    /// Adds records to sandbox people.
    pub(crate) sandbox: SandboxDays,
    /// Stores the counts of reads and requests.
    pub(crate) flush_counts: FlushCounts,
    /// Reading of uploads; `None` if uploads are disabled.
    pub(crate) uploads: Option<UploadReading>,
    /// `None` if no mail server is configured.
    pub(crate) mail: Option<MailParts>,
    pub(crate) webhooks: WebhookSender,
}

/// What the API and the pages need in addition to the services.
pub(super) struct ServerParts<'a> {
    pub(super) services: &'a Services,
    pub(super) encryption_key: EncryptionKey,
    pub(super) keys: &'a KeyParts,
    pub(super) mail: Option<&'a MailParts>,
    pub(super) hasher: Arc<dyn PasswordHasher>,
    pub(super) reads: ReadRecorder,
    pub(super) usage: UsageRecorder,
    pub(super) rate_limits: &'a RateLimits,
    pub(super) readiness: Arc<Readiness>,
}

impl Application {
    /// Wires a server.
    pub(crate) async fn new(services: Services) -> anyhow::Result<Self> {
        let encryption_key = services.encryption_key().await?;
        let mail = services.mail(encryption_key.clone())?;
        let keys = services.keys_sealed_under(encryption_key.clone());
        let hasher = services.password_hasher()?;
        let rate_limits = RateLimits::new(&services.settings)?;
        let readiness = Arc::new(Readiness::default());
        let (reads, usage) =
            (Arc::new(InProcessReadLedger::new()), Arc::new(InProcessUsageLedger::default()));
        let parts = ServerParts {
            services: &services,
            encryption_key: encryption_key.clone(),
            keys: &keys,
            mail: mail.as_ref(),
            hasher,
            reads: ReadRecorder::new(reads.clone(), services.clock.clone()),
            usage: UsageRecorder::new(usage.clone(), services.clock.clone()),
            rate_limits: &rate_limits,
            readiness: readiness.clone(),
        };
        let http = Arc::new(parts.shared());
        let api = Arc::new(parts.api(http.clone()));
        let store = &services.store;
        let (deliver, cleaning) =
            (services.deliver_events(encryption_key, mail.as_ref()), Cleaning::new(&services)?);
        let hourly =
            |job| LeasedJob::new(job, TimeDelta::hours(1), store.leases.clone(), SystemEntropy.uuid());
        Ok(Self {
            mcp: Arc::new(parts.mcp(api.clone())),
            pages: Arc::new(parts.pages(http, api.export.clone())),
            api,
            readiness,
            uploads: services.settings.uploads.enabled.then(|| services.upload_reading()),
            housekeeping: Housekeeping::new(cleaning, hourly(Job::Housekeeping), store.upkeep.clone()),
            sandbox: SandboxDays::new(services.sandbox_people(), hourly(Job::Sandbox)),
            flush_counts: FlushCounts {
                reads: FlushReads::new(reads, store.read_tallies.clone()),
                usage: FlushUsage::new(usage, store.client_usage.clone()),
            },
            webhooks: WebhookSender::new(Arc::new(deliver), store.leases.clone(), SystemEntropy.uuid()),
            keys,
            rate_limits,
            mail,
            services,
        })
    }
}

/// Stores the counts that the process has collected.
pub(crate) struct FlushCounts {
    reads: FlushReads,
    usage: FlushUsage,
}

impl FlushCounts {
    /// Stores the counts of reads and of clients' requests.
    pub(crate) async fn run(&self) -> Result<(), StorageError> {
        self.reads.run().await?;
        self.usage.run().await
    }
}

pub(crate) struct UploadReading {
    pub(crate) process: Arc<ProcessUploads>,
    /// Number of uploads read at a time.
    pub(crate) readers: u32,
    /// Uploads in progress in this process.
    pub(crate) held: ActiveUploads,
}

impl Services {
    fn upload_reading(&self) -> UploadReading {
        let uploads = &self.settings.uploads;
        let folder = SpoolFolder::new(uploads.spool_directory.clone(), uploads.most_unpacked());
        let process = ProcessUploads {
            store: self.audited(),
            reader: self.store.imports.clone(),
            files: Arc::new(folder),
            import: self.import_records(),
        };
        UploadReading { process: Arc::new(process), readers: uploads.readers, held: ActiveUploads::default() }
    }

    /// Wires the sending of events; without mail, no email is sent about disabled endpoints.
    fn deliver_events(&self, encryption_key: EncryptionKey, mail: Option<&MailParts>) -> DeliverEvents {
        DeliverEvents {
            store: self.audited(),
            webhooks: self.store.webhooks.clone(),
            // From the primary, unlike the endpoints' reads: a standby may not have the change yet.
            changes: self.store.primary_changes.clone(),
            signer: Arc::new(EncryptedWebhookSigner::new(encryption_key)),
            fetcher: guarded_fetcher(self.outbound_policy()),
            notice: mail.map(|mail| DisabledNotice {
                mail: mail.queue.clone(),
                clients: self.store.clients.clone(),
                profiles: self.store.profiles.clone(),
                self_service: self.settings.developers.self_service,
            }),
        }
    }
}

/// Wires requests to hosts that others chose.
pub(super) fn guarded_fetcher(policy: OutboundPolicy) -> Arc<dyn Fetcher> {
    Arc::new(GuardedFetcher::new(policy, Arc::new(SystemResolver)))
}
