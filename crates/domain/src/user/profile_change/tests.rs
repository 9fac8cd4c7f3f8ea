use super::*;
use crate::id::UserId;
use crate::user::Email;
use uuid::Uuid;

fn value(field: ProfileField, text: &str) -> ProfileValue {
    ProfileValue::parse(field, Some(text)).unwrap()
}

fn birth(text: &str) -> ProfileValue {
    value(ProfileField::BirthDate, text)
}

/// A person with an empty profile.
fn person() -> User {
    let email = Email::parse("sam@example.org").unwrap();
    User::new(UserId::from_uuid(Uuid::nil()), email, TimeZone::UTC, DateTime::UNIX_EPOCH)
}

fn user_born_on(text: &str) -> User {
    let mut user = person();
    birth(text).write(&mut user);
    user
}

/// Formats changes as `field: old -> new`, with a question mark for a proposal.
fn lines_of(changes: &ProfileChanges) -> Vec<String> {
    let text = |value: ProfileValue| value.text().unwrap_or_else(|| "-".to_owned());
    let line = |change: &ProfileChange| {
        let mark = if change.is_applied { "" } else { "?" };
        format!("{}: {} -> {}{mark}", change.field().as_str(), text(change.old), text(change.new))
    };
    changes.iter().map(line).collect()
}

const SAMPLES: [(ProfileField, &str, &str); 9] = [
    (ProfileField::CreatedAt, "2024-02-29T23:59:59.000001Z", "yesterday"),
    (ProfileField::HomeTimezone, "America/Lima", "Lima"),
    (ProfileField::BirthDate, "1990-05-17", "1990-02-30"),
    (ProfileField::BiologicalSex, "other", "Other"),
    (ProfileField::BloodType, "AB-", "C+"),
    (ProfileField::Height, "172.5", "NaN"),
    (ProfileField::Weight, "64.25", "0"),
    (ProfileField::SkinType, "6", "7"),
    (ProfileField::WheelchairUse, "false", "no"),
];

#[test]
fn every_field_is_written_read_and_spelled_as_in_the_api() {
    assert_eq!(SAMPLES.map(|(field, ..)| field), ProfileField::ALL);
    for (field, text, bad) in SAMPLES {
        assert_eq!(ProfileField::parse(field.as_str()), Some(field));
        let mut user = person();
        value(field, text).write(&mut user);
        assert_eq!(field.read(&user).text().as_deref(), Some(text));
        assert_eq!(value(field, text).field(), field);
        assert_eq!(ProfileValue::parse(field, Some(bad)), None, "{bad}");
        assert_eq!(ProfileValue::parse(field, Some("")), None);
        let is_never_empty = matches!(field, ProfileField::CreatedAt | ProfileField::HomeTimezone);
        assert_eq!(ProfileValue::parse(field, None).is_none(), is_never_empty);
    }
    assert_eq!(ProfileField::parse("email"), None);
}

#[test]
fn debug_output_hides_a_value() {
    let mut changes = ProfileChanges::default();
    changes.state(&mut person(), birth("1990-05-17"), false);
    assert!(!format!("{changes:?}").contains("1990"), "{changes:?}");
}

#[test]
fn an_empty_field_is_filled_and_another_one_only_proposed() {
    let (mut user, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), false);
    changes.state(&mut user, value(ProfileField::SkinType, "2"), false);
    changes.state(&mut user, value(ProfileField::HomeTimezone, "America/Lima"), false);
    let expected =
        ["home_timezone: UTC -> America/Lima?", "birth_date: 1990-05-17 -> 1991-01-01?", "skin_type: - -> 2"];
    assert_eq!(lines_of(&changes), expected);
    assert_eq!(
        (user.biology.birth_date, user.home_timezone),
        (user_born_on("1990-05-17").biology.birth_date, TimeZone::UTC)
    );
}

#[test]
fn an_import_overwrites_on_request() {
    let (mut user, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), true);
    assert_eq!(lines_of(&changes), ["birth_date: 1990-05-17 -> 1991-01-01"]);
    assert_eq!(user, user_born_on("1991-01-01"));
}

#[test]
fn of_two_values_in_one_file_the_later_one_is_used_or_proposed() {
    let later = "birth_date: - -> 1992-01-01";
    for (mut user, overwrite, expected) in [
        (person(), false, later.to_owned()),
        (person(), true, later.to_owned()),
        (user_born_on("1990-05-17"), true, "birth_date: 1990-05-17 -> 1992-01-01".to_owned()),
        (user_born_on("1990-05-17"), false, "birth_date: 1990-05-17 -> 1992-01-01?".to_owned()),
    ] {
        let mut changes = ProfileChanges::default();
        changes.state(&mut user, birth("1991-01-01"), overwrite);
        changes.state(&mut user, birth("1992-01-01"), overwrite);
        assert_eq!(lines_of(&changes), [expected]);
    }
}

#[test]
fn a_file_that_returns_to_the_profiles_value_changes_and_proposes_nothing() {
    for overwrite in [false, true] {
        let (mut user, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
        changes.state(&mut user, birth("1991-01-01"), overwrite);
        changes.state(&mut user, birth("1990-05-17"), overwrite);
        assert!(changes.is_empty() && user == user_born_on("1990-05-17"), "{overwrite}");
    }
}

#[test]
fn repeating_a_value_keeps_the_recorded_change() {
    let (mut user, mut changes) = (person(), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), false);
    changes.state(&mut user, birth("1991-01-01"), false);
    assert_eq!(lines_of(&changes), ["birth_date: - -> 1991-01-01"]);
}

#[test]
fn a_dry_run_writes_what_it_applied_again_for_the_next_batch() {
    let (stored, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
    changes.state(&mut stored.clone(), birth("1991-01-01"), true);
    changes.state(&mut stored.clone(), value(ProfileField::HomeTimezone, "America/Lima"), false);
    let mut user = stored;
    changes.write_applied(&mut user);
    assert_eq!(user, user_born_on("1991-01-01"));
    // As in an import that stores each batch, the file returns to the profile's value.
    changes.state(&mut user, birth("1990-05-17"), true);
    assert_eq!(lines_of(&changes), ["home_timezone: UTC -> America/Lima?"]);
}

#[test]
fn a_proposal_is_applied_over_the_current_profile() {
    let (mut user, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), false);
    birth("1989-09-09").write(&mut user);
    let [proposed] = <[_; 1]>::try_from(changes.proposals(&user)).unwrap();
    assert_eq!(proposed.old, birth("1989-09-09"));
    assert_eq!(changes.apply(&mut user, &[ProfileField::SkinType]), 0);
    assert_eq!(changes.apply(&mut user, &[ProfileField::BirthDate]), 1);
    assert_eq!(lines_of(&changes), ["birth_date: 1989-09-09 -> 1991-01-01"]);
    assert_eq!(changes.apply(&mut user, &ProfileField::ALL), 0);
    assert!(changes.revert(&mut user).is_empty());
    assert_eq!(user, user_born_on("1989-09-09"));
}

#[test]
fn a_proposal_equal_to_the_current_profile_is_dropped() {
    let (mut user, mut changes) = (user_born_on("1990-05-17"), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), false);
    birth("1991-01-01").write(&mut user);
    assert_eq!(changes.proposals(&user), []);
    assert_eq!(changes.apply(&mut user, &ProfileField::ALL), 0);
    // The import did not write it, so it takes nothing back.
    assert!(changes.revert(&mut user).is_empty());
    assert_eq!(user, user_born_on("1991-01-01"));
}

#[test]
fn a_field_that_was_changed_since_is_not_reverted_and_the_others_are() {
    let (mut user, mut changes) = (person(), ProfileChanges::default());
    changes.state(&mut user, birth("1991-01-01"), false);
    changes.state(&mut user, value(ProfileField::SkinType, "2"), false);
    birth("1989-09-09").write(&mut user);
    assert_eq!(lines_of(&changes.revert(&mut user)), ["birth_date: - -> 1991-01-01"]);
    assert_eq!(user, user_born_on("1989-09-09"));
}
