//! Compatibility of this program with the schema of the store.
//!
//! Each migration records in the table `schema_compatibility` the oldest program that may run after it. A
//! program rejects an older schema than it needs, and a newer one only if such a record excludes it. A
//! running replica therefore stays ready when the schema is upgraded. The storage adapters collect the
//! versions; the rule is defined only here.

use std::collections::{BTreeMap, BTreeSet};

/// Number of this program in `schema_compatibility`. Increment it with every migration that older programs
/// cannot run on.
pub const PROGRAM: i32 = 1;

/// State of a store's schema relative to this program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SchemaState {
    /// No migration has been applied.
    Missing,
    /// Some of this program's migrations are not applied.
    Older {
        /// Their versions, oldest first.
        pending: Vec<String>,
    },
    /// Exactly this program's migrations are applied.
    Current,
    /// Newer migrations are applied, and none of them excludes this program.
    NewerCompatible,
    /// A newer migration excludes this program.
    NewerIncompatible,
}

/// Determines the state of a schema.
///
/// `known` are the versions of this program's migrations, `applied` those of the store, `oldest_program` the
/// records of the applied ones by version, and `program` the number of this program. An unknown migration
/// without a record excludes no program. An exclusion takes precedence: an excluded program must not migrate
/// either.
pub fn classify(
    known: &BTreeSet<String>,
    applied: &BTreeSet<String>,
    oldest_program: &BTreeMap<String, i32>,
    program: i32,
) -> SchemaState {
    if applied.is_empty() {
        return SchemaState::Missing;
    }
    let mut unknown = applied.difference(known).peekable();
    let is_newer = unknown.peek().is_some();
    if unknown.any(|version| oldest_program.get(version).is_some_and(|oldest| *oldest > program)) {
        return SchemaState::NewerIncompatible;
    }
    let pending: Vec<String> = known.difference(applied).cloned().collect();
    match (pending.is_empty(), is_newer) {
        (false, _) => SchemaState::Older { pending },
        (true, false) => SchemaState::Current,
        (true, true) => SchemaState::NewerCompatible,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn versions(versions: &[&str]) -> BTreeSet<String> {
        versions.iter().map(|version| (*version).to_owned()).collect()
    }

    fn state(known: &[&str], applied: &[(&str, Option<i32>)]) -> SchemaState {
        let names: Vec<&str> = applied.iter().map(|(version, _)| *version).collect();
        let oldest = applied
            .iter()
            .filter_map(|(version, oldest)| oldest.map(|oldest| ((*version).to_owned(), oldest)))
            .collect();
        classify(&versions(known), &versions(&names), &oldest, 5)
    }

    #[test]
    fn an_empty_store_has_no_schema() {
        assert_eq!(state(&["1", "2"], &[]), SchemaState::Missing);
    }

    #[test]
    fn a_schema_without_a_migration_is_older_and_names_it() {
        let older = state(&["1", "2", "3"], &[("2", Some(1))]);
        assert_eq!(older, SchemaState::Older { pending: vec!["1".into(), "3".into()] });
    }

    #[test]
    fn the_programs_own_schema_is_current() {
        assert_eq!(state(&["1", "2"], &[("1", Some(1)), ("2", Some(5))]), SchemaState::Current);
    }

    #[test]
    fn a_newer_schema_is_compatible_with_a_program_that_no_record_excludes() {
        let grown = state(&["1"], &[("1", Some(1)), ("2", Some(5)), ("3", None)]);
        assert_eq!(grown, SchemaState::NewerCompatible);
    }

    #[test]
    fn a_newer_schema_is_incompatible_with_a_program_that_a_record_excludes() {
        let grown = state(&["1"], &[("1", Some(1)), ("2", Some(6)), ("3", Some(1))]);
        assert_eq!(grown, SchemaState::NewerIncompatible);
    }

    #[test]
    fn an_excluded_program_does_not_migrate_a_store_that_lacks_its_migration() {
        assert_eq!(state(&["1", "2"], &[("1", Some(1)), ("9", Some(6))]), SchemaState::NewerIncompatible);
    }
}
