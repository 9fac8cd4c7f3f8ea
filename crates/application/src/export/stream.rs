//! The stream of an export.

use super::export_records::{ExportQuery, ExportRecordsError, Exporter};
use crate::audit::CompletedRead;
use crate::ports::export_writer::{ExportItem, ExportSection, ExportWriter};
use crate::ports::storage::StorageError;
use crate::ports::system::Pause;
use crate::record::RecordReaders;
use crate::retry::RETRY_DELAYS;
use chrono::{DateTime, Utc};
use domain::data_kind::DataKind;
use domain::id::{IntakeLogId, SleepSessionId};
use domain::read_tally::{ReadKind, RequestedRange};
use domain::user::User;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::vec::IntoIter;

/// Sessions per read. The largest possible session has 20,160 stages of 28 bytes each: ten use less than 6
/// MB, and unpacking them blocks the thread only briefly.
const SESSIONS: u32 = 10;
/// Intake logs per read; each is small.
const LOGS: u32 = 200;
/// Limit of a step by [`weight`], including the record that reaches it.
const STEP: usize = 2_000;

/// Position in a part.
#[derive(Default)]
struct Position {
    /// Whether the records that are read all at once were read.
    is_read: bool,
    session: Option<(i64, SleepSessionId)>,
    log: Option<(DateTime<Utc>, IntakeLogId)>,
}

/// An export in progress. Data is read only on demand, so memory stays constant for slow clients and large
/// sessions. On drop, even before the end, the exported records are recorded as reads.
pub struct Export {
    user: User,
    query: ExportQuery,
    readers: RecordReaders,
    pause: Arc<dyn Pause>,
    writer: Box<dyn ExportWriter>,
    sections: IntoIter<ExportSection>,
    section: Option<(ExportSection, Position)>,
    /// Records of the current part that were read and not written yet.
    waiting: IntoIter<ExportItem>,
    counts: BTreeMap<ExportSection, usize>,
    is_finished: bool,
}

impl Export {
    pub(super) fn new(
        user: User,
        query: ExportQuery,
        readers: RecordReaders,
        pause: Arc<dyn Pause>,
        writer: Box<dyn ExportWriter>,
    ) -> Self {
        let allowed = writer.sections().iter().copied();
        let allowed = allowed.filter(|section| query.scopes.contains(section.kind().scope()));
        let sections = allowed.collect::<Vec<_>>().into_iter();
        Self {
            user,
            query,
            readers,
            pause,
            writer,
            sections,
            section: None,
            waiting: Vec::new().into_iter(),
            counts: BTreeMap::new(),
            is_finished: false,
        }
    }

    /// Returns the bytes of the next step, which may be empty; `None` at the end.
    ///
    /// A step is short: it reads a few records, or writes a few, or one large record. Callers that share the
    /// thread should yield after each.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ExportRecordsError> {
        if self.is_finished {
            return Ok(None);
        }
        self.step().await?;
        Ok(Some(self.writer.take()))
    }

    /// Returns the number of records of a part exported so far.
    pub fn count(&self, section: ExportSection) -> usize {
        self.counts.get(&section).copied().unwrap_or_default()
    }

    async fn step(&mut self) -> Result<(), ExportRecordsError> {
        let Some((section, mut position)) = self.section.take() else {
            let Some(next) = self.sections.next() else {
                self.is_finished = true;
                return Ok(self.writer.finish()?);
            };
            self.writer.begin(next)?;
            self.section = Some((next, Position::default()));
            return Ok(());
        };
        if self.waiting.as_slice().is_empty() {
            let read = self.read_on(section, &mut position).await;
            let Ok(items) = read else {
                // After an error the caller can retry from this position, without gaps.
                self.section = Some((section, position));
                return read.map(drop);
            };
            self.waiting = items.into_iter();
            // An empty batch ends the part.
            self.section = (!self.waiting.as_slice().is_empty()).then_some((section, position));
            return Ok(());
        }
        let written = self.write_some()?;
        *self.counts.entry(section).or_default() += written;
        self.section = Some((section, position));
        Ok(())
    }

    /// Writes waiting records up to the limit of a step; returns their number.
    fn write_some(&mut self) -> Result<usize, ExportRecordsError> {
        let (mut written, mut weighed) = (0, 0);
        while weighed < STEP {
            let Some(item) = self.waiting.next() else { break };
            self.writer.write(&item)?;
            written += 1;
            weighed += weight(&item);
        }
        Ok(written)
    }

    /// Reads the next batch of a part, and retries if the connection to the store is lost. The position is
    /// that of the last record read, so nothing is repeated or skipped.
    async fn read_on(
        &self,
        section: ExportSection,
        position: &mut Position,
    ) -> Result<Vec<ExportItem>, ExportRecordsError> {
        let mut pauses = RETRY_DELAYS.into_iter();
        loop {
            match self.read(section, position).await {
                Err(StorageError::Unavailable | StorageError::Disk(_) | StorageError::Retryable) => {
                    let Some(pause) = pauses.next() else {
                        return Err(ExportRecordsError::StoreAway { tries: RETRY_DELAYS.len() + 1 });
                    };
                    self.pause.pause(pause).await;
                }
                outcome => return Ok(outcome?),
            }
        }
    }

    /// Reads the next batch of a part; empty at its end. On error the position stays unchanged.
    async fn read(
        &self,
        section: ExportSection,
        position: &mut Position,
    ) -> Result<Vec<ExportItem>, StorageError> {
        let user_id = self.query.user_id;
        match section {
            ExportSection::Profile => {
                let is_read = std::mem::replace(&mut position.is_read, true);
                let user = (!is_read).then(|| ExportItem::Profile(Box::new(self.user.clone())));
                Ok(user.into_iter().collect())
            }
            ExportSection::Sessions | ExportSection::Stages | ExportSection::Metrics => {
                let sessions = self.readers.sleep.walk(user_id, position.session, SESSIONS).await?;
                let last = sessions.last();
                position.session = last.map(|last| (last.record.time_in_bed().start_millis(), last.id));
                Ok(sessions.into_iter().map(|session| ExportItem::Session(Box::new(session))).collect())
            }
            ExportSection::Supplements | ExportSection::Ingredients => {
                if position.is_read {
                    return Ok(Vec::new());
                }
                let taken = self.readers.supplements.list_logged(user_id).await?;
                position.is_read = true;
                Ok(taken.into_iter().map(|taken| ExportItem::Supplement(Box::new(taken))).collect())
            }
            ExportSection::Logs => {
                let logs = self.readers.supplements.walk_logs(user_id, position.log, LOGS).await?;
                position.log = logs.last().map(|last| (last.record.created_at(), last.id));
                Ok(logs.into_iter().map(|log| ExportItem::Log(Box::new(log))).collect())
            }
        }
    }
}

impl Drop for Export {
    /// Records the exported data as reads of the corresponding endpoints.
    fn drop(&mut self) {
        let Exporter::Reader(reader, recorder) = &self.query.by else { return };
        for kind in DataKind::ALL {
            let records = ExportSection::ALL.into_iter().find(|section| section.kind() == kind);
            let items = records.map_or(0, |section| self.count(section));
            if items > 0 {
                recorder.record(CompletedRead {
                    user_id: self.query.user_id,
                    reader: *reader,
                    kind: ReadKind::Data(kind),
                    items,
                    range: RequestedRange { from: None, to: None },
                });
            }
        }
    }
}

/// Number of units to write for a record: itself, and each stage or ingredient.
fn weight(item: &ExportItem) -> usize {
    let parts = match item {
        ExportItem::Session(session) => session.record.hypnogram().len(),
        ExportItem::Supplement(found) => found.1.label.ingredients().len(),
        ExportItem::Profile(_) | ExportItem::Log(_) => 0,
    };
    parts.saturating_add(1)
}
