//! Personal tokens that people and the operator create and revoke.

use crate::Harness;
use crate::fixture::{now, personal_token, seconds, token_id, user, user_id};
use crate::service::{
    assert_rejected, assert_untouched, audited, event_by, event_of_person, prepare, recorded, signed_in_ago,
    signed_out, stale,
};
use application::personal_token::{NewPersonalToken, PersonalTokenError, PersonalTokens};
use application::session::{AccountActor, SignedInPerson};
use domain::audit::{AuditActor, AuditKind};
use domain::id::FormId;
use domain::personal_token::{MAX_LIVE_TOKENS, PersonalToken, PersonalTokenName};
use domain::scope::{Scope, ScopeSet};
use domain::secret::SecretKind;

fn tokens(harness: &Harness) -> PersonalTokens {
    PersonalTokens { store: audited(harness), reader: harness.personal_tokens.clone() }
}

/// The form that creates the token with this number.
fn form(number: u64) -> NewPersonalToken<'static> {
    let form = FormId::from_uuid(token_id(number).as_uuid());
    NewPersonalToken { form, name: "Notebook", scopes: &["sleep"], expires_in_days: None }
}

pub(crate) async fn rejected_tokens_are_not_created_and_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let tokens = &tokens(harness);
    // The form is checked before the person is looked up.
    let actors = [AccountActor::Person(person), AccountActor::Operator(user_id(9))];
    let create = async |actor, new| tokens.create(actor, new).await;
    let is_late = |error: &PersonalTokenError| matches!(error, PersonalTokenError::NotFresh);
    let is_over = |error: &PersonalTokenError| matches!(error, PersonalTokenError::SessionEnded);
    let is_name = |error: &PersonalTokenError| matches!(error, PersonalTokenError::InvalidName);
    let is_scope = |error: &PersonalTokenError| matches!(error, PersonalTokenError::InvalidScopes);
    let is_lifetime = |error: &PersonalTokenError| matches!(error, PersonalTokenError::InvalidLifetime);
    let is_unavailable = |error: &PersonalTokenError| matches!(error, PersonalTokenError::AccountUnavailable);

    // The form is not read.
    let late = NewPersonalToken { name: "", scopes: &[], ..form(1) };
    let (stale, gone) = (AccountActor::Person(&stale(person)), AccountActor::Person(&signed_out(person)));
    assert_untouched(harness, "stale", is_late, async || create(stale, late).await).await;
    assert_rejected(harness, "signed out", is_over, async || create(gone, form(1)).await).await;
    let unavailable = [2, 9].map(|number| SignedInPerson { user_id: user_id(number), ..person.clone() });
    for person in &unavailable {
        for actor in [AccountActor::Person(person), AccountActor::Operator(person.user_id)] {
            assert_rejected(harness, "locked, unknown", is_unavailable, async || {
                create(actor, form(1)).await
            })
            .await;
        }
    }
    for actor in actors {
        for name in ["", " x", "a\nb", "a\u{202e}b", "a\u{200b}b"] {
            let new = NewPersonalToken { name, ..form(1) };
            assert_untouched(harness, name, is_name, async || create(actor, new).await).await;
        }
        for scopes in [
            &[] as &[&str],
            &["email"],
            &["sleep", "sleep:write"],
            &["tokens:introspect"],
            &["profile sleep"],
        ] {
            let new = NewPersonalToken { scopes, ..form(1) };
            assert_untouched(harness, "scopes", is_scope, async || create(actor, new).await).await;
        }
        for days in [0, 367, u32::MAX] {
            let new = NewPersonalToken { expires_in_days: Some(days), ..form(1) };
            assert_untouched(harness, "lifetime", is_lifetime, async || create(actor, new).await).await;
        }
    }
    assert_eq!(tokens.list(person.user_id).await.unwrap(), []);
    assert_eq!(recorded(harness).await, []);
}

pub(crate) async fn a_person_has_at_most_a_hundred_live_tokens_and_one_for_each_form(harness: &Harness) {
    let person = &prepare(harness).await;
    let tokens = &tokens(harness);
    let actors = [AccountActor::Person(person), AccountActor::Operator(person.user_id)];
    let create = async |actor, new| tokens.create(actor, new).await;
    let is_full = |error: &PersonalTokenError| matches!(error, PersonalTokenError::TooManyTokens);
    let is_sent = |error: &PersonalTokenError| matches!(error, PersonalTokenError::SentBefore);
    let revoked = PersonalToken { revoked_at: Some(now()), ..personal_token(10) };
    let expired = PersonalToken { expires_at: Some(now()), ..personal_token(11) };
    let live: Vec<_> = (100..).take(MAX_LIVE_TOKENS).map(personal_token).collect();
    harness.store_personal_tokens(&live).await;
    harness.store_personal_tokens(&[revoked, expired]).await;
    for actor in actors {
        assert_rejected(harness, "one too many", is_full, async || create(actor, form(1)).await).await;
        for sent in [10, 11, 100] {
            assert_rejected(harness, "sent again", is_sent, async || create(actor, form(sent)).await).await;
        }
    }
    assert_eq!(recorded(harness).await, []);
    tokens.revoke(actors[0], Some(token_id(107))).await.unwrap();
    create(actors[0], form(1)).await.unwrap();
}

pub(crate) async fn a_created_token_is_stored_as_a_hash_and_recorded(harness: &Harness) {
    let person = prepare(harness).await;
    let tokens = tokens(harness);
    let fresh = signed_in_ago(&person, 299);
    let scopes = ["sleep", "profile"].as_slice();
    for (number, actor, days, event) in [
        (1, AccountActor::Person(&fresh), Some(366), event_of_person(AuditKind::PersonalTokenCreated)),
        (2, AccountActor::Person(&fresh), None, event_of_person(AuditKind::PersonalTokenCreated)),
        (
            3,
            AccountActor::Operator(person.user_id),
            Some(1),
            event_by(AuditActor::Operator, AuditKind::PersonalTokenCreated).user(person.user_id),
        ),
    ] {
        let new = NewPersonalToken { expires_in_days: days, scopes, ..form(number) };
        let created = tokens.create(actor, new).await.unwrap();
        assert_eq!(created.secret.kind(), SecretKind::PersonalAccessToken);
        let expected = PersonalToken {
            name: PersonalTokenName::parse("Notebook").unwrap(),
            token_hash: created.secret.hash(),
            scopes: [Scope::Profile, Scope::Sleep].into_iter().collect::<ScopeSet>(),
            expires_at: days.map(|days| seconds(i64::from(days) * 86_400)),
            ..personal_token(number)
        };
        assert_eq!(created.token, expected);
        let listed = tokens.list(person.user_id).await.unwrap();
        assert!(listed.iter().any(|listed| listed.token == expected && listed.is_live), "{listed:?}");
        assert_eq!(recorded(harness).await, [event.subject(token_id(number).as_uuid())]);
    }
}

pub(crate) async fn revoked_tokens_are_recorded_and_listed_as_such(harness: &Harness) {
    let person = prepare(harness).await;
    harness.store_user(&user(3)).await;
    let expired = PersonalToken { expires_at: Some(now()), ..personal_token(5) };
    let of_another = PersonalToken { user_id: user_id(3), ..personal_token(6) };
    harness.store_personal_tokens(&[1, 2, 3, 4].map(personal_token)).await;
    harness.store_personal_tokens(&[expired, of_another]).await;
    let tokens = tokens(harness);
    let stale = stale(&person);
    let [by_person, by_operator] = [AccountActor::Person(&stale), AccountActor::Operator(person.user_id)];
    let persons = event_of_person(AuditKind::PersonalTokenRevoked).subject(token_id(1).as_uuid());
    let operators = event_by(AuditActor::Operator, AuditKind::PersonalTokenRevoked).user(person.user_id);
    let one = operators.clone().count(1).subject(token_id(2).as_uuid());
    for (actor, id, revoked, events) in [
        (by_person, Some(6), 0, vec![]),
        (by_person, Some(1), 1, vec![persons]),
        (by_person, Some(1), 0, vec![]),
        (by_operator, Some(6), 0, vec![]),
        (by_operator, Some(2), 1, vec![one]),
        (by_operator, Some(2), 0, vec![]),
    ] {
        assert_eq!(tokens.revoke(actor, id.map(token_id)).await.unwrap(), revoked, "{id:?}");
        assert_eq!(recorded(harness).await, events, "{id:?}");
    }
    let listed = tokens.list(person.user_id).await.unwrap();
    assert!(listed.iter().all(|listed| listed.token.revoked_at.is_none_or(|at| at == now())));
    let live: Vec<_> = listed.iter().filter(|listed| listed.is_live).map(|listed| listed.token.id).collect();
    assert_eq!((listed.len(), live.len()), (5, 2));
    assert!(live.contains(&token_id(3)) && live.contains(&token_id(4)));
    assert!(tokens.list(user_id(3)).await.unwrap()[0].is_live);
    // The expired one is revoked too.
    assert_eq!(tokens.revoke(by_operator, None).await.unwrap(), 3);
    assert_eq!(recorded(harness).await, [operators.count(3)]);
    assert_eq!(tokens.revoke(by_operator, None).await.unwrap(), 0);
    assert_eq!(recorded(harness).await, []);
}
