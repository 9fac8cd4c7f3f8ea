use super::super::{NewPassword, NewPasswordError};
use super::support::{EMAIL, WordListChecker, email};

fn validate(text: &str) -> Result<NewPassword, NewPasswordError> {
    NewPassword::check(text, &email(EMAIL), &WordListChecker)
}

#[test]
fn t85_fifteen_characters_are_enough_and_fourteen_are_not() {
    assert_eq!(validate("").unwrap_err(), NewPasswordError::TooShort);
    assert_eq!(validate("fourteen chars").unwrap_err(), NewPasswordError::TooShort);
    assert!(validate("fifteen charact").is_ok());
}

#[test]
fn t85_characters_of_any_script_are_counted_after_normalisation() {
    let emoji = "\u{1f634}\u{1f319}\u{2b50}".repeat(5);
    assert_eq!(validate(&emoji).unwrap().password().expose(), emoji);
    // 15 letters, each a base letter and a combining accent.
    assert_eq!(validate(&"e\u{301}".repeat(15)).unwrap().password().expose(), "\u{e9}".repeat(15));
    assert_eq!(validate(&"e\u{301}".repeat(14)).unwrap_err(), NewPasswordError::TooShort);
}

#[test]
fn t85_a_long_password_is_used_in_full_up_to_1024_bytes() {
    for length in [64, 65, 128, 1024] {
        let text = "x".repeat(length);
        assert_eq!(validate(&text).unwrap().password().expose(), text);
    }
    assert_eq!(validate(&"x".repeat(1025)).unwrap_err(), NewPasswordError::TooLong);
    assert_eq!(validate(&"\u{1f634}".repeat(257)).unwrap_err(), NewPasswordError::TooLong);
}

#[test]
fn t85_no_kind_of_character_is_required() {
    for text in ["only lower case letters", "               ", "739182640517263"] {
        assert!(validate(text).is_ok(), "{text}");
    }
}

#[test]
fn t85_common_passwords_are_rejected() {
    for text in ["password and some more", "I am robin of the hills"] {
        assert_eq!(validate(text).unwrap_err(), NewPasswordError::Guessable, "{text}");
    }
}

#[test]
fn a_new_password_is_never_printed() {
    assert_eq!(format!("{:?}", validate("a quiet night in the hills").unwrap()), "NewPassword(Password(..))");
}
