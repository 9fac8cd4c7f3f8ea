//! Remembered consents.

use crate::Harness;
use crate::fixture::{client, client_id, consent, seconds, secret, user, user_id};
use domain::consent::RememberedConsent;
use domain::scope::ScopeSet;

/// Stores people 1 and 2, clients 1 and 2, and these consents.
async fn prepare(harness: &Harness, consents: &[RememberedConsent]) {
    for number in [1, 2] {
        harness.store_user(&user(number)).await;
        harness.store_client(&client(number), &secret(number)).await;
    }
    for consent in consents {
        remember(harness, consent).await;
    }
}

async fn remember(harness: &Harness, consent: &RememberedConsent) {
    commit!(harness, consents().remember(consent));
}

async fn find(harness: &Harness, user: u64, client: u64) -> Option<RememberedConsent> {
    harness.begin().await.consents().find(user_id(user), client_id(client)).await.unwrap()
}

/// Lists the person and client of each remembered consent.
async fn stored(harness: &Harness) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for (user, client) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        if find(harness, user, client).await.is_some() {
            found.push((user, client));
        }
    }
    found
}

pub(crate) async fn a_consent_reads_back_for_its_person_and_client_alone(harness: &Harness) {
    let wide = RememberedConsent { scopes: ScopeSet::CONSENTABLE, ..consent(2, 2) };
    prepare(harness, &[consent(1, 1), wide]).await;
    assert_eq!(find(harness, 1, 1).await, Some(consent(1, 1)));
    assert_eq!(find(harness, 2, 2).await, Some(wide));
    assert_eq!(stored(harness).await, [(1, 1), (2, 2)]);
}

pub(crate) async fn a_consent_replaces_an_earlier_one(harness: &Harness) {
    prepare(harness, &[consent(1, 1), consent(1, 2), consent(2, 1)]).await;
    let wider =
        RememberedConsent { scopes: ScopeSet::CONSENTABLE, remembered_at: seconds(9), ..consent(1, 1) };
    remember(harness, &wider).await;
    assert_eq!(find(harness, 1, 1).await, Some(wider));
    assert_eq!(find(harness, 1, 2).await, Some(consent(1, 2)));
    assert_eq!(find(harness, 2, 1).await, Some(consent(2, 1)));
}

pub(crate) async fn racing_consents_of_one_person_and_client_leave_one(harness: &Harness) {
    prepare(harness, &[]).await;
    let tasks: Vec<_> = (0..20)
        .map(|second| {
            let harness = harness.clone();
            let consent = RememberedConsent { remembered_at: seconds(second), ..consent(1, 1) };
            tokio::spawn(async move { remember(&harness, &consent).await })
        })
        .collect();
    for task in tasks {
        task.await.unwrap();
    }
    let mut unit = harness.begin().await;
    assert_eq!(unit.consents().forget(None, None).await.unwrap(), 1);
}

pub(crate) async fn consents_of_anybody_are_forgotten_up_to_the_limit(harness: &Harness) {
    prepare(harness, &[consent(1, 1), consent(1, 2), consent(2, 1)]).await;
    let mut unit = harness.begin().await;
    for expected in [2, 1, 0] {
        assert_eq!(unit.consents().forget_any(2).await.unwrap(), expected);
    }
    unit.commit().await.unwrap();
    assert_eq!(harness.begin().await.consents().find(user_id(1), client_id(2)).await.unwrap(), None);
}

pub(crate) async fn matching_consents_are_forgotten_and_counted(harness: &Harness) {
    let all = [consent(1, 1), consent(1, 2), consent(2, 1), consent(2, 2)];
    let (person, app) = (Some(user_id(1)), Some(client_id(1)));
    prepare(harness, &[]).await;
    let cases: [(_, _, u64, &[(u64, u64)]); 5] = [
        (person, app, 1, &[(1, 2), (2, 1), (2, 2)]),
        (person, None, 2, &[(2, 1), (2, 2)]),
        (None, app, 2, &[(1, 2), (2, 2)]),
        (None, None, 4, &[]),
        (Some(user_id(3)), app, 0, &[(1, 1), (1, 2), (2, 1), (2, 2)]),
    ];
    for (user_id, client_id, expected, left) in cases {
        for consent in &all {
            remember(harness, consent).await;
        }
        let mut unit = harness.begin().await;
        let forgotten = unit.consents().forget(user_id, client_id).await.unwrap();
        assert_eq!(forgotten, expected);
        unit.commit().await.unwrap();
        assert_eq!(stored(harness).await, left);
    }
}
