//! Passwords that consist of little but what an attacker knows: the person's email address, and the names of
//! the service and of its operator.
//!
//! zxcvbn judges only the beginning of a password and does not recognise an address that is reversed,
//! reordered or decorated with signs.

use zeroize::Zeroizing;

/// Minimum number of letters and digits besides the known ones.
const MIN_OTHER_CHARS: usize = 8;

/// Shortest relevant part of a known text; shorter ones occur in every text.
const SHORTEST_PART: usize = 3;

/// Number of characters of a known text that are considered; an address has at most 254.
const KNOWN_CHARACTERS: usize = 254;

/// Returns whether fewer than eight letters and digits are left after removing the parts of the known texts,
/// forwards or backwards. Signs and case are ignored.
pub(super) fn consists_of(password: &str, known: &[&str]) -> bool {
    let mut rest = plain(password);
    let before = rest.chars().count();
    let mut parts: Vec<String> = Vec::new();
    for text in known {
        let text: String = text.chars().take(KNOWN_CHARACTERS).collect();
        parts
            .extend(text.split(|letter: char| !letter.is_alphanumeric()).map(|part| plain(part).to_string()));
        parts.push(plain(&text).to_string());
    }
    parts.retain(|part| part.chars().count() >= SHORTEST_PART);
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    for part in &parts {
        for spelling in [part.clone(), part.chars().rev().collect()] {
            // A space keeps the text around a part from forming another part.
            rest = Zeroizing::new(rest.replace(&spelling, " "));
        }
    }
    let left = rest.chars().filter(|letter| *letter != ' ').count();
    left < MIN_OTHER_CHARS && left < before
}

/// Returns the text without the words of the known texts, forwards, backwards, with digits at their ends or
/// in place of letters; the signs after them go too.
pub(super) fn without_known_words(text: &str, known: &[&str]) -> Zeroizing<String> {
    let is_sign = |letter: char| !letter.is_alphanumeric();
    let words: Vec<Zeroizing<String>> = known
        .iter()
        .flat_map(|text| text.split(is_sign))
        .filter(|word| !word.is_empty())
        .map(plain)
        .collect();
    let is_known = |word: &str| {
        let word = plain(word);
        let letters = word.trim_matches(|letter: char| letter.is_ascii_digit());
        let reversed = Zeroizing::new(word.chars().rev().collect::<String>());
        let read = ['i', 'l'].map(|one| Zeroizing::new(word.chars().map(|c| letter_of(c, one)).collect()));
        let [read, other]: [Zeroizing<String>; 2] = read;
        words.iter().any(|known| {
            [word.as_str(), letters, reversed.as_str(), read.as_str(), other.as_str()]
                .contains(&known.as_str())
        })
    };
    let mut rest = Zeroizing::new(String::with_capacity(text.len()));
    for run in text.split_inclusive(is_sign) {
        if !is_known(run) {
            rest.push_str(run);
        }
    }
    rest
}

/// Returns the letter that a digit stands for; `one` is that of a 1.
const fn letter_of(digit: char, one: char) -> char {
    match digit {
        '0' => 'o',
        '1' => one,
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        _ => digit,
    }
}

/// Keeps letters and digits, in lower case.
fn plain(text: &str) -> Zeroizing<String> {
    let mut plain = Zeroizing::new(String::with_capacity(text.len().saturating_mul(2)));
    plain.extend(text.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase));
    plain
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const ADDRESS: &str = "kim.quayle-53@tiny.example.org";

    #[test]
    fn the_address_is_recognised_in_any_variation() {
        for text in [
            ADDRESS,
            "KIM.QUAYLE-53@TINY.EXAMPLE.ORG",
            "kimquayle53tinyexampleorg",
            "kim quayle 53 @ tiny example org!!",
            "gro.elpmaxe.ynit@35-elyauq.mik",
            "tiny.example.org/kim.quayle",
            "quaylequaylequayle",
            "kim.quayle-53@tiny.example.org2026",
            "my own kim.quayle",
        ] {
            assert!(consists_of(text, &[ADDRESS]), "{text}");
        }
    }

    #[test]
    fn a_longer_text_may_contain_a_part_of_the_address() {
        for text in
            ["five quiet hills sleep well, kim", "tiny boxes under an old bridge", "V9#kq2Lw!x7Rt&m4Zp8s"]
        {
            assert!(!consists_of(text, &[ADDRESS]), "{text}");
        }
        // Passwords without letters of the address are for the other checks.
        assert!(!consists_of("\u{1f634}\u{1f319}", &[ADDRESS]));
        assert!(
            !consists_of("1234567", &[ADDRESS])
                && !consists_of("", &[ADDRESS])
                && !consists_of("abcdefgh", &[""])
        );
    }

    proptest! {
        #[test]
        fn an_address_is_never_a_password(name in "[a-z]{1,12}([.+-][a-z0-9]{1,8})?", domain in "[a-z]{3,12}\\.(org|example)", end in "[!-/]{0,3}") {
            let address = format!("{name}@{domain}");
            let longer = format!("{address}{end}");
            prop_assert!(consists_of(&longer, &[&address]));
            prop_assert!(consists_of(&address.to_uppercase(), &[&address]));
        }

        #[test]
        fn enough_text_besides_the_address_is_accepted(address in "[a-m]{3,8}@[a-m]{3,8}\\.org", own in "[n-qs-z]{8,20}") {
            let text = format!("{own}{address}");
            prop_assert!(!consists_of(&text, &[&address]));
        }
    }
}
