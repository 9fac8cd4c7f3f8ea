//! Origins of the values of a profile.

use super::{ProfileField, User};
use crate::id::ImportId;
use chrono::{DateTime, Utc};

/// Who or what set a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProfileOrigin {
    /// The person, on a page.
    Person,
    /// An import, by itself or because the person accepted its proposal; or undoing it.
    Import(ImportId),
    /// The operator, on the command line.
    Operator,
    /// A service client.
    Client,
}

impl ProfileOrigin {
    /// Returns the name in the stores.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person => "person",
            Self::Import(_) => "import",
            Self::Operator => "operator",
            Self::Client => "client",
        }
    }

    /// Returns the import, if one set the value.
    pub const fn import(self) -> Option<ImportId> {
        match self {
            Self::Import(id) => Some(id),
            Self::Person | Self::Operator | Self::Client => None,
        }
    }

    /// Parses the name with its import; `None` if they do not fit.
    pub fn parse(name: &str, import: Option<ImportId>) -> Option<Self> {
        match (name, import) {
            ("person", None) => Some(Self::Person),
            ("import", Some(id)) => Some(Self::Import(id)),
            ("operator", None) => Some(Self::Operator),
            ("client", None) => Some(Self::Client),
            _ => None,
        }
    }
}

/// Origin of the value of a field. A field without one is as it was when the account was created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileSource {
    /// The field.
    pub field: ProfileField,
    /// Who or what set its value.
    pub origin: ProfileOrigin,
    /// When.
    pub at: DateTime<Utc>,
}

impl ProfileSource {
    /// Returns the source of each field that differs between two states of a profile.
    pub fn of_change(before: &User, after: &User, origin: ProfileOrigin, at: DateTime<Utc>) -> Vec<Self> {
        let changed = ProfileField::ALL.into_iter().filter(|field| field.read(before) != field.read(after));
        changed.map(|field| Self { field, origin, at }).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn an_origin_is_parsed_from_its_name_and_import() {
        let id = ImportId::from_uuid(Uuid::from_u128(1));
        for origin in
            [ProfileOrigin::Person, ProfileOrigin::Import(id), ProfileOrigin::Operator, ProfileOrigin::Client]
        {
            assert_eq!(ProfileOrigin::parse(origin.as_str(), origin.import()), Some(origin));
        }
        for (name, import) in [("import", None), ("person", Some(id)), ("app", None), ("", None)] {
            assert_eq!(ProfileOrigin::parse(name, import), None, "{name}");
        }
    }
}
