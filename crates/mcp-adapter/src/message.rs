//! JSON-RPC 2.0 messages.

use crate::error::ProtocolError;
use crate::unique_value::UniqueValue;
use serde_json::{Map, Value};

/// Maximum number of messages in a batch.
const MAX_BATCH: usize = 20;

/// The messages of a body.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    /// One message.
    Single(Message),
    /// A batch, which only the version 2025-03-26 has.
    Batch(Vec<Message>),
}

/// A message of a client.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// A request, which gets a response with its id.
    Request {
        /// String or integer.
        id: Value,
        /// The call.
        call: Call,
    },
    /// A notification, or a response to a request that this server never sends. Neither has an effect.
    Other,
}

/// A method with its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// Name of the method.
    pub(crate) method: String,
    /// Parameters; empty if absent.
    pub(crate) params: Map<String, Value>,
}

impl Call {
    /// Returns a member of `params._meta`.
    pub(crate) fn meta(&self, key: &str) -> Option<&Value> {
        self.params.get("_meta")?.as_object()?.get(key)
    }

    /// Returns a parameter that is a string.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.params.get(name)?.as_str()
    }
}

/// Parses a body. A duplicate name is an error at any depth.
pub(crate) fn parse(text: &str) -> Result<Body, ProtocolError> {
    let UniqueValue(value) = serde_json::from_str(text).map_err(|error| fault(&error))?;
    match value {
        Value::Array(messages) if (1..=MAX_BATCH).contains(&messages.len()) => {
            messages.into_iter().map(message).collect::<Result<_, _>>().map(Body::Batch)
        }
        Value::Array(_) => Err(ProtocolError::invalid_message("A batch must have 1 to 20 messages.")),
        value => message(value).map(Body::Single),
    }
}

fn fault(error: &serde_json::Error) -> ProtocolError {
    if error.is_data() {
        ProtocolError::invalid_message("A name in the body is duplicate.")
    } else {
        ProtocolError::not_json()
    }
}

/// Reads the members of a message; unknown ones are ignored.
fn message(value: Value) -> Result<Message, ProtocolError> {
    let Value::Object(mut members) = value else {
        return Err(ProtocolError::invalid_message("A message must be an object."));
    };
    if members.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return Err(ProtocolError::invalid_message("jsonrpc must be 2.0."));
    }
    let is_response = members.contains_key("result") || members.contains_key("error");
    let method = match members.remove("method") {
        Some(Value::String(method)) => method,
        None if is_response => return Ok(Message::Other),
        _ => return Err(ProtocolError::invalid_message("method must be a string.")),
    };
    let params = match members.remove("params") {
        Some(Value::Object(params)) => params,
        None | Some(Value::Null) => Map::new(),
        Some(_) => return Err(ProtocolError::invalid_message("params must be an object.")),
    };
    let Some(id) = members.remove("id") else { return Ok(Message::Other) };
    if !(id.is_string() || id.is_i64() || id.is_u64()) {
        return Err(ProtocolError::invalid_message("id must be a string or an integer."));
    }
    Ok(Message::Request { id, call: Call { method, params } })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn code(text: &str) -> i32 {
        parse(text).unwrap_err().code()
    }

    #[test]
    fn a_request_has_a_method_and_an_id_2026_07_28_basic_requests() {
        let text = r#"{"jsonrpc":"2.0","id":"a","method":"tools/list","params":{"_meta":{"x":1}},"more":0}"#;
        let Ok(Body::Single(Message::Request { id, call })) = parse(text) else { panic!("no request") };
        assert_eq!((id, call.method.as_str(), call.meta("x")), ("a".into(), "tools/list", Some(&1.into())));
    }

    #[test]
    fn notifications_and_responses_have_no_effect_2026_07_28_basic_notifications() {
        for text in [
            r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":null}"#,
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#,
        ] {
            assert_eq!(parse(text), Ok(Body::Single(Message::Other)), "{text}");
        }
    }

    #[test]
    fn text_that_is_not_json_is_a_parse_error_json_rpc_2_0_error_object() {
        for text in ["", " ", "{", "[", "tools/list", "{\"jsonrpc\":\"2.0\"", &"[".repeat(10_000)] {
            assert_eq!(code(text), -32_700, "{text}");
        }
    }

    #[test]
    fn json_that_is_no_message_is_an_invalid_request_2026_07_28_basic_requests() {
        for text in [
            "1",
            "{}",
            "[]",
            "[1]",
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":2.0,"id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
            r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#,
            r#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"tools/call"}"#,
        ] {
            assert_eq!(code(text), -32_600, "{text}");
        }
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        assert_eq!(code(&format!("[{}]", [ping; 21].join(","))), -32_600);
        assert!(
            matches!(parse(&format!("[{}]", [ping; 20].join(","))), Ok(Body::Batch(all)) if all.len() == 20)
        );
    }

    #[test]
    fn an_array_of_values_is_no_message_json_rpc_2_0_request_object() {
        let values = r#"["2.0",1,"ping",{},null,null]"#;
        let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
        for text in [values, &format!("[{values}]"), &format!("[{ping},{values}]"), "[[]]", "[[[]]]"] {
            assert_eq!(code(text), -32_600, "{text}");
        }
    }

    #[test]
    fn a_duplicate_name_in_the_parameters_is_an_invalid_request_rfc_8259_section_4() {
        let request = |params: &str| format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{params}}}"#);
        for params in [
            r#"{"a":1,"a":1}"#,
            r#"{"a":null,"\u0061":null}"#,
            r#"{"arguments":{"date":"2026-03-01","date":"2026-03-02"}}"#,
            r#"{"_meta":{"a":{},"b":[{"c":0,"c":true}]}}"#,
        ] {
            assert_eq!(code(&request(params)), -32_600, "{params}");
            assert_eq!(code(&format!("[{}]", request(params))), -32_600, "{params}");
        }
    }

    #[test]
    fn parameters_of_every_type_are_kept() {
        let params = r#"{"a":[null,true,-1,18446744073709551615,1.5,"\u00fc",{"a":[]}],"b":{"a":{}}}"#;
        let text = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"a","params":{params}}}"#);
        let Ok(Body::Single(Message::Request { call, .. })) = parse(&text) else { panic!("no request") };
        assert_eq!(Value::Object(call.params), serde_json::from_str::<Value>(params).unwrap());
    }

    proptest! {
        #[test]
        fn parsing_arbitrary_text_does_not_panic(text in ".*") {
            let _ = parse(&text);
        }
    }
}
