//! Shared parts of all kinds of lines.

use super::invalid_item::{InvalidItem, named};
use crate::source::Notes;
use domain::deceptive_text::without_deceptive;
use domain::id::UserId;
use serde::Deserialize;
use std::collections::BTreeSet;

/// Maximum number of unknown members in a note, and of characters of each.
const NAMES_SHOWN: usize = 8;
const CHARS_SHOWN: usize = 40;

/// Parses the members of a line. Unknown members at any depth are skipped and noted, because a misspelt name
/// would lose data.
pub(super) fn read_members<'de, T: Deserialize<'de>>(
    text: &'de str,
    notes: &mut Notes,
) -> Result<T, InvalidItem> {
    let mut unknown = BTreeSet::new();
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let members = serde_ignored::deserialize(&mut deserializer, |path| {
        if let serde_ignored::Path::Map { key, .. } = path
            && unknown.len() <= NAMES_SHOWN
        {
            unknown.insert(display_name(&key));
        }
    });
    // Ensures that nothing follows the value.
    let members = members.and_then(|members| deserializer.end().map(|()| members));
    let members = members.map_err(|error| InvalidItem::of_types::<T>(&error, text))?;
    if !unknown.is_empty() {
        let more = if unknown.len() > NAMES_SHOWN { ", ..." } else { "" };
        let names: Vec<_> = unknown.into_iter().take(NAMES_SHOWN).collect();
        let names = format!("{}{more}", names.join(", "));
        notes.passed_over("unknown members were skipped", &names);
    }
    Ok(members)
}

fn display_name(name: &str) -> String {
    without_deceptive(name).chars().take(CHARS_SHOWN).collect()
}

/// Returns an id, a key or a source of a line; a blank one is absent.
pub(super) fn given(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !text.trim().is_empty())
}

/// Checks that a line is about the owner of the file.
pub(super) fn check_person(named_id: Option<&str>, expected: Option<UserId>) -> Result<(), InvalidItem> {
    let Some(named_id) = given(named_id) else {
        return Ok(());
    };
    let user_id = UserId::parse(named_id).map_err(named("user_id"))?;
    match expected {
        Some(expected) if expected != user_id => Err(InvalidItem::other_person()),
        _ => Ok(()),
    }
}
