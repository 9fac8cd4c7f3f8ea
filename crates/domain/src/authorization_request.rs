//! Authorization requests, kept while the person signs in and decides (RFC 6749 section 4.1.1; decisions 8).

use crate::code::PkceChallenge;
use crate::id::{AuthorizationRequestId, ClientId, UserId};
use crate::resource::Resource;
use crate::scope::ScopeSet;
use crate::secret::SecretHash;
use crate::session::Session;
use crate::user::Email;
use chrono::{DateTime, TimeDelta, Utc};

/// Lifetime of a request in seconds.
pub const LIFETIME_SECONDS: i64 = 1800;

/// Tolerated clock difference between two replicas in seconds, when a sign-in is compared with a request.
const CLOCK_LEEWAY_SECONDS: i64 = 5;

/// Maximum number of requests kept per person, open and decided; the oldest are dropped first.
pub const MAX_REQUESTS: usize = 20;

/// Maximum length of `state` in bytes (security.md T25).
pub const MAX_STATE_BYTES: usize = 2048;

/// State of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestState {
    /// The person has not decided.
    Open,
    /// The person has decided; a decision is made only once (security.md T29).
    Decided {
        /// Time of the decision.
        at: DateTime<Utc>,
    },
}

/// A validated authorization request. Later forms cannot change any part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuthorizationRequest {
    /// Id that the pages pass on.
    pub id: AuthorizationRequestId,
    /// The requesting client.
    pub client_id: ClientId,
    /// Redirect URI for the response: one of the client's registered URIs.
    pub redirect_uri: String,
    /// Requested scopes: at least one, all allowed for the client and grantable by a person.
    pub scopes: ScopeSet,
    /// Requested audience of access tokens (RFC 8707).
    pub resource: Resource,
    /// The client's `state`, returned unchanged.
    pub state: Option<String>,
    /// The PKCE challenge, if one was sent.
    pub challenge: Option<PkceChallenge>,
    /// Whether to show the page even if an earlier consent is remembered (`prompt=consent`).
    pub force_consent: bool,
    /// Hash of the cookie of the browser that sent the request. Another browser cannot continue it.
    pub visit_hash: SecretHash,
    /// The person who signed in for the request. Another person cannot continue it (security.md T29).
    pub user_id: Option<UserId>,
    /// Email address the app expects, used only to prefill the sign-in form; never part of our URLs.
    pub login_hint: Option<Email>,
    /// Time of the request.
    pub created_at: DateTime<Utc>,
    /// Whether the person has decided.
    pub decision: RequestState,
}

impl AuthorizationRequest {
    /// Returns whether the person can still decide.
    pub fn is_open(&self, now: DateTime<Utc>) -> bool {
        self.decision == RequestState::Open && now - self.created_at < TimeDelta::seconds(LIFETIME_SECONDS)
    }

    /// Returns whether the session was signed in after the request. An unclaimed request accepts only such a
    /// sign-in, because the app may have asked for a fresh one (`prompt=login`).
    pub fn was_followed_by(&self, session: &Session) -> bool {
        session.authenticated_at + TimeDelta::seconds(CLOCK_LEEWAY_SECONDS) >= self.created_at
    }

    /// Returns whether this person may decide: nobody else has signed in for the request.
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
            resource: Resource::Api,
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
    fn only_a_sign_in_after_the_request_belongs_to_it() {
        let signed_in_at = DateTime::UNIX_EPOCH + TimeDelta::hours(1);
        let session = Session {
            id: SessionId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            token_hash: SecretHash::from_bytes([0; 32]),
            method: AuthenticationMethod::Password,
            authenticated_at: signed_in_at,
            last_seen_at: signed_in_at,
            first_seen_at: signed_in_at,
            device: None,
            address: None,
        };
        let came_at = |created_at| AuthorizationRequest { created_at, ..request(RequestState::Open) };
        assert!(came_at(signed_in_at - TimeDelta::seconds(30)).was_followed_by(&session));
        assert!(came_at(signed_in_at + TimeDelta::seconds(5)).was_followed_by(&session));
        assert!(!came_at(signed_in_at + TimeDelta::seconds(6)).was_followed_by(&session));
    }

    #[test]
    fn a_request_has_no_owner_until_a_person_signs_in_for_it() {
        let somebody = UserId::from_uuid(Uuid::from_u128(1));
        let mut request = request(RequestState::Open);
        assert!(!request.belongs_to(somebody));
        request.user_id = Some(somebody);
        assert!(request.belongs_to(somebody));
        assert!(!request.belongs_to(UserId::from_uuid(Uuid::from_u128(2))));
    }
}
