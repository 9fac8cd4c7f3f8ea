//! Grants: the result of a redeemed code, with a refresh token and its access tokens (decisions 3).

use crate::address::AddressBlock;
use crate::id::{ClientId, GrantId, UserId};
use crate::resource::Resource;
use crate::scope::ScopeSet;
use crate::secret::{SecretHash, hide_in_debug};
use chrono::{DateTime, TimeDelta, Utc};

/// Maximum number of active grants per client and person; beyond it, the least recently used grant is
/// revoked.
pub const MAX_LIVE_GRANTS: usize = 50;

/// Minimum interval between two writes of a grant's last use, in seconds (decisions 3).
pub const LAST_USED_RESOLUTION_SECONDS: i64 = 3600;

crate::named_enum! {
    /// Why a grant was revoked.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RevocationReason {
        /// Its code was presented a second time (RFC 6749 section 4.1.2).
        CodeReplayed = "code_replayed",
        /// The operator revoked it.
        Operator = "operator",
        /// The client exceeded [`MAX_LIVE_GRANTS`] for this person.
        TooManyGrants = "too_many_grants",
        /// The person revoked it.
        Person = "person",
        /// The client revoked it (RFC 7009).
        Client = "client",
        /// A refresh token was presented again after it was replaced (RFC 9700 section 4.14.2).
        TokenReused = "token_reused",
    }
}

/// Whether a grant is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GrantState {
    /// Active.
    Live,
    /// Revoked for good.
    Revoked {
        /// When it was revoked.
        at: DateTime<Utc>,
        /// Why.
        reason: RevocationReason,
    },
}

/// Maximum length of a stored user agent in characters.
pub const MAX_AGENT_CHARACTERS: usize = 100;

/// `User-Agent` of a client, reduced to readable text; never logged.
#[derive(Clone, PartialEq, Eq)]
pub struct AgentName(String);

impl AgentName {
    /// Keeps the printable ASCII characters of a header, at most [`MAX_AGENT_CHARACTERS`]; `None` if none are
    /// left.
    pub fn from_header(value: &str) -> Option<Self> {
        let printable = value.chars().filter(|c| c.is_ascii_graphic() || *c == ' ');
        let text: String = printable.take(MAX_AGENT_CHARACTERS).collect();
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// Returns the name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

hide_in_debug!(AgentName);

/// Where a refresh token was last used, shown to its owner (security.md T57).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedFrom {
    /// Address or network.
    pub address: AddressBlock,
    /// User agent.
    pub agent: Option<AgentName>,
}

/// A person's permission for a client, with its refresh token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// Id, the `gid` of access tokens.
    pub id: GrantId,
    /// The client.
    pub client_id: ClientId,
    /// The person.
    pub user_id: UserId,
    /// Granted scopes, which are never extended.
    pub scopes: ScopeSet,
    /// Audience of its access tokens.
    pub resource: Resource,
    /// Hash that finds the grant: of the refresh token; of its family if it rotates.
    pub refresh_token_hash: SecretHash,
    /// Hash of the newest token if the refresh token rotates; `None` if it is fixed.
    pub newest_token_hash: Option<SecretHash>,
    /// When the code was redeemed.
    pub created_at: DateTime<Utc>,
    /// Last use of the refresh token, to the hour; `None` if it was never used.
    pub last_used_at: Option<DateTime<Utc>>,
    /// Where it was last used; `None` if it was never used.
    pub last_used_from: Option<UsedFrom>,
    /// Whether it is active.
    pub state: GrantState,
}

impl Grant {
    /// Returns whether the grant is active.
    pub const fn is_live(&self) -> bool {
        matches!(self.state, GrantState::Live)
    }

    /// Returns whether to write a use at this time (at most once an hour).
    pub fn should_record_use(&self, now: DateTime<Utc>) -> bool {
        let resolution = TimeDelta::seconds(LAST_USED_RESOLUTION_SECONDS);
        self.last_used_at.is_none_or(|last| now - last >= resolution)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    fn grant(last_used_at: Option<DateTime<Utc>>) -> Grant {
        Grant {
            id: GrantId::from_uuid(Uuid::nil()),
            client_id: ClientId::from_uuid(Uuid::nil()),
            user_id: UserId::from_uuid(Uuid::nil()),
            scopes: ScopeSet::EMPTY,
            resource: Resource::Api,
            refresh_token_hash: SecretHash::from_bytes([0; 32]),
            newest_token_hash: None,
            created_at: DateTime::UNIX_EPOCH,
            last_used_at,
            last_used_from: None,
            state: GrantState::Live,
        }
    }

    #[test]
    fn the_last_use_is_written_at_most_once_an_hour() {
        let now = DateTime::UNIX_EPOCH + TimeDelta::days(1);
        assert!(grant(None).should_record_use(now));
        assert!(!grant(Some(now - TimeDelta::minutes(59))).should_record_use(now));
        assert!(grant(Some(now - TimeDelta::minutes(60))).should_record_use(now));
    }

    #[test]
    fn an_agent_name_is_short_printable_ascii() {
        let name = |text: &str| AgentName::from_header(text).map(|name| name.as_str().to_owned());
        assert_eq!(name(" owl/1.0 (\u{7}night\u{e9}) ").as_deref(), Some("owl/1.0 (night)"));
        assert_eq!(name(&"x".repeat(500)).map(|text| text.len()), Some(MAX_AGENT_CHARACTERS));
        assert_eq!(name("\u{e9}\n"), None);
    }

    #[test]
    fn a_reason_is_known_by_its_name() {
        for reason in RevocationReason::ALL {
            assert_eq!(RevocationReason::parse(reason.as_str()), Some(reason));
        }
        assert_eq!(RevocationReason::parse("whim"), None);
    }
}
