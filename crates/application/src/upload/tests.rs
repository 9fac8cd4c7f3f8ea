use super::*;
use crate::audit::testing::{assert_events, event};
use crate::import::{DiscardReason, ImportRecords, Imports};
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::storage::{MockImportReader, MockProfileReader};
use crate::testing::{clock, entropy, noon, person, store, user_id};
use domain::audit::{AuditActor, AuditKind};
use domain::import::{Canceller, FileName};
use domain::time::TimeZone;
use std::sync::Arc;
use uuid::Uuid;

const LIMITS: UploadLimits =
    UploadLimits { max_bytes: 3 * PART_BYTES as u64 / 2, max_open: 2, max_stored_bytes: MOST_STORED };
const MOST_STORED: u64 = 8 * PART_BYTES as u64;

fn import(number: u128, state: ImportState, size: u64) -> Import {
    let (id, name) = (ImportId::from_uuid(Uuid::from_u128(number)), FileName::clean("export.zip"));
    let new = Import::new(id, ImportOrigin::Upload, name, TimeZone::UTC, noon());
    Import { user_id: Some(user_id(1)), state, size, ..new }
}

fn key(person: u128) -> UploadKey {
    UploadKey { user_id: user_id(person), id: ImportId::from_uuid(Uuid::from_u128(7)) }
}

/// A store with one unit of work that finds these imports.
fn units(prepare: impl FnOnce(&mut MockUnitOfWork)) -> (Arc<PreparedUnitsOfWork>, Arc<Endings>) {
    let mut unit = MockUnitOfWork::default();
    prepare(&mut unit);
    unit.users.expect_find().returning(|_| Ok(Some(person())));
    let units = PreparedUnitsOfWork::new([unit]);
    let endings = units.endings();
    (Arc::new(units), endings)
}

fn uploads(units: &Arc<PreparedUnitsOfWork>) -> Uploads {
    Uploads { store: store(units), limits: LIMITS }
}

async fn begin(open: Vec<Import>, inserts: usize) -> Result<UploadKey, UploadError> {
    begin_with_stored(0, open, inserts).await
}

/// Starts an upload while this many bytes of all users are stored.
async fn begin_with_stored(stored: u64, open: Vec<Import>, inserts: usize) -> Result<UploadKey, UploadError> {
    let (units, _) = units(|unit| {
        unit.uploads.expect_stored_bytes().returning(move || Ok(stored));
        unit.imports.expect_list().return_once(|_, _, _| Ok(open));
        unit.imports
            .expect_insert()
            .times(inserts)
            .withf(|import| import.state == ImportState::Receiving && import.user_id == Some(user_id(1)))
            .returning(|_| Ok(()));
    });
    uploads(&units).begin(user_id(1), FileName::clean("export.zip")).await
}

#[tokio::test]
async fn an_upload_begins_while_others_are_done() {
    let done = (1..9).map(|number| import(number, ImportState::Done, 1));
    let open = done.chain([import(9, ImportState::Waiting, 1)]).collect();
    assert!(begin(open, 1).await.is_ok());
}

#[tokio::test]
async fn an_upload_is_audited_when_it_begins() {
    let (units, _) = units(|unit| {
        unit.uploads.expect_stored_bytes().returning(|| Ok(0));
        unit.imports.expect_list().return_once(|_, _, _| Ok(Vec::new()));
        unit.imports.expect_insert().once().returning(|_| Ok(()));
    });
    let UploadKey { id, .. } =
        uploads(&units).begin(user_id(1), FileName::clean("export.zip")).await.unwrap();
    let expected = event(AuditActor::Person, AuditKind::ImportStarted).user(user_id(1)).subject(id.as_uuid());
    assert_events(&units.events(), &[expected]);
}

#[tokio::test]
async fn a_person_has_no_more_open_uploads_than_the_limit() {
    let open = vec![import(1, ImportState::Receiving, 1), import(2, ImportState::Running, 1)];
    assert!(matches!(begin(open, 0).await, Err(UploadError::TooManyOpen)));
}

#[tokio::test]
async fn no_upload_begins_at_the_total_storage_limit() {
    assert!(begin_with_stored(MOST_STORED - 1, Vec::new(), 1).await.is_ok());
    let refused = begin_with_stored(MOST_STORED, Vec::new(), 0).await;
    assert!(matches!(refused, Err(UploadError::NoSpace)));
}

#[tokio::test]
async fn an_upload_without_space_is_refused_and_its_parts_are_deleted() {
    for (stored, fits) in [(MOST_STORED - 5, true), (MOST_STORED - 4, false)] {
        let (units, endings) = units(|unit| {
            unit.imports.expect_find().return_once(|_| Ok(Some(import(7, ImportState::Receiving, 0))));
            unit.uploads.expect_stored_bytes().returning(move || Ok(stored));
            unit.uploads.expect_add_part().times(usize::from(fits)).returning(|_, _, _| Ok(()));
            let state = if fits { ImportState::Receiving } else { ImportState::Rejected };
            unit.imports
                .expect_update()
                .once()
                .withf(move |import| import.state == state)
                .returning(|_| Ok(true));
            unit.uploads.expect_delete_parts().times(usize::from(!fits)).returning(|_| Ok(()));
        });
        let outcome = uploads(&units).add_part(key(1), 0, b"12345").await;
        assert_eq!(matches!(outcome, Err(UploadError::NoSpace)), !fits);
        assert_eq!((outcome.is_ok(), endings.committed()), (fits, 1));
    }
}

/// Adds a part of this size and position to an upload.
async fn add(
    found: Import,
    position: u32,
    length: usize,
    of: u128,
) -> (Result<(), UploadError>, Arc<Endings>) {
    let (units, endings) = units(|unit| {
        unit.imports.expect_find().return_once(|_| Ok(Some(found)));
        unit.uploads.expect_stored_bytes().returning(|| Ok(0));
        unit.uploads.expect_add_part().returning(|_, _, _| Ok(()));
        unit.imports.expect_update().returning(|_| Ok(true));
        unit.uploads.expect_delete_parts().returning(|_| Ok(()));
    });
    let outcome = uploads(&units).add_part(key(of), position, &vec![0; length]).await;
    (outcome, endings)
}

#[tokio::test]
async fn parts_are_accepted_in_order_and_at_their_size() {
    let receiving = |size| import(7, ImportState::Receiving, size);
    assert!(add(receiving(0), 0, PART_BYTES, 1).await.0.is_ok());
    assert!(add(receiving(PART_BYTES as u64), 1, 5, 1).await.0.is_ok());
    for (size, position, length) in
        [(0, 1, 5), (5, 1, 5), (PART_BYTES as u64, 0, 5), (0, 0, 0), (0, 0, PART_BYTES + 1)]
    {
        let (outcome, endings) = add(receiving(size), position, length, 1).await;
        assert!(matches!(outcome, Err(UploadError::Misplaced)), "{size} {position} {length}");
        assert_eq!(endings.committed(), 0);
    }
}

#[tokio::test]
async fn a_part_of_another_users_upload_is_rejected() {
    let (outcome, endings) = add(import(7, ImportState::Receiving, 0), 0, 5, 2).await;
    assert!(matches!(outcome, Err(UploadError::Gone)));
    assert_eq!(endings.committed(), 0);
}

#[tokio::test]
async fn an_upload_that_grows_too_large_is_rejected_and_its_parts_are_deleted() {
    let (units, endings) = units(|unit| {
        unit.imports
            .expect_find()
            .return_once(|_| Ok(Some(import(7, ImportState::Receiving, PART_BYTES as u64))));
        unit.imports
            .expect_update()
            .once()
            .withf(|import| import.state == ImportState::Rejected)
            .returning(|_| Ok(true));
        unit.uploads.expect_delete_parts().once().returning(|_| Ok(()));
    });
    let outcome = uploads(&units).add_part(key(1), 1, &vec![0; PART_BYTES]).await;
    assert!(matches!(outcome, Err(UploadError::TooLarge)));
    assert_eq!(endings.committed(), 1);
}

#[tokio::test]
async fn an_empty_file_is_refused_and_a_complete_one_is_queued() {
    for (size, state) in [(0, ImportState::Rejected), (5, ImportState::Waiting)] {
        let (units, endings) = units(|unit| {
            unit.imports
                .expect_find()
                .return_once(move |_| Ok(Some(import(7, ImportState::Receiving, size))));
            unit.imports
                .expect_update()
                .once()
                .withf(move |import| import.state == state)
                .returning(|_| Ok(true));
            unit.uploads.expect_delete_parts().returning(|_| Ok(()));
        });
        let outcome = uploads(&units).finish(key(1), UploadOptions::default()).await;
        assert_eq!(outcome.is_ok(), state == ImportState::Waiting);
        assert_eq!(endings.committed(), 1);
    }
}

#[tokio::test]
async fn an_upload_that_is_being_imported_cannot_be_discarded() {
    let (units, _) = units(|unit| {
        unit.imports.expect_find().returning(|_| Ok(Some(import(7, ImportState::Running, 5))));
    });
    let (reader, profiles) = (Arc::new(MockImportReader::new()), Arc::new(MockProfileReader::new()));
    let imports = Imports { store: store(&units), reader, profiles };
    let reason = DiscardReason::Cancelled(Canceller::Person);
    // The store expects no change.
    assert!(!imports.discard(user_id(1), key(1).id, reason).await.unwrap());
}

#[tokio::test]
async fn the_start_of_a_recording_is_stored_with_its_local_offset() {
    let (units, _) = units(|unit| {
        let zone = TimeZone::parse("Europe/Berlin").unwrap();
        let receiving = Import { zone, ..import(7, ImportState::Receiving, 5) };
        unit.imports.expect_find().return_once(move |_| Ok(Some(receiving)));
        let is_right = |import: &Import| {
            import.recording_start.map(|start| start.to_rfc3339()).as_deref()
                == Some("2026-01-10T22:30:00+01:00")
        };
        unit.imports.expect_update().once().withf(is_right).returning(|_| Ok(true));
    });
    let start = "2026-01-10T22:30:00".parse().ok();
    let options = UploadOptions { recording_start: start, ..UploadOptions::default() };
    assert!(uploads(&units).finish(key(1), options).await.is_ok());
}

/// Leases an upload on its `tries`th try.
async fn take(tries: u32) -> (Option<UploadJob>, usize) {
    let import = Import { tries, ..import(7, ImportState::Running, 5) };
    let (mut leasing, mut refusing) = (MockUnitOfWork::default(), MockUnitOfWork::default());
    let leased = import.clone();
    leasing.uploads.expect_lease().return_once(|_, _| Ok(Some(leased)));
    // The user is locked before the upload, which the lease has locked first.
    refusing.users.expect_find().returning(|_| Ok(Some(person())));
    refusing.imports.expect_find().return_once(|_| Ok(Some(import)));
    refusing
        .imports
        .expect_update()
        .times(usize::from(tries > 3))
        .withf(|import| {
            let refusal = import.refusal.as_deref().unwrap_or_default();
            import.state == ImportState::Rejected && refusal.contains("three times")
        })
        .returning(|_| Ok(true));
    refusing.uploads.expect_delete_parts().times(usize::from(tries > 3)).returning(|_| Ok(()));
    let units = PreparedUnitsOfWork::new([leasing, refusing]);
    let (endings, units) = (units.endings(), Arc::new(units));
    let files = Arc::new(crate::ports::upload_files::MockUploadFiles::new());
    let import = ImportRecords::new(units.clone(), entropy(), clock());
    let reader = Arc::new(MockImportReader::new());
    let process = ProcessUploads { store: store(&units), reader, files, import };
    (process.take().await.unwrap(), endings.committed())
}

#[tokio::test]
async fn an_upload_that_ended_three_servers_is_refused_and_not_read_by_a_fourth() {
    for tries in 1..=3 {
        assert!(matches!(take(tries).await, (Some(_), 1)), "{tries}");
    }
    assert!(matches!(take(4).await, (None, 2)));
}
