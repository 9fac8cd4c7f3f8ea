//! Names of the parameters that a data endpoint ignores (decisions 5).

use super::{changes, sleep, supplements};
use crate::parameter::parse;
use domain::data_endpoint::PersonEndpoint;
use domain::data_kind::DataKind;

/// Names that are listed at most, and the length of one: callers can send any.
const MAX_NAMES: usize = 10;
const MAX_CHARACTERS: usize = 40;

/// Value of `Restwell-Ignored-Parameters`.
#[derive(Clone)]
pub(crate) struct IgnoredParameters(String);

impl IgnoredParameters {
    /// Lists the parameters of a query that this endpoint does not know, once each and in their order;
    /// `None` if it knows all. Names that are not made of letters, digits and `_.-` are left out.
    pub(crate) fn find(query: &str, endpoint: PersonEndpoint) -> Option<Self> {
        if query.is_empty() {
            return None;
        }
        let known: &[&str] = match endpoint {
            PersonEndpoint::Data(DataKind::Profile) => &[],
            PersonEndpoint::Data(DataKind::Sleep) => sleep::KNOWN,
            PersonEndpoint::Data(DataKind::Supplements) => supplements::KNOWN,
            PersonEndpoint::Changes => changes::KNOWN,
            PersonEndpoint::Export | PersonEndpoint::Ingest => return None,
        };
        let mut names: Vec<String> = Vec::new();
        for pair in parse(query).ok()? {
            let is_new = !known.contains(&pair.name.as_ref()) && !names.iter().any(|name| *name == pair.name);
            if is_new && is_plain(&pair.name) && names.len() < MAX_NAMES {
                names.push(pair.name.into_owned());
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
    use proptest::prelude::*;

    fn ignored(query: &str, kind: DataKind) -> Option<String> {
        IgnoredParameters::find(query, PersonEndpoint::Data(kind)).map(|names| names.0)
    }

    #[test]
    fn unknown_parameters_are_named_once_in_their_order() {
        let query = "start_date=2026-01-01&page=1&pagesize=5&start_date=x&endDate=2026-01-02";
        assert_eq!(ignored(query, DataKind::Sleep).as_deref(), Some("start_date, pagesize"));
        assert_eq!(ignored("endDate=2026-01-02", DataKind::Supplements).as_deref(), Some("endDate"));
        assert_eq!(ignored("page=1", DataKind::Profile).as_deref(), Some("page"));
        let of_changes = IgnoredParameters::find("cursor=x&page=1", PersonEndpoint::Changes);
        assert_eq!(of_changes.map(|names| names.0).as_deref(), Some("page"));
    }

    #[test]
    fn known_absent_and_unreadable_parameters_are_not_named() {
        for query in ["", "page=1&pageSize=2&sort=asc", "=1", "%zz=1", "a%0d%0ab=1", "a%20b=1", "%C3%A9=1"] {
            assert_eq!(ignored(query, DataKind::Sleep), None, "{query}");
        }
        assert_eq!(ignored(&format!("{}=1", "x".repeat(41)), DataKind::Sleep), None);
        let many: Vec<String> = (0..50).map(|number| format!("n{number}=1")).collect();
        let named = ignored(&many.join("&"), DataKind::Sleep).unwrap();
        assert_eq!(named.split(", ").count(), 10);
    }

    proptest! {
        #[test]
        fn the_value_always_fits_a_header(query in ".{0,80}") {
            if let Some(names) = ignored(&query, DataKind::Sleep) {
                prop_assert!(actix_web::http::header::HeaderValue::from_str(&names).is_ok());
            }
        }
    }
}
