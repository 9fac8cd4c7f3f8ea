//! Test data of sign-ins: requests, tokens, messages and reads.

use crate::made_up::{at, client, user_id};
use application::ports::storage::QueuedMessage;
use chrono::TimeDelta;
use domain::authorization_request::{AuthorizationRequest, RequestState};
use domain::id::{AuthorizationRequestId, ClientId, MessageId, PersonalTokenId, SessionId};
use domain::personal_token::{PersonalToken, PersonalTokenName};
use domain::read_tally::{ReadKind, ReadTally, Reader, RequestedRange, TallyKey};
use domain::resource::Resource;
use domain::scope::ScopeSet;
use domain::secret::SecretHash;
use domain::session::{AuthenticationMethod, Session};
use uuid::Uuid;

pub(crate) fn browser_session(byte: u8, user: u128) -> Session {
    Session {
        id: SessionId::from_uuid(Uuid::from_u128(byte.into())),
        user_id: user_id(user),
        token_hash: SecretHash::from_bytes([byte; 32]),
        method: AuthenticationMethod::Password,
        authenticated_at: at(0),
        last_seen_at: at(0),
        first_seen_at: at(0),
        device: None,
        address: None,
    }
}

pub(crate) fn request(number: u128) -> AuthorizationRequest {
    AuthorizationRequest {
        id: AuthorizationRequestId::from_uuid(Uuid::from_u128(number)),
        client_id: client().id,
        redirect_uri: "https://owl.example/cb".to_owned(),
        scopes: ScopeSet::CONSENTABLE,
        resource: Resource::Api,
        state: Some("a state".to_owned()),
        challenge: None,
        force_consent: false,
        visit_hash: SecretHash::from_bytes([3; 32]),
        user_id: None,
        login_hint: None,
        created_at: at(0),
        decision: RequestState::Open,
    }
}

pub(crate) fn token(byte: u8, user: u128) -> PersonalToken {
    PersonalToken {
        id: PersonalTokenId::from_uuid(Uuid::from_u128(byte.into())),
        user_id: user_id(user),
        name: PersonalTokenName::parse("Sunday notebook").unwrap(),
        token_hash: SecretHash::from_bytes([byte; 32]),
        scopes: ScopeSet::CONSENTABLE,
        created_at: at(0),
        expires_at: None,
        last_used_at: None,
        revoked_at: None,
    }
}

pub(crate) fn message(number: u128) -> QueuedMessage {
    QueuedMessage {
        id: MessageId::from_uuid(Uuid::from_u128(number)),
        sealed: vec![1, 2, 3],
        queued_at: at(0),
        due_at: at(0) + TimeDelta::seconds(i64::try_from(number).unwrap()),
        attempts: 0,
    }
}

/// One request by the client in this minute, with one record.
pub(crate) fn tally(user: u128, minute: i64) -> ReadTally {
    read_by(Reader::Client(ClientId::from_uuid(client().id.as_uuid())), user, minute)
}

pub(crate) fn read_by(reader: Reader, user: u128, minute: i64) -> ReadTally {
    ReadTally {
        key: TallyKey::at(at(60 * minute), user_id(user), reader, ReadKind::Refresh),
        requests: 1,
        items: 1,
        range: RequestedRange::default(),
    }
}
