//! People: who they are to Restwell, and what their profile says.

mod biology;
mod email;
mod profile_change;

pub use biology::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, InvalidBiology, SkinType,
};
pub use email::{Email, InvalidEmail};
pub use profile_change::{ProfileChange, ProfileChanges, ProfileField, ProfileValue};

use crate::id::UserId;
use crate::time::TimeZone;
use chrono::{DateTime, Utc};

/// Whether a person's account can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UserStatus {
    /// Apps may read what the person granted.
    Active,
    /// Nobody reads anything and no code is redeemed until the operator unlocks the account.
    Locked {
        /// When it was locked.
        at: DateTime<Utc>,
    },
}

impl UserStatus {
    /// Returns whether the account can be used.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Active)
    }
}

/// A person whose data Restwell holds.
#[derive(Debug, Clone, PartialEq)]
pub struct User {
    /// The contract's `user_id`.
    pub id: UserId,
    /// How the person signs in; never shown by the API (decisions 6).
    pub email: Email,
    /// The zone in which the person's dates are read (decisions 5).
    pub home_timezone: TimeZone,
    /// When the profile was created, in microseconds.
    pub created_at: DateTime<Utc>,
    /// Whether the account can be used.
    pub status: UserStatus,
    /// The biological part of the profile.
    pub biology: Biology,
}
