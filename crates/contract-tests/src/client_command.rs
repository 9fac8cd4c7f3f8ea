//! Clients that the operator registers, changes and approves, and whose secrets rotate.

use crate::Harness;
use crate::client_form::clients;
use crate::fixture::{
    approved, client, client_id, draft, hash, now, published, seconds, secret, secret_id, user, user_id,
};
use crate::service::{event_by, recorded};
use crate::webhook::{endpoint, store_endpoint};
use application::client::{ClientChange, NewClient};
use chrono::{DateTime, TimeDelta, Utc};
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::client::{
    Client, ClientKind, ClientName, ClientPages, ClientSecret, ClientStatus, MAX_DRAFT_USERS, RedirectUri,
    WebPage,
};
use domain::scope::ScopeSet;
use domain::secret::SecretKind;
use domain::webhook::WebhookEndpoint;

fn event(kind: AuditKind) -> AuditEvent {
    event_by(AuditActor::Operator, kind).client(client_id(1))
}

async fn find(harness: &Harness, number: u64) -> Client {
    harness.clients.find_with_secrets(client_id(number)).await.unwrap().unwrap().client
}

pub(crate) async fn a_new_client_is_active_and_its_secret_is_stored_as_a_hash(harness: &Harness) {
    let app = client(1);
    for (kind, redirect_uris, scopes) in [
        (ClientKind::App, app.redirect_uris.clone(), "profile sleep"),
        (ClientKind::PublicApp, app.redirect_uris.clone(), "sleep"),
        (ClientKind::Service, Vec::new(), "sleep:write"),
    ] {
        let (name, pages, scopes) =
            (app.name.clone(), ClientPages::default(), ScopeSet::parse(scopes).unwrap());
        let new = NewClient {
            name,
            kind,
            redirect_uris: redirect_uris.clone(),
            pages,
            scopes,
            allow_query_secrets: true,
            require_pkce: false,
        };
        let created = clients(harness).create(new).await.unwrap();
        let stored = harness.clients.find_with_secrets(created.client.id).await.unwrap().unwrap();
        assert_eq!(stored.client, created.client);
        let id = created.client.id;
        let is_public = kind == ClientKind::PublicApp;
        let expected = Client { id, kind, redirect_uris, scopes, require_pkce: is_public, ..client(1) };
        assert_eq!(stored.client, expected);
        assert_eq!(created.secret.is_none(), is_public);
        let secrets: Vec<_> = created.secret.iter().map(|secret| (secret.kind(), secret.hash())).collect();
        let kept: Vec<_> =
            stored.secrets.iter().map(|secret| (SecretKind::ClientSecret, secret.hash)).collect();
        assert_eq!(secrets, kept);
        assert!(stored.secrets.iter().all(|one| (one.created_at, one.expires_at) == (now(), None)));
        let created = event_by(AuditActor::Operator, AuditKind::ClientCreated).client(id);
        assert_eq!(recorded(harness).await, [created]);
    }
}

pub(crate) async fn changing_and_disabling_are_separate_events_and_no_change_is_none(harness: &Harness) {
    harness.store_client(&client(1), &secret(1)).await;
    let enabled = |enabled| ClientChange { enabled: Some(enabled), ..ClientChange::default() };
    let strict = ClientChange { require_pkce: Some(true), ..ClientChange::default() };
    let disabled = |at| Client { status: ClientStatus::Disabled { at: seconds(at) }, ..client(1) };
    let published = published(1, 0);
    let page = || WebPage::parse("https://owl.example/privacy").ok();
    let other = Client {
        name: ClientName::parse("Day Owl").unwrap(),
        redirect_uris: vec![RedirectUri::parse("https://owl.example/other").unwrap()],
        pages: ClientPages { privacy_policy: page(), ..client(1).pages },
        scopes: ScopeSet::parse("supplements").unwrap(),
        allow_query_secrets: false,
        require_pkce: true,
        ..client(1)
    };
    let everything = ClientChange {
        name: Some(other.name.clone()),
        redirect_uris: Some(other.redirect_uris.clone()),
        home_page: None,
        privacy_policy: page(),
        scopes: Some(other.scopes),
        allow_query_secrets: Some(false),
        require_pkce: Some(true),
        enabled: None,
    };
    let pkce = |client| Client { require_pkce: true, ..client };
    let none = ClientChange::default();
    let both = ClientChange { enabled: Some(false), ..strict.clone() };
    for (before, change, after, kinds) in [
        (client(1), none.clone(), client(1), vec![]),
        (client(1), everything, other, vec![AuditKind::ClientChanged]),
        (client(1), strict, pkce(client(1)), vec![AuditKind::ClientChanged]),
        (client(1), enabled(true), client(1), vec![]),
        (client(1), enabled(false), disabled(0), vec![AuditKind::ClientDisabled]),
        (disabled(-9), none, disabled(-9), vec![]),
        (disabled(-9), enabled(false), disabled(-9), vec![]),
        (disabled(-9), enabled(true), client(1), vec![AuditKind::ClientEnabled]),
        (client(1), both, pkce(disabled(0)), vec![AuditKind::ClientChanged, AuditKind::ClientDisabled]),
        (
            published.clone(),
            enabled(false),
            Client { status: ClientStatus::Disabled { at: now() }, ..published },
            vec![AuditKind::ClientDisabled],
        ),
    ] {
        harness.update_client(&before).await;
        assert_eq!(clients(harness).change(client_id(1), change).await.unwrap(), after);
        assert_eq!(find(harness, 1).await, after);
        assert_eq!(recorded(harness).await, kinds.into_iter().map(event).collect::<Vec<_>>());
    }
}

/// Returns a secret that was created a second later than the one before, and its end.
fn ending(number: u64, end: Option<DateTime<Utc>>) -> ClientSecret {
    let created_at = seconds(i64::try_from(number).unwrap() - 3600);
    ClientSecret { created_at, expires_at: end, ..secret(number) }
}

pub(crate) async fn the_newest_secret_stays_for_the_overlap_and_older_ones_end(harness: &Harness) {
    let (hour, soon, none) = (TimeDelta::hours(1), Some(seconds(10)), TimeDelta::zero());
    let (over, in_an_hour) = (Some(now()), Some(seconds(3600)));
    let cases: [(&[_], _, &[_]); 10] = [
        (&[None], Some(hour), &[in_an_hour]),
        (&[None], Some(none), &[over]),
        // Until the next rotation, or for longer than a time can express.
        (&[None], None, &[None]),
        (&[None], Some(TimeDelta::MAX), &[None]),
        (&[None, None], Some(hour), &[over, in_an_hour]),
        (&[None, None], None, &[over, None]),
        // An earlier end stays, and so does one that has passed.
        (&[soon], Some(hour), &[soon]),
        (&[over, None], Some(none), &[over, over]),
        (&[over], None, &[over]),
        (&[None; 5], None, &[over, over, over, over, None]),
    ];
    for (number, (before, overlap, after)) in (1..).zip(cases) {
        let mut unit = harness.begin().await;
        unit.clients().insert(&client(number)).await.unwrap();
        for (place, end) in (1..).zip(before) {
            let drawn = 100 * number + place;
            let secret = ClientSecret { id: secret_id(drawn), hash: hash(drawn), ..ending(place, *end) };
            unit.clients().insert_secret(client_id(number), &secret).await.unwrap();
        }
        unit.commit().await.unwrap();
        let new = clients(harness).rotate_secret(client_id(number), overlap).await.unwrap();
        assert_eq!(new.kind(), SecretKind::ClientSecret);
        let stored = harness.clients.find_with_secrets(client_id(number)).await.unwrap().unwrap().secrets;
        let (newest, others) = stored.split_last().unwrap();
        assert_eq!(others.iter().map(|secret| secret.expires_at).collect::<Vec<_>>(), after, "{number}");
        assert_eq!((newest.hash, newest.created_at, newest.expires_at), (new.hash(), now(), None));
        let rotated =
            event_by(AuditActor::Operator, AuditKind::ClientSecretRotated).client(client_id(number));
        assert_eq!(recorded(harness).await, [rotated.subject(newest.id.as_uuid())]);
    }
}

/// Approves client 1 as this with these endpoints; returns the events.
async fn approve(harness: &Harness, client: &Client, endpoints: &[WebhookEndpoint]) -> Vec<AuditEvent> {
    let shown = clients(harness).approve(client_id(1), &client.revision(endpoints)).await.unwrap();
    assert_eq!((&shown, &find(harness, 1).await), (&approved(1, 1), &approved(1, 1)));
    recorded(harness).await
}

pub(crate) async fn an_approval_opens_a_draft_and_clears_the_list_of_its_users(harness: &Harness) {
    harness.store_users([1, 2]).await;
    harness.store_client(&draft(1, 1), &secret(1)).await;
    let mut unit = harness.begin().await;
    unit.users().find(user_id(2)).await.unwrap();
    unit.draft_users().admit(client_id(1), user_id(2), MAX_DRAFT_USERS, now()).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(approve(harness, &draft(1, 1), &[]).await, [event(AuditKind::AppApproved)]);
    assert_eq!(harness.clients.count_draft_users(client_id(1)).await.unwrap(), 0);
    assert_eq!(approve(harness, &approved(1, 1), &[]).await, []);
}

pub(crate) async fn an_approval_also_approves_the_endpoints_that_were_reviewed(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_client(&draft(1, 1), &secret(1)).await;
    store_endpoint(harness, &endpoint(1)).await;
    let reviewed = [WebhookEndpoint { is_reviewed: true, ..endpoint(1) }];
    for client in [approved(1, 1), draft(1, 1)] {
        harness.update_client(&client).await;
        assert!(commit!(harness, webhooks().update(&endpoint(1))));
        assert_eq!(approve(harness, &client, &[endpoint(1)]).await, [event(AuditKind::AppApproved)]);
        assert_eq!(harness.webhooks.list_endpoints(None).await.unwrap(), reviewed);
        assert_eq!(approve(harness, &approved(1, 1), &reviewed).await, []);
    }
}
