//! Numbers with their noun, and lists of names, for sentences.

use std::borrow::Borrow;
use std::fmt::Display;

/// Returns a number with its noun in the singular or with an `s`: `1 night`, `2 nights`.
pub fn counted<N: Display + Copy + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

/// Joins names as in a sentence, with `and` or `or` before the last: `profile, nights and supplements`.
pub fn listed<S: Borrow<str>>(names: &[S], conjunction: &str) -> String {
    match names {
        [] => String::new(),
        [only] => only.borrow().to_owned(),
        [others @ .., last] => format!("{} {conjunction} {}", others.join(", "), last.borrow()),
    }
}

#[cfg(test)]
mod tests {
    use super::{counted, listed};

    #[test]
    fn only_the_last_name_has_a_conjunction() {
        assert_eq!(listed::<&str>(&[], "and"), "");
        assert_eq!(listed(&["a"], "and"), "a");
        assert_eq!(listed(&["a", "b"], "or"), "a or b");
        assert_eq!(listed(&["a".to_owned(), "b".to_owned(), "c".to_owned()], "and"), "a, b and c");
    }

    #[test]
    fn only_one_is_singular() {
        assert_eq!(counted(0_u64, "night"), "0 nights");
        assert_eq!(counted(1_usize, "night"), "1 night");
        assert_eq!(counted(21_u32, "night"), "21 nights");
    }
}
