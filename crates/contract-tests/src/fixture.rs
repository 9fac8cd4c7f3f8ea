//! Fixtures of the cases, derived from small numbers.

use application::ports::storage::{StorageError, UniqueKey};
use chrono::{DateTime, NaiveDate, TimeDelta, Utc};
use domain::client::{
    Client, ClientKind, ClientName, ClientSecret, MetadataDocument, MetadataUrl, RedirectUri, Review,
};
use domain::code::{AuthorizationCode, CodeState, PkceChallenge};
use domain::grant::{Grant, GrantState};
use domain::id::{
    ClientId, ClientSecretId, GrantId, IntakeLogId, KeyId, SleepSessionId, SupplementId, UserId,
};
use domain::paging::{PageNumber, PageRequest, PageSize, SortDirection};
use domain::resource::Resource;
use domain::scope::{Scope, ScopeSet};
use domain::secret::SecretHash;
use domain::signing_key::{SealedPrivateKey, SigningKey, SigningKeyState};
use domain::sleep::{
    Hypnogram, SessionKey, SleepRecord, SleepRecordHead, SleepSession, SleepSource, Stage, StageEntry,
    TimeInBed,
};
use domain::supplement::{
    CatalogueKey, Ingredient, IntakeLog, IntakeLogRecord, Servings, Supplement, SupplementLabel,
    SupplementLabelFields,
};
use domain::time::{TimeZone, UtcOffset};
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, SkinType, User, UserStatus,
};
use uuid::Uuid;

mod import;
mod passkey;
mod sign_in;

pub(crate) use import::*;
pub(crate) use passkey::*;
pub(crate) use sign_in::*;

/// Returns the fixed time of the cases, which has microseconds.
pub(crate) fn now() -> DateTime<Utc> {
    "2026-03-09T12:34:56.123456Z".parse().unwrap()
}

/// Returns a time some seconds after [`now`], or before it.
pub(crate) fn seconds(seconds: i64) -> DateTime<Utc> {
    now() + TimeDelta::seconds(seconds)
}

/// Returns the resolution of stored times.
pub(crate) fn microsecond() -> TimeDelta {
    TimeDelta::microseconds(1)
}

/// Unwraps the unique key that a write violates.
pub(crate) fn conflict<T>(result: Result<T, StorageError>) -> UniqueKey {
    match result {
        Err(StorageError::Conflict(key)) => key,
        Err(error) => panic!("expected a conflict, got {error}"),
        Ok(_) => panic!("expected a conflict, got none"),
    }
}

pub(crate) fn uuid(number: u64) -> Uuid {
    // Both halves differ between ids, and ids sort like their numbers.
    Uuid::from_u64_pair(number << 8 | 0x5a, number.wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

pub(crate) fn user_id(number: u64) -> UserId {
    UserId::from_uuid(uuid(number))
}

pub(crate) fn client_id(number: u64) -> ClientId {
    ClientId::from_uuid(uuid(number))
}

pub(crate) fn secret_id(number: u64) -> ClientSecretId {
    ClientSecretId::from_uuid(uuid(number))
}

pub(crate) fn grant_id(number: u64) -> GrantId {
    GrantId::from_uuid(uuid(number))
}

pub(crate) fn session_id(number: u64) -> SleepSessionId {
    SleepSessionId::from_uuid(uuid(number))
}

pub(crate) fn supplement_id(number: u64) -> SupplementId {
    SupplementId::from_uuid(uuid(number))
}

pub(crate) fn log_id(number: u64) -> IntakeLogId {
    IntakeLogId::from_uuid(uuid(number))
}

pub(crate) fn key_id(number: u64) -> KeyId {
    KeyId::from_uuid(uuid(number))
}

pub(crate) fn hash(number: u64) -> SecretHash {
    let mut bytes = [0xa5; 32];
    bytes[..8].copy_from_slice(&number.to_be_bytes());
    SecretHash::from_bytes(bytes)
}

/// Returns a person with required fields only.
pub(crate) fn user(number: u64) -> User {
    let email = Email::parse(&format!("person-{number}@example.org")).unwrap();
    User::new(user_id(number), email, TimeZone::UTC, now())
}

/// Returns a person with every field set.
pub(crate) fn full_user(number: u64) -> User {
    User {
        id: user_id(number),
        email: Email::parse(&format!("Ärzt+{number}@Exämple.ORG")).unwrap(),
        home_timezone: TimeZone::parse("America/Argentina/ComodRivadavia").unwrap(),
        created_at: "1999-12-31T23:59:59.999999Z".parse().unwrap(),
        status: UserStatus::Locked { at: seconds(-1) },
        biology: Biology {
            birth_date: Some(BirthDate::parse("1880-02-29").unwrap()),
            biological_sex: Some(BiologicalSex::Other),
            blood_type: Some(BloodType::AbNegative),
            height: Some(BodyHeight::from_centimetres(167.6).unwrap()),
            weight: Some(BodyWeight::from_kilograms(0.1 + 0.2).unwrap()),
            skin_type: Some(SkinType::new(6).unwrap()),
            wheelchair_use: Some(false),
        },
    }
}

/// Returns an app with required fields only.
pub(crate) fn client(number: u64) -> Client {
    let name = ClientName::parse(&format!("App {number}")).unwrap();
    let redirect_uris = vec![RedirectUri::parse("https://app.example/back").unwrap()];
    Client::new(client_id(number), name, redirect_uris, ScopeSet::CONSENTABLE, now())
}

/// Returns an app that this person registered, as a draft.
pub(crate) fn draft(number: u64, owner: u64) -> Client {
    Client { review: Review::Draft { owner: user_id(owner) }, ..client(number) }
}

/// Returns an app that this person registered, after its approval.
pub(crate) fn approved(number: u64, owner: u64) -> Client {
    Client { review: Review::Approved { owner: Some(user_id(owner)) }, ..client(number) }
}

/// Returns a public app with a metadata document that expires some seconds after [`now`].
pub(crate) fn published(number: u64, second: i64) -> Client {
    let url = MetadataUrl::parse(&format!("https://app.example/{number}.json")).unwrap();
    let document = Some(MetadataDocument { url, fresh_until: seconds(second) });
    Client { document, kind: ClientKind::PublicApp, require_pkce: true, ..client(number) }
}

pub(crate) fn secret(number: u64) -> ClientSecret {
    ClientSecret { id: secret_id(number), hash: hash(number), created_at: now(), expires_at: None }
}

/// Returns a code of client 1 and person 1 that expires a minute after [`now`].
pub(crate) fn code(number: u64) -> AuthorizationCode {
    AuthorizationCode {
        hash: hash(number),
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: "https://app.example/back?x=%20y".to_owned(),
        scopes: [Scope::Sleep, Scope::Profile].into_iter().collect(),
        resource: Resource::Api,
        challenge: Some(PkceChallenge::from_bytes([7; 32])),
        issued_at: now(),
        expires_at: seconds(60),
        state: CodeState::Issued,
    }
}

/// Returns a live, unused grant of client 1 by person 1.
pub(crate) fn grant(number: u64) -> Grant {
    Grant {
        id: grant_id(number),
        client_id: client_id(1),
        user_id: user_id(1),
        scopes: ScopeSet::CONSENTABLE,
        resource: Resource::Api,
        refresh_token_hash: hash(number),
        newest_token_hash: None,
        created_at: now(),
        last_used_at: None,
        last_used_from: None,
        state: GrantState::Live,
    }
}

pub(crate) fn signing_key(number: u64) -> SigningKey {
    let mut public_key = [3; 32];
    public_key[..8].copy_from_slice(&number.to_be_bytes());
    SigningKey {
        id: key_id(number),
        public_key,
        private_key: SealedPrivateKey::new(vec![0, 1, 2, 0xff]),
        created_at: now(),
        state: SigningKeyState::Active,
    }
}

/// Returns 2026-02-10 22:30:00 UTC plus some minutes.
pub(crate) fn minute(minutes: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_770_762_600, 0).unwrap() + TimeDelta::minutes(minutes)
}

pub(crate) fn time_in_bed(start: DateTime<Utc>, minutes: i64) -> TimeInBed {
    let offset = UtcOffset::from_minutes(-210);
    TimeInBed::new(start, start + TimeDelta::minutes(minutes), offset, UtcOffset::from_minutes(345)).unwrap()
}

/// Returns a night of eight hours from this minute, with three stages and the source key `log-<number>`.
pub(crate) fn session(number: u64, start_minute: i64) -> SleepSession {
    session_from(number, minute(start_minute), Some("tracker"), &format!("log-{number}"))
}

/// Returns a night of eight hours from this time.
pub(crate) fn session_from(
    number: u64,
    start: DateTime<Utc>,
    source: Option<&str>,
    key: &str,
) -> SleepSession {
    let head = SleepRecordHead {
        key: SessionKey::from_source(key).unwrap(),
        source: source.map(|name| SleepSource::parse(name).unwrap()),
        time_in_bed: time_in_bed(start, 480),
        is_nap: Some(false),
    };
    SleepSession { id: session_id(number), record: with_stages(head), updated_at: now_millis() }
}

/// Returns [`now`] in the resolution of sessions.
pub(crate) fn now_millis() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(now().timestamp_millis()).unwrap()
}

/// Adds three stages with a gap between them to a night of eight hours.
pub(crate) fn with_stages(head: SleepRecordHead) -> SleepRecord {
    let start = head.time_in_bed.start();
    let entry = |stage, from: i64, to: i64| {
        StageEntry::new(stage, start + TimeDelta::minutes(from), start + TimeDelta::minutes(to)).unwrap()
    };
    let entries = vec![entry(Stage::Awake, 0, 10), entry(Stage::Light, 10, 100), entry(Stage::Rem, 130, 180)];
    let hypnogram = Hypnogram::new(entries, &head.time_in_bed).unwrap();
    SleepRecord::from_stages(head, hypnogram).unwrap()
}

pub(crate) fn catalogue_key(number: u64) -> CatalogueKey {
    CatalogueKey::new("dsld".to_owned(), format!("label {number}")).unwrap()
}

/// Returns a label with two ingredients.
pub(crate) fn label(name: &str) -> SupplementLabel {
    let amount = domain::supplement::Amount::new(0.1 + 0.2, "mcg DFE".to_owned()).unwrap();
    SupplementLabel::new(SupplementLabelFields {
        brand: "Brand \"Ünï\"".to_owned(),
        name: name.to_owned(),
        servings: "90 or 180".to_owned(),
        upc: " 0 12345 67890 5".to_owned(),
        entry_date: NaiveDate::from_ymd_opt(2024, 2, 29),
        ingredients: vec![
            Ingredient::new("Vitamin B₁₂".to_owned(), Some(amount), true).unwrap(),
            Ingredient::new("Cellulose".to_owned(), None, false).unwrap(),
        ],
    })
    .unwrap()
}

pub(crate) fn supplement(number: u64) -> Supplement {
    Supplement::enter(supplement_id(number), label(&format!("Supplement {number}")), now())
}

/// Returns an intake of a supplement at this time, without an external key.
pub(crate) fn log(number: u64, supplement: u64, at: DateTime<Utc>) -> IntakeLog {
    keyed_log(number, supplement, at, None)
}

pub(crate) fn keyed_log(number: u64, supplement: u64, at: DateTime<Utc>, key: Option<&str>) -> IntakeLog {
    let servings = Servings::new(1.5).unwrap();
    let record = IntakeLogRecord::new(supplement_id(supplement), at, servings, key.map(str::to_owned));
    record.unwrap().with_id(log_id(number))
}

pub(crate) fn page(number: u64, size: u16, sort: SortDirection) -> PageRequest {
    PageRequest {
        number: PageNumber::parse(&number.to_string()).unwrap(),
        size: PageSize::new(size).unwrap(),
        sort,
    }
}
