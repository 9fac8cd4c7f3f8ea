//! Rejected forms about imports and uploads, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{
    find_import, import_id, now, persons_import, seconds, store_import, upload, user, user_id,
};
use crate::import_journal::imports;
use crate::service::{assert_rejected, audited, audited_at, event_by, import_records, prepare, recorded};
use application::import::{CancelImportError, DiscardReason, ImportError};
use application::ports::storage::Import;
use application::ports::upload_files::{SpoolError, SpooledUpload, UploadFiles};
use application::upload::{
    PART_BYTES, ProcessUploads, UploadError, UploadFormat, UploadKey, UploadLimits, UploadOptions, Uploads,
};
use domain::audit::{AuditActor, AuditKind};
use domain::import::{Canceller, FileName, ImportState};
use domain::time::TimeZone;
use domain::user::ProfileField;
use std::sync::Arc;

pub(crate) async fn rejected_forms_about_imports_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    store_import(harness, &upload(5, 0)).await;
    let states = [ImportState::Done, ImportState::Rejected, ImportState::Undone];
    for (number, state) in (6..).zip(states) {
        store_import(harness, &Import { state, ..persons_import(number) }).await;
    }
    let imports = &imports(harness);
    let apply = async |number| imports.apply_profile(person, import_id(number), &ProfileField::ALL).await;
    let undo = async |number| imports.undo(import_id(number), Some(person)).await;
    let cancel = async |number| imports.cancel(import_id(number)).await;

    let is_unknown = |error: &ImportError| matches!(error, ImportError::Unknown);
    assert_rejected(harness, "apply an unknown import", is_unknown, async || apply(9).await).await;
    let is_not_done = |error: &ImportError| matches!(error, ImportError::NotDone);
    assert_rejected(harness, "apply an unfinished import", is_not_done, async || apply(5).await).await;
    assert_rejected(harness, "undo an unknown import", is_unknown, async || undo(9).await).await;
    let has_nothing = |error: &ImportError| matches!(error, ImportError::NothingStored);
    assert_rejected(harness, "undo an unfinished upload", has_nothing, async || undo(5).await).await;
    let is_undone = |error: &ImportError| matches!(error, ImportError::AlreadyUndone);
    assert_rejected(harness, "undo again", is_undone, async || undo(8).await).await;

    let is_unknown = |error: &CancelImportError| matches!(error, CancelImportError::Unknown);
    assert_rejected(harness, "cancel an unknown import", is_unknown, async || cancel(9).await).await;
    let is_done = |error: &CancelImportError| matches!(error, CancelImportError::Done);
    assert_rejected(harness, "cancel a finished import", is_done, async || cancel(6).await).await;
    let is_refused = |error: &CancelImportError| matches!(error, CancelImportError::Rejected);
    assert_rejected(harness, "cancel a rejected import", is_refused, async || cancel(7).await).await;
    let is_undone = |error: &CancelImportError| matches!(error, CancelImportError::AlreadyUndone);
    assert_rejected(harness, "cancel an undone import", is_undone, async || cancel(8).await).await;
    assert_eq!(apply(6).await.unwrap(), 0);
}

pub(crate) async fn rejected_uploads_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    store_import(harness, &upload(5, 0)).await;
    let uploads = &with_limits(harness, UploadLimits::default());
    let (file_name, key) = (&FileName::clean("export.zip"), UploadKey { user_id: person, id: import_id(5) });
    let begin = async |uploads: &Uploads, person| uploads.begin(person, file_name.clone()).await;
    let add = async |uploads: &Uploads, key, position| uploads.add_part(key, position, &[1]).await;
    let finish = async |key| uploads.finish(key, UploadOptions::default()).await;

    let is_unknown = |error: &UploadError| matches!(error, UploadError::UnknownUser);
    assert_rejected(harness, "begin for an unknown person", is_unknown, async || {
        begin(uploads, user_id(9)).await
    })
    .await;
    let none_open = &with_limits(harness, UploadLimits { max_open: 0, ..UploadLimits::default() });
    let is_one_too_many = |error: &UploadError| matches!(error, UploadError::TooManyOpen);
    assert_rejected(harness, "begin too many", is_one_too_many, async || begin(none_open, person).await)
        .await;
    let full = &with_limits(harness, UploadLimits { max_stored_bytes: 0, ..UploadLimits::default() });
    let has_no_space = |error: &UploadError| matches!(error, UploadError::NoSpace);
    assert_rejected(harness, "begin without space", has_no_space, async || begin(full, person).await).await;

    let is_gone = |error: &UploadError| matches!(error, UploadError::Gone);
    for key in [UploadKey { id: import_id(9), ..key }, UploadKey { user_id: user_id(2), ..key }] {
        assert_rejected(harness, "add to no upload", is_gone, async || add(uploads, key, 0).await).await;
        assert_rejected(harness, "finish no upload", is_gone, async || finish(key).await).await;
    }
    let is_misplaced = |error: &UploadError| matches!(error, UploadError::Misplaced);
    assert_rejected(harness, "add out of order", is_misplaced, async || add(uploads, key, 5).await).await;

    // These are stored, so each has an upload.
    let small = &with_limits(harness, UploadLimits { max_bytes: 0, ..UploadLimits::default() });
    let is_too_large = |error: &UploadError| matches!(error, UploadError::TooLarge);
    assert_rejected(harness, "add too much", is_too_large, async || {
        add(small, begin(uploads, person).await.unwrap(), 0).await
    })
    .await;
    assert_rejected(harness, "add without space", has_no_space, async || {
        add(full, begin(uploads, person).await.unwrap(), 0).await
    })
    .await;
    let is_empty = |error: &UploadError| matches!(error, UploadError::Empty);
    assert_rejected(harness, "finish an empty file", is_empty, async || {
        finish(begin(uploads, person).await.unwrap()).await
    })
    .await;
    // What was rejected for its place or limits works otherwise.
    add(uploads, key, 0).await.unwrap();
    finish(key).await.unwrap();
}

fn with_limits(harness: &Harness, limits: UploadLimits) -> Uploads {
    Uploads { store: audited(harness), limits }
}

/// An upload of person 1 that has grown to this size, without parts.
fn of_size(number: u64, state: ImportState, size: u64) -> Import {
    Import { state, size, ..upload(number, 0) }
}

pub(crate) async fn an_upload_begins_unless_too_many_are_open(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    for number in 1..9 {
        store_import(harness, &of_size(number, ImportState::Done, 1)).await;
    }
    // Not an upload.
    store_import(harness, &Import { state: ImportState::Running, ..persons_import(9) }).await;
    let uploads = with_limits(harness, UploadLimits { max_open: 4, ..UploadLimits::default() });
    let open = [ImportState::Receiving, ImportState::Waiting, ImportState::Running];
    for (number, state) in (10..).zip(open) {
        store_import(harness, &of_size(number, state, 1)).await;
    }
    let key = uploads.begin(person, FileName::clean("export.zip")).await.unwrap();
    assert_eq!(key.user_id, person);
    let stored = harness.imports.find_import(key.id).await.unwrap().unwrap();
    assert_eq!(stored, Import { id: key.id, ..upload(1, 0) });
    let started = event_by(AuditActor::Person, AuditKind::ImportStarted).user(person);
    assert_eq!(recorded(harness).await, [started.subject(key.id.as_uuid())]);
    let rejected = uploads.begin(person, FileName::clean("export.zip")).await;
    assert!(matches!(rejected, Err(UploadError::TooManyOpen)), "{rejected:?}");
    assert_eq!(recorded(harness).await, []);
}

const PART: u64 = PART_BYTES as u64;
const LIMITS: UploadLimits = UploadLimits { max_bytes: PART + 5, max_open: 1, max_stored_bytes: PART + 5 };

/// Adds a part to an upload of this size; returns the outcome and the upload.
async fn added_to(
    harness: &Harness,
    uploads: &Uploads,
    size: u64,
    position: u32,
    bytes: usize,
) -> (Result<(), UploadError>, Import) {
    let key = uploads.begin(user_id(1), FileName::clean("export.zip")).await.unwrap();
    let begun = harness.imports.find_import(key.id).await.unwrap().unwrap();
    let mut unit = harness.begin().await;
    assert!(unit.imports().update(&Import { size, ..begun }).await.unwrap());
    unit.uploads().add_part(key.id, 9, b"x").await.unwrap();
    unit.commit().await.unwrap();
    let outcome = uploads.add_part(key, position, &vec![0; bytes]).await;
    let left = harness.imports.find_import(key.id).await.unwrap().unwrap();
    let is_stored = harness.imports.find_upload_part(key.id, position).await.unwrap().is_some();
    assert_eq!(is_stored, outcome.is_ok());
    // The parts of a rejected upload are deleted.
    let earlier = harness.imports.find_upload_part(key.id, 9).await.unwrap();
    assert_eq!(earlier.is_none(), left.state == ImportState::Rejected);
    // Makes room for the next one.
    let mut unit = harness.begin().await;
    unit.uploads().delete_parts(key.id).await.unwrap();
    assert!(unit.imports().update(&Import { state: ImportState::Done, ..left.clone() }).await.unwrap());
    unit.commit().await.unwrap();
    (outcome, left)
}

pub(crate) async fn parts_are_accepted_in_order_up_to_their_size_and_the_limits(harness: &Harness) {
    prepare(harness).await;
    let uploads = with_limits(harness, LIMITS);
    for (size, position, bytes) in [(0, 0, PART_BYTES), (0, 0, 1), (PART, 1, 5)] {
        let (outcome, left) = added_to(harness, &uploads, size, position, bytes).await;
        outcome.unwrap();
        assert_eq!((left.state, left.size), (ImportState::Receiving, size + bytes as u64));
    }
    for (size, position, bytes) in [(0, 1, 5), (5, 1, 5), (PART, 0, 5), (0, 0, 0), (0, 0, PART_BYTES + 1)] {
        let (outcome, left) = added_to(harness, &uploads, size, position, bytes).await;
        assert!(matches!(outcome, Err(UploadError::Misplaced)), "{size} {position} {bytes}: {outcome:?}");
        assert_eq!((left.state, left.size), (ImportState::Receiving, size));
    }
    let (outcome, left) = added_to(harness, &uploads, PART, 1, 6).await;
    assert!(matches!(outcome, Err(UploadError::TooLarge)), "{outcome:?}");
    assert_eq!((left.state, left.ended_at), (ImportState::Rejected, Some(now())));
}

pub(crate) async fn uploads_of_all_people_share_the_room(harness: &Harness) {
    prepare(harness).await;
    let uploads = with_limits(harness, UploadLimits { max_stored_bytes: PART + 3, ..LIMITS });
    harness.store_user(&user(3)).await;
    let key = uploads.begin(user_id(3), FileName::clean("export.zip")).await.unwrap();
    uploads.add_part(key, 0, &[0; 4]).await.unwrap();
    for (bytes, has_room) in [(PART_BYTES - 1, true), (PART_BYTES, false)] {
        let (outcome, left) = added_to(harness, &uploads, 0, 0, bytes).await;
        assert_eq!(matches!(outcome, Err(UploadError::NoSpace)), !has_room, "{outcome:?}");
        let state = if has_room { ImportState::Receiving } else { ImportState::Rejected };
        assert_eq!(left.state, state);
    }
    for (max_stored_bytes, has_room) in [(4, false), (5, true)] {
        let limited = with_limits(harness, UploadLimits { max_stored_bytes, ..LIMITS });
        let begun = limited.begin(user_id(1), FileName::clean("export.zip")).await;
        assert_eq!(matches!(begun, Err(UploadError::NoSpace)), !has_room, "{begun:?}");
        assert_eq!(begun.is_ok(), has_room);
    }
}

pub(crate) async fn a_complete_upload_waits_with_its_options(harness: &Harness) {
    prepare(harness).await;
    let zone = TimeZone::parse("Europe/Berlin").unwrap();
    store_import(harness, &Import { zone, ..of_size(1, ImportState::Receiving, 5) }).await;
    store_import(harness, &of_size(2, ImportState::Receiving, 0)).await;
    let uploads = with_limits(harness, UploadLimits::default());
    let key = |number| UploadKey { user_id: user_id(1), id: import_id(number) };
    let options =
        UploadOptions { recording_start: "2026-01-10T22:30:00".parse().ok(), overwrite_profile: true };
    uploads.finish(key(1), options).await.unwrap();
    let waiting = find_import(harness, 1).await.unwrap();
    assert_eq!((waiting.state, waiting.overwrite_profile), (ImportState::Waiting, true));
    assert_eq!(waiting.recording_start.unwrap().to_rfc3339(), "2026-01-10T22:30:00+01:00");
    let empty = uploads.finish(key(2), UploadOptions::default()).await;
    assert!(matches!(empty, Err(UploadError::Empty)), "{empty:?}");
    let rejected = find_import(harness, 2).await.unwrap();
    assert_eq!(
        (rejected.state, rejected.refusal.as_deref()),
        (ImportState::Rejected, Some("the file is empty"))
    );

    // One that is being read cannot be discarded.
    store_import(harness, &of_size(3, ImportState::Running, 5)).await;
    let reason = || DiscardReason::Cancelled(Canceller::Person);
    let imports = imports(harness);
    assert!(!imports.discard(user_id(1), import_id(3), reason()).await.unwrap());
    assert_eq!(find_import(harness, 3).await.unwrap().state, ImportState::Running);
    assert!(imports.discard(user_id(1), import_id(1), reason()).await.unwrap());
}

/// No temporary file.
struct NoFiles;

impl UploadFiles for NoFiles {
    fn begin(&self) -> Result<Box<dyn SpooledUpload>, SpoolError> {
        Err(SpoolError(String::new()))
    }

    fn formats(&self) -> Vec<UploadFormat> {
        Vec::new()
    }
}

pub(crate) async fn an_upload_that_ended_three_servers_is_not_read_by_a_fourth(harness: &Harness) {
    prepare(harness).await;
    let waiting = of_size(5, ImportState::Waiting, 5);
    store_import(harness, &waiting).await;
    let take = async |minutes: i64| {
        let store = audited_at(harness, seconds(minutes * 90));
        let (reader, files) = (harness.imports.clone(), Arc::new(NoFiles));
        ProcessUploads { store, reader, files, import: import_records(harness) }.take().await.unwrap()
    };
    for tries in 1..=3 {
        assert_eq!(take(tries).await.unwrap().id, waiting.id);
        assert_eq!(take(tries).await, None);
    }
    assert_eq!(take(4).await, None);
    let rejected = find_import(harness, 5).await.unwrap();
    assert_eq!(rejected.state, ImportState::Rejected);
    assert!(rejected.refusal.unwrap().contains("three times"));
}
