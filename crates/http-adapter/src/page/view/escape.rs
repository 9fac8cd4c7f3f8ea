//! How a text gets into a page.

use askama::filters::{Escaper, Html};
use std::fmt;

/// Escapes for HTML, and shows what would turn the writing direction of the text after it (security.md T33).
///
/// The name of an app may be in any script. What it must not do is reorder the words around it, such as the host
/// beside it on the consent page: the embedding, override and isolate controls of Unicode (Annex 9) come out as the
/// replacement character, and so do control characters, which HTML does not know.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageText;

impl Escaper for PageText {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        for (position, part) in text.split(turns_direction).enumerate() {
            if position > 0 {
                dest.write_char(char::REPLACEMENT_CHARACTER)?;
            }
            Html.write_escaped_str(&mut dest, part)?;
        }
        Ok(())
    }
}

fn turns_direction(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}') || (c.is_control() && c != '\n')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn escaped(text: &str) -> String {
        let mut out = String::new();
        PageText.write_escaped_str(&mut out, text).unwrap();
        out
    }

    #[test]
    fn markup_and_quotes_are_escaped() {
        assert_eq!(escaped("<b a=\"'\">&"), "&#60;b a=&#34;&#39;&#34;&#62;&#38;");
    }

    #[test]
    fn an_override_of_the_direction_is_shown_instead_of_obeyed() {
        assert_eq!(escaped("\u{202e}owl\u{2066}\0"), "\u{fffd}owl\u{fffd}\u{fffd}");
    }

    #[test]
    fn any_script_and_joined_emoji_come_out_as_they_are() {
        for text in ["\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{1f469}\u{200d}\u{1f4bb}", "\u{200f}caf\u{e9}"] {
            assert_eq!(escaped(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_leaves_markup_behind(text in "\\PC*|[<>&\"'\u{0}-\u{1f}\u{202a}-\u{202e}]*") {
            let out = escaped(&text);
            let dangerous = ['<', '>', '"', '\'', '\0', '\u{202e}'];
            prop_assert!(!out.contains(dangerous));
        }
    }
}
