//! OAuth scopes (RFC 6749 section 3.3) and sets of them.

use std::fmt;

crate::named_enum! {
    /// A scope. The order of the variants is the order in which scopes are listed.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    #[repr(u8)]
    pub enum Scope {
        /// Reads the profile.
        Profile = "profile",
        /// Reads sleep sessions.
        Sleep = "sleep",
        /// Reads supplements and their intake.
        Supplements = "supplements",
        /// Creates users; service clients only (decisions 3).
        UsersWrite = "users:write",
        /// Writes profiles; service clients only.
        ProfileWrite = "profile:write",
        /// Writes sleep sessions; service clients only.
        SleepWrite = "sleep:write",
        /// Writes the catalogue and intake logs; service clients only.
        SupplementsWrite = "supplements:write",
        /// Introspects the tokens of every client; service clients only.
        TokensIntrospect = "tokens:introspect",
    } else UnknownScope = UnknownScope
}

impl Scope {
    /// Returns whether a person can grant this scope; the others are for service clients (decisions 3).
    pub const fn by_consent(self) -> bool {
        ScopeSet::CONSENTABLE.contains(self)
    }

    const fn bit(self) -> u16 {
        1 << (self as u8)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The text is not a known scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "unknown scope; known scopes are profile, sleep, supplements and, for service clients, users:write, profile:write, sleep:write, supplements:write, tokens:introspect"
)]
pub struct UnknownScope;

/// A set of scopes; listed and printed in the order of [`Scope::ALL`], separated by one space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ScopeSet(u16);

impl ScopeSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// All scopes that a person can grant.
    pub const CONSENTABLE: Self = Self(Scope::Profile.bit() | Scope::Sleep.bit() | Scope::Supplements.bit());

    /// All scopes of first-party backends that write (decisions 9).
    pub const INGEST: Self = Self(
        Scope::UsersWrite.bit()
            | Scope::ProfileWrite.bit()
            | Scope::SleepWrite.bit()
            | Scope::SupplementsWrite.bit(),
    );

    /// Parses names separated by spaces; an empty text is the empty set, and duplicate names are ignored (RFC
    /// 6749 section 3.3).
    pub fn parse(text: &str) -> Result<Self, UnknownScope> {
        text.split(' ').filter(|name| !name.is_empty()).map(Scope::parse).collect()
    }

    /// Returns whether the set contains this scope.
    pub const fn contains(self, scope: Scope) -> bool {
        self.0 & scope.bit() != 0
    }

    /// Returns whether the other set contains all scopes of this one.
    pub const fn is_subset_of(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// Returns the scopes in both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Lists the scopes in the order of [`Scope::ALL`].
    pub fn iter(self) -> impl Iterator<Item = Scope> {
        Scope::ALL.into_iter().filter(move |scope| self.contains(*scope))
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        Self(scopes.into_iter().fold(0, |bits, scope| bits | scope.bit()))
    }
}

impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, scope) in self.iter().enumerate() {
            if position > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data_kind::DataKind;
    use proptest::prelude::*;

    #[test]
    fn scopes_are_listed_in_one_order_whatever_the_order_asked() {
        let set = ScopeSet::parse("supplements profile  sleep profile").unwrap();
        assert_eq!(set.to_string(), "profile sleep supplements");
        assert_eq!(set, ScopeSet::CONSENTABLE);
    }

    #[test]
    fn an_unknown_or_wrongly_cased_scope_is_rejected() {
        for text in ["Profile", "profile,sleep", "profile\tsleep", "email"] {
            assert_eq!(ScopeSet::parse(text), Err(UnknownScope), "{text}");
        }
    }

    #[test]
    fn a_person_can_grant_the_scopes_that_read_data_and_no_other() {
        assert_eq!(ScopeSet::CONSENTABLE, DataKind::ALL.into_iter().map(DataKind::scope).collect());
    }

    proptest! {
        #[test]
        fn a_printed_set_parses_to_itself(bits in 0u16..256) {
            let set = ScopeSet(bits);
            prop_assert_eq!(ScopeSet::parse(&set.to_string()), Ok(set));
        }

        #[test]
        fn parsing_arbitrary_text_never_panics(text in ".*") {
            let _ = ScopeSet::parse(&text);
        }
    }
}
