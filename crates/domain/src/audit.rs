//! The audit trail: what happened to grants, tokens, keys, clients and accounts, and by whom.
//!
//! An event names things by id and never holds a value of a person's data, a secret, or an address in clear text
//! that the person does not see. Reads of data endpoints are not events; they are summed ([`crate::read_tally`]).

use crate::address::AddressBlock;
use crate::id::{AuditEventId, ClientId, UserId};
use crate::scope::ScopeSet;
use chrono::{DateTime, Utc};
use uuid::Uuid;

/// On whose behalf something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuditActor {
    /// The person, on a page.
    Person,
    /// The operator, on the command line.
    Operator,
    /// A client, at an endpoint.
    Client,
    /// The server by itself.
    Server,
}

impl AuditActor {
    /// Every actor.
    pub const ALL: [Self; 4] = [Self::Person, Self::Operator, Self::Client, Self::Server];

    /// Returns the name by which the store and the operator know the actor.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Operator => "operator",
            Self::Client => "client",
            Self::Server => "server",
        }
    }

    /// Parses that name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|actor| actor.as_str() == text)
    }
}

macro_rules! audit_kinds {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// What happened.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AuditKind {
            $($(#[$doc])* $variant,)*
        }

        impl AuditKind {
            /// Every kind, in the order of the reference.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name by which the store and the operator know the kind.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

audit_kinds! {
    /// An account was made.
    UserCreated => "user.created",
    /// An account's own data (address, zone, profile) was changed by the operator or a service client.
    UserChanged => "user.changed",
    /// An import filled or changed fields of a person's profile; the subject is the import.
    ProfileImported => "profile.imported",
    /// An account was locked.
    UserLocked => "user.locked",
    /// An account was unlocked.
    UserUnlocked => "user.unlocked",
    /// A person and everything under their id was erased; whose it was is not told.
    UserErased => "user.erased",
    /// A person signed in; the subject is the session.
    SignedIn => "session.signed_in",
    /// A password was refused for an account that exists.
    SignInRefused => "session.refused",
    /// Passwords were refused unseen, because too many were tried for the account, or from the address when no
    /// account is named; once for each of them and window.
    SignInLimited => "session.limited",
    /// Sessions were ended; the subject is the session when it was one.
    SignedOut => "session.signed_out",
    /// Every session of a person was ended.
    SignedOutEverywhere => "session.signed_out_everywhere",
    /// A link to choose a password was handed out.
    PasswordLinkIssued => "password.link_issued",
    /// A password was chosen for the first time or changed.
    PasswordSet => "password.set",
    /// A client was registered.
    ClientCreated => "client.created",
    /// A client's registration was changed.
    ClientChanged => "client.changed",
    /// A client was disabled.
    ClientDisabled => "client.disabled",
    /// A client was enabled again.
    ClientEnabled => "client.enabled",
    /// A client got another secret; the subject is the secret.
    ClientSecretRotated => "client.secret_rotated",
    /// A client sent its secret in a query string although it may not: the secret should be rotated; it is the subject.
    ClientSecretExposed => "client.secret_exposed",
    /// A person allowed a client something; the scopes are what.
    ConsentGiven => "consent.given",
    /// A person refused a client.
    ConsentDenied => "consent.denied",
    /// An authorization code was issued.
    CodeIssued => "code.issued",
    /// A used code was presented again, and what it had made was revoked; the subject is the grant.
    CodeReplayed => "code.replayed",
    /// A code was redeemed; the subject is the new grant.
    GrantCreated => "grant.created",
    /// Grants were revoked; the subject is the grant when it was one.
    GrantRevoked => "grant.revoked",
    /// A refresh token was presented by a client that it does not belong to; the subject is the grant.
    RefreshTokenMisused => "grant.misused",
    /// A service client got an access token for itself.
    ServiceTokenIssued => "token.service_issued",
    /// A person made a personal access token; the subject is the token.
    PersonalTokenCreated => "personal_token.created",
    /// Personal access tokens were revoked; the subject is the token when it was one.
    PersonalTokenRevoked => "personal_token.revoked",
    /// The operator was shown a person's profile.
    ProfileShown => "profile.shown",
    /// An export of a person's data began; the subject is the personal access token when it was one.
    DataExported => "data.exported",
    /// The import of a file began; the subject is the import. That of a catalogue is about nobody.
    ImportStarted => "import.started",
    /// An import was undone, or stopped and undone; the subject is the import.
    ImportUndone => "import.undone",
    /// A service client added or changed sleep sessions: the first time on that day.
    SleepWritten => "sleep.written",
    /// A service client added or changed intake logs: the first time on that day.
    IntakeLogsWritten => "supplement_log.written",
    /// A service client added or changed labels of the catalogue, which are nobody's: the first time on that day.
    LabelsWritten => "supplement.written",
    /// A service client deleted a sleep session; the subject is the session.
    SleepDeleted => "sleep.deleted",
    /// A service client deleted an intake log; the subject is the log.
    IntakeLogDeleted => "supplement_log.deleted",
    /// A signing key was made; the subject is the key.
    KeyCreated => "key.created",
    /// A signing key was retired; the subject is the key.
    KeyRetired => "key.retired",
    /// Everything issued before a moment was invalidated; the count is of all of it.
    EverythingInvalidated => "everything.invalidated",
}

impl AuditKind {
    /// The kinds that tell a person how their data came in, was changed or went out.
    pub const ABOUT_DATA: &[Self] = &[
        Self::UserCreated,
        Self::UserChanged,
        Self::ProfileImported,
        Self::ProfileShown,
        Self::DataExported,
        Self::ImportStarted,
        Self::ImportUndone,
        Self::SleepWritten,
        Self::SleepDeleted,
        Self::IntakeLogsWritten,
        Self::IntakeLogDeleted,
    ];

    /// Returns a list of this kind alone.
    pub fn alone(self) -> &'static [Self] {
        Self::ALL.iter().find(|kind| **kind == self).map_or(&[], std::slice::from_ref)
    }

    /// Parses a kind's name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == text)
    }
}

/// One entry of the audit trail. Once written it is never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// Its id.
    pub id: AuditEventId,
    /// When it happened, in microseconds.
    pub at: DateTime<Utc>,
    /// What happened.
    pub kind: AuditKind,
    /// On whose behalf.
    pub actor: AuditActor,
    /// Whose account or data it is about.
    pub user_id: Option<UserId>,
    /// The client that it is about.
    pub client_id: Option<ClientId>,
    /// The grant, session, token, secret, key or import that it is about, as the kind says.
    pub subject: Option<Uuid>,
    /// How many things it is about, where that can be more than one (revoked grants, ended sessions).
    pub count: Option<u32>,
    /// What was allowed, where it is about that.
    pub scopes: Option<ScopeSet>,
    /// From where, as far as counting goes: an IPv4 address or the /64 of an IPv6 address.
    pub address: Option<AddressBlock>,
}

impl AuditEvent {
    /// Begins an event; what it is about is added by the other methods.
    pub const fn new(id: AuditEventId, at: DateTime<Utc>, kind: AuditKind, actor: AuditActor) -> Self {
        Self {
            id,
            at,
            kind,
            actor,
            user_id: None,
            client_id: None,
            subject: None,
            count: None,
            scopes: None,
            address: None,
        }
    }

    /// Says whom it is about.
    #[must_use]
    pub const fn user(mut self, id: UserId) -> Self {
        self.user_id = Some(id);
        self
    }

    /// Says which client it is about.
    #[must_use]
    pub const fn client(mut self, id: ClientId) -> Self {
        self.client_id = Some(id);
        self
    }

    /// Says which grant, session, token, secret, key or import it is about.
    #[must_use]
    pub const fn subject(mut self, id: Uuid) -> Self {
        self.subject = Some(id);
        self
    }

    /// Reports whether the trail holds only the first such event of a UTC day, because apps and backends cause it any
    /// number of times: writes of a backend, and exports by an app or a personal access token.
    pub const fn is_daily(&self) -> bool {
        match self.kind {
            AuditKind::SleepWritten | AuditKind::IntakeLogsWritten | AuditKind::LabelsWritten => true,
            AuditKind::UserChanged => matches!(self.actor, AuditActor::Client),
            AuditKind::DataExported => matches!(self.actor, AuditActor::Client) || self.subject.is_some(),
            _ => false,
        }
    }

    /// Says how many things it is about.
    #[must_use]
    pub fn count(mut self, count: u64) -> Self {
        self.count = Some(u32::try_from(count).unwrap_or(u32::MAX));
        self
    }

    /// Says what was allowed.
    #[must_use]
    pub const fn scopes(mut self, scopes: ScopeSet) -> Self {
        self.scopes = Some(scopes);
        self
    }

    /// Says from where it came.
    #[must_use]
    pub const fn from(mut self, address: AddressBlock) -> Self {
        self.address = Some(address);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn a_kind_and_an_actor_are_known_by_their_names() {
        for kind in AuditKind::ALL {
            assert_eq!(AuditKind::parse(kind.as_str()), Some(*kind));
        }
        for actor in AuditActor::ALL {
            assert_eq!(AuditActor::parse(actor.as_str()), Some(actor));
        }
        assert_eq!(AuditKind::parse("whim"), None);
        let names: HashSet<_> = AuditKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names.len(), AuditKind::ALL.len());
    }

    #[test]
    fn only_what_apps_and_backends_do_over_and_over_is_daily() {
        let event = |kind, actor| {
            AuditEvent::new(AuditEventId::from_uuid(Uuid::nil()), DateTime::UNIX_EPOCH, kind, actor)
        };
        for kind in [AuditKind::SleepWritten, AuditKind::IntakeLogsWritten, AuditKind::LabelsWritten] {
            assert!(event(kind, AuditActor::Client).is_daily());
        }
        for kind in [AuditKind::UserChanged, AuditKind::DataExported] {
            assert!(event(kind, AuditActor::Client).is_daily());
            assert!(!event(kind, AuditActor::Operator).is_daily());
        }
        let exported = event(AuditKind::DataExported, AuditActor::Person);
        assert!(!exported.is_daily() && exported.subject(Uuid::nil()).is_daily());
        assert!(!event(AuditKind::UserCreated, AuditActor::Client).is_daily());
        assert!(!event(AuditKind::SleepDeleted, AuditActor::Client).is_daily());
    }
}
