//! The records of one batch.

use crate::ports::import_source::{
    ImportItem, ImportedLog, ImportedProfile, ImportedSession, ImportedSupplement, Note, Rejection,
};

/// A value with its position in the batch, so that rejections are reported in file order.
pub(super) type Numbered<T> = (usize, T);

/// The records of a batch before anything is stored.
#[derive(Default)]
pub(super) struct Batch {
    /// Records, labels first, because logs of the same batch may refer to them.
    pub(super) records: Vec<Numbered<ImportItem>>,
    pub(super) rejected: Vec<Numbered<RejectedRecord>>,
    pub(super) notes: Vec<Note>,
    /// Whether labels were skipped because the file is an upload.
    pub(super) left_out_labels: bool,
}

impl Batch {
    /// Sorts the items of a file; without a user, personal records are rejected.
    pub(super) fn sort(items: Vec<ImportItem>, has_person: bool) -> Self {
        let mut batch = Self::default();
        for (position, item) in items.into_iter().enumerate() {
            match item {
                ImportItem::Rejected(rejection) => {
                    batch.rejected.push((position, RejectedRecord { rejection, why: None }));
                }
                ImportItem::Note(note) => batch.notes.push(note),
                ImportItem::LabelsLeftOut => batch.left_out_labels = true,
                ImportItem::Profile(_) | ImportItem::Session(_) | ImportItem::Log(_) if !has_person => {
                    batch
                        .rejected
                        .push((position, RejectedRecord::new(item.place(), RejectionCause::NoPerson)));
                }
                item => batch.records.push((position, item)),
            }
        }
        batch.records.sort_by_key(|(_, item)| !matches!(item, ImportItem::Supplement(_)));
        batch
    }
}

/// Why a readable record is not stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RejectionCause {
    NoPerson,
    SessionOfTwo,
    LogOfTwo,
    LabelOfTwo,
    KeyConflict,
    UnknownSupplement,
    UnknownUpc,
    InTheFuture,
    TakenInTheFuture,
}

impl RejectionCause {
    /// Returns the text for users.
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::NoPerson => "this record belongs to a person, but the import has no user",
            Self::SessionOfTwo => "its id and its key belong to two different sessions",
            Self::LogOfTwo => "its id and its external_id belong to two different logs",
            Self::LabelOfTwo => "its id belongs to a label with a different key",
            Self::KeyConflict => "its id or its key belongs to another record",
            Self::UnknownSupplement => {
                "the supplement of this log is not in the catalogue; import its label first"
            }
            Self::UnknownUpc => "no label in the catalogue has the upc of this log; import the label first",
            Self::InTheFuture => {
                "it ends more than a day in the future; the clock that recorded it was wrong"
            }
            Self::TakenInTheFuture => {
                "it was taken more than a day in the future; the clock that recorded it was wrong"
            }
        }
    }
}

/// A record that is not stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RejectedRecord {
    pub(super) rejection: Rejection,
    /// Reason; `None` if the record could not be read.
    pub(super) why: Option<RejectionCause>,
}

impl RejectedRecord {
    pub(super) fn new(place: &str, why: RejectionCause) -> Self {
        let rejection = Rejection { place: place.to_owned(), reason: why.reason().to_owned() };
        Self { rejection, why: Some(why) }
    }
}

pub(super) fn supplements(records: &[Numbered<ImportItem>]) -> Vec<Numbered<&ImportedSupplement>> {
    let supplements = records.iter().filter_map(|(position, item)| match item {
        ImportItem::Supplement(supplement) => Some((*position, supplement.as_ref())),
        _ => None,
    });
    supplements.collect()
}

pub(super) fn profiles(records: &[Numbered<ImportItem>]) -> impl Iterator<Item = Numbered<&ImportedProfile>> {
    records.iter().filter_map(|(position, item)| match item {
        ImportItem::Profile(profile) => Some((*position, profile.as_ref())),
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
