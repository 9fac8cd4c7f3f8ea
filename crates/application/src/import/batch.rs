//! The records of one batch.

use crate::ports::import_source::{
    ImportItem, ImportedLog, ImportedProfile, ImportedSession, ImportedSupplement, Note, Rejection,
};

/// Something with its position in the batch, by which what is rejected is told in the file's order.
pub(super) type Numbered<T> = (usize, T);

/// The records of one batch, and what there is to tell about it before anything is stored.
#[derive(Default)]
pub(super) struct Batch {
    /// The records: labels first, because logs of the same batch may name them.
    pub(super) records: Vec<Numbered<ImportItem>>,
    pub(super) rejected: Vec<Numbered<Rejection>>,
    pub(super) notes: Vec<Note>,
}

impl Batch {
    /// Sorts what a file holds; records of a person are rejected where nobody is named.
    pub(super) fn sort(items: Vec<ImportItem>, has_person: bool) -> Self {
        let mut batch = Self::default();
        for (position, item) in items.into_iter().enumerate() {
            match item {
                ImportItem::Rejected(rejection) => batch.rejected.push((position, rejection)),
                ImportItem::Note(note) => batch.notes.push(note),
                ImportItem::Profile(_) | ImportItem::Session(_) | ImportItem::Log(_) if !has_person => {
                    batch.rejected.push((position, rejection(item.place(), Unstorable::NoPerson)));
                }
                item => batch.records.push((position, item)),
            }
        }
        batch.records.sort_by_key(|(_, item)| !matches!(item, ImportItem::Supplement(_)));
        batch
    }
}

/// Why a record that was read well is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unstorable {
    NoPerson,
    SessionOfTwo,
    LogOfTwo,
    LabelOfTwo,
    Taken,
    UnknownSupplement,
    UnknownUpc,
}

impl Unstorable {
    const ALL: [Self; 7] = [
        Self::NoPerson,
        Self::SessionOfTwo,
        Self::LogOfTwo,
        Self::LabelOfTwo,
        Self::Taken,
        Self::UnknownSupplement,
        Self::UnknownUpc,
    ];

    /// Returns the words for people.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::NoPerson => "this record belongs to a person, and the import names none",
            Self::SessionOfTwo => "its id is the one of a session, its key the one of another",
            Self::LogOfTwo => "its id is the one of a log, its external_id the one of another",
            Self::LabelOfTwo => "its id is the one of a label that was logged and has another key",
            Self::Taken => "its id or its key belongs to another record",
            Self::UnknownSupplement => {
                "the supplement of this log is not in the catalogue; import its label first"
            }
            Self::UnknownUpc => {
                "no label in the catalogue carries the upc of this log; import the label first"
            }
        }
    }

    /// Finds the reason with these words.
    pub(super) fn of_reason(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.reason() == words)
    }
}

/// Says why the record at this place is not taken.
pub(super) fn rejection(place: &str, why: Unstorable) -> Rejection {
    Rejection { place: place.to_owned(), reason: why.reason().to_owned() }
}

pub(super) fn supplements(records: &[Numbered<ImportItem>]) -> Vec<Numbered<&ImportedSupplement>> {
    let supplements = records.iter().filter_map(|(position, item)| match item {
        ImportItem::Supplement(supplement) => Some((*position, supplement.as_ref())),
        _ => None,
    });
    supplements.collect()
}

pub(super) fn profiles(records: &[Numbered<ImportItem>]) -> impl Iterator<Item = &ImportedProfile> {
    records.iter().filter_map(|(_, item)| match item {
        ImportItem::Profile(profile) => Some(profile.as_ref()),
        _ => None,
    })
}

pub(super) fn sessions(records: &[Numbered<ImportItem>]) -> Vec<Numbered<&ImportedSession>> {
    let sessions = records.iter().filter_map(|(position, item)| match item {
        ImportItem::Session(session) => Some((*position, session.as_ref())),
        _ => None,
    });
    sessions.collect()
}

pub(super) fn logs(records: &[Numbered<ImportItem>]) -> impl Iterator<Item = Numbered<&ImportedLog>> {
    records.iter().filter_map(|(position, item)| match item {
        ImportItem::Log(log) => Some((*position, log.as_ref())),
        _ => None,
    })
}
