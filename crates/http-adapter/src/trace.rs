//! The span of a request in a distributed trace (W3C Trace Context).
//!
//! Spans of traces have the target `trace`: the log excludes it, and a tracer records nothing else. A span
//! contains the route pattern, method, status and request id; never a path, query, header or body. Of a
//! caller's headers only the two ids of `traceparent` are used. `tracestate` and `baggage` are not read, and
//! the caller does not decide whether a trace is recorded.

use crate::request_context::RequestId;
use actix_web::dev::ServiceRequest;
use actix_web::http::StatusCode;
use std::sync::Arc;
use tracing::Span;
use tracing::field::Empty;

/// Makes a span the child of the caller's span; provided by the server, which owns the tracer.
pub type TraceContinuation = Arc<dyn Fn(&Span, TraceParent) + Send + Sync>;

/// Ids of a `traceparent` header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceParent {
    /// Id of the trace; not zero.
    pub trace_id: u128,
    /// Id of the calling span; not zero.
    pub span_id: u64,
}

impl TraceParent {
    /// Parses the header's value: `00-` and 32, 16 and 2 lower-case hexadecimal digits.
    ///
    /// A later version may have more fields after another dash; `ff` is invalid (W3C Trace Context, section
    /// 3.2).
    pub fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('-');
        let version = hex(parts.next()?, 2)?;
        let trace_id = hex(parts.next()?, 32)?;
        let span_id = u64::try_from(hex(parts.next()?, 16)?).ok()?;
        hex(parts.next()?, 2)?;
        let is_known = version == 0 && parts.next().is_none();
        let is_later = (1..0xff).contains(&version);
        ((is_known || is_later) && trace_id != 0 && span_id != 0).then_some(Self { trace_id, span_id })
    }
}

fn hex(text: &str, digits: usize) -> Option<u128> {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let is_hex = text.len() == digits && text.bytes().all(is_digit);
    is_hex.then(|| u128::from_str_radix(text, 16).ok()).flatten()
}

/// Starts the span of a request; free of cost if no traces are sent.
pub(crate) fn begin(
    request: &ServiceRequest,
    method: &'static str,
    id: RequestId,
    continuation: Option<&TraceContinuation>,
) -> Span {
    let span = tracing::info_span!(
        target: "trace",
        parent: None,
        "request",
        otel.name = Empty,
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = Empty,
        http.response.status_code = Empty,
        request_id = %id,
    );
    if span.is_disabled() {
        return span;
    }
    let headers = request.headers();
    // A repeated header is ambiguous and therefore ignored.
    let mut values = headers.get_all("traceparent");
    let parent = values.next().filter(|_| values.next().is_none());
    let parent = parent.and_then(|value| value.to_str().ok()).and_then(TraceParent::parse);
    if let Some((go_on, parent)) = continuation.zip(parent) {
        go_on(&span, parent);
    }
    span
}

/// Completes the span of a request when the head of its response is ready.
pub(crate) fn end(span: &Span, method: &'static str, route: &str, status: StatusCode) {
    if span.is_disabled() {
        return;
    }
    span.record("otel.name", format!("{method} {route}"));
    span.record("http.route", route);
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

#[cfg(test)]
mod tests {
    use super::TraceParent;
    use proptest::prelude::*;

    const GOOD: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    #[test]
    fn the_ids_of_a_traceparent_are_parsed() {
        let parent = TraceParent::parse(GOOD).unwrap();
        assert_eq!(parent.trace_id, 0x0af7_6519_16cd_43dd_8448_eb21_1c80_319c);
        assert_eq!(parent.span_id, 0xb7ad_6b71_6920_3331);
        assert_eq!(TraceParent::parse(&GOOD.replace("00-0a", "cc-0a")), Some(parent));
        assert_eq!(TraceParent::parse(&format!("{}-and-more", GOOD.replace("00-0a", "cc-0a"))), Some(parent));
    }

    #[test]
    fn an_invalid_traceparent_is_ignored() {
        for bad in [
            String::new(),
            GOOD.to_uppercase(),
            GOOD.replace("00-", "ff-"),
            format!("{GOOD}-more"),
            GOOD.replace("0af7651916cd43dd8448eb211c80319c", &"0".repeat(32)),
            GOOD.replace("b7ad6b7169203331", &"0".repeat(16)),
            GOOD.replace("b7ad", "+7ad"),
            GOOD.replace("-01", "-0"),
            format!(" {GOOD}"),
        ] {
            assert_eq!(TraceParent::parse(&bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn no_header_makes_the_reader_panic(value in ".*") {
            let _ = TraceParent::parse(&value);
        }

        #[test]
        fn every_pair_of_ids_is_parsed(trace_id in 1_u128.., span_id in 1_u64.., flags: u8) {
            let text = format!("00-{trace_id:032x}-{span_id:016x}-{flags:02x}");
            prop_assert_eq!(TraceParent::parse(&text), Some(TraceParent { trace_id, span_id }));
        }
    }
}
