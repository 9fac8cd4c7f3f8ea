//! Stored imports, their parts and leases.

use crate::Harness;
use crate::fixture::{
    find_import as find, full_import, import, import_id, now, seconds, store_import as store, upload, user,
    user_id,
};
use application::ports::storage::Import;
use chrono::{DateTime, Utc};
use domain::import::{FileDigest, ImportOrigin, ImportState};

async fn lease(harness: Harness, at: DateTime<Utc>, until: DateTime<Utc>) -> Option<Import> {
    commit!(harness, uploads().lease(at, until))
}

pub(crate) async fn an_import_reads_back_as_stored(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for import in [import(1), full_import(2)] {
        store(harness, &import).await;
    }
    assert_eq!(find(harness, 1).await, Some(import(1)));
    assert_eq!(find(harness, 2).await, Some(full_import(2)));
    assert_eq!(find(harness, 3).await, None);
}

pub(crate) async fn every_state_and_origin_reads_back(harness: &Harness) {
    let mut number = 0;
    for state in ImportState::ALL {
        for origin in ImportOrigin::ALL {
            number += 1;
            let import = Import { state, origin, ..import(number) };
            store(harness, &import).await;
            assert_eq!(find(harness, number).await, Some(import));
        }
    }
}

pub(crate) async fn an_update_overwrites_everything_but_person_and_start(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &import(1)).await;
    store(harness, &import(2)).await;
    for changed in [full_import(1), upload(1, 50), import(1)] {
        assert!(commit!(harness, imports().update(&changed)));
        let Import { user_id, started_at, .. } = import(1);
        assert_eq!(find(harness, 1).await, Some(Import { user_id, started_at, ..changed }));
    }
    assert_eq!(find(harness, 2).await, Some(import(2)));
    let mut unit = harness.begin().await;
    assert!(!unit.imports().update(&import(3)).await.unwrap());
}

pub(crate) async fn imports_are_listed_latest_first_in_pages(harness: &Harness) {
    harness.store_users([1, 2]).await;
    let began = |number, at, person: Option<u64>| Import {
        user_id: person.map(user_id),
        started_at: seconds(at),
        ..import(number)
    };
    let imports = [
        began(4, 5, Some(1)),
        began(9, 3, Some(1)),
        began(2, 3, Some(1)),
        began(7, 1, Some(1)),
        began(1, 4, Some(2)),
        began(3, 2, None),
    ];
    for import in &imports {
        store(harness, import).await;
    }
    let mut listed = Vec::new();
    let mut after = None;
    loop {
        let part = harness.imports.list_imports(Some(user_id(1)), after, 2).await.unwrap();
        let Some(last) = part.last() else { break };
        assert!(part.len() <= 2);
        after = Some((last.started_at, last.id));
        listed.extend(part);
    }
    assert_eq!(listed, imports[..4]);
    let everybody = harness.imports.list_imports(None, None, 9).await.unwrap();
    assert_eq!(harness.begin().await.imports().list(None, None, 9).await.unwrap(), everybody);
    let ids: Vec<_> = everybody.iter().map(|import| import.id).collect();
    assert_eq!(ids, [4, 1, 9, 2, 3, 7].map(import_id));
}

pub(crate) async fn an_interrupted_import_is_found_by_person_and_digest(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let digest = FileDigest::from_bytes([7; 32]);
    let running = |number, at, person: Option<u64>| Import {
        user_id: person.map(user_id),
        digest: Some(digest),
        state: ImportState::Running,
        started_at: seconds(at),
        ..import(number)
    };
    let imports = [
        running(1, 1, Some(1)),
        running(2, 2, Some(1)),
        Import { state: ImportState::Done, ..running(3, 3, Some(1)) },
        Import { origin: ImportOrigin::Upload, ..running(4, 4, Some(1)) },
        Import { digest: Some(FileDigest::from_bytes([8; 32])), ..running(5, 5, Some(1)) },
        running(6, 6, None),
    ];
    for import in &imports {
        store(harness, import).await;
    }
    let mut unit = harness.begin().await;
    let of_person = unit.imports().find_interrupted(Some(user_id(1)), &digest, seconds(2)).await.unwrap();
    assert_eq!(of_person.as_ref(), Some(&imports[1]));
    let of_catalogue = unit.imports().find_interrupted(None, &digest, seconds(6)).await.unwrap();
    assert_eq!(of_catalogue.as_ref(), Some(&imports[5]));
    assert_eq!(unit.imports().find_interrupted(Some(user_id(2)), &digest, seconds(0)).await.unwrap(), None);
    let other = FileDigest::from_bytes([9; 32]);
    assert_eq!(unit.imports().find_interrupted(None, &other, seconds(0)).await.unwrap(), None);
    // One that started earlier and was never updated is too old; an update counts as of now.
    assert_eq!(unit.imports().find_interrupted(None, &digest, seconds(7)).await.unwrap(), None);
    assert!(unit.imports().update(&imports[5]).await.unwrap());
    let updated = unit.imports().find_interrupted(None, &digest, seconds(7)).await.unwrap();
    assert_eq!(updated.as_ref(), Some(&imports[5]));
    let ever: DateTime<Utc> = "9000-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(unit.imports().find_interrupted(None, &digest, ever).await.unwrap(), None);
}

pub(crate) async fn parts_read_back_and_an_existing_part_stays(harness: &Harness) {
    harness.store_user(&user(1)).await;
    store(harness, &upload(1, 0)).await;
    store(harness, &upload(2, 0)).await;
    let large: Vec<u8> = (0..3_000_000_u32).map(|number| number.to_be_bytes()[3]).collect();
    let mut unit = harness.begin().await;
    let uploads = unit.uploads();
    uploads.add_part(import_id(1), 1, &large).await.unwrap();
    uploads.add_part(import_id(1), 0, b"first").await.unwrap();
    uploads.add_part(import_id(1), 0, b"again").await.unwrap();
    uploads.add_part(import_id(2), 0, b"").await.unwrap();
    unit.commit().await.unwrap();
    let part =
        async |number, position| harness.imports.find_upload_part(import_id(number), position).await.unwrap();
    assert_eq!(part(1, 0).await.as_deref(), Some(b"first".as_slice()));
    assert!(part(1, 1).await == Some(large));
    assert_eq!(part(1, 2).await, None);
    commit!(harness, uploads().delete_parts(import_id(1)));
    assert_eq!(part(1, 0).await, None);
    assert_eq!(part(2, 0).await, Some(Vec::new()));
}

pub(crate) async fn the_bytes_of_unfinished_uploads_are_summed(harness: &Harness) {
    assert_eq!(harness.begin().await.uploads().stored_bytes().await.unwrap(), 0);
    harness.store_users([1, 2]).await;
    let gibibytes: u64 = 5 << 30;
    let uploads = [
        (1, ImportState::Receiving, gibibytes),
        (2, ImportState::Waiting, 20),
        (1, ImportState::Running, 3),
        (2, ImportState::Done, 1_000),
        (1, ImportState::Rejected, 10_000),
        (1, ImportState::Undone, 100_000),
    ];
    for (number, (person, state, size)) in (1..).zip(uploads) {
        store(harness, &Import { state, size, ..upload_of(person, number, -1) }).await;
    }
    store(harness, &Import { state: ImportState::Running, size: 7, ..import(9) }).await;
    assert_eq!(harness.begin().await.uploads().stored_bytes().await.unwrap(), gibibytes + 23);
}

/// Returns an upload of another person than [`upload`].
fn upload_of(person: u64, number: u64, at: i64) -> Import {
    Import { user_id: Some(user_id(person)), ..upload(number, at) }
}

pub(crate) async fn waiting_uploads_are_leased_once_oldest_first(harness: &Harness) {
    let states = [ImportState::Waiting, ImportState::Waiting, ImportState::Receiving, ImportState::Done];
    for (number, state) in (1..).zip(states) {
        harness.store_user(&user(number)).await;
        let at = -i64::try_from(number).unwrap();
        store(harness, &Import { state, ..upload_of(number, number, at) }).await;
    }
    store(harness, &Import { state: ImportState::Waiting, ..import(5) }).await;
    let running =
        |number, at, tries| Import { state: ImportState::Running, tries, ..upload_of(number, number, at) };
    assert_eq!(lease(harness.clone(), now(), seconds(60)).await, Some(running(2, -2, 1)));
    assert_eq!(lease(harness.clone(), now(), seconds(60)).await, Some(running(1, -1, 1)));
    assert_eq!(lease(harness.clone(), seconds(59), seconds(90)).await, None);
    assert_eq!(find(harness, 2).await, Some(running(2, -2, 1)));
    // The lease of the previous holder has expired.
    assert_eq!(lease(harness.clone(), seconds(60), seconds(120)).await, Some(running(2, -2, 2)));
}

pub(crate) async fn a_lease_is_renewed_while_the_upload_runs(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let waiting = Import { state: ImportState::Waiting, ..upload(1, 0) };
    store(harness, &waiting).await;
    let mut unit = harness.begin().await;
    assert!(!unit.uploads().renew(import_id(1), seconds(90)).await.unwrap());
    assert!(unit.uploads().lease(now(), seconds(60)).await.unwrap().is_some());
    assert!(unit.uploads().renew(import_id(1), seconds(90)).await.unwrap());
    assert_eq!(unit.uploads().lease(seconds(89), seconds(99)).await.unwrap(), None);
    assert!(unit.imports().update(&Import { state: ImportState::Done, ..waiting }).await.unwrap());
    assert!(!unit.uploads().renew(import_id(1), seconds(120)).await.unwrap());
    assert_eq!(unit.uploads().lease(seconds(900), seconds(999)).await.unwrap(), None);
}

pub(crate) async fn one_upload_per_person_is_read_at_a_time(harness: &Harness) {
    harness.store_users([1, 2]).await;
    for (person, number, at) in [(1, 1, -4), (1, 2, -3), (1, 3, -2), (2, 4, -1)] {
        store(harness, &Import { state: ImportState::Waiting, ..upload_of(person, number, at) }).await;
    }
    let taken =
        async |at, until| lease(harness.clone(), seconds(at), seconds(until)).await.map(|import| import.id);
    assert_eq!(taken(0, 60).await, Some(import_id(1)));
    assert_eq!(taken(0, 60).await, Some(import_id(4)));
    assert_eq!(taken(0, 60).await, None);
    // The server of the first one is gone: that upload resumes, and stays the only one of its person.
    assert!(commit!(harness, uploads().renew(import_id(4), seconds(120))));
    assert_eq!(taken(60, 120).await, Some(import_id(1)));
    assert_eq!(taken(60, 120).await, None);
}

pub(crate) async fn the_person_with_the_fewest_recent_uploads_is_first(harness: &Harness) {
    harness.store_users([1, 2, 3]).await;
    let ended = |import, at| Import { state: ImportState::Done, ended_at: Some(seconds(at)), ..import };
    store(harness, &ended(upload_of(1, 1, -90), -80)).await;
    // More than an hour ago.
    store(harness, &ended(upload_of(2, 2, -9000), -3601)).await;
    // On the command line.
    store(harness, &ended(Import { user_id: Some(user_id(3)), ..import(3) }, -80)).await;
    for (person, number, at) in [(1, 4, -50), (1, 5, -40), (2, 6, -30), (3, 7, -20)] {
        store(harness, &Import { state: ImportState::Waiting, ..upload_of(person, number, at) }).await;
    }
    let mut order = Vec::new();
    while let Some(import) = lease(harness.clone(), now(), seconds(60)).await {
        order.push(import.id);
        assert!(commit!(harness, imports().update(&ended(import, -1))));
    }
    assert_eq!(order, [6, 7, 4, 5].map(import_id));
}

pub(crate) async fn each_upload_is_leased_to_one_of_several_servers(harness: &Harness) {
    for number in 1..=3 {
        harness.store_user(&user(number)).await;
        store(harness, &Import { state: ImportState::Waiting, ..upload_of(number, number, 0) }).await;
    }
    let tasks: Vec<_> = (0..12).map(|_| tokio::spawn(lease(harness.clone(), now(), seconds(60)))).collect();
    let mut leased = Vec::new();
    for task in tasks {
        leased.extend(task.await.unwrap().map(|import| import.id));
    }
    leased.sort_unstable();
    assert_eq!(leased, [1, 2, 3].map(import_id));
}

pub(crate) async fn stale_uploads_are_refused_up_to_the_limit(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let states = [ImportState::Receiving, ImportState::Waiting, ImportState::Running, ImportState::Done];
    for (number, state) in (1..).zip(states) {
        let at = -i64::try_from(number).unwrap();
        store(harness, &Import { state, ..upload(number, at) }).await;
    }
    store(harness, &upload(5, 0)).await;
    store(harness, &Import { state: ImportState::Running, started_at: seconds(-9), ..import(6) }).await;
    let mut unit = harness.begin().await;
    for number in 1..=6 {
        unit.uploads().add_part(import_id(number), 0, b"part").await.unwrap();
    }
    assert_eq!(unit.uploads().delete_stale(now(), "too slow", 2).await.unwrap(), 2);
    assert_eq!(unit.uploads().delete_stale(now(), "too slow", 9).await.unwrap(), 1);
    assert_eq!(unit.uploads().delete_stale(now(), "too slow", 9).await.unwrap(), 0);
    unit.commit().await.unwrap();
    for (number, is_refused) in [(1, true), (2, true), (3, true), (4, false), (5, false), (6, false)] {
        let found = find(harness, number).await.unwrap();
        let refused = (found.state, found.refusal.as_deref()) == (ImportState::Rejected, Some("too slow"));
        assert_eq!((refused, found.ended_at.is_some()), (is_refused, is_refused), "{number}");
        let part = harness.imports.find_upload_part(import_id(number), 0).await.unwrap();
        assert_eq!(part.is_none(), is_refused, "{number}");
    }
}

pub(crate) async fn a_returned_attempt_is_not_counted(harness: &Harness) {
    harness.store_user(&user(1)).await;
    let waiting = Import { state: ImportState::Waiting, ..upload(1, 0) };
    store(harness, &waiting).await;
    let mut unit = harness.begin().await;
    // It is not leased.
    unit.uploads().uncount_try(import_id(1)).await.unwrap();
    for (at, tries) in [(0, 1), (60, 1), (120, 2)] {
        let leased = unit.uploads().lease(seconds(at), seconds(at + 60)).await.unwrap();
        assert_eq!(leased.map(|import| import.tries), Some(tries), "{at}");
        if at == 0 {
            unit.uploads().uncount_try(import_id(1)).await.unwrap();
            // Never below zero.
            unit.uploads().uncount_try(import_id(1)).await.unwrap();
            assert_eq!(
                unit.uploads().lease(seconds(59), seconds(99)).await.unwrap(),
                None,
                "it stays leased"
            );
        }
    }
}

pub(crate) async fn the_progress_of_a_check_is_stored_while_it_runs(harness: &Harness) {
    harness.store_user(&user(1)).await;
    for (number, state) in [(1, ImportState::Running), (2, ImportState::Done)] {
        store(harness, &Import { state, ..upload(number, 0) }).await;
    }
    let mut unit = harness.begin().await;
    for number in [1, 2, 3] {
        unit.uploads().record_checked(import_id(number), 1 << 40).await.unwrap();
    }
    unit.commit().await.unwrap();
    for (number, bytes) in [(1, 1 << 40), (2, 0)] {
        assert_eq!(find(harness, number).await.unwrap().bytes_checked, bytes);
    }
}

pub(crate) async fn an_interrupted_undo_is_resumed_by_one_server(harness: &Harness) {
    let undoing = |number, at| Import {
        state: ImportState::Undoing,
        started_at: seconds(at),
        ended_at: Some(seconds(at)),
        ..import(number)
    };
    let imports =
        [undoing(1, -50), undoing(2, -60), Import { state: ImportState::Undone, ..undoing(3, -70) }];
    for import in &imports {
        store(harness, import).await;
    }
    store(harness, &Import { state: ImportState::Done, ..undoing(4, -80) }).await;
    let idle = chrono::TimeDelta::hours(1);
    let mut unit = harness.begin().await;
    assert_eq!(unit.imports().take_undoing(idle).await.unwrap(), Some(import_id(2)));
    assert_eq!(unit.imports().take_undoing(idle).await.unwrap(), Some(import_id(1)));
    // Each was updated just now.
    assert_eq!(unit.imports().take_undoing(idle).await.unwrap(), None);
    unit.commit().await.unwrap();
    assert_eq!(find(harness, 1).await.as_ref(), Some(&imports[0]));
    assert_eq!(find(harness, 3).await.as_ref(), Some(&imports[2]));
}
