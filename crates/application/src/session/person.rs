//! The signed-in person, and who acts on an account.

use crate::store::Store;
use domain::audit::{AuditActor, AuditEvent, AuditKind};
use domain::id::UserId;
use domain::secret::Secret;
use domain::session::Session;
use domain::time::TimeZone;
use domain::user::Email;
use std::net::IpAddr;

/// A signed-in user and their session.
#[derive(Debug, Clone)]
pub struct SignedInPerson {
    /// The user's id.
    pub user_id: UserId,
    /// Their email address; shown only to them.
    pub email: Email,
    /// Time zone in which times are displayed.
    pub home_timezone: TimeZone,
    /// Session of this browser.
    pub session: Session,
    /// Session cookie, from which form tokens are derived.
    pub cookie: Secret,
    /// Whether the user authenticated within [`domain::session::FRESH_SECONDS`].
    pub is_fresh: bool,
    /// The caller's IP address.
    pub address: IpAddr,
}

impl SignedInPerson {
    /// Creates an event of what this person does now; the event's methods add the details.
    pub(crate) fn event(&self, store: &Store, kind: AuditKind) -> AuditEvent {
        store.event(AuditActor::Person, kind).user(self.user_id).from(self.address)
    }
}

/// Who changes what belongs to an account, and whose account it is.
#[derive(Debug, Clone, Copy)]
pub enum AccountActor<'a> {
    /// The user.
    Person(&'a SignedInPerson),
    /// The operator, for this user.
    Operator(UserId),
}

impl AccountActor<'_> {
    pub(crate) const fn user_id(self) -> UserId {
        match self {
            Self::Person(person) => person.user_id,
            Self::Operator(user_id) => user_id,
        }
    }

    /// Creates an event of what this actor does now; the event's methods add the details.
    pub(crate) fn event(self, store: &Store, kind: AuditKind) -> AuditEvent {
        match self {
            Self::Person(person) => person.event(store, kind),
            Self::Operator(user_id) => store.event(AuditActor::Operator, kind).user(user_id),
        }
    }
}
