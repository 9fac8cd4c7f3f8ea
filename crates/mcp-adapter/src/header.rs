//! Headers that repeat parts of the body, so that proxies can route without reading it (2026-07-28,
//! basic/transports/streamable-http, Request Metadata).

use crate::error::ProtocolError;
use crate::message::Call;
use actix_web::http::header::HeaderMap;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::borrow::Cow;

const VERSION: &str = "MCP-Protocol-Version";
const METHOD: &str = "Mcp-Method";
const NAME: &str = "Mcp-Name";

/// Returns the protocol version in the headers.
pub(crate) fn version(headers: &HeaderMap) -> Result<Option<&str>, ProtocolError> {
    single(headers, VERSION)
}

/// Checks that the headers of a modern request agree with its body.
pub(crate) fn check(headers: &HeaderMap, call: &Call) -> Result<(), ProtocolError> {
    if single(headers, METHOD)? != Some(call.method.as_str()) {
        return Err(ProtocolError::header_mismatch(METHOD));
    }
    if call.method == "tools/call" {
        let named = single(headers, NAME)?.and_then(decoded);
        if named.is_none() || named.as_deref() != call.text("name") {
            return Err(ProtocolError::header_mismatch(NAME));
        }
    }
    Ok(())
}

/// Returns the value of a header that is sent at most once.
fn single<'a>(headers: &'a HeaderMap, name: &'static str) -> Result<Option<&'a str>, ProtocolError> {
    let mut values = headers.get_all(name);
    let (first, None) = (values.next(), values.next()) else {
        return Err(ProtocolError::header_mismatch(name));
    };
    let text = first.map(|value| value.to_str()).transpose();
    text.map_err(|_| ProtocolError::header_mismatch(name))
}

/// Decodes a value that is not plain ASCII: `=?base64?...?=`; `None` if it is malformed.
fn decoded(value: &str) -> Option<Cow<'_, str>> {
    let encoded = value.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?="));
    let Some(encoded) = encoded else { return Some(Cow::Borrowed(value)) };
    String::from_utf8(STANDARD.decode(encoded).ok()?).ok().map(Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::http::header::HeaderValue;
    use actix_web::test::TestRequest;
    use serde_json::{Map, json};

    fn code(headers: &[(&'static str, &str)]) -> Option<i32> {
        let params = Map::from_iter([("name".to_owned(), json!("get_sleep"))]);
        let call = Call { method: "tools/call".to_owned(), params };
        let request = headers
            .iter()
            .fold(TestRequest::post(), |request, (name, value)| request.append_header((*name, *value)));
        check(request.to_http_request().headers(), &call).err().map(|error| error.code())
    }

    /// MCP 2026-07-28, Streamable HTTP, Case Sensitivity.
    #[test]
    fn method_and_name_agree_with_the_body() {
        for name in ["mcp-method", "MCP-METHOD", "Mcp-Method"] {
            assert_eq!(code(&[(name, "tools/call"), ("mcp-name", "get_sleep")]), None);
        }
    }

    /// MCP 2026-07-28, Streamable HTTP, Value Encoding.
    #[test]
    fn an_encoded_name_agrees_with_the_body() {
        assert_eq!(code(&[("mcp-method", "tools/call"), ("mcp-name", "=?base64?Z2V0X3NsZWVw?=")]), None);
    }

    /// MCP 2026-07-28, Streamable HTTP, Server Validation.
    #[test]
    fn a_missing_wrong_or_repeated_header_is_a_mismatch() {
        let method = ("mcp-method", "tools/call");
        for headers in [
            &[("mcp-name", "get_sleep")][..],
            &[("mcp-method", "Tools/call"), ("mcp-name", "get_sleep")],
            &[method],
            &[method, ("mcp-name", "get_night")],
            &[method, ("mcp-name", "get_sleep"), ("mcp-name", "get_sleep")],
            &[method, method, ("mcp-name", "get_sleep")],
            &[method, ("mcp-name", "=?base64?Z2V0X25pZ2h0?=")],
            &[method, ("mcp-name", "=?base64?Z2V0X3NsZWVw!?=")],
            &[method, ("mcp-name", "=?BASE64?Z2V0X3NsZWVw?=")],
            &[method, ("mcp-name", "=?base64?/w==?=")],
        ] {
            assert_eq!(code(headers), Some(-32_020), "{headers:?}");
        }
    }

    /// MCP 2026-07-28, Streamable HTTP, Server Validation.
    #[test]
    fn a_value_that_is_not_ascii_is_a_mismatch() {
        for bytes in [&b"\x80"[..], b"get_sleep\xff", "get_sl\u{e9}ep".as_bytes()] {
            let value = HeaderValue::from_bytes(bytes).unwrap();
            for name in [VERSION, METHOD, NAME] {
                let request = TestRequest::post().append_header((name, value.clone())).to_http_request();
                let error = single(request.headers(), name).unwrap_err();
                assert_eq!(error, ProtocolError::header_mismatch(name), "{bytes:?}");
            }
        }
    }
}
