//! What sessions would be, had an import never been.
//!
//! The sessions of a person's source are what the standing imports made of them, one after the other, by the law of
//! [`reconcile`]. To take an import back is to let the others do again what they did. Whatever else changes a session is
//! no import, and stands.

use crate::ports::storage::SessionNote;
use domain::id::{ImportId, SleepSessionId};
use domain::sleep::{Reconciliation, SleepRecord, SleepSession, leaves_no_place, reconcile};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// What imports did to one session, and what it is now.
#[derive(Debug, Default)]
pub(super) struct History {
    /// As it is stored now.
    pub(super) now: Option<SleepSession>,
    /// What was done to it, in order; nothing that something else overtook.
    pub(super) notes: Vec<SessionNote>,
    /// Whether something that is no import changed it after imports did.
    pub(super) is_overtaken: bool,
}

/// What is left when an import is taken out.
#[derive(Debug, Default)]
pub(super) struct Replayed {
    /// The sessions that are there.
    pub(super) sessions: BTreeMap<SleepSessionId, SleepSession>,
    /// What the other imports did, as if the one had never been.
    pub(super) notes: Vec<SessionNote>,
    /// Sessions whose place something has by now that is no import.
    pub(super) displaced: BTreeSet<SleepSessionId>,
}

/// A session as one note left it, by the position of the note; [`FIRST`] as it was before all notes.
type Version = (SleepSessionId, i64);
const FIRST: i64 = i64::MIN;

/// What happens to one session at one moment.
struct Event<'a> {
    position: i64,
    id: SleepSessionId,
    import: Option<ImportId>,
    doing: Doing<'a>,
}

/// In the order in which it is done at one moment.
#[derive(Clone, Copy)]
enum Doing<'a> {
    /// Something that is no import made it.
    Appears(&'a SleepSession),
    Goes,
    /// An import brings it.
    Comes(&'a SleepSession),
}

impl Doing<'_> {
    const fn rank(&self) -> u8 {
        match self {
            Self::Appears(_) => 0,
            Self::Goes => 1,
            Self::Comes(_) => 2,
        }
    }
}

fn in_order(mut events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    events.sort_by_key(|event| (event.position, event.doing.rank()));
    events
}

/// The histories of all sessions that may have to do with each other.
pub(super) type Histories = BTreeMap<SleepSessionId, History>;

/// Lets every import but one do again what it did.
pub(super) fn without(undone: ImportId, histories: &Histories) -> Replayed {
    let late = late(histories);
    let mut replay =
        Replay { sessions: BTreeMap::new(), told: Replayed::default(), beside: beside(histories, &late) };
    let mut events = Vec::new();
    for (id, history) in histories {
        match (history.first(), late.get(id)) {
            (Some(first), Some(position)) => events.push(Event {
                position: *position,
                id: *id,
                import: None,
                doing: Doing::Appears(first),
            }),
            (Some(first), None) => {
                replay.sessions.insert(*id, (FIRST, first.clone()));
            }
            (None, _) => {}
        }
        for (note, after) in history.steps().filter(|(note, _)| note.import != undone) {
            let brought = note.waiting.as_ref().or(after);
            let doing = match brought {
                Some(session) => Doing::Comes(session),
                // It goes again when what took its place comes again.
                None if is_explained(note, histories) => continue,
                None => Doing::Goes,
            };
            events.push(Event { position: note.position, id: *id, import: Some(note.import), doing });
        }
    }
    for of_one in in_order(events).chunk_by(|one, next| one.import == next.import) {
        replay.go_on_with(of_one);
    }
    let Replay { sessions, told, beside: _ } = replay;
    let sessions = sessions.into_iter().map(|(id, (_, session))| (id, session)).collect();
    Replayed { sessions, ..told }
}

impl History {
    /// Returns the session as it was before all that is noted.
    fn first(&self) -> Option<&SleepSession> {
        self.notes.first().map_or(self.now.as_ref(), |note| note.before.as_ref())
    }

    /// Lists the notes, each with the session as it was left.
    fn steps(&self) -> impl Iterator<Item = (&SessionNote, Option<&SleepSession>)> {
        let next = self.notes.iter().skip(1).map(|note| note.before.as_ref());
        self.notes.iter().zip(next.chain([self.now.as_ref()]))
    }

    /// Lists the session as it is, was, or would be.
    pub(super) fn versions(&self) -> impl Iterator<Item = &SleepSession> {
        let noted = self.notes.iter().flat_map(|note| note.before.iter().chain(&note.waiting));
        self.now.iter().chain(noted)
    }
}

/// Finds what is no import's and came after imports that would have removed it: with the position at which it is met
/// first. Anything else was there before.
fn late(histories: &Histories) -> BTreeMap<SleepSessionId, i64> {
    let mut late = BTreeMap::new();
    for (id, history) in histories {
        let Some(first) = history.first() else { continue };
        let met = history.notes.first();
        let position = met.map_or(i64::MAX, |note| note.position);
        let came_after = |other: &History| {
            let would_remove = |(note, after): (&SessionNote, Option<&SleepSession>)| {
                note.position < position
                    && met.is_none_or(|met| met.import != note.import)
                    && note.waiting.is_none()
                    && after.is_some_and(|after| removes(&after.record, first))
            };
            let stand_together =
                met.is_none() && other.now.as_ref().is_some_and(|now| removes(&now.record, first));
            !stand_together && other.steps().any(would_remove)
        };
        let others = || histories.iter().filter(|(other, _)| *other != id);
        if history.is_overtaken || others().any(|(_, other)| came_after(other)) {
            late.insert(*id, position);
        }
    }
    late
}

/// Finds which sessions imports let be side by side, though the later one would remove the other: those of an import that
/// says which session is which.
fn beside(histories: &Histories, late: &BTreeMap<SleepSessionId, i64>) -> HashSet<(Version, Version)> {
    let mut events = Vec::new();
    let mut there: BTreeMap<SleepSessionId, (i64, &SleepSession)> = BTreeMap::new();
    for (id, history) in histories {
        match (history.first(), late.get(id)) {
            (Some(first), Some(at)) => {
                events.push(Event { position: *at, id: *id, import: None, doing: Doing::Appears(first) });
            }
            (Some(first), None) => {
                there.insert(*id, (FIRST, first));
            }
            (None, _) => {}
        }
        for (note, after) in history.steps().filter(|(note, _)| note.waiting.is_none()) {
            let doing = after.map_or(Doing::Goes, Doing::Comes);
            events.push(Event { position: note.position, id: *id, import: Some(note.import), doing });
        }
    }
    let mut beside = HashSet::new();
    let events = in_order(events);
    // An import is looked at when it has done all: in between there may be what it removes a moment later.
    for of_one in events.chunk_by(|one, next| one.import == next.import) {
        for Event { position, id, import: _, doing } in of_one {
            match doing {
                Doing::Goes => {
                    there.remove(id);
                }
                Doing::Appears(session) | Doing::Comes(session) => {
                    there.insert(*id, (*position, session));
                }
            }
        }
        for (id, came) in of_one.iter().filter_map(|event| Some((event.id, there.get(&event.id)?))) {
            for (other, stands) in there.iter().filter(|(other, _)| **other != id) {
                if removes(&came.1.record, stands.1) || removes(&stands.1.record, came.1) {
                    beside.insert(((id, came.0), (*other, stands.0)));
                    beside.insert(((*other, stands.0), (id, came.0)));
                }
            }
        }
    }
    beside
}

/// Returns whether a record removes a session that is known when it comes.
fn removes(record: &SleepRecord, session: &SleepSession) -> bool {
    leaves_no_place(record, session) && !says_less(record, session)
}

fn says_less(record: &SleepRecord, session: &SleepSession) -> bool {
    record.hypnogram().is_empty() && !session.record.hypnogram().is_empty()
}

/// Returns whether a session went because another one of the same import took its place.
fn is_explained(note: &SessionNote, histories: &Histories) -> bool {
    let Some(gone) = &note.before else { return false };
    let takes_its_place = |record: &SleepRecord| {
        removes(record, gone)
            || match reconcile(&[gone], record) {
                Reconciliation::Unchanged(_) => false,
                Reconciliation::Replace { .. } => true,
                Reconciliation::Insert { removes } => !removes.is_empty(),
            }
    };
    let others = histories.iter().filter(|(id, _)| **id != note.id);
    others.flat_map(|(_, history)| history.steps()).any(|(other, after)| {
        let brought = other.waiting.as_ref().or(after);
        other.import == note.import && brought.is_some_and(|session| takes_its_place(&session.record))
    })
}

struct Replay {
    sessions: BTreeMap<SleepSessionId, (i64, SleepSession)>,
    told: Replayed,
    beside: HashSet<(Version, Version)>,
}

impl Replay {
    /// Lets one import do what it did. What finds no place is tried again when all else is done: the import may have brought
    /// something meanwhile that made place for it, and was itself followed by something better.
    fn go_on_with(&mut self, of_one: &[Event<'_>]) {
        let mut left: Vec<_> = of_one.iter().collect();
        loop {
            let before = left.len();
            left.retain(|event| !self.go_on(event, false));
            if left.len() == before {
                break;
            }
        }
        for event in left {
            self.go_on(event, true);
        }
    }

    /// Does one thing; returns false where a session finds no place, and is not to wait.
    fn go_on(&mut self, event: &Event<'_>, may_wait: bool) -> bool {
        let Event { position, id, import, doing } = event;
        match (doing, import) {
            (Doing::Appears(session), _) | (Doing::Comes(session), None) => self.appear(*position, session),
            (Doing::Goes, Some(import)) => self.go(*import, *position, *id),
            (Doing::Comes(session), Some(import)) => return self.come(*import, *position, session, may_wait),
            (Doing::Goes, None) => {}
        }
        true
    }

    /// Puts what is no import's in its place; what imports had there goes for good.
    fn appear(&mut self, position: i64, session: &SleepSession) {
        for id in self.met((session.id, position), |other| removes(&session.record, other)) {
            self.sessions.remove(&id);
            self.told.displaced.insert(id);
        }
        self.sessions.insert(session.id, (position, session.clone()));
    }

    /// Removes a session in the name of an import, and notes that.
    fn go(&mut self, import: ImportId, position: i64, id: SleepSessionId) {
        let before = self.sessions.remove(&id).map(|(_, session)| session);
        self.note(SessionNote { import, id, position, before, waiting: None, is_latest: true });
    }

    /// Lets an import bring a session, as it did once; where it finds no place it waits, or this returns false.
    fn come(&mut self, import: ImportId, position: i64, session: &SleepSession, may_wait: bool) -> bool {
        let (id, record) = (session.id, &session.record);
        let known = self.sessions.get(&id).map(|(_, known)| known.clone());
        let gone = if let Some(known) = &known {
            let says_less = !record.key().is_given() && says_less(record, known);
            (!says_less).then(|| self.met((id, position), |other| removes(record, other)))
        } else {
            let near = self.met((id, position), |_| true);
            let near = near.iter().filter_map(|id| self.sessions.get(id)).map(|(_, session)| session);
            match reconcile(&near.collect::<Vec<_>>(), record) {
                // It was stored though the same was known: the same import had removed that a moment before.
                Reconciliation::Unchanged(id) => self.is_same(id, record).then(|| vec![id]),
                Reconciliation::Replace { id, removes } => Some([vec![id], removes].concat()),
                Reconciliation::Insert { removes } => Some(removes),
            }
        };
        let Some(gone) = gone else {
            if may_wait {
                let waiting = Some(session.clone());
                self.note(SessionNote { import, id, position, before: known, waiting, is_latest: true });
            }
            return may_wait;
        };
        for other in gone {
            self.go(import, position, other);
        }
        self.note(SessionNote { import, id, position, before: known, waiting: None, is_latest: true });
        self.sessions.insert(id, (position, session.clone()));
        true
    }

    fn is_same(&self, id: SleepSessionId, record: &SleepRecord) -> bool {
        self.sessions.get(&id).is_some_and(|(_, known)| known.record == *record)
    }

    /// Lists the other sessions that a session meets: not those beside which it was once.
    fn met(&self, (id, position): Version, is_met: impl Fn(&SleepSession) -> bool) -> Vec<SleepSessionId> {
        let others = self.sessions.iter().filter(|(other, (at, _))| {
            **other != id && !self.beside.contains(&((id, position), (**other, *at)))
        });
        others.filter(|(_, (_, session))| is_met(session)).map(|(other, _)| *other).collect()
    }

    /// Notes what an import did, unless it did something to the same session before.
    fn note(&mut self, note: SessionNote) {
        let is_noted = |known: &SessionNote| known.import == note.import && known.id == note.id;
        if !self.told.notes.iter().any(is_noted) {
            self.told.notes.push(note);
        }
    }
}
