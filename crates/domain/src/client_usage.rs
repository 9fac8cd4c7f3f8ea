//! Requests of a client, summed by UTC day, endpoint and status; identifies no person (ADR 71).

use crate::data_endpoint::PersonEndpoint;
use crate::id::ClientId;
use chrono::NaiveDate;

/// Endpoint that a client used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsedEndpoint {
    /// An endpoint with a daily limit; at the MCP endpoint, the data that a tool read.
    Person(PersonEndpoint),
    /// An endpoint that issues or checks tokens.
    Token,
    /// The MCP endpoint, for messages that read no data.
    Mcp,
}

impl UsedEndpoint {
    /// Returns the name used in the store and shown to developers.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Person(endpoint) => endpoint.as_str(),
            Self::Token => "token",
            Self::Mcp => "mcp",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        let all = PersonEndpoint::ALL.map(Self::Person).into_iter().chain([Self::Token, Self::Mcp]);
        all.into_iter().find(|endpoint| endpoint.as_str() == text)
    }
}

/// Key of a sum.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct UsageKey {
    /// The client.
    pub client_id: ClientId,
    /// The UTC day of the response.
    pub day: NaiveDate,
    /// The endpoint.
    pub endpoint: UsedEndpoint,
    /// HTTP status of the response.
    pub status: u16,
}

/// Sum of the requests with one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientUsage {
    /// Key.
    pub key: UsageKey,
    /// Number of requests.
    pub requests: u64,
    /// Smallest number of requests that any person's daily limit still allowed after one of them; `None` if
    /// none was counted against a limit.
    pub fewest_left: Option<u32>,
}

impl ClientUsage {
    /// Adds another sum with the same key.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            key: self.key,
            requests: self.requests.saturating_add(other.requests),
            fewest_left: self.fewest_left.into_iter().chain(other.fewest_left).min(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    fn usage(requests: u64, fewest_left: Option<u32>) -> ClientUsage {
        let (client_id, day) = (ClientId::from_uuid(Uuid::nil()), NaiveDate::MIN);
        let key = UsageKey { client_id, day, endpoint: UsedEndpoint::Token, status: 200 };
        ClientUsage { key, requests, fewest_left }
    }

    #[test]
    fn an_endpoint_is_known_by_its_name() {
        let names = ["profile", "sleep", "supplements", "changes", "export", "ingest", "token", "mcp"];
        for name in names {
            assert_eq!(UsedEndpoint::parse(name).map(UsedEndpoint::as_str), Some(name));
        }
        assert_eq!(UsedEndpoint::parse("whim"), None);
    }

    proptest! {
        #[test]
        fn a_sum_does_not_depend_on_the_order(one: Option<u32>, two: Option<u32>, three: Option<u32>) {
            let [one, two, three] = [usage(1, one), usage(2, two), usage(3, three)];
            let sum = one.plus(two).plus(three);
            prop_assert_eq!(sum, three.plus(one).plus(two));
            prop_assert_eq!(sum.requests, 6);
            prop_assert_eq!(sum.fewest_left, [one, two, three].iter().filter_map(|sum| sum.fewest_left).min());
        }
    }
}
