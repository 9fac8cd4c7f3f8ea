//! Reading of uploads: a few files at a time, at most one per person, each on a separate thread and under a
//! lease.

use super::{Errors, every};
use crate::telemetry::UploadMeter;
use application::import::ImportPass;
use application::upload::{ProcessUploads, ProcessUploadsError, UploadEnd, UploadJob};
use futures_util::future::join_all;
use std::mem;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;
use tokio::runtime::Handle;
use tokio::sync::{Mutex, oneshot};

/// Interval of checking for uploads.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);
/// Interval of storing the progress of the check.
const CHECKED: Duration = Duration::from_secs(1);
/// Interval of extending a lease: a quarter of its duration.
const RENEWAL_INTERVAL: Duration = Duration::from_secs(15);

/// Reads uploads with this number of readers, for as long as the server runs.
pub(super) async fn process(uploads: &Arc<ProcessUploads>, readers: u32, held: &ActiveUploads) {
    let queue = Queue { log: Mutex::new(LogState::default()), held };
    join_all((0..readers.max(1)).map(|_| read(uploads, &queue))).await;
}

/// Queue of the readers of this process. They take uploads one after the other: two that take one at the same
/// moment could both get uploads of one person, and leave none for the others.
struct Queue<'a> {
    log: Mutex<LogState>,
    held: &'a ActiveUploads,
}

/// State that avoids repeated log lines.
#[derive(Default)]
struct LogState {
    queue: Errors,
    last_error: Option<String>,
}

impl Queue<'_> {
    async fn take(&self, uploads: &ProcessUploads) -> Option<UploadJob> {
        let mut log = self.log.lock().await;
        let outcome = uploads.take().await;
        if let Some(error) = log.queue.first(outcome.as_ref()) {
            tracing::warn!(%error, "the upload queue cannot be read; trying again every second");
        }
        let job = outcome.ok().flatten();
        self.held.lock().extend(job);
        job
    }

    /// Records the end of an attempt. Failed and stopped attempts are not counted, because the file did not
    /// cause them.
    async fn finish(&self, uploads: &ProcessUploads, ended: AttemptResult, job: UploadJob) {
        self.held.lock().retain(|held| *held != job);
        if matches!(ended, None | Some(Err(_))) {
            release(uploads, &job).await;
        }
        log_end(ended, job, &mut self.log.lock().await.last_error);
    }
}

/// Uploads in progress in this process.
#[derive(Default)]
pub(crate) struct ActiveUploads(std::sync::Mutex<Vec<UploadJob>>);

impl ActiveUploads {
    fn lock(&self) -> MutexGuard<'_, Vec<UploadJob>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the uploads in progress at an orderly stop, so that the attempt is not counted against their
/// files.
pub(super) async fn release_all(uploads: &ProcessUploads, held: &ActiveUploads) {
    let jobs = mem::take(&mut *held.lock());
    for job in jobs {
        release(uploads, &job).await;
    }
}

async fn release(uploads: &ProcessUploads, job: &UploadJob) {
    if let Err(error) = uploads.release(job).await {
        tracing::debug!(%error, "an interrupted attempt is still counted against an upload");
    }
}

/// Reads uploads, one after the other.
async fn read(uploads: &Arc<ProcessUploads>, queue: &Queue<'_>) {
    let mut ticks = every(CHECK_INTERVAL);
    loop {
        ticks.tick().await;
        if let Some(job) = queue.take(uploads).await {
            queue.finish(uploads, process_job(uploads, job).await, job).await;
        }
    }
}

/// Result of an attempt; `None` if it was stopped.
type AttemptResult = Option<Result<UploadEnd, ProcessUploadsError>>;

/// Reads one upload, and returns when its thread no longer reads. Reading blocks, so it has a separate
/// thread. Dropping the future stops the thread: at once while it waits for the store, else at its next
/// progress report.
async fn process_job(uploads: &Arc<ProcessUploads>, job: UploadJob) -> AttemptResult {
    let (done, mut outcome) = oneshot::channel();
    let (stop, stopped) = oneshot::channel::<()>();
    let wanted = CancelOnDrop::default();
    let (runtime, worker) = (Handle::current(), uploads.clone());
    let meter = UploadMeter::new();
    let is_wanted = wanted.0.clone();
    let checked = Arc::new(AtomicU64::new(0));
    let passed = checked.clone();
    let progress = move |reading, bytes| {
        meter.read(reading, bytes);
        if reading == ImportPass::Checking {
            passed.store(bytes, Ordering::Relaxed);
        }
        if is_wanted.load(Ordering::Relaxed) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    let spawned = thread::Builder::new().name("upload".to_owned()).spawn(move || {
        let ended = runtime.block_on(async {
            tokio::select! {
                ended = worker.work(&job, &progress) => Some(ended),
                _ = stopped => None,
            }
        });
        // The receiver may be gone.
        let _ = ended.map(|ended| done.send(ended));
    });
    if let Err(error) = spawned {
        tracing::error!(%error, "no thread could be started for an upload; trying again when its lease ends");
        return None;
    }
    let mut ticks = every(RENEWAL_INTERVAL);
    let mut looks = every(CHECKED);
    let mut kept = 0;
    loop {
        tokio::select! {
            ended = &mut outcome => return ended.ok(),
            _ = looks.tick() => store_progress(uploads, &job, &checked, &mut kept).await,
            _ = ticks.tick() => match uploads.renew(&job).await {
                Ok(true) => {}
                // The upload was undone or completed: the thread reports which, if it still runs. Only then
                // is the next upload read.
                Ok(false) => {
                    drop((wanted, stop));
                    return outcome.await.ok();
                }
                Err(error) => tracing::warn!(%error, "the lease of an upload was not extended"),
            },
        }
    }
}

/// Stores the progress of the check if it changed. Failures are ignored, because the progress is only
/// displayed.
async fn store_progress(uploads: &ProcessUploads, job: &UploadJob, checked: &AtomicU64, kept: &mut u64) {
    let bytes = checked.load(Ordering::Relaxed);
    if bytes == *kept {
        return;
    }
    *kept = bytes;
    if let Err(error) = uploads.record_checked(job, bytes).await {
        tracing::debug!(%error, "the progress of an upload was not stored");
    }
}

/// Flag that stays set until this is dropped; the reading thread stops when it is cleared.
struct CancelOnDrop(Arc<AtomicBool>);

impl Default for CancelOnDrop {
    fn default() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

/// Logs the end of an attempt. A failure that every attempt repeats, such as a full disk, is logged once
/// until the outcome changes, whatever the upload.
fn log_end(ended: AttemptResult, job: UploadJob, last_error: &mut Option<String>) {
    let import = job.id;
    UploadMeter::record_end(ended.as_ref());
    let end = match ended {
        Some(Ok(UploadEnd::Done(_))) => "an upload was imported",
        Some(Ok(UploadEnd::Rejected)) => "an upload was refused",
        Some(Ok(UploadEnd::Gone)) | None => "reading an upload was stopped",
        Some(Err(error)) => {
            let error = format!("{:#}", anyhow::Error::from(error));
            if last_error.as_ref() == Some(&error) {
                tracing::debug!(%import, error, "reading an upload failed again");
            } else {
                tracing::warn!(
                    %import, error,
                    "reading an upload failed; trying again every minute for a day, without repeating this message"
                );
            }
            *last_error = Some(error);
            return;
        }
    };
    *last_error = None;
    tracing::info!(%import, "{end}");
}
