//! Profile fields that an import changed or kept, as text and as JSON.

use application::import::ImportReport;
use domain::user::{ProfileChange, ProfileChanges, ProfileValue};
use serde::Serialize;
use std::fmt::Write;

/// A profile field whose value in the file differs, as JSON.
#[derive(Serialize)]
pub(super) struct ProfileLine {
    field: &'static str,
    /// Null if the field was empty.
    old: Option<String>,
    new: Option<String>,
    /// Whether the import wrote the new value; otherwise the profile keeps the old one.
    applied: bool,
}

/// Returns the fields as JSON lines.
pub(super) fn lines(changes: &ProfileChanges) -> Vec<ProfileLine> {
    let line = |change: &ProfileChange| {
        let ProfileChange { old, new, is_applied } = *change;
        ProfileLine { field: change.field().as_str(), old: old.text(), new: new.text(), applied: is_applied }
    };
    changes.iter().map(line).collect()
}

/// Returns the fields as text.
pub(super) fn sentences(report: &ImportReport) -> String {
    let mut text = String::new();
    if report.profile_changed {
        text.push_str("  profile: updated\n");
    }
    let mut is_any_left = false;
    for change in report.profile.iter() {
        let (field, old, new) = (change.field().as_str(), display(change.old), display(change.new));
        if change.is_applied {
            let _ = writeln!(text, "    changed: {field}, was {old}, now {new}");
        } else {
            is_any_left = true;
            let _ = writeln!(text, "    not changed: {field}: profile {old}, file {new}");
        }
    }
    if is_any_left {
        text.push_str("    (--profile applies the values of the file)\n");
    }
    text
}

fn display(value: ProfileValue) -> String {
    value.text().unwrap_or_else(|| "empty".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::user::ProfileField;

    fn report() -> ImportReport {
        let value = |field, text| ProfileValue::parse(field, text).unwrap();
        let change = |field, old, new, is_applied| ProfileChange {
            old: value(field, old),
            new: value(field, Some(new)),
            is_applied,
        };
        let changes = [
            change(ProfileField::BirthDate, Some("1990-05-17"), "1991-01-01", false),
            change(ProfileField::BloodType, None, "A+", true),
        ];
        ImportReport {
            profile_changed: true,
            profile: changes.into_iter().collect(),
            ..ImportReport::default()
        }
    }

    #[test]
    fn the_text_has_both_values_and_how_to_apply_those_of_the_file() {
        let expected = "  profile: updated\n    not changed: birth_date: profile 1990-05-17, file 1991-01-01\n    \
            changed: blood_type, was empty, now A+\n    (--profile applies the values of the file)\n";
        assert_eq!(sentences(&report()), expected);
        assert_eq!(sentences(&ImportReport::default()), "");
    }

    #[test]
    fn the_json_has_field_old_and_new_value_and_whether_it_is_applied() {
        let expected = concat!(
            r#"[{"field":"birth_date","old":"1990-05-17","new":"1991-01-01","applied":false},"#,
            r#"{"field":"blood_type","old":null,"new":"A+","applied":true}]"#,
        );
        assert_eq!(serde_json::to_string(&lines(&report().profile)).unwrap(), expected);
    }
}
