//! Requests of a client, summed by UTC day, endpoint and status; identifies no person (ADR 71).

use crate::data_endpoint::PersonEndpoint;
use crate::id::ClientId;
use chrono::{DateTime, NaiveDate, Utc};

/// Endpoint that a client used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UsedEndpoint {
    /// An endpoint with a daily limit; at the MCP endpoint, the data that a tool read.
    Person(PersonEndpoint),
    /// The authorization endpoint; only rejected requests are counted.
    Authorize,
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
            Self::Authorize => "authorize",
            Self::Token => "token",
            Self::Mcp => "mcp",
        }
    }

    /// Parses the name.
    pub fn parse(text: &str) -> Option<Self> {
        let others = [Self::Authorize, Self::Token, Self::Mcp];
        PersonEndpoint::all().map(Self::Person).chain(others).find(|endpoint| endpoint.as_str() == text)
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

/// Why a request was rejected, for the client's developer; names no person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejection {
    /// The check that failed.
    pub reason: String,
    /// When.
    pub at: DateTime<Utc>,
}

/// Sum of the requests with one key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ClientUsage {
    /// Key.
    pub key: UsageKey,
    /// Number of requests.
    pub requests: u64,
    /// Smallest number of requests that any person's daily limit still allowed after one of them; `None` if
    /// none was counted against a limit.
    pub fewest_left: Option<u32>,
    /// The latest rejection whose reason is known.
    pub rejection: Option<Rejection>,
}

impl ClientUsage {
    /// Adds another sum with the same key.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            key: self.key,
            requests: self.requests.saturating_add(other.requests),
            fewest_left: self.fewest_left.into_iter().chain(other.fewest_left).min(),
            rejection: self.rejection.into_iter().chain(other.rejection).max_by_key(|rejection| rejection.at),
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
        ClientUsage { key, requests, fewest_left, rejection: None }
    }

    #[test]
    fn the_latest_rejection_of_a_sum_is_known() {
        let rejected = |second| {
            let at = DateTime::from_timestamp(second, 0).unwrap();
            ClientUsage { rejection: Some(Rejection { reason: second.to_string(), at }), ..usage(1, None) }
        };
        for sum in
            [rejected(1).plus(rejected(2)), rejected(2).plus(rejected(1)), rejected(2).plus(usage(1, None))]
        {
            assert_eq!(sum.rejection, rejected(2).rejection);
        }
        assert_eq!(usage(1, None).plus(rejected(1)).rejection, rejected(1).rejection);
    }

    #[test]
    fn an_endpoint_is_known_by_its_name() {
        let names =
            ["profile", "sleep", "supplements", "changes", "export", "ingest", "authorize", "token", "mcp"];
        for name in names {
            assert_eq!(UsedEndpoint::parse(name).map(UsedEndpoint::as_str), Some(name));
        }
        assert_eq!(UsedEndpoint::parse("whim"), None);
    }

    proptest! {
        #[test]
        fn a_sum_does_not_depend_on_the_order(one: Option<u32>, two: Option<u32>, three: Option<u32>) {
            let [one, two, three] = [usage(1, one), usage(2, two), usage(3, three)];
            let fewest = [&one, &two, &three].iter().filter_map(|sum| sum.fewest_left).min();
            let sum = one.clone().plus(two.clone()).plus(three.clone());
            prop_assert_eq!((sum.requests, sum.fewest_left), (6, fewest));
            prop_assert_eq!(sum, three.plus(one).plus(two));
        }
    }
}
