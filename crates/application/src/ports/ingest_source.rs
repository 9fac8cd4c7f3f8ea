//! What a first-party backend sends, as a stream of items (decisions 9).

use super::import_source::{ImportItem, ImportRefusal};
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{Biology, Email};
use std::io::{self, Read};

/// What a body holds items of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestKind {
    /// People.
    Users,
    /// What is known of one person.
    Profile,
    /// Sleep sessions of one person.
    Sleep,
    /// Labels of the catalogue.
    Supplements,
    /// Intake logs of one person.
    Logs,
}

/// How a body is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IngestLayout {
    /// One JSON value: an object is one item, a list is many.
    Json,
    /// A JSON object a line.
    Lines,
}

/// What is known of a body before it is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IngestShape {
    /// What it holds items of.
    pub kind: IngestKind,
    /// How it is laid out.
    pub layout: IngestLayout,
    /// The person of the path; an item that names another one is refused.
    pub user_id: Option<UserId>,
}

macro_rules! item_codes {
    ($($(#[$doc:meta])* $variant:ident => $name:literal,)*) => {
        /// Why an item is not taken. The names are stable: programs may rely on them.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ItemCode {
            $($(#[$doc])* $variant,)*
        }

        impl ItemCode {
            /// Every code, in the order of the reference.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the name on the wire.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

item_codes! {
    /// The item is no JSON object.
    NotAnObject => "not_an_object",
    /// A member that is needed is absent.
    MissingMember => "missing_member",
    /// A member has another type than it must have, or a value that is not allowed.
    InvalidMember => "invalid_member",
    /// The item names another person than the path.
    OtherUser => "other_user",
    /// The id belongs to another record, or the id and the key belong to two.
    IdConflict => "id_conflict",
    /// The catalogue has no such supplement.
    UnknownSupplement => "unknown_supplement",
    /// The email address belongs to another person.
    EmailTaken => "email_taken",
    /// A person with this id was erased; the id is never given out again.
    IdErased => "id_erased",
}

/// Says that one item is not taken; the others are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemRefusal {
    /// Why, for programs.
    pub code: ItemCode,
    /// The member at fault: one of Restwell's own names, never a word of the item.
    pub field: Option<&'static str>,
    /// Why, for people; never a value of the item.
    pub detail: String,
}

/// A person whom an item describes.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestedUser {
    /// The id, when the backend has given one.
    pub id: Option<UserId>,
    /// The address.
    pub email: Email,
    /// The zone in which the person's dates are read; needed for a new person.
    pub home_timezone: Option<TimeZone>,
    /// The biological values; those that are missing stay as they are.
    pub biology: Biology,
}

/// What an item holds.
#[derive(Debug, Clone, PartialEq)]
pub enum IngestContent {
    /// A person.
    User(Box<IngestedUser>),
    /// A record, as an import has it.
    Record(ImportItem),
}

/// One item of a body.
#[derive(Debug, Clone, PartialEq)]
pub struct IngestItem {
    /// What it holds, or why it is not taken.
    pub content: Result<IngestContent, ItemRefusal>,
    /// What was passed over or set right of an item that is taken; never a value of it.
    pub notes: Vec<String>,
}

/// A body that arrived whole and can be read more than once.
pub trait IngestBody: Send + Sync {
    /// Begins to read at the start.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;
}

/// The items of a body, in its order.
pub trait IngestSource: Send {
    /// Returns the next items, at most `limit`; none at the end.
    fn next_batch(&mut self, limit: usize) -> Result<Vec<IngestItem>, ImportRefusal>;
}

/// Reads bodies; memory does not grow with their length. Reading blocks the thread.
pub trait IngestParser: Send + Sync {
    /// Counts the items and checks that the body is well-formed to its end. Stops as soon as there are more than
    /// `limit`, and returns one more than it then.
    fn count(
        &self,
        layout: IngestLayout,
        bytes: Box<dyn Read + Send>,
        limit: usize,
    ) -> Result<usize, ImportRefusal>;
    /// Begins to read the items.
    fn open(
        &self,
        shape: IngestShape,
        bytes: Box<dyn Read + Send>,
    ) -> Result<Box<dyn IngestSource>, ImportRefusal>;
}

#[cfg(test)]
mod tests {
    use super::ItemCode;
    use std::collections::HashSet;

    #[test]
    fn no_two_reasons_have_one_code() {
        let names: HashSet<_> = ItemCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(names.len(), ItemCode::ALL.len());
    }
}
