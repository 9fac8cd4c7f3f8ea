//! Words of a search for products.

use super::SupplementLabel;

/// Characters that separate words, like blanks. The stores split labels in the same way.
const PUNCTUATION: &str = "-,.;:/\\()[]'\"&+*%#!?_|";
/// Characters of name and brand that are searched.
const SEARCHED_CHARS: usize = 300;

/// Words of a query. A label matches if a word of its name or brand begins with each of them.
///
/// Letters A to Z match in any case, other letters only as they are, because both stores have to agree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchWords(Vec<String>);

impl SearchWords {
    /// Maximum number of words; further ones are ignored.
    pub const MAX: usize = 6;
    /// Maximum length of a query in characters.
    pub const MAX_QUERY: usize = 200;

    /// Splits a query into words; `None` if it has no word or is too long.
    pub fn parse(query: &str) -> Option<Self> {
        if query.chars().nth(Self::MAX_QUERY).is_some() || query.chars().any(char::is_control) {
            return None;
        }
        let text = blank_separated(query);
        let words: Vec<_> = text.split_ascii_whitespace().take(Self::MAX).map(str::to_owned).collect();
        (!words.is_empty()).then_some(Self(words))
    }

    /// Lists the words; there is at least one.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }

    /// Returns the beginning of the text of every label whose name begins with the query.
    pub fn beginning(&self) -> String {
        format!(" {}", self.0.join(" "))
    }

    /// Returns whether a label matches.
    pub fn matches(&self, label: &SupplementLabel) -> bool {
        let text = search_text(label);
        self.0.iter().all(|word| text.contains(&format!(" {word}")))
    }
}

/// Returns the text of a label that is searched: a blank before each word.
fn search_text(label: &SupplementLabel) -> String {
    let text = blank_separated(&format!(" {} {}", label.name(), label.brand()));
    text.chars().take(SEARCHED_CHARS).collect()
}

fn blank_separated(text: &str) -> String {
    text.to_ascii_lowercase().replace(|letter| PUNCTUATION.contains(letter), " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supplement::SupplementLabelFields;

    fn label(name: &str, brand: &str) -> SupplementLabel {
        let fields = SupplementLabelFields { name: name.into(), brand: brand.into(), ..Default::default() };
        SupplementLabel::new(fields).unwrap()
    }

    fn matches(query: &str, label: &SupplementLabel) -> bool {
        SearchWords::parse(query).unwrap().matches(label)
    }

    #[test]
    fn each_word_begins_a_word_of_name_or_brand() {
        let drops = label("Vitamin D-3 (1,000 IU) Drops", "N.O.W.");
        for query in ["vitamin d", "VIT D", "drops vit", "d 3", "1,000 iu", "n.o.w"] {
            assert!(matches(query, &drops), "{query}");
        }
        for query in ["itamin", "vitamin c", "d3", "magnesium"] {
            assert!(!matches(query, &drops), "{query}");
        }
    }

    #[test]
    fn a_query_needs_a_word_and_has_an_end() {
        for query in ["", "  ", "-- ()", "a\u{0}b", &"a".repeat(201)] {
            assert_eq!(SearchWords::parse(query), None, "{query}");
        }
        assert_eq!(SearchWords::parse("a b c d e f g h").unwrap().iter().count(), SearchWords::MAX);
        assert_eq!(SearchWords::parse("Vitamin  D").unwrap().beginning(), " vitamin d");
    }
}
