//! Famous passphrases: their words are rare, but attackers try them first. zxcvbn does not know them.

use zeroize::Zeroizing;

/// A passphrase with fewer extra letters than this still counts as famous.
const FEW_LETTERS: usize = 5;

/// Sayings, first lines and well-known examples with 15 letters or more, as lower-case letters.
const FAMOUS_PHRASES: [&str; 28] = [
    "correcthorsebatterystaple",
    "horsebatterystaple",
    "thequickbrownfoxjumpsoverthelazydog",
    "thequickbrownfoxjumps",
    "tobeornottobethatisthequestion",
    "tobeornottobethatis",
    "maytheforcebewithyou",
    "theforcebewithyou",
    "itwasthebestoftimesitwastheworstoftimes",
    "itwasthebestoftimes",
    "callmeishmaelsomeyearsago",
    "onceuponatimethere",
    "onceuponatimeinalandfarfaraway",
    "alongtimeagoinagalaxyfarfaraway",
    "inthebeginninggodcreatedtheheavenandtheearth",
    "inthebeginningwastheword",
    "ourfatherwhoartinheaven",
    "inavacuumnoonecanhearyouscream",
    "loremipsumdolorsitamet",
    "thisismypassword",
    "thisisaverylongpassword",
    "mypasswordissecret",
    "letmeinletmeinplease",
    "iloveyouforeverandever",
    "twinkletwinklelittlestar",
    "maryhadalittlelamb",
    "anappleadaykeepsthedoctoraway",
    "earlytobedandearlytorise",
];

/// Returns whether a text is one of them, or several in a row, ignoring everything but letters and a few
/// extra ones.
pub(super) fn is_famous(text: &str) -> bool {
    let mut letters = Zeroizing::new(String::with_capacity(text.len().saturating_mul(2)));
    letters.extend(text.chars().filter(|character| character.is_alphabetic()).flat_map(char::to_lowercase));
    let mut rest: &str = &letters;
    while let Some(after) = FAMOUS_PHRASES.iter().find_map(|phrase| rest.split_once(phrase)) {
        let (before, behind) = after;
        if before.chars().count() >= FEW_LETTERS {
            return false;
        }
        if behind.chars().count() < FEW_LETTERS {
            return true;
        }
        rest = behind;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::iter;

    #[test]
    fn listed_phrases_are_lower_case_and_long_enough() {
        for phrase in FAMOUS_PHRASES {
            assert!(phrase.len() >= 15, "{phrase}");
            assert!(phrase.chars().all(|letter| letter.is_ascii_lowercase()), "{phrase}");
            assert!(is_famous(phrase), "{phrase}");
        }
    }

    #[test]
    fn a_personal_variation_is_not_famous() {
        for text in [
            "correct horse battery staple, and forty grey herons at noon",
            "forty herons say: correct horse battery staple",
            "the quick brown herons",
            "",
        ] {
            assert!(!is_famous(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_famous_text_is_recognised_despite_signs_case_and_repetition(
            number in 0..FAMOUS_PHRASES.len(),
            signs in "[ 0-9.,!_-]{0,3}",
            times in 1..4_usize,
            is_upper: bool,
        ) {
            let spread: String = FAMOUS_PHRASES[number].chars().flat_map(|letter| iter::once(letter).chain(signs.chars())).collect();
            let text = spread.repeat(times);
            let text = if is_upper { text.to_uppercase() } else { text };
            prop_assert!(is_famous(&text));
        }
    }
}
