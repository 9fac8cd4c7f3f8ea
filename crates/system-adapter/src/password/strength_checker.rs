//! Rejection of guessable passwords.

use super::{famous, personal};
use application::ports::system::PasswordStrengthChecker;
use domain::password::Password;
use zeroize::Zeroizing;
use zxcvbn::matching::patterns::MatchPattern;
use zxcvbn::{Score, zxcvbn};

/// Number of characters of a password that are judged.
///
/// The cost of zxcvbn grows with the square of the length, times about a thousand variants of a text full of
/// digits and signs that can be read as letters: a tenth of a second at 60 characters. Guessing the whole
/// requires guessing its beginning, so 40 characters suffice.
const JUDGED_CHARACTERS: usize = 40;

/// Number of characters of known personal text that are considered; an address has at most 254.
const KNOWN_CHARACTERS: usize = 254;

/// Shortest relevant part of known personal text; shorter ones occur in every text.
const SHORTEST_PART: usize = 3;

/// Below this length, in characters, a password needs the highest score.
const SHORT_CHARACTERS: usize = 20;

/// Minimum length in characters of a known word that makes a password guessable even with digits and signs
/// around it.
const SHORTEST_WORD: usize = 3;

/// Words of the service, which attackers try first.
const SERVICE_WORDS: &str = "restwell sleep supplement supplements night nights profile";

/// Estimates guesses with zxcvbn: lists of common passwords, names and words, and patterns of keyboards,
/// dates, sequences and repetitions; plus a list of famous passphrases, and words of the service, the
/// operator and the person. Works offline.
#[derive(Debug, Clone, Default)]
pub struct ZxcvbnStrengthChecker {
    about_the_operator: Vec<String>,
}

impl ZxcvbnStrengthChecker {
    /// Creates a checker that knows texts about the operator, such as the name and the host.
    pub fn new(about_the_operator: Vec<String>) -> Self {
        Self { about_the_operator }
    }
}

impl PasswordStrengthChecker for ZxcvbnStrengthChecker {
    fn is_guessable(&self, password: &Password, about_the_person: &str) -> bool {
        let mut about = vec![about_the_person, SERVICE_WORDS];
        about.extend(self.about_the_operator.iter().map(String::as_str));
        let distinct = without_repeated_words(password.expose());
        let is_famous = famous::is_famous(password.expose());
        // Spelled letter by letter, a word loses letters as repeated words.
        let consists_of = |text: &str| personal::consists_of(text, &about);
        if is_famous || consists_of(&distinct) || consists_of(password.expose()) {
            return true;
        }
        let rest = personal::without_known_words(&distinct, &about);
        let about: Vec<String> =
            about.into_iter().map(|text| text.chars().take(KNOWN_CHARACTERS).collect()).collect();
        let mut known: Vec<&str> = about.iter().map(String::as_str).collect();
        known.extend(about.iter().flat_map(|text| parts(text)));
        is_weak(&distinct, password.expose(), &known) || rest != distinct && is_weak(&rest, &rest, &known)
    }
}

/// Returns whether a text without repeated words is guessable; `whole` has them.
fn is_weak(text: &str, whole: &str, known: &[&str]) -> bool {
    // A score of three means more than 10^8 guesses, four more than 10^10.
    let is_short = whole.chars().count() < SHORT_CHARACTERS;
    let wanted = if is_short { Score::Four } else { Score::Three };
    zxcvbn(&beginning(text), known).score() < wanted || is_one_word(text, known)
}

/// Returns whether a single known word, keyboard pattern or repetition is surrounded by digits and signs,
/// which attackers add first.
fn is_one_word(text: &str, known: &[&str]) -> bool {
    let word = beginning(text.trim_matches(is_other));
    let estimate = zxcvbn(&word, known);
    let [only] = estimate.sequence() else { return false };
    only.token.chars().count() >= SHORTEST_WORD && !matches!(only.pattern, MatchPattern::BruteForce)
}

/// Removes repeated runs of letters, ignoring case: repetition does not strengthen a password.
fn without_repeated_words(text: &str) -> Zeroizing<String> {
    let mut kept = Zeroizing::new(String::with_capacity(text.len()));
    let mut words: Vec<&str> = Vec::new();
    for run in text.split_inclusive(is_other) {
        let word = run.trim_end_matches(is_other);
        if words.iter().any(|known| is_same_word(known, word)) {
            kept.push_str(run.strip_prefix(word).unwrap_or(run));
        } else {
            words.push(word);
            kept.push_str(run);
        }
    }
    kept
}

fn is_other(character: char) -> bool {
    !character.is_alphabetic()
}

fn is_same_word(one: &str, other: &str) -> bool {
    one.chars().flat_map(char::to_lowercase).eq(other.chars().flat_map(char::to_lowercase))
}

fn beginning(text: &str) -> Zeroizing<String> {
    let mut cut = Zeroizing::new(String::with_capacity(JUDGED_CHARACTERS * 4));
    cut.extend(text.chars().take(JUDGED_CHARACTERS));
    cut
}

fn parts(about: &str) -> impl Iterator<Item = &str> {
    about
        .split(|character: char| !character.is_alphanumeric())
        .filter(|part| part.chars().count() >= SHORTEST_PART)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use rustix::time::{ClockId, clock_gettime};
    use std::time::Duration;

    const ADDRESS: &str = "sam.sandman@sleepyhollow.example";

    fn checker() -> ZxcvbnStrengthChecker {
        let about =
            ["Moonlit Valley Clinic", "rest.moonlit-valley.example", "https://frontdesk.example/help"];
        ZxcvbnStrengthChecker::new(about.map(str::to_owned).to_vec())
    }

    fn is_guessable(text: &str) -> bool {
        checker().is_guessable(&Password::parse(text).unwrap(), ADDRESS)
    }

    #[test]
    fn words_of_the_service_the_operator_and_the_person_add_no_strength() {
        for text in [
            "restwell restwell sleep",
            "Restwell Sleep Supplements",
            "sleep-restwell-sleep-restwell-2026",
            "llewtser peels restwell",
            "moonlit valley clinic",
            "Moonlit Valley Restwell 2026!",
            "clinic moonlit restwell sleep",
            "rest.moonlit-valley.example",
            "frontdesk frontdesk help",
            "sandman at moonlit valley",
            "sandman sleeps at restwell",
            "moonlit moonlit berlin berlin",
            "restwell-password-2026",
            "password restwell sleep clinic",
            "r e s t w e l l s l e e p",
            "R3stw3ll-Sl33p-Cl1n1c",
            "night supplements profile",
            "Restwell2026 llewtser sunshine",
        ] {
            assert!(is_guessable(text), "{text}");
        }
        for text in [
            "five moonlit hills sleep well tonight",
            "seven slow otters visit the clinic",
            "Restwell: nine quiet lanterns",
        ] {
            assert!(!is_guessable(text), "{text}");
        }
        // The words of another operator are as good as others.
        let plain = ZxcvbnStrengthChecker::default();
        assert!(!plain.is_guessable(&Password::parse("moonlit valley clinic").unwrap(), ADDRESS));
    }

    #[test]
    fn a_password_from_the_common_lists_is_guessable_at_any_length() {
        for text in [
            "password",
            "password12345678",
            "passwordpassword",
            "P4ssw0rdP4ssw0rd",
            "123456789012345678",
            "qwertyuiopasdfgh",
            "aaaaaaaaaaaaaaaaaaaa",
            "abcdefghijklmnopqrstuvwxyz",
            "iloveyouiloveyouiloveyou",
            "19910312199103121991",
        ] {
            assert!(is_guessable(text), "{text}");
        }
    }

    #[test]
    fn the_address_and_the_name_of_the_program_are_guessable() {
        for text in [
            ADDRESS,
            "sandmansandmansandman",
            "sandmansleepyhollow",
            "SleepyHollow2026",
            "restwellrestwell",
            "Restwell12345678",
        ] {
            assert!(is_guessable(text), "{text}");
        }
        for text in [
            "SAM.SANDMAN@SLEEPYHOLLOW.EXAMPLE",
            "sam.sandman@sleepyhollow.example!",
            "2026sam.sandman@sleepyhollow.example",
            "example-sleepyhollow-sandman-sam",
            "elpmaxe.wollohypeels@namdnas.mas",
        ] {
            assert!(is_guessable(text), "{text}");
        }
        let of_nobody = Password::parse("sandmansleepyhollow").unwrap();
        assert!(!checker().is_guessable(&of_nobody, "kim@example.org"));
    }

    #[test]
    fn a_passphrase_may_be_chosen_in_any_script_and_length() {
        for text in [
            "five quiet hills sleep well tonight",
            "zwölf leise Boxkämpfer im Heu",
            "тихая ночь над дальним озером",
            "静かな夜に山が眠るまで待つ人",
            "\u{1f634}\u{1f319}\u{1f3d4}\u{fe0f} und dann ein Gläschen",
            "V9#kq2Lw!x7Rt&m4Zp8s",
        ] {
            assert!(!is_guessable(text), "{text}");
        }
        let long = "five quiet hills sleep well tonight, and the sixth one snores. ".repeat(16);
        assert!(!is_guessable(&long));
    }

    #[test]
    fn a_famous_passphrase_is_guessable_however_it_is_written() {
        for text in [
            "correct horse battery staple",
            "Correct-Horse-Battery-Staple!",
            "CORRECTHORSEBATTERYSTAPLE1",
            "correcthorsebatterystaplecorrecthorsebatterystaple",
            "To be, or not to be: that is the question",
            "the quick brown fox jumps over the lazy dog",
            "May the Force be with you 2026",
        ] {
            assert!(is_guessable(text), "{text}");
        }
        assert!(!is_guessable("correct horses staple batteries to barns"));
    }

    #[test]
    fn a_likely_beginning_is_guessable_whatever_follows() {
        assert!(is_guessable(&format!("{}V9#kq2Lw!x7Rt&m4", "password".repeat(5))));
    }

    #[test]
    fn only_the_beginning_is_judged() {
        let text = "\u{1f634}".repeat(1000);
        assert_eq!(beginning(&text).chars().count(), 40);
        assert!(beginning(&text).capacity() <= 160);
    }

    fn cpu_time() -> Duration {
        clock_gettime(ClockId::ThreadCPUTime).try_into().unwrap()
    }

    #[test]
    fn hostile_texts_of_1024_bytes_are_judged_quickly() {
        // A tenth of a second in a release build, and minutes without the cut.
        // CPU time of this thread, so that other load does not matter.
        let bound = Duration::from_secs(1);
        let random: String =
            (0..1024u32).map(|n| char::from(33 + (n.wrapping_mul(2_654_435_761) >> 24) as u8 % 94)).collect();
        for text in [
            "4@8({[<369|10!$5+7%2".repeat(52),
            "{[0[%253@96247+!9534+4<!(211{$<06".repeat(31),
            "a".repeat(1024),
            "ab".repeat(512),
            "1991/12/13".repeat(102),
            "qwertyuiop".repeat(102),
            "password1".repeat(113),
            "\u{1f634}".repeat(256),
            random,
        ] {
            let (mut cut, about) = (text.clone(), text.repeat(100));
            cut.truncate(1024);
            let password = Password::parse(&cut).unwrap();
            let started = cpu_time();
            let _ = checker().is_guessable(&password, &about);
            let took = cpu_time().saturating_sub(started);
            assert!(took < bound, "{took:?} for {text}");
        }
    }

    #[test]
    fn one_word_with_digits_and_signs_is_guessable() {
        for text in [
            "Password1234567!",
            "P4ssw0rd!12345678901234",
            "Sommer2024Sommer2024!",
            "2026!!!!Sunshine!!!!2026",
            "qwertyuiop!83650193",
            "sandman-83650193847561029384",
            "photography 83650193847561029384",
        ] {
            assert!(is_guessable(text), "{text}");
        }
    }

    #[test]
    fn a_repeated_word_is_one_word() {
        for text in [
            "Berlin-Berlin-Berlin",
            "Berlin-berlin_BERLIN.berlin!2026",
            "B3rlin-B3rlin-B3rlin",
            "Berlin1-Berlin2-Berlin3-Berlin4",
            "BerlinBerlinBerlinBerlin",
            "МОСКВА-Москва-москва",
            &"Berlin-".repeat(100),
        ] {
            assert!(is_guessable(text), "{text}");
        }
    }

    #[test]
    fn below_twenty_characters_a_password_needs_the_highest_score() {
        // Scores three.
        assert!(is_guessable("mypasswordissecret"));
        assert!(!is_guessable("five quiet hills"));
    }

    #[test]
    fn no_composition_rules_apply() {
        for text in [
            "83650193847561029384",
            "a8365019384756102938",
            "7f3a9b21c0d84e5",
            "qjxvzkwpyhgtrmbn",
            "8#4$1@9!7%2^5&3*6(0",
            "QJXVZKWPYHGTRMBN",
        ] {
            assert!(!is_guessable(text), "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_password_without_repeated_words_stays_as_it_is(words in prop::collection::hash_set("[a-z]{1,8}", 1..6)) {
            let text = words.into_iter().collect::<Vec<_>>().join(" 7-");
            let kept = without_repeated_words(&text);
            prop_assert_eq!(kept.as_str(), text);
        }

        #[test]
        fn judging_arbitrary_text_never_panics(text in "\\PC{1,60}", about in "\\PC{0,60}") {
            let _ = checker().is_guessable(&Password::parse(&text).unwrap(), &about);
        }
    }
}
