//! The audit trail: events that concern grants, tokens, keys, clients and accounts, and who caused them.
//!
//! An event refers to things by id. It never contains a value of a person's data, a secret, or a network
//! address that the person may not see. Reads of data endpoints are not events; they are summed in
//! [`crate::read_tally`].

use crate::address::AddressBlock;
use crate::device::Device;
use crate::id::{AuditEventId, ClientId, UserId};
use crate::scope::ScopeSet;
use chrono::{DateTime, Utc};
use uuid::Uuid;

crate::named_enum! {
    /// Who caused an event.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum AuditActor {
        /// The person, on a page.
        Person = "person",
        /// The operator, on the command line.
        Operator = "operator",
        /// A client, at an endpoint.
        Client = "client",
        /// The server itself.
        Server = "server",
    }
}

crate::named_enum! {
    /// Kind of an event.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum AuditKind {
        /// An account was created.
        UserCreated = "user.created",
        /// The operator, a service client or the person changed an account's address, zone or profile.
        UserChanged = "user.changed",
        /// An import filled or changed profile fields; the subject is the import.
        ProfileImported = "profile.imported",
        /// An account was locked.
        UserLocked = "user.locked",
        /// An account was unlocked.
        UserUnlocked = "user.unlocked",
        /// A person and all their data were erased; the event does not identify the person.
        UserErased = "user.erased",
        /// A person signed in; the subject is the session.
        SignedIn = "session.signed_in",
        /// A password was rejected for an existing account.
        SignInRefused = "session.refused",
        /// Passwords were rejected without a check because of too many attempts for the account, or from the
        /// address if no account is named. One event per account or address and window.
        SignInLimited = "session.limited",
        /// A person turned on a second factor, or replaced it.
        SecondFactorTurnedOn = "second_factor.turned_on",
        /// A person or the operator turned off a second factor.
        SecondFactorTurnedOff = "second_factor.turned_off",
        /// The second step of a sign-in was rejected after a correct password.
        SecondFactorRejected = "second_factor.refused",
        /// Second steps were rejected without a check because of too many attempts. One event per account or
        /// address and window.
        SecondFactorLimited = "second_factor.limited",
        /// A person created recovery codes.
        RecoveryCodesCreated = "recovery_codes.created",
        /// A recovery code completed a sign-in; the count is the number of unused codes.
        RecoveryCodeUsed = "recovery_codes.used",
        /// Sessions were ended; the subject is the session if there was one.
        SignedOut = "session.signed_out",
        /// All sessions of a person were ended.
        SignedOutEverywhere = "session.signed_out_everywhere",
        /// A link to choose a password was issued.
        PasswordLinkIssued = "password.link_issued",
        /// A password was set or changed.
        PasswordSet = "password.set",
        /// A person asked to use another email address.
        EmailChangeRequested = "email.change_requested",
        /// A person confirmed a new email address.
        EmailChanged = "email.changed",
        /// A person added a passkey, which is the subject.
        PasskeyAdded = "passkey.added",
        /// A person renamed a passkey, which is the subject.
        PasskeyRenamed = "passkey.renamed",
        /// A person removed a passkey, which is the subject.
        PasskeyRemoved = "passkey.removed",
        /// A sign-in with a passkey, which is the subject, was rejected.
        PasskeyRefused = "passkey.refused",
        /// A sign-in with a passkey, which is the subject, was rejected because its signature counter did not
        /// grow. The passkey may have been copied.
        PasskeyCounterReversed = "passkey.counter_reversed",
        /// A client was registered.
        ClientCreated = "client.created",
        /// A client's registration was changed.
        ClientChanged = "client.changed",
        /// A webhook endpoint, which is the subject, was created.
        WebhookCreated = "webhook.created",
        /// The secret of a webhook endpoint, which is the subject, was rotated.
        WebhookSecretRotated = "webhook.secret_rotated",
        /// A test event or a challenge was queued for a webhook endpoint, which is the subject.
        WebhookTested = "webhook.tested",
        /// Events of a webhook endpoint, which is the subject, were queued again, at most one per person; the
        /// count is the number of events.
        WebhookReplayed = "webhook.replayed",
        /// A webhook endpoint, which is the subject, was disabled because its receiver failed.
        WebhookDisabled = "webhook.disabled",
        /// A webhook endpoint, which is the subject, was deleted.
        WebhookDeleted = "webhook.deleted",
        /// A client was disabled.
        ClientDisabled = "client.disabled",
        /// A client was enabled again.
        ClientEnabled = "client.enabled",
        /// A client secret was created by a rotation; the subject is the secret.
        ClientSecretRotated = "client.secret_rotated",
        /// A client sent its secret in a query string without permission. The secret, which is the subject,
        /// should be rotated.
        ClientSecretExposed = "client.secret_exposed",
        /// A person registered a client.
        AppRegistered = "app.registered",
        /// The person who registered a client changed it.
        AppChanged = "app.changed",
        /// The person who registered a client deleted it.
        AppDeleted = "app.deleted",
        /// The operator approved a client that a person registered.
        AppApproved = "app.approved",
        /// The person who registered a client ended one of its secrets, which is the subject.
        ClientSecretRetired = "client.secret_retired",
        /// A person granted a client the listed scopes.
        ConsentGiven = "consent.given",
        /// A person denied a client access.
        ConsentDenied = "consent.denied",
        /// An authorization code was issued.
        CodeIssued = "code.issued",
        /// A used code was presented again, and its grant, which is the subject, was revoked.
        CodeReplayed = "code.replayed",
        /// A code was redeemed; the subject is the new grant.
        GrantCreated = "grant.created",
        /// Grants were revoked; the subject is the grant if there was one.
        GrantRevoked = "grant.revoked",
        /// A refresh token was presented again after it was replaced, and its grant, which is the subject,
        /// was revoked.
        RefreshTokenReused = "grant.token_reused",
        /// A client presented a refresh token of another client; the subject is the grant.
        RefreshTokenMisused = "grant.misused",
        /// A service client received an access token for itself.
        ServiceTokenIssued = "token.service_issued",
        /// A person created a personal access token, which is the subject.
        PersonalTokenCreated = "personal_token.created",
        /// Personal access tokens were revoked; the subject is the token if there was one.
        PersonalTokenRevoked = "personal_token.revoked",
        /// The operator viewed a person's profile.
        ProfileShown = "profile.shown",
        /// An export of a person's data started; the subject is the personal access token if one was used.
        DataExported = "data.exported",
        /// An import started; the subject is the import. The import of a catalogue has no user.
        ImportStarted = "import.started",
        /// An import was undone or cancelled; the subject is the import.
        ImportUndone = "import.undone",
        /// A service client added or changed sleep sessions; recorded once per day.
        SleepWritten = "sleep.written",
        /// A service client or the person added or changed intake logs; for a client, recorded once per day.
        IntakeLogsWritten = "supplement_log.written",
        /// A service client added or changed catalogue labels, recorded once per day; or the person changed
        /// products of their own.
        LabelsWritten = "supplement.written",
        /// A service client or the person deleted a sleep session; the subject is the session.
        SleepDeleted = "sleep.deleted",
        /// A service client or the person deleted an intake log; the subject is the log.
        IntakeLogDeleted = "supplement_log.deleted",
        /// A signing key was created; the subject is the key.
        KeyCreated = "key.created",
        /// A signing key was retired; the subject is the key.
        KeyRetired = "key.retired",
        /// Everything issued before a given time was invalidated; the count covers all of it.
        EverythingInvalidated = "everything.invalidated",
    }
}

impl AuditKind {
    /// Kinds that a person's activity page lists: sign-ins, changes of the account, and imports, changes and
    /// exports of data.
    pub const IN_ACTIVITY: &[Self] = &[
        Self::SignedIn,
        Self::PasswordSet,
        Self::EmailChangeRequested,
        Self::EmailChanged,
        Self::PasskeyAdded,
        Self::PasskeyRenamed,
        Self::PasskeyRemoved,
        Self::PasskeyRefused,
        Self::PasskeyCounterReversed,
        Self::SecondFactorTurnedOn,
        Self::SecondFactorTurnedOff,
        Self::SecondFactorRejected,
        Self::SecondFactorLimited,
        Self::RecoveryCodesCreated,
        Self::RecoveryCodeUsed,
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
        Self::LabelsWritten,
    ];

    /// Returns a list with only this kind.
    pub fn as_slice(self) -> &'static [Self] {
        const ALL: &[AuditKind] = &AuditKind::ALL;
        ALL.iter().find(|kind| **kind == self).map_or(&[], std::slice::from_ref)
    }
}

/// An entry of the audit trail. Entries are never changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEvent {
    /// Id of the entry.
    pub id: AuditEventId,
    /// Time of the event, in microseconds.
    pub at: DateTime<Utc>,
    /// Kind of the event.
    pub kind: AuditKind,
    /// Who caused it.
    pub actor: AuditActor,
    /// The user it is about.
    pub user_id: Option<UserId>,
    /// The client it is about.
    pub client_id: Option<ClientId>,
    /// The grant, session, token, secret, key or import it is about, depending on the kind.
    pub subject: Option<Uuid>,
    /// Number of revoked grants, ended sessions and the like.
    pub count: Option<u32>,
    /// Granted scopes.
    pub scopes: Option<ScopeSet>,
    /// Where the request came from: an IPv4 address or the /64 of an IPv6 address.
    pub address: Option<AddressBlock>,
    /// Browser of a sign-in.
    pub device: Option<Device>,
}

impl AuditEvent {
    /// Creates an event; the other methods add details.
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
            device: None,
        }
    }

    /// Sets the user.
    #[must_use]
    pub const fn user(mut self, id: UserId) -> Self {
        self.user_id = Some(id);
        self
    }

    /// Sets the client.
    #[must_use]
    pub const fn client(mut self, id: ClientId) -> Self {
        self.client_id = Some(id);
        self
    }

    /// Sets the grant, session, token, secret, key or import.
    #[must_use]
    pub const fn subject(mut self, id: Uuid) -> Self {
        self.subject = Some(id);
        self
    }

    /// Returns whether only the first such event of a UTC day is kept, because apps and backends can cause
    /// any number: writes of a backend, and exports by an app or a personal access token.
    pub const fn is_daily(&self) -> bool {
        match self.kind {
            AuditKind::SleepWritten => true,
            AuditKind::UserChanged | AuditKind::IntakeLogsWritten | AuditKind::LabelsWritten => {
                matches!(self.actor, AuditActor::Client)
            }
            AuditKind::DataExported => matches!(self.actor, AuditActor::Client) || self.subject.is_some(),
            _ => false,
        }
    }

    /// Sets the count.
    #[must_use]
    pub fn count(mut self, count: u64) -> Self {
        self.count = Some(u32::try_from(count).unwrap_or(u32::MAX));
        self
    }

    /// Sets the granted scopes.
    #[must_use]
    pub const fn scopes(mut self, scopes: ScopeSet) -> Self {
        self.scopes = Some(scopes);
        self
    }

    /// Sets the browser.
    #[must_use]
    pub const fn device(mut self, device: Option<Device>) -> Self {
        self.device = device;
        self
    }

    /// Sets the address, or the block that contains it.
    #[must_use]
    pub fn from(mut self, address: impl Into<AddressBlock>) -> Self {
        self.address = Some(address.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_kinds_have_one_name() {
        let names: HashSet<_> = AuditKind::ALL.iter().map(|kind| kind.as_str()).collect();
        assert_eq!(names.len(), AuditKind::ALL.len());
    }

    #[test]
    fn only_frequent_events_of_apps_and_backends_are_daily() {
        let event = |kind, actor| {
            AuditEvent::new(AuditEventId::from_uuid(Uuid::nil()), DateTime::UNIX_EPOCH, kind, actor)
        };
        for kind in [AuditKind::SleepWritten, AuditKind::IntakeLogsWritten, AuditKind::LabelsWritten] {
            assert!(event(kind, AuditActor::Client).is_daily());
        }
        for kind in [AuditKind::UserChanged, AuditKind::DataExported, AuditKind::IntakeLogsWritten] {
            assert!(event(kind, AuditActor::Client).is_daily());
            assert!(!event(kind, AuditActor::Operator).is_daily());
            assert!(!event(kind, AuditActor::Person).is_daily());
        }
        let exported = event(AuditKind::DataExported, AuditActor::Person);
        assert!(!exported.is_daily() && exported.subject(Uuid::nil()).is_daily());
        assert!(!event(AuditKind::UserCreated, AuditActor::Client).is_daily());
        assert!(!event(AuditKind::SleepDeleted, AuditActor::Client).is_daily());
    }
}
