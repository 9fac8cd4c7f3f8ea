//! What an app asked for, kept while the person signs in and decides (RFC 6749 section 4.1.1; decisions 8).

use crate::code::PkceChallenge;
use crate::id::{AuthorizationRequestId, ClientId, UserId};
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::user::Email;
use chrono::{DateTime, TimeDelta, Utc};

/// How long a person may take, in seconds.
pub const LIFETIME_SECONDS: i64 = 1800;

/// How far the clocks of two replicas may be apart, in seconds, when a sign-in is compared with a request.
const CLOCK_LEEWAY_SECONDS: i64 = 5;

/// How many requests of one person are kept, open and decided; the oldest go first.
pub const MAX_REQUESTS: usize = 20;

/// The longest `state`, in bytes; more is refused (security.md T25).
pub const MAX_STATE_BYTES: usize = 2048;

/// Whether the person has decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    /// Not yet.
    Open,
    /// They have, one way or the other; a decision is made once (security.md T29).
    Decided {
        /// When.
        at: DateTime<Utc>,
    },
}

/// A validated authorization request. Nothing of it is taken from a form again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Its id, which pages carry from one to the next.
    pub id: AuthorizationRequestId,
    /// Who asks.
    pub client_id: ClientId,
    /// Where the answer goes: one of the client's registered URIs.
    pub redirect_uri: String,
    /// What is asked for: known scopes that the client may ask for and a person can grant; at least one.
    pub scopes: ScopeSet,
    /// The client's `state`, to be returned byte for byte; nothing when it sent none.
    pub state: Option<String>,
    /// The PKCE challenge, if one was sent.
    pub challenge: Option<PkceChallenge>,
    /// Whether the page must be shown even if the person's earlier consent is remembered (`prompt=consent`).
    pub force_consent: bool,
    /// The hash of the cookie of the browser that brought it. Another browser cannot take it over.
    pub visit_hash: SecretHash,
    /// The person who signed in for it, once somebody has. Another one cannot take it over (security.md T29).
    pub user_id: Option<UserId>,
    /// The address that the app expects to sign in, for the form of that page alone; never sent in a URL of ours.
    pub login_hint: Option<Email>,
    /// When it came.
    pub created_at: DateTime<Utc>,
    /// Whether it is decided.
    pub decision: RequestState,
}

impl AuthorizationRequest {
    /// Returns whether the person can still decide.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.decision == RequestState::Open && now - self.created_at < TimeDelta::seconds(LIFETIME_SECONDS)
    }

    /// Tells whether this sign-in was for the request: it came after it. A request that nobody has yet is taken by
    /// such a sign-in alone, because the app may have asked for one (`prompt=login`), whatever session there was.
    pub fn was_followed_by(&self, session: &Session) -> bool {
        session.authenticated_at + TimeDelta::seconds(CLOCK_LEEWAY_SECONDS) >= self.created_at
    }

    /// Returns whether this person may decide it: nobody else has signed in for it.
    pub fn belongs_to(&self, user_id: UserId) -> bool {
        self.user_id == Some(user_id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::SessionId;
    use crate::session::AuthenticationMethod;
    use uuid::Uuid;

    fn request(decision: RequestState) -> AuthorizationRequest {
        AuthorizationRequest {
            id: AuthorizationRequestId::from_uuid(Uuid::nil()),
            client_id: ClientId::from_uuid(Uuid::nil()),
            redirect_uri: "https://owl.example/callback".to_owned(),
            scopes: ScopeSet::CONSENTABLE,
            state: None,
            challenge: None,
            force_consent: false,
            visit_hash: SecretHash::from_bytes([0; 32]),
            user_id: None,
            login_hint: None,
            created_at: DateTime::UNIX_EPOCH,
            decision,
        }
    }

    #[test]
    fn a_request_is_open_for_half_an_hour_and_until_it_is_decided() {
        let start = DateTime::UNIX_EPOCH;
        assert!(request(RequestState::Open).is_open(start + TimeDelta::seconds(1799)));
        assert!(!request(RequestState::Open).is_open(start + TimeDelta::seconds(1800)));
        assert!(!request(RequestState::Decided { at: start }).is_open(start));
    }

    #[test]
    fn a_sign_in_is_for_a_request_when_it_came_after_it() {
        let signed_in_at = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        let session = Session {
            id: SessionId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            token_hash: SecretHash::from_bytes([0; 32]),
            method: AuthenticationMethod::Password,
            authenticated_at: signed_in_at,
            last_seen_at: signed_in_at,
        };
        let came_at = |created_at| AuthorizationRequest { created_at, ..request(RequestState::Open) };
        assert!(came_at(signed_in_at - TimeDelta::seconds(30)).was_followed_by(&session));
        assert!(came_at(signed_in_at + TimeDelta::seconds(5)).was_followed_by(&session));
        assert!(!came_at(signed_in_at + TimeDelta::seconds(6)).was_followed_by(&session));
    }

    #[test]
    fn a_request_belongs_to_nobody_until_somebody_signs_in_for_it() {
        let somebody = UserId::from_uuid(Uuid::from_u128(1));
        let mut request = request(RequestState::Open);
        assert!(!request.belongs_to(somebody));
        request.user_id = Some(somebody);
        assert!(request.belongs_to(somebody));
        assert!(!request.belongs_to(UserId::from_uuid(Uuid::from_u128(2))));
    }
}
