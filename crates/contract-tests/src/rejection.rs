//! What is rejected within an open unit of work: it returns its connection.

use crate::Harness;
use crate::fixture::{
    Counting, DistinctIds, browser, client, client_id, grant, import_id, key_id, label, now, passkey,
    seconds, secret, signing_key, supplement_id, user, user_id,
};
use application::account::{
    ConfirmEmailChange, EndSessions, EndSessionsCommand, IssuePasswordLink, SignedInPerson,
};
use application::audit::AuditTrail;
use application::developer::ApproveClient;
use application::erasure::{ErasePerson, ErasePersonCommand};
use application::import::{ApplyProfile, UndoImport};
use application::intake::{ChangeIntake, CustomProducts, LogIntake, LogIntakeCommand};
use application::key::RetireSigningKey;
use application::operator::{ChangeClient, ChangeUser, ClientChange, RotateClientSecret, UserChange};
use application::personal_token::{NewPersonalToken, PersonalTokens, TokenActor};
use application::ports::system::{WebhookSigner, WebhookSignerError};
use application::profile::ChangeProfile;
use application::second_factor::ResetSecondFactor;
use application::store::Store;
use application::upload::{
    AddPart, BeginUpload, BeginUploadCommand, FinishUpload, UploadKey, UploadLimits, UploadOptions,
};
use application::webhook::{ManageWebhooks, WebhookActor};
use domain::audit::AuditActor;
use domain::client::{Client, ClientKind};
use domain::grant::Grant;
use domain::id::{FormId, IntakeLogId, WebhookEndpointId};
use domain::import::FileName;
use domain::passkey::Passkey;
use domain::personal_token::MAX_LIVE_TOKENS;
use domain::secret::{Secret, SecretBytes, SecretKind};
use domain::session::Session;
use domain::supplement::Servings;
use domain::user::{ProfileField, User, UserStatus};
use domain::webhook::{SealedWebhookSecret, WebhookSecret};
use std::fmt::Debug;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use uuid::Uuid;

/// More often than any pool has connections.
const TIMES: u32 = 20;
pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

/// Signer of endpoints that do not exist.
struct Nothing;

impl WebhookSigner for Nothing {
    fn seal(
        &self,
        _: WebhookEndpointId,
        _: &WebhookSecret,
    ) -> Result<SealedWebhookSecret, WebhookSignerError> {
        Err(WebhookSignerError)
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

/// Creates a use case from its ports, if any, and what all of them need.
macro_rules! make {
    ($harness:ident, $use_case:ident $(, $port:expr)*) => {
        $use_case::new(
            $harness.factory.clone(),
            $($port,)*
            Arc::new(DistinctIds),
            Arc::new(Counting::default()),
        )
    };
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

/// A locked person 2, and person 1 with a session, a passkey, a signing key and clients.
pub(crate) async fn prepare(harness: &Harness) -> SignedInPerson {
    harness.store_user(&user(1)).await;
    harness.store_user(&User { status: UserStatus::Locked { at: now() }, ..user(2) }).await;
    harness.store_client(&client(1), &secret(1)).await;
    let session = browser(1);
    let mut unit = harness.begin().await;
    unit.sessions().insert(&session).await.unwrap();
    unit.passkeys().insert(&Passkey { user_id: user_id(1), ..passkey(1) }).await.unwrap();
    unit.signing_keys().insert(&signing_key(1)).await.unwrap();
    unit.clients().insert(&Client { kind: ClientKind::PublicApp, ..client(2) }).await.unwrap();
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
    let by_person = async |person, new| tokens.create(TokenActor::Person(person), new).await;
    assert_level(harness, "create a token after signing out", async || by_person(gone, new).await).await;
    by_person(person, new).await.unwrap();
    assert_level(harness, "create a token again", async || by_person(person, new).await).await;
    for _ in 1..MAX_LIVE_TOKENS {
        by_person(person, NewPersonalToken { form: tokens.new_form(), ..new }).await.unwrap();
    }
    let next = NewPersonalToken { form: tokens.new_form(), ..new };
    assert_level(harness, "create one token too many", async || by_person(person, next).await).await;
    let confirm = make!(harness, ConfirmEmailChange, None);
    let link = Secret::from_bytes(SecretKind::PasswordLink, &SecretBytes::new([9; 32]));
    assert_level(harness, "confirm an address by an unknown link", async || {
        confirm.run(&person.session, link.expose(), ADDRESS).await
    })
    .await;
    let erase = make!(harness, ErasePerson);
    assert_level(harness, "erase after signing out", async || {
        erase.run(ErasePersonCommand::ByPerson(&gone.session)).await
    })
    .await;
}

pub(crate) async fn rejected_changes_of_records_open_no_connection(harness: &Harness) {
    let person = prepare(harness).await.user_id;
    let form = FormId::from_uuid(Uuid::nil());
    let log_id = IntakeLogId::from_uuid(Uuid::nil());
    let servings = Servings::new(1.0).unwrap();
    let log = make!(harness, LogIntake);
    assert_level(harness, "log an unknown supplement", async || {
        let supplement_id = supplement_id(9);
        log.run(LogIntakeCommand { user_id: person, entry: form, supplement_id, taken_at: now(), servings })
            .await
    })
    .await;
    let change = make!(harness, ChangeIntake);
    assert_level(harness, "change an unknown intake", async || {
        change.run(person, log_id, now(), servings).await
    })
    .await;
    assert_level(harness, "delete an unknown intake", async || change.delete(person, log_id).await).await;
    let products = make!(harness, CustomProducts, harness.supplements.clone());
    assert_level(harness, "change an unknown product", async || {
        products.change(person, supplement_id(9), label("Other")).await
    })
    .await;
    assert_level(harness, "delete an unknown product", async || {
        products.delete(person, supplement_id(9)).await
    })
    .await;
    let change = make!(harness, ChangeProfile);
    assert_level(harness, "change an unknown profile", async || change.run(user_id(9), &[]).await).await;
    let apply = make!(harness, ApplyProfile, harness.profiles.clone());
    assert_level(harness, "apply an unknown import", async || {
        apply.run(person, import_id(9), &[ProfileField::BirthDate]).await
    })
    .await;
    let undo = make!(harness, UndoImport, harness.imports.clone());
    assert_level(harness, "cancel an unknown import", async || undo.cancel(import_id(9)).await).await;
    let begin = make!(harness, BeginUpload, UploadLimits::default());
    assert_level(harness, "upload of an unknown person", async || {
        let file_name = FileName::clean("export.zip");
        begin.run(BeginUploadCommand { user_id: user_id(9), file_name }).await
    })
    .await;
    let key = UploadKey { user_id: person, id: import_id(9) };
    let clock = Arc::new(Counting::default());
    let add = AddPart::new(harness.factory.clone(), clock.clone(), UploadLimits::default());
    assert_level(harness, "part of an unknown upload", async || add.run(key, 0, &[1]).await).await;
    let finish = FinishUpload::new(harness.factory.clone(), clock);
    assert_level(harness, "end of an unknown upload", async || {
        finish.run(key, UploadOptions::default()).await
    })
    .await;
}

pub(crate) async fn rejected_commands_of_the_operator_open_no_connection(harness: &Harness) {
    prepare(harness).await;
    let change = make!(harness, ChangeUser);
    assert_level(harness, "change an unknown person", async || {
        change.run(user_id(9), UserChange::default()).await
    })
    .await;
    let end = make!(harness, EndSessions);
    assert_level(harness, "end the sessions of an unknown person", async || {
        let (user_id, actor) = (user_id(9), AuditActor::Operator);
        end.run(EndSessionsCommand { user_id, except: None, actor, address: None }).await
    })
    .await;
    let invite = make!(harness, IssuePasswordLink, None);
    assert_level(harness, "invite an unknown person", async || invite.run(user_id(9)).await).await;
    assert_level(harness, "invite a locked person", async || invite.run(user_id(2)).await).await;
    let reset = make!(harness, ResetSecondFactor, None);
    assert_level(harness, "reset the factor of an unknown person", async || reset.run(user_id(9)).await)
        .await;
    assert_level(harness, "reset a factor that is not set", async || reset.run(user_id(2)).await).await;
    let tokens = &personal_tokens(harness);
    assert_level(harness, "token of a locked person", async || {
        let (form, scopes) = (tokens.new_form(), ["sleep"].as_slice());
        let new = NewPersonalToken { form, name: "Backup", scopes, expires_in_days: None };
        tokens.create(TokenActor::Operator(user_id(2)), new).await
    })
    .await;
    let erase = make!(harness, ErasePerson);
    assert_level(harness, "erase an unknown person", async || {
        erase.run(ErasePersonCommand::ByOperator(user_id(9))).await
    })
    .await;
    let change = make!(harness, ChangeClient);
    assert_level(harness, "change an unknown client", async || {
        change.run(client_id(9), ClientChange::default()).await
    })
    .await;
    let approve = make!(harness, ApproveClient);
    assert_level(harness, "approve an unknown client", async || approve.run(client_id(9), "none").await)
        .await;
    let rotate = make!(harness, RotateClientSecret);
    assert_level(harness, "secret of an unknown client", async || rotate.run(client_id(9), None).await).await;
    assert_level(harness, "secret of a public client", async || rotate.run(client_id(2), None).await).await;
    let retire = make!(harness, RetireSigningKey);
    assert_level(harness, "retire an unknown key", async || retire.run(key_id(9)).await).await;
    assert_level(harness, "retire the last key", async || retire.run(key_id(1)).await).await;
    let webhooks = make!(harness, ManageWebhooks, harness.webhooks.clone(), Arc::new(Nothing));
    let (endpoint, actor) = (WebhookEndpointId::from_uuid(Uuid::nil()), WebhookActor::Operator);
    assert_level(harness, "test an unknown endpoint", async || webhooks.test(endpoint, actor).await).await;
    assert_level(harness, "rotate an unknown endpoint", async || {
        webhooks.rotate(endpoint, None, actor).await.map(drop)
    })
    .await;
    assert_level(harness, "delete an unknown endpoint", async || webhooks.delete(endpoint, actor).await)
        .await;
    assert_level(harness, "replay to an unknown endpoint", async || {
        webhooks.replay(endpoint, seconds(-60), actor).await
    })
    .await;
}
