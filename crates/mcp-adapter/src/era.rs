//! The era of a request (2026-07-28, basic/versioning).

use crate::error::ProtocolError;
use crate::header;
use crate::message::Call;
use actix_web::http::header::HeaderMap;
use serde_json::Value;

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

impl Era {
    /// Returns the era of a request, whose metadata is complete and agrees with its headers.
    pub(crate) fn from_request(headers: &HeaderMap, call: &Call) -> Result<Self, ProtocolError> {
        let header = header::version(headers)?;
        match call.meta(VERSION_KEY) {
            None => {
                let era = Self::of_header(header)?;
                if era == Self::Modern {
                    return Err(incomplete());
                }
                Ok(era)
            }
            Some(Value::String(declared)) => {
                if header != Some(declared) {
                    return Err(ProtocolError::header_mismatch("MCP-Protocol-Version"));
                }
                if declared != MODERN {
                    return Self::of_header(header);
                }
                if !call.meta(CAPABILITIES_KEY).is_some_and(Value::is_object) {
                    return Err(incomplete());
                }
                header::check(headers, call)?;
                Ok(Self::Modern)
            }
            Some(_) => Err(incomplete()),
        }
    }

    /// Returns the era of a header.
    pub(crate) fn of_header(version: Option<&str>) -> Result<Self, ProtocolError> {
        match version {
            None => Ok(Self::Legacy),
            Some(MODERN) => Ok(Self::Modern),
            Some(version) if VERSIONS.contains(&version) => Ok(Self::Legacy),
            Some(version) => Err(ProtocolError::unsupported_version(version)),
        }
    }
}

fn incomplete() -> ProtocolError {
    ProtocolError::invalid_parameters(
        "_meta must have io.modelcontextprotocol/protocolVersion and io.modelcontextprotocol/clientCapabilities.",
        Era::Modern,
    )
}

/// The version in which each request declares its version.
pub(crate) const MODERN: &str = "2026-07-28";
/// The latest version that begins with `initialize`.
pub(crate) const LATEST_LEGACY: &str = "2025-11-25";
/// The version of requests without `MCP-Protocol-Version`, the only one with batches.
pub(crate) const FIRST: &str = "2025-03-26";
/// Every version, latest first.
pub(crate) const VERSIONS: [&str; 4] = [MODERN, LATEST_LEGACY, "2025-06-18", FIRST];

/// How a request declares its version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Era {
    /// In `_meta`, on every request.
    Modern,
    /// Once, in `initialize`; later requests repeat it in a header.
    Legacy,
}

/// Returns the version to offer to a client that asks for one in `initialize`.
pub(crate) fn negotiate(asked: &str) -> &'static str {
    VERSIONS.into_iter().find(|version| *version == asked && asked != MODERN).unwrap_or(LATEST_LEGACY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;
    use serde_json::{Map, json};

    fn call(meta: &Value) -> Call {
        let mut params = Map::new();
        params.insert("_meta".to_owned(), meta.clone());
        Call { method: "tools/list".to_owned(), params }
    }

    fn era(headers: &[(&'static str, &str)], meta: &Value) -> Result<Era, i32> {
        let request = headers
            .iter()
            .fold(TestRequest::post(), |request, (name, value)| request.append_header((*name, *value)));
        Era::from_request(request.to_http_request().headers(), &call(meta)).map_err(|error| error.code())
    }

    fn meta(version: &str) -> Value {
        json!({ VERSION_KEY: version, CAPABILITIES_KEY: {} })
    }

    const VERSION: &str = "mcp-protocol-version";

    /// MCP 2026-07-28, Versioning, Protocol Version Negotiation.
    #[test]
    fn a_request_that_declares_its_version_is_modern() {
        let headers = [(VERSION, MODERN), ("mcp-method", "tools/list")];
        assert_eq!(era(&headers, &meta(MODERN)), Ok(Era::Modern));
    }

    /// MCP 2026-07-28, Versioning, Backward Compatibility.
    #[test]
    fn a_request_without_metadata_is_legacy_if_its_header_is() {
        assert_eq!(era(&[], &json!({})), Ok(Era::Legacy));
        assert_eq!(era(&[], &json!("no object")), Ok(Era::Legacy));
        for version in [LATEST_LEGACY, "2025-06-18", FIRST] {
            assert_eq!(era(&[(VERSION, version)], &json!({})), Ok(Era::Legacy));
            assert_eq!(era(&[(VERSION, version)], &meta(version)), Ok(Era::Legacy));
        }
        assert_eq!(era(&[(VERSION, MODERN)], &json!({})), Err(-32_602));
    }

    /// MCP 2026-07-28, Streamable HTTP, Protocol Version Header.
    #[test]
    fn a_version_other_than_in_the_header_is_a_mismatch() {
        for headers in [&[][..], &[(VERSION, LATEST_LEGACY)], &[(VERSION, "1999-01-01")]] {
            assert_eq!(era(headers, &meta(MODERN)), Err(-32_020));
        }
        assert_eq!(era(&[(VERSION, MODERN), (VERSION, MODERN)], &meta(MODERN)), Err(-32_020));
    }

    /// MCP 2026-07-28, Versioning, Protocol Version Negotiation.
    #[test]
    fn an_unknown_version_is_unsupported() {
        assert_eq!(era(&[(VERSION, "1999-01-01")], &json!({})), Err(-32_022));
        assert_eq!(era(&[(VERSION, "1999-01-01")], &meta("1999-01-01")), Err(-32_022));
    }

    #[test]
    fn metadata_without_capabilities_is_incomplete_2026_07_28_basic_meta() {
        let headers = [(VERSION, MODERN), ("mcp-method", "tools/list")];
        for meta in [json!({ VERSION_KEY: MODERN }), json!({ VERSION_KEY: MODERN, CAPABILITIES_KEY: 1 })] {
            assert_eq!(era(&headers, &meta), Err(-32_602));
        }
        assert_eq!(era(&headers, &json!({ VERSION_KEY: 1, CAPABILITIES_KEY: {} })), Err(-32_602));
    }

    /// MCP 2025-11-25, Lifecycle, Version Negotiation.
    #[test]
    fn an_unknown_version_is_answered_with_the_latest_legacy_one() {
        assert_eq!(negotiate("2025-06-18"), "2025-06-18");
        for asked in [MODERN, "2024-11-05", ""] {
            assert_eq!(negotiate(asked), LATEST_LEGACY);
        }
    }
}
