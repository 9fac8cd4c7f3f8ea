//! Numbers with their noun.

use std::fmt::Display;

/// Returns a number with its noun in the singular or with an `s`: `1 night`, `2 nights`.
pub fn counted<N: Display + Copy + PartialEq + From<u8>>(number: N, noun: &str) -> String {
    let plural = if number == N::from(1) { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::counted;

    #[test]
    fn only_one_is_singular() {
        assert_eq!(counted(0_u64, "night"), "0 nights");
        assert_eq!(counted(1_usize, "night"), "1 night");
        assert_eq!(counted(21_u32, "night"), "21 nights");
    }
}
