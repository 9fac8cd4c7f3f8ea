//! Names that people could take for those of the server or its operator (Unicode Technical Standard 39).

use super::ServerNames;
use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_security::skeleton;

/// Name of the software, which every page shows, as [`words`] returns it.
const PRODUCT: &str = "restwell";
/// Words of a name that claims a review, or to come from the operator.
const CLAIMS: [&str; 19] = [
    "accredited",
    "admin",
    "administrator",
    "approval",
    "approved",
    "authentic",
    "authorised",
    "authorized",
    "certified",
    "endorsed",
    "genuine",
    "official",
    "operator",
    "recommended",
    "reviewed",
    "trusted",
    "validated",
    "verified",
    "vetted",
];

/// Words that are free although they are one letter from a claim or contain one.
const FREE_WORDS: [&str; 2] = ["authenticator", "reviewer"];

/// Words that end in the first letters of the product's name, so that `Crestwell` is another name.
const OTHER_RESTS: [&str; 4] = ["crest", "everest", "forest", "wrest"];

/// Signs that people read as letters.
const SIGNS: [(char, &str); 5] = [('!', "l"), ('$', "s"), ('§', "s"), ('€', "e"), ('@', "a")];

/// Check marks, seals, shields, medals and locks, which other services show beside verified names.
const MARKS: [char; 33] = [
    '®',
    'Ⓥ',
    'ⓥ',
    '⎷',
    '√',
    '⍻',
    '☑',
    '✅',
    '⛉',
    '⛊',
    '⛨',
    '✓',
    '✔',
    '\u{AA9C}',
    '\u{10102}',
    '\u{1F145}',
    '\u{1F165}',
    '\u{1F185}',
    '🆗',
    '🈴',
    '🎖',
    '🏅',
    '🏵',
    '🔏',
    '🔒',
    '🔐',
    '🗸',
    '🗹',
    '🛡',
    '🥇',
    '🥈',
    '🥉',
    '\u{1FBB1}',
];

/// Number of letters from which one changed letter is easily overlooked.
const LONG: usize = 6;

/// Returns whether people could take the client of this name for the server, its operator or a reviewed one.
///
/// Look-alike letters, digits and signs, case and accents make no difference. Rejected are a word that
/// contains the product's name or a claim, consecutive words that together spell it, the operator's name or
/// the host, and marks of approval. One edit of the start of a word for the product, or of consecutive words
/// for a claim, the operator or the host, is overlooked.
pub(super) fn imitates_server(name: &str, server: ServerNames<'_>) -> bool {
    if name.chars().any(|c| MARKS.contains(&c)) {
        return true;
    }
    let spelled = |text| readings(text).into_iter().map(|words| words.concat());
    // A host of one label, such as `sleep`, is an ordinary word, and addresses are numbers.
    let is_long = |host: &&str| host.contains('.') && host.contains(char::is_alphabetic);
    let host = server.host.filter(is_long);
    let reserved: Vec<String> = server.operator.into_iter().chain(host).flat_map(spelled).collect();
    let claims: Vec<String> = CLAIMS.into_iter().flat_map(spelled).collect();
    let free: Vec<String> = FREE_WORDS.into_iter().flat_map(spelled).collect();
    readings(name).iter().any(|words| {
        words.iter().any(|word| starts_like_product(word) || contains_product(word))
            || has_words(words, |spelled| spelled == PRODUCT)
            || reserved.iter().any(|name| has_words(words, |spelled| resembles(spelled, name)))
            || claims.iter().any(|claim| {
                has_words(words, |spelled| {
                    !free.iter().any(|word| word == spelled) && resembles(spelled, claim)
                }) || words.iter().any(|word| !free.contains(word) && contains_claim(word, claim))
            })
    })
}

fn contains_product(word: &str) -> bool {
    let is_other = |before: &str| {
        OTHER_RESTS.iter().any(|rest| rest.strip_suffix("rest").is_some_and(|end| before.ends_with(end)))
    };
    word.match_indices(PRODUCT).any(|(at, _)| !is_other(word.get(..at).unwrap_or_default()))
}

/// Returns whether a word contains a long claim, and does not deny it: `unverified`.
fn contains_claim(word: &str, claim: &str) -> bool {
    claim.replace("rn", "m").len() >= LONG
        && word.match_indices(claim).any(|(at, _)| word.get(..at) != Some("un"))
}

/// Returns whether people could take one name for the other: both spell the same but for one letter.
pub(super) fn look_alike(one: &str, other: &str) -> bool {
    let other: Vec<String> = readings(other).iter().map(|words| words.concat()).collect();
    readings(one).iter().any(|words| other.iter().any(|other| resembles(&words.concat(), other)))
}

fn starts_like_product(word: &str) -> bool {
    let lengths = PRODUCT.len() - 1..=PRODUCT.len() + 1;
    lengths.filter_map(|length| word.get(..length)).any(|start| resembles(start, PRODUCT))
}

/// Returns whether two spellings are equal, or long and one edit apart: a letter added, missing, replaced or
/// swapped with the next one. Readers notice another first letter: `Crestwell` is not `Restwell`.
fn resembles(one: &str, other: &str) -> bool {
    if one == other {
        return !one.is_empty();
    }
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    one.len().min(other.len()) >= LONG && one.first() == other.first() && are_one_edit_apart(&one, &other)
}

fn are_one_edit_apart(one: &[char], other: &[char]) -> bool {
    let (long, short) = if one.len() < other.len() { (other, one) } else { (one, other) };
    let start = long.iter().zip(short).take_while(|(a, b)| a == b).count();
    let (long, short) = (long.get(start..).unwrap_or_default(), short.get(start..).unwrap_or_default());
    match (long, short) {
        ([_, long @ ..], short) if long == short => true,
        ([_, long @ ..], [_, short @ ..]) if long == short => true,
        ([a, b, long @ ..], [c, d, short @ ..]) => (a, b) == (d, c) && long == short,
        _ => false,
    }
}

/// Returns the words of a text as people read them: in the given case, in lower case, because a capital
/// letter can look like a letter that its small form does not resemble, split at inner capitals, and with
/// signs as letters.
///
/// Each with `rn` as `m` and as two letters, so that one changed letter is one edit of either.
fn readings(text: &str) -> Vec<Vec<String>> {
    let text: String = text.chars().map(unenclosed).nfkc().collect();
    let mut split = String::new();
    for c in text.chars() {
        if c.is_uppercase() && split.ends_with(char::is_lowercase) {
            split.push(' ');
        }
        split.push(c);
    }
    let signs = SIGNS.iter().fold(text.to_lowercase(), |text, (sign, letter)| text.replace(*sign, letter));
    let read = |text: &str| ["m", "rn"].map(|m| words(text, m));
    [text.as_str(), &text.to_lowercase(), &split, &signs].into_iter().flat_map(read).collect()
}

/// Returns the letter of a squared, circled or regional indicator letter, which Unicode does not decompose.
fn unenclosed(c: char) -> char {
    const FIRST: [char; 4] = ['\u{1F130}', '\u{1F150}', '\u{1F170}', '\u{1F1E6}'];
    let place =
        FIRST.iter().find_map(|first| u32::from(c).checked_sub(u32::from(*first)).filter(|n| *n < 26));
    place.and_then(|place| char::from_u32(u32::from('A') + place)).unwrap_or(c)
}

/// Returns the words of a text without accents, in lower case, each letter replaced by the one it looks like.
fn words(text: &str, m: &str) -> Vec<String> {
    let letters = skeleton(text).filter(|c| c.general_category_group() != GeneralCategoryGroup::Mark);
    let seen: String = letters.flat_map(char::to_lowercase).map(folded).collect();
    // The skeleton of `m` is `rn`.
    let seen = seen.replace("vv", "w").replace("rn", m);
    let words = seen.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Folds look-alikes that the skeleton keeps apart: small capitals, digits, a rounded or reversed `e`, a
/// reversed `r`, and `i`, whose capital is an `l` in the skeleton.
const fn folded(c: char) -> char {
    match c {
        'i' | 'ʟ' => 'l',
        'ʀ' | 'я' | 'ᴙ' => 'r',
        'ᴇ' | 'ꞓ' | 'ɘ' | 'ǝ' | 'ɜ' | '3' => 'e',
        '5' => 's',
        'ᴛ' | '7' => 't',
        'ꜰ' => 'f',
        'ᴀ' => 'a',
        'ᴅ' => 'd',
        'ᴘ' => 'p',
        _ => c,
    }
}

/// Returns whether a run of words together is `wanted`.
fn has_words(words: &[String], wanted: impl Fn(&str) -> bool) -> bool {
    (0..words.len()).any(|start| {
        let mut spelled = String::new();
        words.iter().skip(start).any(|word| {
            spelled.push_str(word);
            wanted(&spelled)
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn imitates(name: &str) -> bool {
        imitates_server(name, ServerNames::default())
    }

    fn of(operator: &str) -> ServerNames<'_> {
        ServerNames { operator: Some(operator), host: None }
    }

    #[test]
    fn a_name_with_the_name_of_the_software_imitates_the_server() {
        for name in [
            "Restwell",
            "RESTWELL",
            "Restwell Pro",
            "MyRestwellApp",
            "Rest-well",
            "rest well",
            "R e s t w e l l",
            "Restwe11",
            "RestweIl",
            "Restwe||",
            "Restvvell",
            "Réstwell",
            "Ｒｅｓｔｗｅｌｌ",
            "ʀᴇꜱᴛᴡᴇʟʟ",
            "𝐑𝐞𝐬𝐭𝐰𝐞𝐥𝐥",
            "🅁🄴🅂🅃🅆🄴🄻🄻",
            "🅡🅔🅢🅣🅦🅔🅛🅛",
            "🆁🅴🆂🆃🆆🅴🅻🅻",
            "🇷🇪🇸🇹🇼🇪🇱🇱",
        ] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn look_alike_letters_of_other_scripts_make_no_difference() {
        for name in
            ["R\u{435}stwell", "R\u{415}STWELL", "Re\u{455}tw\u{435}ll", "Res\u{442}well", "R\u{454}stwell"]
        {
            assert!(imitates(name), "{name:?}");
        }
    }

    #[test]
    fn a_word_that_starts_with_the_name_of_the_software_imitates_the_server() {
        for name in ["Restwells", "Restwell2", "Restwelll", "My RESTWELLNESS", "RestWellApp"] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn digits_and_reversed_letters_make_no_difference() {
        for name in
            ["Re5twell", "Res7well", "R3stwell", "Яestwell", "яestwell", "Rɘstwell", "RƎSTWELL", "Rəstwell"]
        {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_claims_to_be_official_imitates_the_server() {
        for name in [
            "Official",
            "Official Night Owl",
            "NightOwlOfficial",
            "Night Owl (OFFlClAL)",
            "0fficial",
            "O\u{fb03}cial",
        ] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn the_operators_name_is_reserved_as_a_whole() {
        let clinic = of("Example Sleep Clinic");
        for name in
            ["Example Sleep Clinic", "EXAMPLE SLEEP CLINIC", "My Examp1e-Sleep-Clinic", "ExampleSleepClinic"]
        {
            assert!(imitates_server(name, clinic), "{name}");
            assert!(!imitates(name), "{name}");
        }
        for name in ["Sleep Clinic", "Example Sleep", "Example Sleep Clinicians", "Sample Sleep Clinic"] {
            assert!(!imitates_server(name, clinic), "{name}");
        }
        assert!(!imitates_server("Night Owl", of("")) && !imitates_server("Night Owl", of(" - ")));
    }

    #[test]
    fn the_operators_name_with_a_letter_changed_imitates_the_server() {
        let clinic = of("Example Sleep Clinic");
        for name in [
            "Example Sleep Clinics",
            "Exanple Sleep Clinic",
            "Example Sleap Clinic",
            "Example Slep Clinic",
            "Exampel-Sleep-Clinic",
            "The Example Sleep Clinlk App",
            "ExampleSleepClinik",
        ] {
            assert!(imitates_server(name, clinic), "{name}");
        }
        // One letter of a short name makes another name.
        assert!(imitates_server("Luna", of("Luna")) && !imitates_server("Lunar", of("Luna")));
    }

    #[test]
    fn the_name_of_the_software_with_a_letter_changed_imitates_the_server() {
        for name in [
            "Restwcll",
            "Restwel",
            "Restwelll",
            "Resstwell",
            "Rstwell",
            "Retswell",
            "Restwlel",
            "Restvell",
            "RestwcllApp",
            "Restwcllness",
            "My Restwcll",
            "Reftwell",
        ] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn a_name_that_claims_a_review_imitates_a_reviewed_app() {
        for name in [
            "Approved by the operator",
            "Night Reader (verified)",
            "CERTIFIED Night Reader",
            "Trusted-Reader",
            "NightReaderReviewed",
            "Аpproved Reader",
            "V e r i f i e d",
            "Ver1f1ed",
            "ᴀᴘᴘʀᴏᴠᴇᴅ",
            "Server Admin",
        ] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn a_claim_with_a_letter_changed_or_within_a_word_imitates_a_reviewed_app() {
        for name in [
            "Verifed",
            "Aprroved",
            "Reviewd by us",
            "Preapproved",
            "verifiedowl",
            "nightreaderverified",
            "Night Reader, offlcal",
        ] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn the_name_of_the_software_within_a_word_or_with_signs_imitates_the_server() {
        for name in ["myrestwell", "getrestwell", "therestwell app", "Re$twell", "Restwe!!", "R€§twell"] {
            assert!(imitates(name), "{name}");
        }
    }

    #[test]
    fn the_host_of_the_server_is_reserved_with_or_without_a_port() {
        let server = ServerNames::new(None, "https://sleep.example.org:8443/");
        for name in
            ["sleep.example.org", "Sleep.Example.org:8443", "https://sleep.example.org", "sleep.exampel.org"]
        {
            assert!(imitates_server(name, server), "{name}");
            assert!(!imitates(name), "{name}");
        }
        let short = ServerNames { operator: None, host: Some("sleep") };
        assert!(!imitates_server("Sleep Example", server) && !imitates_server("Sleep Diary", short));
    }

    #[test]
    fn a_name_with_a_mark_of_approval_imitates_a_reviewed_app() {
        for mark in MARKS {
            assert!(imitates(&format!("Night Reader {mark}")), "{mark}");
            assert!(imitates(&format!("{mark}\u{fe0f}Night Reader")), "{mark}");
        }
    }

    #[test]
    fn names_that_differ_in_one_letter_or_by_look_alikes_are_alike() {
        for name in [
            "Night Reader",
            "night-reader",
            "NightReader",
            "N\u{456}ght Reader",
            "Nlght Reader",
            "Night Raeder",
            "Night Readers",
            "Night Reader!",
        ] {
            assert!(look_alike(name, "Night Reader") && look_alike("Night Reader", name), "{name}");
        }
        for name in ["Night", "Reader", "Night Reader Pro", "Light Reader", "Night Rider", "眠り"] {
            assert!(!look_alike(name, "Night Reader"), "{name}");
        }
        assert!(look_alike("眠り", "眠り") && !look_alike("!", "?") && !look_alike("Owl", "Owls"));
    }

    #[test]
    fn other_names_are_free() {
        for name in [
            "Best Well",
            "Rest Bell",
            "Westwell",
            "Restless Nights",
            "Restwise",
            "Review Your Nights",
            "Sleep Reviewer",
            "Untrusted",
            "Rusted",
            "Operations",
            "Proven Sleep",
            "Sleep ★★★",
            "Owl™ 🦉",
            "Night Owl",
            "Forest Wellness",
            "Crestwell",
            "Everestwell",
            "Rest & Wellness",
            "Rest 7 Wells",
            "Unofficial Reader",
            "Unverified",
            "Forestwell",
            "Authenticator",
            "Badminton Nights",
            "Owl!",
            "Schlafmütze & Co. 2",
            "Ресторан",
            "眠り",
            "می\u{200c}خواب",
        ] {
            assert!(
                !imitates_server(
                    name,
                    ServerNames { host: Some("sleep.example.org"), ..of("Example Sleep Clinic") }
                ),
                "{name}"
            );
        }
    }

    proptest! {
        #[test]
        fn an_added_word_does_not_hide_an_imitation(before in "[a-z]{0,9}", after in "[a-z]{0,9}") {
            let name = format!("{before} Restwell {after}");
            prop_assert!(imitates(&name));
        }

        #[test]
        fn added_letters_and_digits_do_not_hide_an_imitation(after in "[a-z0-9]{0,9}") {
            let name = format!("Restwell{after}");
            prop_assert!(imitates(&name));
        }

        #[test]
        fn any_other_letter_within_the_name_does_not_hide_an_imitation(at in 1..8_usize, letter in "[a-z]") {
            let mut name = "restwell".to_owned();
            name.replace_range(at..=at, &letter);
            prop_assert!(imitates(&name), "{}", name);
        }

        #[test]
        fn comparing_arbitrary_names_does_not_panic(name in "\\PC{0,40}", operator in "\\PC{0,20}") {
            let _ = imitates_server(&name, of(&operator));
            prop_assert_eq!(look_alike(&name, &operator), look_alike(&operator, &name));
        }
    }
}
