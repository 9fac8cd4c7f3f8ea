//! Composition of the server: use cases over ports, and the HTTP side over use cases.

use super::http_state::HttpParts;
use super::pages::PageParts;
use super::services::sandbox_people;
use super::webhooks::{deliver_events, disabled_notice, guarded_fetcher, outbound_policy};
use super::{
    KeyParts, KeySource, MailParts, RateLimits, Schema, SharedClock, Store, password_hasher,
    password_strength_checker,
};
use crate::lifecycle::{
    ActiveUploads, Cleaning, Housekeeping, LeasedJob, Readiness, SandboxDays, WebhookSender,
};
use crate::settings::{PublicUrl, Settings};
use application::audit::{FlushReads, PruneAudit, ReadRecorder};
use application::client_usage::{FlushUsage, UsageRecorder};
use application::import::ImportRecords;
use application::ports::storage::{Job, StorageError, StoreClock, StoreUpkeep};
use application::ports::system::Entropy;
use application::upload::ProcessUploads;
use application::webhook::DeliverEvents;
use chrono::TimeDelta;
use http_adapter::ApiState;
use import_adapter::SpoolFolder;
use mcp_adapter::McpState;
use page_adapter::PageState;
use std::sync::Arc;
use system_adapter::{
    EncryptedFormSealer, EncryptedTotpSealer, EncryptedWebhookSigner, InProcessReadLedger,
    InProcessUsageLedger, SystemEntropy,
};

/// A running server.
pub(crate) struct Application {
    pub(crate) api: Arc<ApiState>,
    pub(crate) mcp: Arc<McpState>,
    pub(crate) pages: Arc<PageState>,
    pub(crate) readiness: Arc<Readiness>,
    pub(crate) schema: Arc<dyn Schema>,
    pub(crate) keys: KeyParts,
    pub(crate) rate_limits: RateLimits,
    pub(crate) clock: SharedClock,
    /// Clock of the database, with which this machine's is compared.
    pub(crate) database_clock: Arc<dyn StoreClock>,
    pub(crate) upkeep: Arc<dyn StoreUpkeep>,
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

impl Application {
    /// Wires a server with this public URL and clock.
    pub(crate) async fn new(
        store: &Store,
        settings: &Settings,
        public_url: &PublicUrl,
        clock: SharedClock,
    ) -> anyhow::Result<Self> {
        let encryption_key = KeySource::from_settings(settings, public_url)?.load(settings, store).await?;
        let mail = MailParts::new(store, settings, public_url, &encryption_key, &clock)?;
        let notice = disabled_notice(store, settings, mail.as_ref());
        let policy = outbound_policy(settings, public_url);
        let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
        let audited = store.audited(&clock);
        let people = sandbox_people(store, audited.clone());
        let deliver = deliver_events(store, audited, guarded_fetcher(policy), &encryption_key, notice);
        let keys = KeyParts::sealed_under(encryption_key.clone(), store, public_url, clock.clone());
        let readiness = Arc::new(Readiness::default());
        let (reads, usage, flush_counts) = counting(store, &clock);
        let pages = PageParts {
            store,
            settings,
            public_url,
            hasher: password_hasher(settings)?,
            strength_checker: password_strength_checker(settings),
            totp_sealer: Arc::new(EncryptedTotpSealer::new(encryption_key.clone())),
            form_sealer: Arc::new(EncryptedFormSealer::new(encryption_key.clone())),
            webhook_signer: Arc::new(EncryptedWebhookSigner::new(encryption_key)),
            mail: mail.as_ref(),
            // Separate, so that slow webhooks do not delay sign-ins.
            fetcher: guarded_fetcher(policy.for_unreviewed()),
            clock: clock.clone(),
        };
        let rate_limits = RateLimits::new(settings)?;
        let parts = HttpParts {
            store,
            settings,
            public_url,
            keys: &keys,
            reads,
            usage,
            rate_limits: &rate_limits,
            readiness: readiness.clone(),
            clock: clock.clone(),
            entropy,
        };
        let http = Arc::new(parts.shared());
        let api = Arc::new(parts.api(http.clone()));
        let pages = Arc::new(pages.state(http, api.export.clone()));
        Ok(Self {
            mcp: Arc::new(parts.mcp(api.clone())),
            api,
            pages,
            readiness,
            schema: store.schema.clone(),
            keys,
            uploads: settings.uploads.enabled.then(|| upload_reading(store, settings, &clock)),
            rate_limits,
            database_clock: store.database_clock.clone(),
            housekeeping: housekeeping(store, settings, &clock)?,
            sandbox: SandboxDays::new(people, hourly(store, Job::Sandbox)),
            upkeep: store.upkeep.clone(),
            clock,
            flush_counts,
            mail,
            webhooks: webhook_sender(store, deliver),
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

fn counting(store: &Store, clock: &SharedClock) -> (ReadRecorder, UsageRecorder, FlushCounts) {
    let (reads, usage) = (Arc::new(InProcessReadLedger::new()), Arc::new(InProcessUsageLedger::default()));
    let flush = FlushCounts {
        reads: FlushReads::new(reads.clone(), store.read_tallies.clone()),
        usage: FlushUsage::new(usage.clone(), store.client_usage.clone()),
    };
    (ReadRecorder::new(reads, clock.clone()), UsageRecorder::new(usage, clock.clone()), flush)
}

fn housekeeping(store: &Store, settings: &Settings, clock: &SharedClock) -> anyhow::Result<Housekeeping> {
    let prune = PruneAudit {
        store: store.audited(clock),
        reads: store.read_tallies.clone(),
        retention: settings.audit.retention()?,
    };
    let cleaning = Cleaning::new(store, clock.clone(), settings, prune);
    Ok(Housekeeping::new(cleaning, hourly(store, Job::Housekeeping), store.upkeep.clone()))
}

fn webhook_sender(store: &Store, deliver: DeliverEvents) -> WebhookSender {
    WebhookSender::new(Arc::new(deliver), store.leases.clone(), SystemEntropy.uuid())
}

/// Returns a job that this process runs every hour, unless another one does.
fn hourly(store: &Store, job: Job) -> LeasedJob {
    LeasedJob::new(job, TimeDelta::hours(1), store.leases.clone(), SystemEntropy.uuid())
}

pub(crate) struct UploadReading {
    pub(crate) process: Arc<ProcessUploads>,
    /// Number of uploads read at a time.
    pub(crate) readers: u32,
    /// Uploads in progress in this process.
    pub(crate) held: ActiveUploads,
}

fn upload_reading(store: &Store, settings: &Settings, clock: &SharedClock) -> UploadReading {
    let folder = SpoolFolder::new(settings.uploads.spool_directory.clone(), settings.uploads.most_unpacked());
    let entropy: Arc<dyn Entropy> = Arc::new(SystemEntropy);
    let process = ProcessUploads {
        store: store.audited(clock),
        reader: store.imports.clone(),
        files: Arc::new(folder),
        import: ImportRecords::new(store.units.clone(), entropy, clock.clone()),
    };
    let (process, readers) = (Arc::new(process), settings.uploads.readers);
    UploadReading { process, readers, held: ActiveUploads::default() }
}
