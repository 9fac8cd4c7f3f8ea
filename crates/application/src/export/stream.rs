//! An export on its way out.

use super::export_records::{ExportQuery, ExportReaders, ExportRecordsError, Exporter};
use crate::audit::AnsweredRead;
use crate::patience::PAUSES;
use crate::ports::export_writer::{ExportItem, ExportSection, ExportWriter};
use crate::ports::storage::StorageError;
use chrono::{DateTime, Utc};
use domain::data_endpoint::DataEndpoint;
use domain::id::{IntakeLogId, SleepSessionId};
use domain::read_tally::{AskedRange, ReadKind};
use domain::scope::Scope;
use domain::user::User;
use std::vec::IntoIter;

/// How many sessions are read at a time. The heaviest that may be have 20,160 stages of 28 bytes each: with ten, an
/// export holds below 6 MB of them, and unpacking them keeps no thread for long.
const SESSIONS: u32 = 10;
/// How many logs are read at a time; each is small.
const LOGS: u32 = 200;
/// After how much ([`weight`]) a step ends, the record that reaches it included.
const STEP: usize = 2_000;
/// How many records an export has told so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportCounts {
    /// One, once the profile was told.
    pub profiles: usize,
    /// Sleep sessions.
    pub sessions: usize,
    /// Supplements.
    pub supplements: usize,
    /// Intake logs.
    pub logs: usize,
}

/// Where the reading of a part stands.
#[derive(Default)]
struct Position {
    /// Whether what is read at once was read.
    is_read: bool,
    session: Option<(i64, SleepSessionId)>,
    log: Option<(DateTime<Utc>, IntakeLogId)>,
}

/// An export on its way out. Nothing is read before it is asked for, so that memory stays flat however slow its
/// reader is and however much a session holds; what was told by then is counted when it is dropped, also half-way.
pub struct Export {
    user: User,
    query: ExportQuery,
    readers: ExportReaders,
    writer: Box<dyn ExportWriter>,
    sections: IntoIter<ExportSection>,
    section: Option<(ExportSection, Position)>,
    /// What was read of that part and is not written yet.
    waiting: IntoIter<ExportItem>,
    counts: ExportCounts,
    is_finished: bool,
}

impl Export {
    pub(super) fn new(
        user: User,
        query: ExportQuery,
        readers: ExportReaders,
        writer: Box<dyn ExportWriter>,
    ) -> Self {
        let allowed = writer.sections().iter().copied();
        let allowed = allowed.filter(|section| query.scopes.contains(scope(*section)));
        let sections = allowed.collect::<Vec<_>>().into_iter();
        Self {
            user,
            query,
            readers,
            writer,
            sections,
            section: None,
            waiting: Vec::new().into_iter(),
            counts: ExportCounts::default(),
            is_finished: false,
        }
    }

    /// Returns the bytes of the next step, which may be none, or nothing at the end.
    ///
    /// A step is short: it reads a few records, or writes a few, or one that is heavy. A caller that shares its
    /// thread with others lets them go on after each.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, ExportRecordsError> {
        if self.is_finished {
            return Ok(None);
        }
        self.step().await?;
        Ok(Some(self.writer.take()))
    }

    /// Returns how many records were told by now.
    pub const fn counts(&self) -> ExportCounts {
        self.counts
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
                // Whoever asks again after a failure goes on there, and misses nothing.
                self.section = Some((section, position));
                return read.map(drop);
            };
            self.waiting = items.into_iter();
            // A part of which there is nothing more has ended.
            self.section = (!self.waiting.as_slice().is_empty()).then_some((section, position));
            return Ok(());
        }
        let written = self.write_some()?;
        self.count(section, written);
        self.section = Some((section, position));
        Ok(())
    }

    /// Writes of what waits as much as one step may; returns how many records that were.
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

    /// Reads on in a part, also when the connection to the store is lost meanwhile: the position is that of what was read
    /// last, so that nothing is told twice or left out.
    async fn read_on(
        &self,
        section: ExportSection,
        position: &mut Position,
    ) -> Result<Vec<ExportItem>, ExportRecordsError> {
        for pause in PAUSES {
            match self.read(section, position).await {
                Err(StorageError::Unavailable | StorageError::Disk(_) | StorageError::Retryable) => {
                    self.readers.pause.pause(pause).await;
                }
                outcome => return Ok(outcome?),
            }
        }
        match self.read(section, position).await {
            Err(StorageError::Unavailable | StorageError::Disk(_) | StorageError::Retryable) => {
                Err(ExportRecordsError::StoreAway { tries: PAUSES.len() + 1 })
            }
            outcome => Ok(outcome?),
        }
    }

    /// Reads on in a part; nothing at its end. Where it fails the position is as it was.
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
                let taken = self.readers.supplements.list_taken(user_id).await?;
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

    const fn count(&mut self, section: ExportSection, items: usize) {
        match section {
            ExportSection::Profile => self.counts.profiles += items,
            ExportSection::Sessions => self.counts.sessions += items,
            ExportSection::Supplements => self.counts.supplements += items,
            ExportSection::Logs => self.counts.logs += items,
            ExportSection::Stages | ExportSection::Metrics | ExportSection::Ingredients => {}
        }
    }
}

impl Drop for Export {
    /// Counts what was told as reads of the endpoints that tell it otherwise.
    fn drop(&mut self) {
        let Exporter::Reader(reader, recorder) = &self.query.by else { return };
        let ExportCounts { profiles, sessions, supplements, logs: _ } = self.counts;
        for (endpoint, items) in [
            (DataEndpoint::Profile, profiles),
            (DataEndpoint::Sleep, sessions),
            (DataEndpoint::Supplements, supplements),
        ] {
            if items > 0 {
                recorder.record(AnsweredRead {
                    user_id: self.query.user_id,
                    reader: *reader,
                    kind: ReadKind::Data(endpoint),
                    items,
                    range: AskedRange { from: None, to: None },
                });
            }
        }
    }
}

/// How much there is to write of a record: itself, and each stage or ingredient.
fn weight(item: &ExportItem) -> usize {
    let parts = match item {
        ExportItem::Session(session) => session.record.hypnogram().len(),
        ExportItem::Supplement(found) => found.1.label.ingredients().len(),
        ExportItem::Profile(_) | ExportItem::Log(_) => 0,
    };
    parts.saturating_add(1)
}

/// The scope without which a part is not told.
const fn scope(section: ExportSection) -> Scope {
    match section {
        ExportSection::Profile => Scope::Profile,
        ExportSection::Sessions | ExportSection::Stages | ExportSection::Metrics => Scope::Sleep,
        ExportSection::Supplements | ExportSection::Ingredients | ExportSection::Logs => Scope::Supplements,
    }
}
