//! Text chosen by others does not become markup (security.md T33).

use super::{Tag, tags};
use crate::view::sample::{plain, samples};

/// Suffix of every such text: markup, both quotes, a character reference, a direction override, and a mark to
/// find it again.
const HOSTILE: &str =
    "<script>alert(1)</script>\"' onfocus=\"x\" autofocus a='&lt;b>{{ 1 }}\u{202e}\u{2066}\u{0}MARK";
const AS_TEXT: &str = "&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39; onfocus=&#34;x&#34; autofocus a=&#39;&#38;lt;b&#62;{{ 1 }}\u{fffd}\u{fffd}\u{fffd}MARK";
const MARK: &str = "MARK";

fn hostile(text: &str) -> String {
    format!("{text}{HOSTILE}")
}

/// Returns the structure of a page: its tags with the names of their attributes.
fn shape<'a>(html: &'a str) -> Vec<(&'a str, Vec<&'a str>)> {
    let names = |tag: Tag<'a>| tag.attributes.iter().map(|(name, _)| *name).collect();
    tags(html).into_iter().map(|tag| (tag.name, names(tag))).collect()
}

// T33
#[test]
fn a_hostile_text_never_becomes_markup() {
    for (good, bad) in samples(plain).iter().zip(samples(hostile)) {
        assert_eq!(shape(&bad.html), shape(&good.html), "{}", bad.name);
    }
}

// T33
#[test]
fn every_hostile_text_is_escaped_completely() {
    let mut seen = 0;
    for sample in samples(hostile) {
        let marks = sample.html.matches(MARK).count();
        let escaped = sample.html.matches(AS_TEXT).count();
        let in_query =
            ["?before=", "&amp;events=", "&amp;source="].map(|name| sample.html.matches(name).count());
        assert_eq!(marks, escaped + in_query.iter().sum::<usize>(), "{}", sample.name);
        seen += marks;
        // The only script, which has no text; `markup` checks on which pages it is.
        let html = sample.html.replace("<script src=\"/assets/passkeys.js\" defer></script>", "");
        for raw in ["<script", "\u{202e}", "\u{2066}", "\u{0}", "&lt;"] {
            assert!(!html.contains(raw), "{raw:?} in {}", sample.name);
        }
    }
    assert!(seen > 100, "the samples hold few texts that somebody else could choose: {seen}");
}

// T33
#[test]
fn text_in_a_url_is_encoded_for_urls() {
    let samples = samples(hostile);
    let activity = samples.iter().find(|sample| sample.name == "activity").unwrap();
    let (_, after) = activity.html.split_once("?before=").unwrap();
    let (query, _) = after.split_once('"').unwrap();
    let is_encoded = |c: char| c.is_ascii_alphanumeric() || "%-_.".contains(c);
    let (read, event) = query.split_once("&amp;events=").unwrap();
    assert!(read.chars().chain(event.chars()).all(is_encoded), "{query}");
}
