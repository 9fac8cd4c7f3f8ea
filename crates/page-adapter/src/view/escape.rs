//! Escaping of texts.

use askama::filters::{Escaper, Html};
use domain::deceptive_text::replaced;
use std::fmt;

/// Escapes for HTML, and shows deceptive characters as the replacement character (security.md T33).
///
/// Names may be in any script. They must not imitate another name or reorder the words around them, such as
/// the host next to the name of an app on the consent page.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageText;

impl Escaper for PageText {
    fn write_escaped_str<W: fmt::Write>(&self, mut dest: W, text: &str) -> fmt::Result {
        let shown =
            replaced(text, |out, c| out.push(if c == '\n' { c } else { char::REPLACEMENT_CHARACTER }));
        Html.write_escaped_str(&mut dest, &shown)
    }
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
    fn a_direction_override_is_shown_instead_of_applied() {
        assert_eq!(escaped("\u{202e}owl\u{2066}\0"), "\u{fffd}owl\u{fffd}\u{fffd}");
    }

    #[test]
    fn invisible_characters_are_shown() {
        assert_eq!(
            escaped("Magne\u{ad}sium\u{200b}\u{200f}\nB\u{feff}"),
            "Magne\u{fffd}sium\u{fffd}\u{fffd}\nB\u{fffd}"
        );
    }

    #[test]
    fn any_script_and_joined_emoji_stay_unchanged() {
        for text in ["\u{5e9}\u{5dc}\u{5d5}\u{5dd}", "\u{1f469}\u{200d}\u{1f4bb}", "caf\u{e9}"] {
            assert_eq!(escaped(text), text);
        }
    }

    proptest! {
        #[test]
        fn no_text_leaves_markup_behind(text in "\\PC*|[<>&\"'\u{0}-\u{1f}\u{202a}-\u{202e}]*") {
            let out = escaped(&text);
            let dangerous = ['<', '>', '"', '\'', '\0', '\u{202e}', '\u{200b}'];
            prop_assert!(!out.contains(dangerous));
        }
    }
}
