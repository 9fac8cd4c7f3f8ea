//! `POST /mcp`: one JSON-RPC message in, one JSON object out (Streamable HTTP without streams and sessions).

use crate::era::{Era, FIRST};
use crate::error::ProtocolError;
use crate::message::{self, Body, Message};
use crate::method::Exchange;
use crate::{McpState, header};
use actix_web::http::header::ORIGIN;
use actix_web::{HttpRequest, HttpResponse, web};
use http_adapter::body::{BodyKind, read_body};
use http_adapter::data::gate;
use http_adapter::problem::{Fault, Problem};
use http_adapter::{HttpSettings, RequestContext};
use serde_json::{Value, json};

/// Detail of a 415: unlike the token endpoints, this one takes no forms.
const NOT_JSON: &str = "The body must be application/json in UTF-8, without a content encoding.";

/// Detail of a 405.
const ONLY_POST: &str = "POST JSON-RPC messages to this address; it offers no event stream.";

/// Answers a message. Every message needs a valid token, so that an assistant without one is sent to the
/// authorization server by its first request.
pub(crate) async fn receive(
    request: HttpRequest,
    payload: web::Payload,
    state: web::Data<McpState>,
) -> Result<HttpResponse, Problem> {
    check_origin(&request, &state.api.http.settings)?;
    let permission = gate::identify_person(&request, &state.api).await?;
    let text = match read_body(&request, payload).await {
        Ok(Some(body)) if body.kind == BodyKind::Json => body.text,
        Ok(None) => String::new(),
        Err(problem) if problem.fault() != Fault::UnsupportedMediaType => return Err(problem),
        Ok(Some(_)) | Err(_) => return Err(Problem::new(Fault::UnsupportedMediaType).detail(NOT_JSON)),
    };
    let exchange = Exchange { request: &request, state: &state, permission };
    match message::parse(&text) {
        Ok(Body::Single(message)) => single(&exchange, message).await,
        Ok(Body::Batch(messages)) => batch(&exchange, messages).await,
        Err(error) => Ok(error.response(None)),
    }
}

/// Rejects every method but POST; a foreign origin is rejected first.
pub(crate) async fn reject_method(
    request: HttpRequest,
    state: web::Data<McpState>,
) -> Result<HttpResponse, Problem> {
    check_origin(&request, &state.api.http.settings)?;
    Err(Problem::new(Fault::MethodNotAllowed).allow("POST").detail(ONLY_POST))
}

async fn single(exchange: &Exchange<'_>, message: Message) -> Result<HttpResponse, Problem> {
    let headers = exchange.request.headers();
    let Message::Request { id, call } = message else {
        let version = header::version(headers).and_then(Era::of_header);
        return Ok(version.map_or_else(|error| error.response(None), |_| HttpResponse::Accepted().finish()));
    };
    RequestContext::of(exchange.request).json_rpc_id = Some(id.clone());
    let outcome = match Era::from_request(headers, &call) {
        Ok(era) => exchange.answer(era, &call).await?,
        Err(error) => Err(error),
    };
    Ok(match outcome {
        Ok(result) => HttpResponse::Ok().json(reply(&id, &result)),
        Err(error) => error.response(Some(&id)),
    })
}

/// Answers the requests of a batch in order. A refused call gets an error with its id. An invalid token,
/// which needs a challenge, and an internal error, whose cause is logged, are the response to the batch.
async fn batch(exchange: &Exchange<'_>, messages: Vec<Message>) -> Result<HttpResponse, Problem> {
    match header::version(exchange.request.headers()) {
        Ok(None | Some(FIRST)) => {}
        Ok(Some(_)) => {
            return Ok(ProtocolError::invalid_message("This protocol version does not support batches.")
                .response(None));
        }
        Err(error) => return Ok(error.response(None)),
    }
    let mut replies = Vec::new();
    for message in messages {
        let Message::Request { id, call } = message else { continue };
        let outcome = match exchange.answer(Era::Legacy, &call).await {
            Ok(outcome) => outcome,
            Err(problem) if matches!(problem.fault(), Fault::InvalidToken | Fault::InternalError) => {
                return Err(problem);
            }
            Err(problem) => Err(ProtocolError::refused(&problem)),
        };
        replies.push(match outcome {
            Ok(result) => reply(&id, &result),
            Err(error) => error.message(Some(&id)),
        });
    }
    if replies.is_empty() {
        return Ok(HttpResponse::Accepted().finish());
    }
    Ok(HttpResponse::Ok().json(replies))
}

fn reply(id: &Value, result: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// Rejects a request of a page that belongs to another site. Programs send no `Origin`.
pub(crate) fn check_origin(request: &HttpRequest, settings: &HttpSettings) -> Result<(), Problem> {
    let public = settings.public_url.trim_end_matches('/');
    let is_own = |origin: &[u8]| {
        let listed = settings.cors_allowed_origins.iter().map(String::as_str);
        listed.chain([public]).any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin))
    };
    if request.headers().get_all(ORIGIN).all(|origin| is_own(origin.as_bytes())) {
        return Ok(());
    }
    Err(Problem::new(Fault::ForeignOrigin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use actix_web::test::TestRequest;

    fn is_accepted(origins: &[&str]) -> bool {
        let settings = HttpSettings {
            public_url: "https://restwell.example".to_owned(),
            cors_allowed_origins: vec!["https://app.example".to_owned()],
            ..HttpSettings::default()
        };
        let request = origins
            .iter()
            .fold(TestRequest::post(), |request, origin| request.append_header(("origin", *origin)));
        check_origin(&request.to_http_request(), &settings).is_ok()
    }

    /// MCP 2026-07-28, Streamable HTTP, Security and Endpoint.
    #[test]
    fn only_the_servers_and_listed_origins_are_accepted() {
        for origins in
            [&[][..], &["https://restwell.example"], &["HTTPS://Restwell.example"], &["https://app.example"]]
        {
            assert!(is_accepted(origins), "{origins:?}");
        }
        for origins in [
            &["null"][..],
            &[""],
            &["http://restwell.example"],
            &["https://restwell.example:8443"],
            &["https://restwell.example.evil.example"],
            &["https://evil-restwell.example"],
            &["https://evil.restwell.example"],
            &["https://restwell.example", "https://evil.example"],
        ] {
            assert!(!is_accepted(origins), "{origins:?}");
        }
    }
}
