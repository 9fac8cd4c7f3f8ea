//! Shared fixtures: a fixed clock, counting randomness, signers, users and clients.

use crate::ports::storage::AccessState;
use crate::ports::storage::test_support::{Endings, MockUnitOfWork, PreparedUnitsOfWork};
use crate::ports::system::{Clock, Entropy, SigningFailed, TokenSigner};
pub(crate) use crate::ports::testing::*;
use crate::session::SignedInPerson;
use crate::store::AuditTrail;
use crate::store::Store;
use chrono::{DateTime, TimeDelta, Utc};
use domain::access_token::{AccessClaims, TokenSubject};
use domain::address::AddressBlock;
use domain::client::{Client, ClientKind, ClientName, ClientSecret, RedirectUri};
use domain::code::{AuthorizationCode, CodeState};
use domain::grant::{AgentName, Grant, GrantState, UsedFrom};
use domain::id::{ClientId, ClientSecretId, GrantId, SessionId, TokenId, UserId, WebhookEndpointId};
use domain::outbound::OutboundUrl;
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::{Secret, SecretBytes, SecretHash, SecretKind};
use domain::session::{AuthenticationMethod, Session};
use domain::time::TimeZone;
use domain::user::{Email, User, UserStatus};
use domain::webhook::{EndpointStatus, SealedWebhookSecret, WebhookEndpoint};
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use uuid::Uuid;

pub(crate) const REDIRECT_URI: &str = "https://owl.example/callback";

/// Where the person's requests come from.
pub(crate) const ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 7));

/// 2026-03-10 12:00:00.25 UTC: half a day before the daily counters reset.
pub(crate) fn noon() -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_773_144_000_250).unwrap()
}

pub(crate) fn seconds(seconds: i64) -> TimeDelta {
    TimeDelta::seconds(seconds)
}

/// A clock that stands still.
pub(crate) struct ClockAt(pub(crate) DateTime<Utc>);

impl Clock for ClockAt {
    fn now(&self) -> DateTime<Utc> {
        self.0
    }
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    Arc::new(ClockAt(noon()))
}

/// Returns 1, 2, 3 and so on, for every kind of value.
#[derive(Default)]
pub(crate) struct CountingEntropy(AtomicU32);

impl CountingEntropy {
    fn next(&self) -> u32 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl Entropy for CountingEntropy {
    fn secret_bytes(&self) -> SecretBytes {
        let number = self.next().to_be_bytes();
        SecretBytes::new(std::array::from_fn(|place| number[place % number.len()]))
    }

    fn uuid(&self) -> Uuid {
        drawn_uuid(self.next())
    }
}

/// The UUID that [`CountingEntropy`] returns as its `number`th value.
pub(crate) fn drawn_uuid(number: u32) -> Uuid {
    Uuid::from_u128(0xd4a3_0000_0000 + u128::from(number))
}

pub(crate) fn entropy() -> Arc<dyn Entropy> {
    Arc::new(CountingEntropy::default())
}

/// A store with these units of work, in the order of their use.
pub(crate) fn units<const N: usize>(units: [MockUnitOfWork; N]) -> Arc<PreparedUnitsOfWork> {
    Arc::new(PreparedUnitsOfWork::new(units))
}

/// The store of a service, with the fixed clock and counting randomness.
pub(crate) fn store(units: &Arc<PreparedUnitsOfWork>) -> Store {
    Store { units: units.clone(), trail: AuditTrail::new(entropy(), clock()) }
}

/// A store with this one unit of work, and how it ended.
pub(crate) fn one(unit: MockUnitOfWork) -> (Arc<PreparedUnitsOfWork>, Arc<Endings>) {
    let units = units([unit]);
    let endings = units.endings();
    (units, endings)
}

/// Returns the `jti` as the token, and records the claims.
#[derive(Default)]
pub(crate) struct RecordingSigner(Mutex<Vec<AccessClaims>>);

impl RecordingSigner {
    pub(crate) fn signed(&self) -> Vec<AccessClaims> {
        self.0.lock().unwrap().clone()
    }
}

impl TokenSigner for RecordingSigner {
    fn sign(&self, claims: &AccessClaims) -> Result<String, SigningFailed> {
        self.0.lock().unwrap().push(*claims);
        Ok(format!("signed {}", claims.id))
    }
}

/// A signer without a key.
pub(crate) struct FailingSigner;

impl TokenSigner for FailingSigner {
    fn sign(&self, _: &AccessClaims) -> Result<String, SigningFailed> {
        Err(SigningFailed(None))
    }
}

pub(crate) fn user_id(number: u128) -> UserId {
    UserId::from_uuid(Uuid::from_u128(0xabc_0000 + number))
}

pub(crate) fn client_id(number: u128) -> ClientId {
    ClientId::from_uuid(Uuid::from_u128(0xc11e_0000 + number))
}

pub(crate) fn grant_id(number: u128) -> GrantId {
    GrantId::from_uuid(Uuid::from_u128(0x96a4_0000 + number))
}

pub(crate) fn scopes(text: &str) -> ScopeSet {
    ScopeSet::parse(text).unwrap()
}

pub(crate) fn secret(kind: SecretKind, byte: u8) -> Secret {
    Secret::from_bytes(kind, &SecretBytes::new([byte; 32]))
}

/// An app registered for profile and sleep, created an hour ago.
pub(crate) fn app() -> Client {
    let name = ClientName::parse("Night Owl").unwrap();
    let redirect_uris = vec![RedirectUri::parse(REDIRECT_URI).unwrap()];
    Client::new(client_id(1), name, redirect_uris, scopes("profile sleep"), noon() - seconds(3600))
}

/// An active webhook endpoint of [`app`], which the operator has not reviewed.
pub(crate) fn endpoint() -> WebhookEndpoint {
    WebhookEndpoint {
        id: WebhookEndpointId::from_uuid(Uuid::from_u128(7)),
        client_id: app().id,
        url: OutboundUrl::parse("https://hooks.example/x").unwrap(),
        contact: Some(Email::parse("dev@example.org").unwrap()),
        status: EndpointStatus::Active,
        is_reviewed: false,
        secret: SealedWebhookSecret::new(vec![1]),
        previous_secret: None,
        created_at: noon(),
    }
}

/// A service client that may write sleep and supplements.
pub(crate) fn service() -> Client {
    Client {
        kind: ClientKind::Service,
        redirect_uris: Vec::new(),
        scopes: scopes("sleep:write supplements:write"),
        ..app()
    }
}

pub(crate) fn stored_secret(number: u8, expires_at: Option<DateTime<Utc>>) -> ClientSecret {
    ClientSecret {
        id: ClientSecretId::from_uuid(Uuid::from_u128(u128::from(number))),
        hash: secret(SecretKind::ClientSecret, number).hash(),
        created_at: noon() - seconds(3600) + seconds(i64::from(number)),
        expires_at,
    }
}

pub(crate) fn person() -> User {
    let email = Email::parse("robin@example.org").unwrap();
    User::new(user_id(1), email, TimeZone::UTC, noon() - seconds(86_400))
}

pub(crate) fn locked() -> UserStatus {
    UserStatus::Locked { at: noon() - seconds(5) }
}

/// A session of user 1, who signed in this many seconds ago with a password.
pub(crate) fn session(age: i64) -> Session {
    let began = noon() - seconds(age);
    Session {
        id: SessionId::from_uuid(Uuid::nil()),
        user_id: user_id(1),
        token_hash: secret(SecretKind::Session, 3).hash(),
        method: AuthenticationMethod::Password,
        authenticated_at: began,
        last_seen_at: began,
        first_seen_at: began,
        device: None,
        address: None,
    }
}

/// User 1, who signed in this many seconds ago with a password.
pub(crate) fn signed_in(ago: i64) -> SignedInPerson {
    let (user, cookie) = (person(), secret(SecretKind::Session, 3));
    SignedInPerson {
        user_id: user.id,
        email: user.email,
        home_timezone: user.home_timezone,
        session: session(ago),
        cookie,
        is_fresh: ago < 300,
        address: ADDRESS,
    }
}

/// A code of user 1 for sleep, issued now for a minute without a challenge.
pub(crate) fn issued_code(hash: SecretHash) -> AuthorizationCode {
    AuthorizationCode {
        hash,
        client_id: client_id(1),
        user_id: user_id(1),
        redirect_uri: REDIRECT_URI.to_owned(),
        scopes: scopes("sleep"),
        resource: Resource::Api,
        challenge: None,
        issued_at: noon(),
        expires_at: noon() + seconds(60),
        state: CodeState::Issued,
    }
}

/// A live grant of profile and sleep, used a minute ago, with a fixed refresh token.
pub(crate) fn grant() -> Grant {
    Grant {
        id: grant_id(1),
        client_id: client_id(1),
        user_id: user_id(1),
        scopes: scopes("profile sleep"),
        resource: Resource::Api,
        refresh_token_hash: secret(SecretKind::RefreshToken, 7).hash(),
        newest_token_hash: None,
        created_at: noon() - seconds(7200),
        last_used_at: Some(noon() - seconds(60)),
        last_used_from: None,
        state: GrantState::Live,
    }
}

/// Claims of an access token of the grant, signed now.
pub(crate) fn access_claims() -> AccessClaims {
    AccessClaims {
        id: TokenId::from_uuid(Uuid::from_u128(9)),
        subject: TokenSubject::Person { user_id: user_id(1), grant_id: grant_id(1) },
        client_id: client_id(1),
        scopes: scopes("profile sleep"),
        audience: Resource::Api,
        issued_at: noon(),
        expires_at: AccessClaims::end_from(noon()),
    }
}

/// The live grant of [`access_claims`], for a user in Berlin.
pub(crate) fn access_state() -> AccessState {
    AccessState {
        client_id: client_id(1),
        scopes: scopes("profile sleep"),
        is_live: true,
        ended_at: None,
        home_timezone: TimeZone::parse("Europe/Berlin").unwrap(),
    }
}

/// Where a client's requests come from.
pub(crate) fn used_from() -> UsedFrom {
    UsedFrom { address: AddressBlock::containing(ADDRESS), agent: AgentName::from_header("owl/1.0") }
}

/// The same person as one of the sandbox.
pub(crate) fn in_sandbox() -> User {
    User { email: Email::parse_stored("gaps-000000000001@sandbox.invalid").unwrap(), ..person() }
}
