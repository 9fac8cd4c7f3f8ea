//! The person an Observation is about.

use super::resource::Reference;

/// Known identifiers of the one person of an import.
#[derive(Debug, Default)]
pub(super) struct Subject {
    reference: Option<String>,
    identifier: Option<String>,
    display: Option<String>,
}

impl Subject {
    /// Returns whether this may be the same person as in earlier records; an unnamed person may be anyone.
    ///
    /// The first kind of identifier that both have decides: reference, identifier, display name.
    pub(super) fn admits(&mut self, named: &Reference) -> bool {
        let reference = named.target.as_str().map(|text| last_two(text).to_owned());
        let identifier = named.identifier.value.identifier();
        let display = named.display.as_str().map(str::to_owned);
        let same = same(self.reference.as_ref(), reference.as_ref())
            .or_else(|| same(self.identifier.as_ref(), identifier.as_ref()))
            .or_else(|| same(self.display.as_ref(), display.as_ref()))
            .unwrap_or(true);
        if same {
            self.reference = self.reference.take().or(reference);
            self.identifier = self.identifier.take().or(identifier);
            self.display = self.display.take().or(display);
        }
        same
    }
}

fn same(one: Option<&String>, other: Option<&String>) -> Option<bool> {
    Some(one? == other?)
}

/// Returns `Patient/7` for `https://fhir.example.org/r4/Patient/7/_history/2`; a text without a slash is
/// unchanged.
pub(super) fn last_two(reference: &str) -> &str {
    let reference = reference.split("/_history/").next().unwrap_or(reference);
    let kind = reference.rsplit_once('/').and_then(|(before, _)| before.rfind('/'));
    kind.and_then(|slash| reference.get(slash.saturating_add(1)..)).unwrap_or(reference)
}
