//! Names of the parameters that a data endpoint ignores (decisions 5).

use crate::parameter::Pair;

/// Names that are listed at most, and the length of one: callers can send any.
const MAX_NAMES: usize = 10;
const MAX_CHARACTERS: usize = 40;

/// Value of `Restwell-Ignored-Parameters`.
#[derive(Clone)]
pub(crate) struct IgnoredParameters(String);

impl IgnoredParameters {
    /// Lists the parameters that are not known, once each and in their order; `None` if all are known. Names
    /// that are not made of letters, digits and `_.-` are omitted.
    pub(super) fn among(pairs: &[Pair<'_>], known: &[&str]) -> Option<Self> {
        let mut names: Vec<&str> = Vec::new();
        for Pair { name, .. } in pairs {
            let name = name.as_ref();
            let is_new = !known.contains(&name) && !names.contains(&name);
            if is_new && is_plain(name) && names.len() < MAX_NAMES {
                names.push(name);
            }
        }
        (!names.is_empty()).then(|| Self(names.join(", ")))
    }

    /// Returns the value.
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-');
    (1..=MAX_CHARACTERS).contains(&name.len()) && name.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::query::changes;
    use crate::data::{sleep, supplements};
    use crate::parameter::parse;
    use proptest::prelude::*;

    fn ignored(query: &str, known: &[&str]) -> Option<String> {
        IgnoredParameters::among(&parse(query).ok()?, known).map(|names| names.0)
    }

    #[test]
    fn unknown_parameters_are_named_once_in_their_order() {
        let query = "start_date=2026-01-01&page=1&pagesize=5&start_date=x&endDate=2026-01-02";
        assert_eq!(ignored(query, sleep::KNOWN).as_deref(), Some("start_date, pagesize"));
        assert_eq!(ignored("endDate=2026-01-02", supplements::KNOWN).as_deref(), Some("endDate"));
        assert_eq!(ignored("page=1", &[]).as_deref(), Some("page"));
        assert_eq!(ignored("cursor=x&page=1", changes::KNOWN).as_deref(), Some("page"));
    }

    #[test]
    fn known_absent_and_unreadable_parameters_are_not_named() {
        for query in ["", "page=1&pageSize=2&sort=asc", "=1", "%zz=1", "a%0d%0ab=1", "a%20b=1", "%C3%A9=1"] {
            assert_eq!(ignored(query, sleep::KNOWN), None, "{query}");
        }
        assert_eq!(ignored(&format!("{}=1", "x".repeat(41)), sleep::KNOWN), None);
        let many: Vec<String> = (0..50).map(|number| format!("n{number}=1")).collect();
        let named = ignored(&many.join("&"), sleep::KNOWN).unwrap();
        assert_eq!(named.split(", ").count(), 10);
    }

    proptest! {
        #[test]
        fn the_value_always_fits_a_header(query in ".{0,80}") {
            if let Some(names) = ignored(&query, sleep::KNOWN) {
                prop_assert!(actix_web::http::header::HeaderValue::from_str(&names).is_ok());
            }
        }
    }
}
