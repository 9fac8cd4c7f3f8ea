//! Passwords that are the person's own address, or little else.
//!
//! The judge of guesses looks at the beginning of a password alone, and takes an address that is written backwards, in
//! another order or with a few signs more for a text like any other. Whoever wants to get into an account knows its address.

use zeroize::Zeroizing;

/// How many letters and digits a password has to have beside what is the address's.
const OWN: usize = 8;

/// The shortest part of an address that is looked for: shorter ones are in every text.
const SHORTEST_PART: usize = 3;

/// How much of what is known about a person is looked at, in characters; an address has at most 254.
const KNOWN_CHARACTERS: usize = 254;

/// Tells whether a password has fewer than eight letters and digits left when the parts of the address, forwards or
/// backwards, are taken out of it. Signs and case do not count.
pub(super) fn is_made_of(password: &str, address: &str) -> bool {
    let mut rest = plain(password);
    let before = rest.chars().count();
    let address: String = address.chars().take(KNOWN_CHARACTERS).collect();
    let mut parts: Vec<String> =
        address.split(|letter: char| !letter.is_alphanumeric()).map(|part| plain(part).to_string()).collect();
    parts.push(plain(&address).to_string());
    parts.retain(|part| part.chars().count() >= SHORTEST_PART);
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    for part in &parts {
        for spelling in [part.clone(), part.chars().rev().collect()] {
            // What stood around a part must not come together to another one.
            rest = Zeroizing::new(rest.replace(&spelling, " "));
        }
    }
    let left = rest.chars().filter(|letter| *letter != ' ').count();
    left < OWN && left < before
}

/// Leaves letters and digits, in lower case.
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
    fn the_address_in_any_dress_is_the_address() {
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
            assert!(is_made_of(text, ADDRESS), "{text}");
        }
    }

    #[test]
    fn a_text_of_ones_own_may_hold_a_part_of_the_address() {
        for text in
            ["five quiet hills sleep well, kim", "tiny boxes under an old bridge", "V9#kq2Lw!x7Rt&m4Zp8s"]
        {
            assert!(!is_made_of(text, ADDRESS), "{text}");
        }
        // What has nothing of the address is for others to judge.
        assert!(!is_made_of("\u{1f634}\u{1f319}", ADDRESS));
        assert!(!is_made_of("1234567", ADDRESS) && !is_made_of("", ADDRESS) && !is_made_of("abcdefgh", ""));
    }

    proptest! {
        #[test]
        fn an_address_is_never_a_password(name in "[a-z]{1,12}([.+-][a-z0-9]{1,8})?", domain in "[a-z]{3,12}\\.(org|example)", end in "[!-/]{0,3}") {
            let address = format!("{name}@{domain}");
            let longer = format!("{address}{end}");
            prop_assert!(is_made_of(&longer, &address));
            prop_assert!(is_made_of(&address.to_uppercase(), &address));
        }

        #[test]
        fn enough_of_ones_own_is_enough(address in "[a-m]{3,8}@[a-m]{3,8}\\.org", own in "[n-qs-z]{8,20}") {
            let text = format!("{own}{address}");
            prop_assert!(!is_made_of(&text, &address));
        }
    }
}
