//! Characters that make a text look like another one: they are invisible or reorder the text around them
//! (Unicode Standard Annex 9, Unicode Technical Standard 39).

use std::borrow::Cow;
use unicode_normalization::char::canonical_combining_class;
use unicode_properties::{
    GeneralCategory, GeneralCategoryGroup, UnicodeEmoji as _, UnicodeGeneralCategory as _,
};

/// Combining class of a virama. A joiner after it selects the form of a letter (RFC 5892, A.1).
const VIRAMA: u8 = 9;

/// Returns the deceptive characters of a text with their byte positions: controls, the category Format
/// (bidirectional controls, zero-width characters, soft hyphens, tags), line and paragraph separators, and
/// invisible letters. A zero-width (non-)joiner is allowed where a script or an emoji needs it.
pub fn deceptive_characters(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    text.char_indices().filter(|(at, c)| is_deceptive(*c) && !is_needed_joiner(text, *at, *c))
}

/// Returns a text without its deceptive characters.
pub fn without_deceptive(text: &str) -> Cow<'_, str> {
    replaced(text, |_, _| {})
}

/// Returns a text with its deceptive characters escaped as in Rust, such as `\u{202e}` and `\n`.
pub fn escape_deceptive(text: &str) -> Cow<'_, str> {
    replaced(text, |out, c| out.extend(c.escape_default()))
}

/// Returns a text with each deceptive character replaced by what `push` adds for it.
pub fn replaced(text: &str, mut push: impl FnMut(&mut String, char)) -> Cow<'_, str> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, c) in deceptive_characters(text) {
        out.push_str(text.get(copied..at).unwrap_or_default());
        push(&mut out, c);
        copied = at.saturating_add(c.len_utf8());
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(text.get(copied..).unwrap_or_default());
    Cow::Owned(out)
}

/// Returns whether a text is a valid display name: one line of 1 to 100 characters, without surrounding
/// blanks and deceptive characters.
pub(crate) fn is_display_name(text: &str) -> bool {
    (1..=100).contains(&text.chars().count())
        && text.trim() == text
        && deceptive_characters(text).next().is_none()
}

/// Removes the deceptive characters that earlier versions allowed in names. Controls were never allowed.
pub(crate) fn stored_name(text: &str) -> Cow<'_, str> {
    if text.contains(char::is_control) { Cow::Borrowed(text) } else { without_deceptive(text) }
}

fn is_deceptive(c: char) -> bool {
    use GeneralCategory::{Control, Format, LineSeparator, ParagraphSeparator};
    if c.is_ascii() {
        return c.is_ascii_control();
    }
    // Invisible letters, marks and a symbol, and the plane of tags and variation selectors.
    let is_blank = matches!(
        c,
        '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{ffa0}'
            | '\u{e0000}'..='\u{e0fff}'
    );
    is_blank || matches!(c.general_category(), Control | Format | LineSeparator | ParagraphSeparator)
}

/// Returns whether a joiner has a visible effect: after a virama, between letters of Arabic or Indic scripts,
/// or between emoji.
fn is_needed_joiner(text: &str, at: usize, c: char) -> bool {
    if !matches!(c, '\u{200c}' | '\u{200d}') {
        return false;
    }
    let before = text.get(..at).and_then(|text| text.chars().next_back());
    let after = text.get(at.saturating_add(c.len_utf8())..).and_then(|text| text.chars().next());
    let Some(before) = before else { return false };
    canonical_combining_class(before) == VIRAMA
        || after.is_some_and(|after| {
            (has_joined_forms(before) && has_joined_forms(after))
                || (c == '\u{200d}' && is_emoji(before) && is_emoji(after))
        })
}

/// Returns whether a character belongs to the blocks from Arabic to Sinhala.
fn has_joined_forms(c: char) -> bool {
    let group = c.general_category_group();
    matches!(c, '\u{600}'..='\u{dff}')
        && matches!(group, GeneralCategoryGroup::Letter | GeneralCategoryGroup::Mark)
}

/// Returns whether a character is part of an emoji: a picture, a skin tone or the emoji variation selector.
fn is_emoji(c: char) -> bool {
    !c.is_ascii() && (c.is_emoji_char() || c == '\u{fe0f}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn invisible_characters_and_those_that_reorder_text_are_deceptive() {
        for c in "\u{0}\n\t\u{1b}\u{7f}\u{85}\u{ad}\u{34f}\u{61c}\u{115f}\u{180e}\u{200b}\u{200c}\u{200d}\u{200e}\
                  \u{200f}\u{2028}\u{2029}\u{202a}\u{202b}\u{202c}\u{202d}\u{202e}\u{2060}\u{2063}\u{2066}\u{2067}\
                  \u{2068}\u{2069}\u{206f}\u{2800}\u{3164}\u{feff}\u{ffa0}\u{fff9}\u{e0001}\u{e0041}\u{e0100}"
            .chars()
        {
            let text = format!("Night{c}Owl");
            assert_eq!(deceptive_characters(&text).collect::<Vec<_>>(), [(5, c)], "{c:?}");
            assert_eq!(without_deceptive(&text), "NightOwl");
            assert!(!is_display_name(&text), "{c:?}");
        }
    }

    #[test]
    fn names_of_any_script_are_fine_with_the_joiners_that_they_need() {
        for text in [
            "Night Owl",
            "Schlafmütze & Co. 2",
            "שלום",
            "眠り",
            "می\u{200c}خواب",
            "ক্\u{200d}ষ",
            "র\u{200d}্যাব",
            "അവന്\u{200d}",
            "ශ්\u{200d}රී",
            "\u{1f469}\u{200d}\u{1f4bb} sleeps",
            "\u{1f3f3}\u{fe0f}\u{200d}\u{1f308}",
            "\u{1f469}\u{1f3fd}\u{200d}\u{1f52c}",
            "\u{2764}\u{fe0f}",
        ] {
            assert!(is_display_name(text), "{text:?}");
            assert!(matches!(escape_deceptive(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn a_joiner_without_effect_is_deceptive() {
        for text in [
            "\u{200d}",
            "\u{200d}می",
            "می\u{200c}",
            "Night\u{200d}Owl",
            "Сон\u{200c}ник",
            "1\u{200d}2",
            "\u{1f469}\u{200c}\u{1f4bb}",
            "می\u{200c}\u{200c}خواب",
        ] {
            assert!(!is_display_name(text), "{text:?}");
        }
    }

    #[test]
    fn an_escaped_text_spells_out_the_deceptive_characters() {
        let text = "exp\u{202e}gpj.zip\u{feff}\n\u{7f}";
        assert_eq!(escape_deceptive(text), r"exp\u{202e}gpj.zip\u{feff}\n\u{7f}");
        assert_eq!(without_deceptive(text), "expgpj.zip");
    }

    #[test]
    fn a_display_name_is_one_line_of_1_to_100_characters() {
        assert!(is_display_name(&"é".repeat(100)));
        for text in ["", " x", "x ", "x\u{a0}", "a\nb", &"x".repeat(101)] {
            assert!(!is_display_name(text), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn an_escaped_text_holds_nothing_deceptive(text in "(\\PC|[\u{0}-\u{ff}\u{61c}\u{200b}-\u{202e}\u{2060}-\u{206f}])*") {
            let escaped = escape_deceptive(&text);
            prop_assert_eq!(deceptive_characters(&escaped).next(), None);
        }
    }
}
