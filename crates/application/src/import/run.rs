//! An import under way, and one try at storing a batch of it.

use super::batch::{self, Numbered};
use super::held::Held;
use super::recent::{Mark, Recent};
use super::report::Outcome;
use super::storing::Stop;
use super::{ImportReport, intake_log, profile, session, supplement};
use crate::ports::import_source::{ImportItem, ImportedSession, Rejection};
use crate::ports::storage::{ImportChange, RecordBefore, RecordReference, UnitOfWork};
use crate::ports::system::Entropy;
use chrono::{DateTime, Utc};
use domain::id::{IntakeLogId, SleepSessionId, SupplementId, UserId};
use domain::sleep::SleepRecord;
use domain::user::{ProfileChanges, User};
use std::collections::{HashMap, HashSet};

/// How many marks of records are remembered at least; with twice as many that is 18 MB.
const MARKS: usize = 450_000;
/// How many supplements are remembered at least, as known and by another id; with twice as many that is 14 MB.
const SUPPLEMENTS: usize = 100_000;
/// How many sessions are remembered at least that were made or changed; with twice as many that is 1 MB.
const MADE: usize = 10_000;

/// One import under way: what holds from batch to batch, and only of what was stored.
pub(super) struct Run<'a> {
    pub(super) user_id: Option<UserId>,
    /// Whether everything is rolled back: what an earlier batch would have stored is not there.
    pub(super) is_dry: bool,
    /// Whether profile fields that differ from the file are overwritten.
    pub(super) overwrite_profile: bool,
    pub(super) now: DateTime<Utc>,
    pub(super) entropy: &'a dyn Entropy,
    pub(super) report: ImportReport,
    /// What earlier tries of the same import stored.
    earlier: ImportReport,
    /// Whether records may wait for the end of the file; not where each batch is answered for itself.
    may_hold: bool,
    /// Records that wait for the end of the file.
    held: Held,
    /// Sessions that were made or changed a while ago at most; of one that is forgotten it is only later that it is changed.
    made: Recent<SleepSessionId>,
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
    pub(super) profile_changed: bool,
    /// What the import changed and proposes to change so far, if the batch has a profile.
    profile: Option<ProfileChanges>,
    /// What was done to each record, in the order of doing.
    pub(super) changes: Vec<ImportChange>,
    /// What is to be told of records that are taken, by their positions in the batch.
    notes: Vec<Numbered<Rejection>>,
    /// What became of each record that was not rejected, by its position in the batch.
    pub(super) settled: Vec<Numbered<(RecordReference, Outcome)>>,
    /// Records of this batch that wait for the end of the file.
    held: Held,
    /// Sessions that the store had, and that came again as they are.
    confirmed: Vec<SleepSessionId>,
    /// Sessions that this try made or changed.
    made: HashSet<SleepSessionId>,
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
            overwrite_profile: false,
            now,
            entropy,
            report: ImportReport::default(),
            earlier: ImportReport::default(),
            may_hold: false,
            held: Held::default(),
            made: Recent::new(MADE),
            bytes_done: 0,
            results: Vec::new(),
            notes: Vec::new(),
            met: Recent::new(MARKS),
            supplements: Recent::new(SUPPLEMENTS),
            aliases: Recent::new(SUPPLEMENTS),
        }
    }

    /// Goes on where others broke off who stored this, and lets records wait for the end of the file.
    pub(super) fn of_file(mut self, earlier: ImportReport) -> Self {
        self.report.profile = earlier.profile.clone();
        Self { earlier, may_hold: true, ..self }
    }

    /// Tells what the import did, with what earlier tries of it stored.
    pub(super) fn whole(&self) -> ImportReport {
        self.report.clone().after(&self.earlier)
    }

    /// Tells what the import has done as soon as a try is stored, as it is kept.
    pub(super) fn whole_with(&self, found: &Found) -> ImportReport {
        let mut report = self.report.clone();
        let mut met = HashSet::new();
        for counted in &found.counted {
            let mut first = |mark: Mark| !self.met.contains(&mark) && met.insert(mark);
            let is_new_row = first(counted.row);
            let is_new_key = counted.key.is_none_or(first);
            add(&mut report, counted, is_new_row, is_new_key);
        }
        report.profile_changed |= found.profile_changed;
        if let Some(profile) = &found.profile {
            report.profile = profile.clone();
        }
        report.after(&self.earlier).shortened()
    }

    /// Tells how many records wait for the end of the file.
    pub(super) fn waiting(&self) -> usize {
        self.held.len()
    }

    /// Takes out what waits for the end of the file; from now on until [`Self::hold_again`] nothing waits.
    pub(super) fn take_waiting(&mut self) -> Vec<ImportItem> {
        self.may_hold = false;
        let held = std::mem::take(&mut self.held).into_records();
        held.map(|session| ImportItem::Session(Box::new(session))).collect()
    }

    pub(super) fn hold_again(&mut self) {
        self.may_hold = true;
    }

    /// Takes over what was found; returns what was rejected.
    pub(super) fn take(&mut self, found: Found) -> Vec<Numbered<Rejection>> {
        for id in found.confirmed {
            for place in self.held.give_way_to(id) {
                self.report.note(given_way(place).into());
            }
        }
        self.held.append(found.held);
        found.made.into_iter().for_each(|id| self.made.insert(id, ()));
        found.counted.into_iter().for_each(|counted| self.count(&counted));
        found.supplements.into_iter().for_each(|id| self.supplements.insert(id, ()));
        found.aliases.into_iter().for_each(|(in_file, id)| self.aliases.insert(in_file, id));
        self.report.profile_changed |= found.profile_changed;
        self.report.profile = found.profile.unwrap_or_else(|| std::mem::take(&mut self.report.profile));
        found.notes.iter().for_each(|(_, note)| self.report.note(note.clone().into()));
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
        let is_new_row = self.met.first(counted.row);
        let is_new_key = counted.key.is_none_or(|key| self.met.first(key));
        add(&mut self.report, counted, is_new_row, is_new_key);
    }
}

/// Counts what became of a record, unless it was met before.
fn add(report: &mut ImportReport, counted: &Counted, is_new_row: bool, is_new_key: bool) {
    if !is_new_row {
        return;
    }
    let outcome = match (&counted.kind, counted.outcome) {
        (Kind::Supplement { has_id: true }, Outcome::New) if !is_new_key => Outcome::Updated,
        (Kind::Supplement { has_id: true }, outcome) => outcome,
        _ if !is_new_key => return,
        (_, outcome) => outcome,
    };
    match &counted.kind {
        Kind::Session { entries } => {
            report.sessions.add(outcome);
            report.stage_entries += entries;
        }
        Kind::Supplement { .. } => report.supplements.add(outcome),
        Kind::Log => report.logs.add(outcome),
    }
}

/// Says that a record is not stored, because a later one of its file is what the store has in its place.
fn given_way(place: String) -> Rejection {
    let reason = "a later record of this file that it overlaps has its place already";
    Rejection { place, reason: reason.to_owned() }
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

    /// Takes over what the import changed and proposes to change so far.
    pub(super) fn profile_read(&mut self, changes: ProfileChanges) {
        self.found.profile = Some(changes);
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

    /// Tells whether a record has to wait for the end of the file: it would take the place of sessions that were there
    /// before and that the file may yet bring, or it overlaps one that waits.
    pub(super) fn must_wait(&self, record: &SleepRecord, wants: &[SleepSessionId]) -> bool {
        let is_foreign = |id: &SleepSessionId| !self.found.made.contains(id) && !self.run.made.contains(id);
        self.run.may_hold
            && (wants.iter().any(is_foreign)
                || self.run.held.overlaps(record)
                || self.found.held.overlaps(record))
    }

    /// Lets a record wait for the end of the file.
    pub(super) fn hold(&mut self, session: ImportedSession, wants: Vec<SleepSessionId>) {
        self.found.held.add(session, wants);
    }

    /// Notes that the store has exactly this record of the file: what waits to take its place came before it.
    pub(super) fn confirm(&mut self, position: usize, id: SleepSessionId) {
        if !self.run.may_hold {
            return;
        }
        for place in self.found.held.give_way_to(id) {
            self.note(position, given_way(place));
        }
        if !self.run.held.is_empty() {
            self.found.confirmed.push(id);
        }
    }

    pub(super) fn count_session(&mut self, id: SleepSessionId, outcome: Outcome, entries: u64, key: Mark) {
        if self.run.may_hold && outcome != Outcome::Unchanged {
            self.found.made.insert(id);
        }
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

    /// Returns whether it is known already that the store has a supplement, or would have it.
    pub(super) fn knows_supplement(&self, id: SupplementId) -> bool {
        self.found.supplements.contains(&id) || self.run.supplements.contains(&id)
    }

    /// Returns whether this file brought a log, as far as that is remembered.
    pub(super) fn brought_log(&self, id: IntakeLogId) -> bool {
        self.found.logs.contains(&id) || self.run.met.contains(&Mark::of("log", &id))
    }
}
