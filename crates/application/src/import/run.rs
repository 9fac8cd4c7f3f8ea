//! An import under way, and one try at storing a batch of it.

use super::batch::{self, Numbered};
use super::recent::{Mark, Recent};
use super::report::Outcome;
use super::storing::Stop;
use super::{ImportReport, intake_log, profile, session, supplement};
use crate::ports::import_source::{ImportItem, Rejection};
use crate::ports::storage::{ImportChange, RecordBefore, RecordReference, UnitOfWork};
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::user::User;
use std::collections::{HashMap, HashSet};

/// How many marks of records are remembered at least; with twice as many that is 18 MB.
const MARKS: usize = 450_000;
/// How many supplements are remembered at least, as known and by another id; with twice as many that is 14 MB.
const SUPPLEMENTS: usize = 100_000;

/// One import under way: what holds from batch to batch, and only of what was stored.
pub(super) struct Run<'a> {
    pub(super) user_id: Option<UserId>,
    /// Whether everything is rolled back: what an earlier batch would have stored is not there.
    pub(super) is_dry: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) report: ImportReport,
    /// How many bytes of the file are read and stored.
    pub(super) bytes_done: u64,
    /// What became of each record of the batch that was stored last, by its position in it.
    pub(super) results: Vec<Numbered<Result<(RecordReference, Outcome), Rejection>>>,
    /// What else is to be told of records of that batch, by their positions in it.
    pub(super) notes: Vec<Numbered<Rejection>>,
    /// The rows and, in a dry run, the keys of the records that were met.
    met: Recent<Mark>,
    /// Supplements that the store has, or would have.
    supplements: Recent<SupplementId>,
    /// Where the store knows a supplement by another id than the file.
    aliases: Recent<SupplementId, SupplementId>,
}

/// One try at storing a batch; it leaves the run as it is, since it may come to nothing.
pub(super) struct Attempt<'a> {
    pub(super) run: &'a Run<'a>,
    found: Found,
    /// What was done to each record, in the order of doing; nothing where it was taken back.
    changes: Vec<Option<ImportChange>>,
    /// Where the change of each record is among them.
    places: HashMap<RecordReference, usize>,
}

/// What a try found; it counts once the batch is stored.
#[derive(Default)]
pub(super) struct Found {
    counted: Vec<Counted>,
    rejected: Vec<Numbered<Rejection>>,
    supplements: HashSet<SupplementId>,
    aliases: HashMap<SupplementId, SupplementId>,
    logs: HashSet<IntakeLogId>,
    profile_changed: bool,
    /// What was done to each record, in the order of doing.
    pub(super) changes: Vec<ImportChange>,
    /// What is to be told of records that are taken, by their positions in the batch.
    notes: Vec<Numbered<Rejection>>,
    /// What became of each record that was not rejected, by its position in the batch.
    pub(super) settled: Vec<Numbered<(RecordReference, Outcome)>>,
}

/// What became of one record.
struct Counted {
    kind: Kind,
    outcome: Outcome,
    /// The row that the record is, or became.
    row: Mark,
    /// The key by which a dry run, which draws other ids each time, knows the record again.
    key: Option<Mark>,
}

enum Kind {
    Session {
        entries: u64,
    },
    Supplement {
        /// Whether the file gave it an id: then another id under the same key is another version.
        has_id: bool,
    },
    Log,
}

impl<'a> Run<'a> {
    /// Begins an import.
    pub(super) fn new(
        user_id: Option<UserId>,
        is_dry: bool,
        now: DateTime<Utc>,
        entropy: &'a dyn Entropy,
    ) -> Self {
        Self {
            user_id,
            is_dry,
            now,
            entropy,
            report: ImportReport::default(),
            bytes_done: 0,
            results: Vec::new(),
            notes: Vec::new(),
            met: Recent::new(MARKS),
            supplements: Recent::new(SUPPLEMENTS),
            aliases: Recent::new(SUPPLEMENTS),
        }
    }

    /// Takes over what was found; returns what was rejected.
    pub(super) fn take(&mut self, found: Found) -> Vec<Numbered<Rejection>> {
        found.counted.into_iter().for_each(|counted| self.count(&counted));
        found.supplements.into_iter().for_each(|id| self.supplements.insert(id, ()));
        found.aliases.into_iter().for_each(|(in_file, id)| self.aliases.insert(in_file, id));
        self.report.profile_changed |= found.profile_changed;
        found.notes.iter().for_each(|(_, note)| self.report.note(note.clone()));
        self.notes.extend(found.notes);
        self.results.extend(found.settled.into_iter().map(|(position, settled)| (position, Ok(settled))));
        found.rejected
    }

    /// Tells that a record of the batch is not taken.
    pub(super) fn reject(&mut self, position: usize, rejection: Rejection) {
        self.results.push((position, Err(rejection.clone())));
        self.report.reject(rejection);
    }

    fn count(&mut self, counted: &Counted) {
        let Counted { kind, outcome, row, key } = counted;
        let is_new_row = self.met.first(*row);
        let is_new_key = key.is_none_or(|key| self.met.first(key));
        if !is_new_row {
            return;
        }
        let outcome = match (kind, outcome) {
            (Kind::Supplement { has_id: true }, Outcome::New) if !is_new_key => Outcome::Updated,
            (Kind::Supplement { has_id: true }, outcome) => *outcome,
            _ if !is_new_key => return,
            (_, outcome) => *outcome,
        };
        match kind {
            Kind::Session { entries } => {
                self.report.sessions.add(outcome);
                self.report.stage_entries += entries;
            }
            Kind::Supplement { .. } => self.report.supplements.add(outcome),
            Kind::Log => self.report.logs.add(outcome),
        }
    }
}

impl<'a> Attempt<'a> {
    /// Begins a try.
    pub(super) fn new(run: &'a Run<'a>) -> Self {
        Self { run, found: Found::default(), changes: Vec::new(), places: HashMap::new() }
    }

    /// Stores the records in this unit of work; returns what there is to take over once it is committed.
    pub(super) async fn store(
        mut self,
        unit: &mut dyn UnitOfWork,
        records: &[Numbered<ImportItem>],
    ) -> Result<Found, Stop> {
        if let Some(user_id) = self.run.user_id {
            // First of all, and until the end: others who write for this person wait here and nowhere later.
            unit.users().find(user_id).await?.ok_or(Stop::UnknownUser)?;
        }
        supplement::store(&mut self, unit, batch::supplements(records)).await?;
        if let Some(user_id) = self.run.user_id {
            profile::store(&mut self, unit, user_id, batch::profiles(records)).await?;
            session::store(&mut self, unit, user_id, batch::sessions(records)).await?;
            intake_log::store(&mut self, unit, user_id, batch::logs(records)).await?;
        }
        let changes = self.changes.into_iter().flatten().collect();
        Ok(Found { changes, ..self.found })
    }

    pub(super) fn reject(&mut self, position: usize, rejection: Rejection) {
        self.found.rejected.push((position, rejection));
    }

    /// Tells something of a record that is taken.
    pub(super) fn note(&mut self, position: usize, note: Rejection) {
        self.found.notes.push((position, note));
    }

    pub(super) fn profile_changed(&mut self, before: User) {
        self.found.profile_changed = true;
        let record = RecordReference::Profile(before.id);
        self.changed(record, Some(RecordBefore::Profile(Box::new(before))));
    }

    /// Notes what was done to a record; of one that this try did something to before, what was first there counts.
    pub(super) fn changed(&mut self, record: RecordReference, before: Option<RecordBefore>) {
        if !self.run.is_dry && !self.places.contains_key(&record) {
            self.places.insert(record, self.changes.len());
            self.changes.push(Some(ImportChange { record, before }));
        }
    }

    /// Takes back that this try made a record, which was never stored. One that was there before, and is gone now, stays
    /// noted.
    pub(super) fn never_made(&mut self, record: RecordReference) {
        let place = self.places.get(&record).and_then(|place| self.changes.get_mut(*place));
        if let Some(change) = place
            && change.as_ref().is_some_and(|change| change.before.is_none())
        {
            *change = None;
            self.places.remove(&record);
        }
    }

    /// Tells what became of the record at a position of the batch.
    pub(super) fn settle(&mut self, position: usize, record: RecordReference, outcome: Outcome) {
        self.found.settled.push((position, (record, outcome)));
    }

    pub(super) fn count_session(&mut self, id: SleepSessionId, outcome: Outcome, entries: u64, key: Mark) {
        let row = Mark::of("session", &id);
        self.count(Counted { kind: Kind::Session { entries }, outcome, row, key: Some(key) });
    }

    pub(super) fn count_supplement(&mut self, id: SupplementId, outcome: Outcome, has_id: bool, key: Mark) {
        let row = Mark::of("supplement", &id);
        self.found.supplements.insert(id);
        self.count(Counted { kind: Kind::Supplement { has_id }, outcome, row, key: Some(key) });
    }

    pub(super) fn count_log(&mut self, id: IntakeLogId, outcome: Outcome, key: Option<Mark>) {
        self.found.logs.insert(id);
        self.count(Counted { kind: Kind::Log, outcome, row: Mark::of("log", &id), key });
    }

    /// Ids that stay are enough where everything is stored.
    fn count(&mut self, counted: Counted) {
        let key = counted.key.filter(|_| self.run.is_dry);
        self.found.counted.push(Counted { key, ..counted });
    }

    /// Notes that the store knows a supplement of the file by another id.
    pub(super) fn alias(&mut self, in_file: SupplementId, id: SupplementId) {
        self.found.aliases.insert(in_file, id);
    }

    /// Gives the id by which the store knows a supplement of the file.
    pub(super) fn known_id(&self, in_file: SupplementId) -> SupplementId {
        let alias = self.found.aliases.get(&in_file).or_else(|| self.run.aliases.get(&in_file));
        alias.copied().unwrap_or(in_file)
    }

    /// Notes that the store has a supplement.
    pub(super) fn has_supplement(&mut self, id: SupplementId) {
        self.found.supplements.insert(id);
    }

    /// Tells whether it is known already that the store has a supplement, or would have it.
    pub(super) fn knows_supplement(&self, id: SupplementId) -> bool {
        self.found.supplements.contains(&id) || self.run.supplements.contains(&id)
    }

    /// Tells whether this file brought a log, as far as that is remembered.
    pub(super) fn brought_log(&self, id: IntakeLogId) -> bool {
        self.found.logs.contains(&id) || self.run.met.contains(&Mark::of("log", &id))
    }
}
