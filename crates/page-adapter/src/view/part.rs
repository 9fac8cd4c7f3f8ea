//! Parts shared by several pages.

use super::profile_field;
use domain::data_kind::DataKind;
use domain::listed;
use domain::scope::ScopeSet;

/// Signed-in person, for the navigation and the sign-out button.
#[derive(Clone)]
pub(crate) struct Person {
    /// Address of the account.
    pub(crate) email: String,
    /// Id of the person, which the URLs of their data contain.
    pub(crate) user_id: String,
    /// Token of the browser's forms.
    pub(crate) form_token: String,
}

/// Time, for people and for programs.
#[derive(Clone)]
pub(crate) struct Moment {
    /// Text in the person's zone: `3 November 2026, 07:12`.
    pub(crate) text: String,
    /// Value of `<time datetime>`: `2026-11-03T06:12:00Z`, or a date alone.
    pub(crate) machine: String,
}

/// Scope as a checkbox, of those that a person can grant (decisions 3).
#[derive(Clone)]
pub(crate) struct ScopeLine {
    kind: DataKind,
    /// Whether its box is ticked.
    pub(crate) is_ticked: bool,
}

impl ScopeLine {
    /// Returns a line for each scope of `offered`, ticked if it is in `ticked`.
    pub(crate) fn list(offered: ScopeSet, ticked: ScopeSet) -> Vec<Self> {
        let kinds = DataKind::ALL.into_iter().filter(|kind| offered.contains(kind.scope()));
        kinds.map(|kind| Self { kind, is_ticked: ticked.contains(kind.scope()) }).collect()
    }

    /// Returns the protocol name, for the form.
    pub(crate) const fn value(&self) -> &'static str {
        self.kind.scope().as_str()
    }

    /// Returns the data of the scope in a few words.
    pub(crate) fn title(&self) -> String {
        format!("Read your {}", noun(self.kind))
    }

    /// Returns a description of the data.
    pub(crate) const fn detail(&self) -> &'static str {
        words(self.kind).detail
    }

    /// Returns the data of the scope in a few words, for the developer of an app.
    pub(crate) const fn app_title(&self) -> &'static str {
        words(self.kind).app_title
    }

    /// Returns a description of the data for the developer of an app.
    pub(crate) const fn app_detail(&self) -> &'static str {
        words(self.kind).app_detail
    }
}

/// Words for a kind of data, to people and to developers of apps.
struct Words {
    noun: &'static str,
    detail: &'static str,
    app_title: &'static str,
    app_detail: &'static str,
}

const fn words(kind: DataKind) -> Words {
    match kind {
        DataKind::Profile => Words {
            noun: "profile",
            detail: profile_field::LIST,
            app_title: "Read profiles",
            app_detail: profile_field::LIST,
        },
        DataKind::Sleep => Words {
            noun: "nights",
            detail: "All past and future nights: when you went to bed, sleep stages, measures",
            app_title: "Read nights",
            app_detail: "All past and future nights: time in bed, sleep stages, measures",
        },
        DataKind::Supplements => Words {
            noun: "supplements",
            detail: "All past and future intakes: what you take, how much, and when",
            app_title: "Read supplements",
            app_detail: "All past and future intakes: product, amount, time",
        },
    }
}

/// Describes the data of a set of scopes in one line: `profile, nights and supplements`.
pub(crate) fn readable(scopes: ScopeSet) -> String {
    let kinds = DataKind::ALL.into_iter().filter(|kind| scopes.contains(kind.scope()));
    let names: Vec<_> = kinds.map(noun).collect();
    if names.is_empty() { "nothing".to_owned() } else { listed(&names, "and") }
}

/// Returns the word for data of this kind.
pub(crate) const fn noun(kind: DataKind) -> &'static str {
    words(kind).noun
}

/// Formats a number with thousands separators.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 2);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::scope::Scope;

    #[test]
    fn a_set_of_scopes_reads_like_a_sentence() {
        assert_eq!(readable(ScopeSet::EMPTY), "nothing");
        assert_eq!(readable(ScopeSet::from_iter([Scope::Sleep])), "nights");
        assert_eq!(readable(ScopeSet::from_iter([Scope::Sleep, Scope::Profile])), "profile and nights");
        assert_eq!(readable(ScopeSet::CONSENTABLE), "profile, nights and supplements");
    }

    #[test]
    fn a_person_is_never_offered_a_service_scope() {
        for line in ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY) {
            assert!(line.title().starts_with("Read your "), "{}", line.value());
        }
    }

    #[test]
    fn a_developer_reads_about_the_data_of_other_people() {
        for line in ScopeLine::list(ScopeSet::CONSENTABLE, ScopeSet::EMPTY) {
            assert!(line.app_title().starts_with("Read "), "{}", line.value());
            for text in [line.app_title(), line.app_detail()] {
                assert!(!text.contains("you"), "{text}");
            }
        }
    }

    #[test]
    fn thousands_are_separated() {
        let texts = [0, 12, 999, 1000, 10_000, 1_234_567].map(grouped);
        assert_eq!(texts, ["0", "12", "999", "1,000", "10,000", "1,234,567"]);
    }
}
