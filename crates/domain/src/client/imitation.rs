//! Names that people could take for those of the server or its operator (Unicode Technical Standard 39).

use unicode_normalization::UnicodeNormalization as _;
use unicode_properties::{GeneralCategoryGroup, UnicodeGeneralCategory as _};
use unicode_security::skeleton;

/// Name of the software, which every page shows, as [`words`] returns it.
const PRODUCT: &str = "restwell";
/// Claim that only the operator can make.
const OFFICIAL: &str = "official";

/// Returns whether a word of a name starts with the product's name, or consecutive words together spell it,
/// the operator's name or `official`. Look-alike letters and digits, case and accents make no difference.
pub(super) fn imitates_server(name: &str, operator: Option<&str>) -> bool {
    let reserved: Vec<String> = [PRODUCT, OFFICIAL]
        .into_iter()
        .chain(operator)
        .flat_map(readings)
        .map(|words| words.concat())
        .collect();
    let readings = readings(name);
    readings.iter().any(|words| {
        words.iter().any(|word| word.starts_with(PRODUCT))
            || reserved.iter().any(|reserved| has_words(words, reserved))
    })
}

/// Returns the words of a text as people read them: in the given case, in lower case, because a capital
/// letter can look like a letter that its small form does not resemble, and split at inner capitals.
fn readings(text: &str) -> [Vec<String>; 3] {
    let text: String = text.chars().map(unenclosed).nfkc().collect();
    let mut split = String::new();
    for c in text.chars() {
        if c.is_uppercase() && split.ends_with(char::is_lowercase) {
            split.push(' ');
        }
        split.push(c);
    }
    [words(&text), words(&text.to_lowercase()), words(&split)]
}

/// Returns the letter of a squared, circled or regional indicator letter, which Unicode does not decompose.
fn unenclosed(c: char) -> char {
    const FIRST: [char; 4] = ['\u{1F130}', '\u{1F150}', '\u{1F170}', '\u{1F1E6}'];
    let place =
        FIRST.iter().find_map(|first| u32::from(c).checked_sub(u32::from(*first)).filter(|n| *n < 26));
    place.and_then(|place| char::from_u32(u32::from('A') + place)).unwrap_or(c)
}

/// Returns the words of a text without accents, in lower case, each letter replaced by the one it looks like.
fn words(text: &str) -> Vec<String> {
    let letters = skeleton(text).filter(|c| c.general_category_group() != GeneralCategoryGroup::Mark);
    let seen: String = letters.flat_map(char::to_lowercase).map(folded).collect();
    let seen = seen.replace("vv", "w");
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
        _ => c,
    }
}

/// Returns whether a run of words together spells `reserved`.
fn has_words(words: &[String], reserved: &str) -> bool {
    (0..words.len()).any(|start| {
        let mut rest = reserved;
        for word in words.iter().skip(start) {
            match rest.strip_prefix(word.as_str()) {
                Some("") => return true,
                Some(after) => rest = after,
                None => return false,
            }
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
            assert!(imitates_server(name, None), "{name}");
        }
    }

    #[test]
    fn look_alike_letters_of_other_scripts_make_no_difference() {
        for name in
            ["R\u{435}stwell", "R\u{415}STWELL", "Re\u{455}tw\u{435}ll", "Res\u{442}well", "R\u{454}stwell"]
        {
            assert!(imitates_server(name, None), "{name:?}");
        }
    }

    #[test]
    fn a_word_that_starts_with_the_name_of_the_software_imitates_the_server() {
        for name in ["Restwells", "Restwell2", "Restwelll", "My RESTWELLNESS", "RestWellApp"] {
            assert!(imitates_server(name, None), "{name}");
        }
    }

    #[test]
    fn digits_and_reversed_letters_make_no_difference() {
        for name in
            ["Re5twell", "Res7well", "R3stwell", "Яestwell", "яestwell", "Rɘstwell", "RƎSTWELL", "Rəstwell"]
        {
            assert!(imitates_server(name, None), "{name}");
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
            assert!(imitates_server(name, None), "{name}");
        }
    }

    #[test]
    fn the_operators_name_is_reserved_as_a_whole() {
        let clinic = Some("Example Sleep Clinic");
        for name in
            ["Example Sleep Clinic", "EXAMPLE SLEEP CLINIC", "My Examp1e-Sleep-Clinic", "ExampleSleepClinic"]
        {
            assert!(imitates_server(name, clinic), "{name}");
            assert!(!imitates_server(name, None), "{name}");
        }
        for name in ["Sleep Clinic", "Example Sleep", "Example Sleep Clinics"] {
            assert!(!imitates_server(name, clinic), "{name}");
        }
        assert!(!imitates_server("Night Owl", Some("")) && !imitates_server("Night Owl", Some(" - ")));
    }

    #[test]
    fn other_names_are_free() {
        for name in [
            "Night Owl",
            "Forest Wellness",
            "Crestwell",
            "Everestwell",
            "Best Well",
            "Rest & Wellness",
            "Rest 7 Wells",
            "Unofficial Reader",
            "Schlafmütze & Co. 2",
            "Ресторан",
            "眠り",
            "می\u{200c}خواب",
        ] {
            assert!(!imitates_server(name, Some("Example Sleep Clinic")), "{name}");
        }
    }

    proptest! {
        #[test]
        fn an_added_word_does_not_hide_an_imitation(before in "[a-z]{0,9}", after in "[a-z]{0,9}") {
            let name = format!("{before} Restwell {after}");
            prop_assert!(imitates_server(&name, None));
        }

        #[test]
        fn added_letters_and_digits_do_not_hide_an_imitation(after in "[a-z0-9]{0,9}") {
            let name = format!("Restwell{after}");
            prop_assert!(imitates_server(&name, None));
        }

        #[test]
        fn comparing_arbitrary_names_does_not_panic(name in "\\PC{0,40}", operator in "\\PC{0,20}") {
            let _ = imitates_server(&name, Some(&operator));
        }
    }
}
