//! Leases on jobs that one process runs at a time. All times are the store's, because the clock of a process
//! may be wrong.

use crate::column::Held;
use crate::statement::{Raw, Value};
use crate::store::Store;
use application::ports::storage::{Job, StorageError};
use chrono::TimeDelta;
use uuid::Uuid;

/// On `PostgreSQL`, concurrent calls wait for the first one's row, then find the job leased.
const TAKE: &str = "INSERT INTO job_lease (held_until, job, holder, due_at) VALUES (NOW + TIME, ?, ?, NOW)
    ON CONFLICT (job) DO UPDATE SET holder = excluded.holder, held_until = NOW + TIME
    WHERE job_lease.due_at <= NOW AND job_lease.held_until <= NOW";

const RENEW: &str = "UPDATE job_lease SET held_until = NOW + TIME WHERE job = ? AND holder = ?";

const FINISH: &str =
    "UPDATE job_lease SET held_until = NOW, due_at = NOW + TIME WHERE job = ? AND holder = ?";

/// Runs one of the statements above; returns whether it changed a row. `clock_timestamp` advances while a
/// statement waits.
async fn change(
    store: &impl Store,
    statement: &str,
    (job, holder): (Job, Uuid),
    time: TimeDelta,
) -> Result<bool, StorageError> {
    let clocks = [
        ("clock_timestamp()", "? * interval '1 microsecond'"),
        ("CAST(unixepoch('subsec') * 1000000 AS INTEGER)", "?"),
    ];
    let texts = clocks.map(|(now, time)| statement.replace("NOW", now).replace("TIME", time));
    let time = Value::Number(time.num_microseconds().unwrap_or(i64::MAX));
    let query = Raw::<()>::new(texts).bind(time.clone()).text(job.as_str()).bind(holder.cell());
    let query = if statement == TAKE { query.bind(time) } else { query };
    Ok(store.change(query).await? > 0)
}

/// Leases a job that is due and free.
pub async fn take(
    store: &impl Store,
    job: Job,
    holder: Uuid,
    hold_for: TimeDelta,
) -> Result<bool, StorageError> {
    change(store, TAKE, (job, holder), hold_for).await
}

/// Extends a lease.
pub async fn renew(
    store: &impl Store,
    job: Job,
    holder: Uuid,
    hold_for: TimeDelta,
) -> Result<bool, StorageError> {
    change(store, RENEW, (job, holder), hold_for).await
}

/// Releases a job and makes it due again after a time.
pub async fn finish(
    store: &impl Store,
    job: Job,
    holder: Uuid,
    due_after: TimeDelta,
) -> Result<(), StorageError> {
    change(store, FINISH, (job, holder), due_after).await.map(drop)
}
