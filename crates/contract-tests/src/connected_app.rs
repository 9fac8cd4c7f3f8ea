//! Connected apps of a person.

use crate::Harness;
use crate::fixture::{
    client, client_id, consent, grant, seconds, secret, tally, tally_minute, token_id, used_from, user_id,
};
use application::ports::storage::{ConnectedApp, GrantFilter};
use domain::client::{Client, ClientName, ClientStatus};
use domain::consent::RememberedConsent;
use domain::grant::{Grant, GrantState, RevocationReason};
use domain::read_tally::{ReadKind, ReadTally, Reader, TallyKey};
use domain::scope::{Scope, ScopeSet};

/// Stores people 1 and 2, clients 1 to 4, and grants.
async fn prepare(harness: &Harness, grants: &[Grant]) {
    harness.store_users([1, 2]).await;
    for number in 1..=4 {
        harness.store_client(&client(number), &secret(number)).await;
    }
    harness.store_grants(grants).await;
}

fn grant_of(number: u64, client: u64, user: u64) -> Grant {
    Grant { client_id: client_id(client), user_id: user_id(user), ..grant(number) }
}

fn revoked(grant: Grant) -> Grant {
    Grant { state: GrantState::Revoked { at: seconds(5), reason: RevocationReason::Person }, ..grant }
}

/// Returns an app with one live grant from [`grant_of`], which was never refreshed or used for reads.
fn app(client: u64) -> ConnectedApp {
    ConnectedApp {
        client_id: client_id(client),
        name: ClientName::parse(&format!("App {client}")).unwrap(),
        scopes: ScopeSet::CONSENTABLE,
        grants: 1,
        since: seconds(0),
        last_used_at: None,
        last_used_from: None,
        is_remembered: false,
        is_public: false,
    }
}

async fn list(harness: &Harness, user: u64) -> Vec<ConnectedApp> {
    harness.apps.list_connected_apps(user_id(user)).await.unwrap()
}

pub(crate) async fn the_live_grants_of_an_app_are_summed(harness: &Harness) {
    let of = |number, second, scopes: &[Scope]| Grant {
        created_at: seconds(second),
        scopes: scopes.iter().copied().collect(),
        ..grant(number)
    };
    let grants = [
        of(1, 30, &[Scope::Sleep]),
        of(2, 20, &[Scope::Profile, Scope::Sleep]),
        revoked(of(3, 10, &[Scope::Supplements])),
        grant_of(4, 2, 1),
        grant_of(5, 1, 2),
    ];
    prepare(harness, &grants).await;
    let scopes = [Scope::Profile, Scope::Sleep].into_iter().collect();
    let summed = ConnectedApp { scopes, grants: 2, since: seconds(20), ..app(1) };
    assert_eq!(list(harness, 1).await, [summed, app(2)]);
    assert_eq!(list(harness, 2).await, [app(1)]);
}

pub(crate) async fn an_app_without_live_grants_or_a_consent_is_not_listed(harness: &Harness) {
    prepare(harness, &[grant(1), revoked(grant_of(2, 2, 1))]).await;
    assert_eq!(list(harness, 1).await, [app(1)]);
    commit!(harness, grants().revoke(GrantFilter::default(), seconds(1), RevocationReason::Person));
    assert_eq!(list(harness, 1).await, []);
    assert_eq!(list(harness, 3).await, []);
}

pub(crate) async fn a_disabled_app_with_live_grants_is_listed(harness: &Harness) {
    prepare(harness, &[grant(1)]).await;
    let disabled = Client { status: ClientStatus::Disabled { at: seconds(1) }, ..client(1) };
    harness.update_client(&disabled).await;
    assert_eq!(list(harness, 1).await, [app(1)]);
}

pub(crate) async fn apps_are_listed_by_the_bytes_of_their_names_then_by_id(harness: &Harness) {
    let grants: Vec<_> = (1..=4).map(|number| grant_of(10 - number, number, 1)).collect();
    prepare(harness, &grants).await;
    let names = ["owl", "\u{c4}rzte", "Zebra", "owl"];
    for (number, name) in (1..).zip(names) {
        let renamed = Client { name: ClientName::parse(name).unwrap(), ..client(number) };
        harness.update_client(&renamed).await;
    }
    let ids: Vec<_> = list(harness, 1).await.into_iter().map(|app| app.client_id).collect();
    assert_eq!(ids, [3, 1, 4, 2].map(client_id));
}

pub(crate) async fn the_latest_refresh_shows_when_and_from_where(harness: &Harness) {
    let used = |number, client, second, from| Grant {
        last_used_at: Some(seconds(second)),
        last_used_from: Some(used_from(from)),
        ..grant_of(number, client, 1)
    };
    let without_place = Grant { last_used_from: None, ..used(8, 2, 70, 1) };
    let grants = [
        used(1, 1, 10, 1),
        used(2, 1, 30, 2),
        used(3, 1, 20, 3),
        // Neither a revoked grant nor an unused one.
        revoked(used(4, 1, 40, 4)),
        grant(5),
        // The place is that of the latest use, even if that use recorded none.
        used(7, 2, 60, 5),
        without_place,
    ];
    prepare(harness, &grants).await;
    let first = ConnectedApp {
        grants: 4,
        last_used_at: Some(seconds(30)),
        last_used_from: Some(used_from(2)),
        ..app(1)
    };
    let second = ConnectedApp { grants: 2, last_used_at: Some(seconds(70)), ..app(2) };
    assert_eq!(list(harness, 1).await, [first, second]);
}

pub(crate) async fn the_last_use_is_the_later_of_refresh_and_read(harness: &Harness) {
    let refreshed = |number, client| Grant {
        last_used_at: Some(tally_minute(10)),
        last_used_from: Some(used_from(1)),
        ..grant_of(number, client, 1)
    };
    prepare(harness, &[refreshed(1, 1), refreshed(2, 2), grant_of(3, 3, 1), grant_of(4, 4, 1)]).await;
    let read = |minute, user, reader, kind| ReadTally {
        key: TallyKey { user_id: user_id(user), reader, kind, ..tally(minute).key },
        ..tally(minute)
    };
    let sleep = tally(0).key.kind;
    let by = |number| Reader::Client(client_id(number));
    harness
        .add_tallies(&[
            read(9, 1, by(1), sleep),
            read(11, 1, by(2), sleep),
            read(10, 1, by(2), sleep),
            read(-5, 1, by(3), ReadKind::Refresh),
            read(-9, 1, by(3), sleep),
            // Neither another person's reads nor those of a token with the id of an app.
            read(20, 2, by(1), sleep),
            read(21, 1, Reader::PersonalToken(token_id(1)), sleep),
            read(22, 1, Reader::PersonalToken(token_id(4)), sleep),
        ])
        .await;
    let (last_used_from, since) = (Some(used_from(1)), seconds(0));
    let expected = [
        ConnectedApp {
            last_used_at: Some(tally_minute(10)),
            last_used_from: last_used_from.clone(),
            ..app(1)
        },
        ConnectedApp { last_used_at: Some(tally_minute(11)), last_used_from, ..app(2) },
        ConnectedApp { last_used_at: Some(tally_minute(-5)), since, ..app(3) },
        app(4),
    ];
    assert_eq!(list(harness, 1).await, expected);
}

pub(crate) async fn the_last_read_up_to_a_moment_is_found_of_apps_that_hold_nothing_any_more(
    harness: &Harness,
) {
    prepare(harness, &[revoked(grant_of(1, 1, 1)), grant_of(2, 2, 1)]).await;
    let by = |number| Reader::Client(client_id(number));
    let read = |minute, user, reader| ReadTally {
        key: TallyKey { user_id: user_id(user), reader, ..tally(minute).key },
        ..tally(minute)
    };
    harness
        .add_tallies(&[
            read(1, 1, by(1)),
            read(5, 1, by(1)),
            read(9, 1, by(1)),
            read(3, 1, by(2)),
            read(6, 2, by(2)),
            read(7, 1, Reader::PersonalToken(token_id(3))),
        ])
        .await;
    let until = |client, minute| (client_id(client), tally_minute(minute));
    let asked = [until(2, 8), until(1, 8), until(1, 5), until(1, 0), until(3, 8), until(1, 99)];
    let found = harness.apps.list_last_reads(user_id(1), &asked).await.unwrap();
    let expected = [Some(3), Some(5), Some(5), None, None, Some(9)].map(|minute| minute.map(tally_minute));
    assert_eq!(found, expected);
    assert_eq!(harness.apps.list_last_reads(user_id(1), &[]).await.unwrap(), []);
}

/// Returns a person's consent to sleep data, remembered two minutes after the grants of [`grant_of`].
fn consent_to(client: u64, user: u64) -> RememberedConsent {
    RememberedConsent { remembered_at: seconds(120), ..consent(user, client) }
}

/// Returns an app with [`consent_to`] only.
fn consented(client: u64) -> ConnectedApp {
    let scopes = consent_to(client, 1).scopes;
    ConnectedApp { scopes, grants: 0, since: seconds(120), is_remembered: true, ..app(client) }
}

async fn remember(harness: &Harness, consents: &[RememberedConsent]) {
    let mut unit = harness.begin().await;
    for consent in consents {
        unit.consents().remember(consent).await.unwrap();
    }
    unit.commit().await.unwrap();
}

pub(crate) async fn a_consent_is_remembered_for_its_own_person_and_app(harness: &Harness) {
    prepare(harness, &[grant(1), grant_of(2, 1, 1), grant_of(3, 2, 1), grant_of(4, 1, 2)]).await;
    remember(harness, &[consent_to(1, 1), consent_to(2, 2), consent_to(3, 1)]).await;
    // The scopes and times are those of the grants, although the consent is narrower and newer.
    let remembered = ConnectedApp { grants: 2, is_remembered: true, ..app(1) };
    assert_eq!(list(harness, 1).await, [remembered, app(2), consented(3)]);
    assert_eq!(list(harness, 2).await, [app(1), consented(2)]);
}

pub(crate) async fn an_app_with_only_a_remembered_consent_is_listed_until_it_is_forgotten(harness: &Harness) {
    let used =
        Grant { last_used_at: Some(seconds(30)), last_used_from: Some(used_from(1)), ..grant_of(1, 1, 1) };
    // A revoked grant contributes neither its date nor its place.
    prepare(harness, &[revoked(used), grant_of(2, 2, 1)]).await;
    remember(harness, &[consent_to(3, 1), consent_to(1, 1)]).await;
    let by = |number| Reader::Client(client_id(number));
    let read = |minute, user, reader| ReadTally {
        key: TallyKey { user_id: user_id(user), reader, ..tally(minute).key },
        ..tally(minute)
    };
    let sums = [read(9, 1, by(3)), read(11, 1, by(3)), read(12, 2, by(3)), read(13, 2, by(1))];
    harness.add_tallies(&sums).await;
    let reader = ConnectedApp { last_used_at: Some(tally_minute(11)), ..consented(3) };
    assert_eq!(list(harness, 1).await, [consented(1), app(2), reader]);
    assert_eq!(list(harness, 2).await, []);
    assert_eq!(commit!(harness, consents().forget(Some(user_id(1)), None)), 2);
    assert_eq!(list(harness, 1).await, [app(2)]);
}
