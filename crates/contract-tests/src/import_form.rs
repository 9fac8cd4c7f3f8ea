//! Rejected forms about imports and uploads, each up to the statement that rejects it.

use crate::Harness;
use crate::fixture::{import_id, persons_import, store_import, upload, user_id};
use crate::import_journal::imports;
use crate::rejection::{assert_rejected, audited, prepare};
use application::import::{CancelImportError, ImportError};
use application::ports::storage::Import;
use application::upload::{UploadError, UploadKey, UploadLimits, UploadOptions, Uploads};
use domain::import::{FileName, ImportState};
use domain::user::ProfileField;

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
