//! Erasure of a person during other work for them.

use crate::Harness;
use crate::fixture::{
    client, grant, label, now, secret, store_import, tally, upload, used_from, user, user_id,
};
use crate::harness::Counted;
use crate::import_concurrency::nights;
use crate::service::{audited, import_records};
use crate::token_form::tokens;
use application::erasure::{Eraser, ErasureError, Erasures};
use application::import::{FileInfo, ImportRecordsCommand, ImportRecordsError};
use application::intake::{IntakeError, Intakes, NewIntake};
use application::ports::storage::{Erasure, Import};
use application::store::Store;
use application::token::{PresentedRefreshToken, TokenError};
use application::upload::{PART_BYTES, UploadError, UploadKey, UploadLimits, Uploads};
use domain::client::{Client, ClientKind};
use domain::grant::Grant;
use domain::id::{FormId, UserId};
use domain::import::FileName;
use domain::read_tally::{ReadTally, TallyKey};
use domain::refresh_token::{RefreshToken, RotatingToken};
use domain::secret::SecretBytes;
use domain::supplement::Servings;
use domain::time::TimeZone;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// Number of people who are erased in each case.
const ROUNDS: u64 = 8;

/// Erases a person after 15 ms, so that the other work is in progress; returns the result, and the number of
/// tries.
async fn erase(harness: &Harness, user_id: UserId) -> (Result<Erasure, ErasureError>, u64) {
    tokio::time::sleep(Duration::from_millis(15)).await;
    let units = Arc::new(Counted::new(harness.factory.clone()));
    let erasures = Erasures { store: Store { units: units.clone(), ..audited(harness) } };
    let erased = erasures.erase(Eraser::Operator(user_id)).await;
    (erased, units.begun())
}

/// Checks that an erasure succeeds in its first try.
async fn assert_erased(harness: &Harness, user_id: UserId) {
    let (erased, tries) = erase(harness, user_id).await;
    erased.unwrap();
    assert_eq!(tries, 1, "the store aborted the erasure in favor of another unit of work");
    assert_eq!(harness.profiles.find_profile(user_id).await.unwrap(), None);
}

/// Sends parts of an upload until it is gone.
fn send_parts(harness: &Harness, key: UploadKey) -> JoinHandle<UploadError> {
    let limits = UploadLimits { max_bytes: u64::MAX, ..UploadLimits::default() };
    let uploads = Uploads { store: audited(harness), limits };
    tokio::spawn(async move {
        let part = vec![7; PART_BYTES];
        let mut position = 0;
        loop {
            if let Err(error) = uploads.add_part(key, position, &part).await {
                return error;
            }
            position += 1;
        }
    })
}

async fn erase_during_uploads(harness: &Harness, uploads: u64) {
    for round in 1..=ROUNDS {
        let user_id = user_id(round);
        harness.store_user(&user(round)).await;
        let mut sending = Vec::new();
        for number in 0..uploads {
            let import = Import { user_id: Some(user_id), ..upload(round * 10 + number, 0) };
            store_import(harness, &import).await;
            sending.push(send_parts(harness, UploadKey { user_id, id: import.id }));
        }
        assert_erased(harness, user_id).await;
        for sending in sending {
            let ended = sending.await.unwrap();
            assert!(matches!(ended, UploadError::Gone), "{ended:?}");
        }
    }
}

// T107
pub(crate) async fn a_person_is_erased_while_an_upload_arrives(harness: &Harness) {
    erase_during_uploads(harness, 1).await;
}

// T107
pub(crate) async fn a_person_is_erased_while_three_uploads_arrive(harness: &Harness) {
    erase_during_uploads(harness, 3).await;
}

/// Stores grants of a person that have never been used, and returns their tokens.
async fn store_unused_grants(harness: &Harness, user_id: UserId, first: u64) -> Vec<RotatingToken> {
    let (mut tokens, mut grants) = (Vec::new(), Vec::new());
    for number in first..first + 20 {
        let mut bytes = [0x11; 32];
        bytes[..8].copy_from_slice(&number.to_be_bytes());
        let token = RotatingToken::first(&SecretBytes::new(bytes));
        let newest_token_hash = Some(token.hash());
        let refresh_token_hash = RefreshToken::Rotating(token.clone()).lookup_hash();
        grants.push(Grant { user_id, refresh_token_hash, newest_token_hash, ..grant(number) });
        tokens.push(token);
    }
    harness.store_grants(&grants).await;
    tokens
}

// T107
pub(crate) async fn a_person_is_erased_during_twenty_first_refreshes(harness: &Harness) {
    let client = Client { kind: ClientKind::PublicApp, ..client(1) };
    harness.store_client(&client, &secret(1)).await;
    let tokens = Arc::new(tokens(harness));
    for round in 1..=ROUNDS {
        harness.store_user(&user(round)).await;
        let unused = store_unused_grants(harness, user_id(round), round * 100).await;
        let running = unused.into_iter().map(|token| {
            let (tokens, client) = (tokens.clone(), client.clone());
            tokio::spawn(async move {
                let presented = PresentedRefreshToken {
                    refresh_token: token.expose(),
                    user_id: None,
                    scope: None,
                    resource: None,
                    from: &used_from(1),
                };
                tokens.refresh(&client, presented).await.map(drop)
            })
        });
        let running: Vec<_> = running.collect();
        assert_erased(harness, user_id(round)).await;
        for refreshed in running {
            let refreshed = refreshed.await.unwrap();
            assert!(matches!(refreshed, Ok(()) | Err(TokenError::InvalidGrant(_))), "{refreshed:?}");
        }
    }
}

/// Changes a product of a person until the person is gone.
async fn change_product(harness: &Harness, user_id: UserId) -> JoinHandle<IntakeError> {
    let intakes = Intakes { store: audited(harness), reader: harness.supplements.clone() };
    let form = FormId::from_uuid(user_id.as_uuid());
    let mut id = intakes.create_product(user_id, form, label("Product 0")).await.unwrap();
    // A change to a product that was logged stores a new version.
    let (taken_at, servings) = (now(), Servings::new(1.0).unwrap());
    intakes.log(user_id, NewIntake { form, supplement_id: id, taken_at, servings }).await.unwrap();
    tokio::spawn(async move {
        let mut number = 0;
        loop {
            number += 1;
            match intakes.change_product(user_id, id, label(&format!("Product {number}"))).await {
                Ok(current) => id = current,
                Err(error) => return error,
            }
        }
    })
}

// T107
pub(crate) async fn a_person_is_erased_while_a_custom_product_changes(harness: &Harness) {
    for round in 1..=ROUNDS {
        harness.store_user(&user(round)).await;
        let changing = change_product(harness, user_id(round)).await;
        assert_erased(harness, user_id(round)).await;
        let ended = changing.await.unwrap();
        assert!(matches!(ended, IntakeError::UnknownSupplement), "{ended:?}");
    }
}

/// Counts reads of a person.
fn count_reads(harness: &Harness, user_id: UserId) -> JoinHandle<()> {
    let tallies = harness.tallies.clone();
    tokio::spawn(async move {
        for minute in 0..40 {
            let sum = tally(minute % 4);
            let key = TallyKey { user_id, ..sum.key };
            tallies.add(&[ReadTally { key, ..sum }]).await.unwrap();
        }
    })
}

// T107
pub(crate) async fn a_person_is_erased_while_an_import_runs_and_reads_are_counted(harness: &Harness) {
    for round in 1..=ROUNDS {
        let user_id = user_id(round);
        harness.store_user(&user(round)).await;
        let importing = import_records(harness);
        let importing = tokio::spawn(async move {
            let about = FileInfo::File { name: FileName::clean("items"), zone: TimeZone::UTC };
            let command = ImportRecordsCommand {
                user_id: Some(user_id),
                dry_run: false,
                overwrite_profile: false,
                about,
            };
            importing.run(&command, &nights(), &|_, _| ControlFlow::Continue(())).await.map(drop)
        });
        let reading = count_reads(harness, user_id);
        assert_erased(harness, user_id).await;
        let imported = importing.await.unwrap();
        assert!(matches!(imported, Ok(()) | Err(ImportRecordsError::UnknownUser)), "{imported:?}");
        reading.await.unwrap();
    }
}
