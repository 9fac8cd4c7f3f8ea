//! Shape of a request body, and why its items are rejected.

use domain::id::UserId;
use domain::user::BornInTheFuture;

domain::named_enum! {
    /// Kind of the items of a body.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum IngestKind {
        /// Users.
        Users = "users",
        /// Profile of a user.
        Profile = "profile",
        /// Sleep sessions of a user.
        Sleep = "sleep",
        /// Supplement labels of the catalogue.
        Supplements = "supplements",
        /// Intake logs of a user.
        Logs = "logs",
    }
}

/// Layout of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestLayout {
    /// One JSON value: an object is one item, an array several.
    Json,
    /// One JSON object per line.
    Lines,
}

/// Properties of a body that are known before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestShape {
    /// Kind of its items.
    pub kind: IngestKind,
    /// Layout.
    pub layout: IngestLayout,
    /// User of the path; items of another user are rejected.
    pub user_id: Option<UserId>,
}

domain::named_enum! {
    /// Why an item is rejected. The names are stable: clients may rely on them.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum ItemCode {
        /// The item is not a JSON object.
        NotAnObject = "not_an_object",
        /// A required member is missing.
        MissingMember = "missing_member",
        /// A member has the wrong type or an invalid value.
        InvalidMember = "invalid_member",
        /// The item belongs to another user than the path.
        OtherUser = "other_user",
        /// The id belongs to another record, or id and key belong to two different records.
        IdConflict = "id_conflict",
        /// The catalogue has no such supplement.
        UnknownSupplement = "unknown_supplement",
        /// The email address belongs to another user.
        EmailTaken = "email_taken",
        /// A user with this id was erased; the id is never reused.
        IdErased = "id_erased",
    }
}

/// Why one item is rejected; other items are not affected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRefusal {
    /// Code for programs.
    pub code: ItemCode,
    /// The invalid member: one of Restwell's names, never text of the item.
    pub field: Option<&'static str>,
    /// Text for people; never a value of the item.
    pub detail: String,
}

impl From<BornInTheFuture> for ItemRefusal {
    fn from(error: BornInTheFuture) -> Self {
        Self { code: ItemCode::InvalidMember, field: Some("birth_date"), detail: error.to_string() }
    }
}

#[cfg(test)]
mod tests {
    use super::ItemCode;
    use std::collections::HashSet;

    #[test]
    fn every_reason_has_a_unique_code() {
        let names: HashSet<_> = ItemCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ItemCode::ALL.len());
    }
}
