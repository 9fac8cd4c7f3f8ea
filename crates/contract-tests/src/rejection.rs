//! What is rejected within an open unit of work: it returns its connection.

use crate::Harness;
use crate::fixture::{
    Counting, DistinctIds, browser, client, client_id, grant, label, now, passkey, secret, supplement_id,
    user, user_id,
};
use application::account::{AccountActor, Sessions, SignedInPerson};
use application::audit::AuditTrail;
use application::client::AppDeveloper;
use application::intake::{Intakes, NewIntake};
use application::personal_token::{NewPersonalToken, PersonalTokens};
use application::ports::system::{WebhookSigner, WebhookSignerError};
use application::profile::Profiles;
use application::store::Store;
use application::webhook::{WebhookActor, WebhookError, Webhooks};
use chrono::TimeDelta;
use domain::client::{Client, Review};
use domain::grant::Grant;
use domain::id::{FormId, IntakeLogId, WebhookEndpointId};
use domain::outbound::{OutboundPolicy, OutboundUrl};
use domain::passkey::Passkey;
use domain::personal_token::MAX_LIVE_TOKENS;
use domain::second_factor::SecondFactorPolicy;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::{Session, SessionLifetime};
use domain::supplement::Servings;
use domain::user::{User, UserStatus};
use domain::webhook::{MAX_ENDPOINTS, SealedWebhookSecret, WebhookSecret};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use uuid::Uuid;

/// More often than any pool has connections.
const TIMES: u32 = 20;
pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

/// Signer that seals, but never signs.
struct Sealing;

impl WebhookSigner for Sealing {
    fn seal(
        &self,
        _: WebhookEndpointId,
        _: &WebhookSecret,
    ) -> Result<SealedWebhookSecret, WebhookSignerError> {
        Ok(SealedWebhookSecret::new(vec![1]))
    }

    fn sign(
        &self,
        _: WebhookEndpointId,
        _: &SealedWebhookSecret,
        _: &str,
    ) -> Result<String, WebhookSignerError> {
        Err(WebhookSignerError)
    }
}

/// The store of services.
pub(crate) fn audited(harness: &Harness) -> Store {
    let trail = AuditTrail::new(Arc::new(DistinctIds), Arc::new(Counting::default()));
    Store { units: harness.factory.clone(), trail }
}

/// Personal tokens with different secrets.
fn personal_tokens(harness: &Harness) -> PersonalTokens {
    let trail = AuditTrail::new(Arc::new(Counting::default()), Arc::new(Counting::default()));
    let store = Store { trail, ..audited(harness) };
    PersonalTokens { store, reader: harness.personal_tokens.clone() }
}

/// Checks that a rejection opens no connection, after a first one that may open those of readers.
pub(crate) async fn assert_level<T: Debug, E: Debug>(
    harness: &Harness,
    name: &str,
    reject: impl AsyncFn() -> Result<T, E>,
) {
    let rejected = reject().await;
    assert!(rejected.is_err(), "{name}: {rejected:?}");
    let before = harness.opened();
    for _ in 0..TIMES {
        reject().await.unwrap_err();
    }
    assert_eq!(harness.opened(), before, "{name}: {:?}", reject().await);
}

/// Checks that a form is rejected for this reason, and opens no connection.
pub(crate) async fn assert_rejected<T: Debug, E: Debug>(
    harness: &Harness,
    name: &str,
    is_expected: fn(&E) -> bool,
    reject: impl AsyncFn() -> Result<T, E>,
) {
    assert_level(harness, name, async || match reject().await {
        Err(error) if is_expected(&error) => Err(error),
        Err(error) => panic!("{name}: {error:?}"),
        Ok(value) => Ok(value),
    })
    .await;
}

/// A locked person 2, and person 1 with a session and a passkey.
pub(crate) async fn prepare(harness: &Harness) -> SignedInPerson {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    harness.store_client(&client(1), &secret(1)).await;
    let session = browser(1);
    let mut unit = harness.begin().await;
    unit.sessions().insert(&session).await.unwrap();
    unit.passkeys().insert(&Passkey { user_id: user_id(1), ..passkey(1) }).await.unwrap();
    unit.commit().await.unwrap();
    let User { id: user_id, email, home_timezone, .. } = user(1);
    let cookie = Secret::from_bytes(SecretKind::Session, &SecretBytes::new([1; 32]));
    SignedInPerson { user_id, email, home_timezone, session, cookie, is_fresh: true, address: ADDRESS }
}

/// The same person after the session has ended.
pub(crate) fn signed_out(person: &SignedInPerson) -> SignedInPerson {
    SignedInPerson { session: Session { id: browser(9).id, ..person.session.clone() }, ..person.clone() }
}

pub(crate) async fn a_unit_of_work_dropped_in_any_state_opens_no_connection(harness: &Harness) {
    prepare(harness).await;
    assert_level(harness, "begun", async || {
        drop(harness.begin().await);
        Err::<(), _>(())
    })
    .await;
    assert_level(harness, "read", async || {
        harness.begin().await.users().find(user_id(9)).await.unwrap().ok_or(())
    })
    .await;
    assert_level(harness, "written", async || {
        let mut unit = harness.begin().await;
        unit.users().insert(&user(8)).await.unwrap();
        Err::<(), _>(())
    })
    .await;
    assert_level(harness, "conflict", async || {
        let mut unit = harness.begin().await;
        unit.users().insert(&user(1)).await
    })
    .await;
    assert_level(harness, "failed", async || {
        let mut unit = harness.begin().await;
        unit.grants().insert(&Grant { user_id: user_id(9), ..grant(1) }).await
    })
    .await;
    assert_eq!(harness.profiles.find_profile(user_id(8)).await.unwrap(), None);
    harness.store_user(&user(8)).await;
}

pub(crate) async fn rejected_forms_of_a_signed_in_person_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let gone = &signed_out(person);
    let tokens = &personal_tokens(harness);
    let new = NewPersonalToken {
        form: tokens.new_form(),
        name: "Notebook",
        scopes: &["sleep"],
        expires_in_days: None,
    };
    let by_person = async |person, new| tokens.create(AccountActor::Person(person), new).await;
    assert_level(harness, "create a token after signing out", async || by_person(gone, new).await).await;
    by_person(person, new).await.unwrap();
    assert_level(harness, "create a token again", async || by_person(person, new).await).await;
    for _ in 1..MAX_LIVE_TOKENS {
        by_person(person, NewPersonalToken { form: tokens.new_form(), ..new }).await.unwrap();
    }
    let next = NewPersonalToken { form: tokens.new_form(), ..new };
    assert_level(harness, "create one token too many", async || by_person(person, next).await).await;
}

pub(crate) async fn rejected_changes_of_records_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    let form = FormId::from_uuid(Uuid::nil());
    let log_id = IntakeLogId::from_uuid(Uuid::nil());
    let servings = Servings::new(1.0).unwrap();
    let intakes = Intakes { store: audited(harness), reader: harness.supplements.clone() };
    let new = NewIntake { form, supplement_id: supplement_id(9), taken_at: now(), servings };
    assert_level(harness, "log an unknown supplement", async || intakes.log(person, new).await).await;
    assert_level(harness, "change an unknown intake", async || {
        intakes.change(person, log_id, now(), servings).await
    })
    .await;
    let delete = async || intakes.delete(None, person, log_id).await.unwrap().then_some(()).ok_or(());
    assert_level(harness, "delete an unknown intake", delete).await;
    assert_level(harness, "change an unknown product", async || {
        intakes.change_product(person, supplement_id(9), label("Other")).await
    })
    .await;
    let product = intakes.create_product(person, form, label("Product")).await.unwrap();
    assert_level(harness, "create another product by the same form", async || {
        intakes.create_product(person, form, label("Other")).await
    })
    .await;
    let new = NewIntake { supplement_id: product, ..new };
    intakes.log(person, new).await.unwrap();
    let other = NewIntake { servings: Servings::new(2.0).unwrap(), ..new };
    assert_level(harness, "log another intake by the same form", async || intakes.log(person, other).await)
        .await;
    let delete = async || intakes.delete_product(person, product).await.unwrap().then_some(()).ok_or(());
    assert_level(harness, "delete a logged product", delete).await;
    let profiles = Profiles { store: audited(harness), reader: harness.profiles.clone() };
    assert_level(harness, "change an unknown profile", async || profiles.change(user_id(9), &[]).await).await;
}

pub(crate) async fn rejected_commands_of_the_operator_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let sessions = Sessions {
        store: audited(harness),
        reader: harness.sessions.clone(),
        lifetime: SessionLifetime::default(),
        policy: SecondFactorPolicy::Optional,
        is_recording: Arc::default(),
    };
    assert_level(harness, "end the sessions of an unknown person", async || {
        sessions.end_all(AccountActor::Operator(user_id(9)), None).await.unwrap().ok_or(())
    })
    .await;
    let tokens = &personal_tokens(harness);
    assert_level(harness, "token of a locked person", async || {
        let (form, scopes) = (tokens.new_form(), ["sleep"].as_slice());
        let new = NewPersonalToken { form, name: "Backup", scopes, expires_in_days: None };
        tokens.create(AccountActor::Operator(user_id(2)), new).await
    })
    .await;
    rejected_commands_about_webhooks(harness).await;
}

fn webhooks(harness: &Harness) -> Webhooks {
    Webhooks {
        store: audited(harness),
        reader: harness.webhooks.clone(),
        clients: harness.clients.clone(),
        failures: harness.failures.clone(),
        signer: Arc::new(Sealing),
        policy: OutboundPolicy::default(),
    }
}

fn hook(path: usize) -> OutboundUrl {
    OutboundUrl::parse(&format!("https://hooks.example/{path}")).unwrap()
}

/// Checks rejections of both actors: the operator's in the transaction, a developer's before it.
async fn rejected_changes_of_an_unknown_endpoint(
    harness: &Harness,
    webhooks: &Webhooks,
    actor: WebhookActor<'_>,
) {
    let unknown = WebhookEndpointId::from_uuid(Uuid::nil());
    assert_level(harness, "test an unknown endpoint", async || webhooks.test(actor, unknown).await).await;
    assert_level(harness, "delete an unknown endpoint", async || webhooks.delete(actor, unknown).await).await;
    assert_level(harness, "replay to an unknown endpoint", async || {
        webhooks.replay(actor, unknown, TimeDelta::seconds(60)).await
    })
    .await;
}

async fn rejected_commands_about_webhooks(harness: &Harness) {
    let webhooks = &webhooks(harness);
    rejected_changes_of_an_unknown_endpoint(harness, webhooks, WebhookActor::Operator).await;
    assert_level(harness, "rotate an unknown endpoint", async || {
        webhooks.rotate_for_client(WebhookEndpointId::from_uuid(Uuid::nil())).await.map(drop)
    })
    .await;
    let create = async |client, path| webhooks.create_for_client(client, hook(path), None).await;
    assert_level(harness, "endpoint of an unknown client", async || create(client_id(9), 0).await).await;
    for path in 0..MAX_ENDPOINTS {
        create(client_id(1), path).await.unwrap();
    }
    assert_level(harness, "endpoint at a taken URL", async || create(client_id(1), 0).await).await;
    assert_level(harness, "one endpoint too many", async || create(client_id(1), MAX_ENDPOINTS).await).await;
}

pub(crate) async fn rejected_forms_about_webhooks_open_no_connection(harness: &Harness) {
    let person = &prepare(harness).await;
    let review = Review::Approved { owner: Some(person.user_id) };
    harness.store_client(&Client { review, ..client(3) }, &secret(3)).await;
    let (webhooks, developer) = (&webhooks(harness), AppDeveloper { person, app: client_id(3) });
    rejected_changes_of_an_unknown_endpoint(harness, webhooks, WebhookActor::Developer(developer)).await;
    let created = webhooks.create(developer, hook(0)).await.unwrap().endpoint;
    assert_level(harness, "create an endpoint again", async || {
        let rejected = webhooks.create(developer, hook(0)).await;
        // Not the limit of messages, which no transaction checks.
        assert!(matches!(rejected, Err(WebhookError::UrlTaken)), "{rejected:?}");
        rejected
    })
    .await;
    let replaced = SealedWebhookSecret::new(vec![9]).id();
    assert_level(harness, "replace a secret again", async || {
        webhooks.rotate(developer, created.id, replaced).await.map(drop)
    })
    .await;
}
