//! `GET /authorize`: the authorization endpoint (RFC 6749 section 4.1.1; decisions 8).

use crate::answer::{see_other, with_cookies};
use crate::browser::{Browser, get_or_create_visit};
use crate::{PageState, person};
use actix_web::web::Data;
use actix_web::{HttpRequest, HttpResponse};
use application::authorization::{
    AuthorizationParameters, AuthorizationStep, AuthorizationVisitor, BeginAuthorizationError, ParameterValue,
};
use domain::client::MetadataError;
use domain::client_usage::UsedEndpoint;
use http_adapter::Endpoint;
use http_adapter::caller;
use http_adapter::client_request::note_rejection;
use http_adapter::parameter::{Pair, check_value, parse};
use http_adapter::problem::{Fault, Problem};

const STATE: &str = "state";

/// Stores the request of an app, and redirects the person: to sign in, to decide, or back to the app.
pub(crate) async fn begin(state: Data<PageState>, request: HttpRequest) -> Result<HttpResponse, Problem> {
    let pairs =
        parse(request.query_string()).map_err(|_| Problem::new(Fault::InvalidAuthorizationRequest))?;
    let browser = Browser::from_request(&request, &state.http.settings);
    let signed_in = person::signed_in_with(&request, &browser, &state).await?;
    let (visit, cookie) = get_or_create_visit(&request, &state);
    let address = caller::address(&request);
    let visitor = AuthorizationVisitor { visit: &visit, signed_in: signed_in.as_ref(), address };
    let step = state.authorizations.begin(visitor, &parameters(&pairs)).await.map_err(|error| {
        if let Some((client_id, reason)) = error.rejected_client() {
            note_rejection(&request, (client_id, UsedEndpoint::Authorize), reason);
        }
        problem(error)
    })?;
    let location = location(step);
    Ok(with_cookies(see_other(&location), [cookie]))
}

fn location(step: AuthorizationStep) -> String {
    match step {
        AuthorizationStep::Redirect(answer) => answer.expose().to_owned(),
        AuthorizationStep::Consent { request_id } => {
            format!("{}?request={request_id}", Endpoint::Consent.path())
        }
        AuthorizationStep::SignIn { request_id } => {
            format!("{}?request={request_id}", Endpoint::SignIn.path())
        }
    }
}

/// Collects the parameters. Errors may be reported to the app only if client and redirect URI are valid, so
/// an invalid one of these is treated as absent; errors of the others are reported.
fn parameters<'a>(pairs: &'a [Pair<'a>]) -> AuthorizationParameters<'a> {
    let parameter = |name| parameter(pairs, name);
    let required = |name| match parameter(name) {
        ParameterValue::Once(value) => Some(value),
        ParameterValue::Absent | ParameterValue::Faulty => None,
    };
    AuthorizationParameters {
        client_id: required("client_id"),
        redirect_uri: required("redirect_uri"),
        response_type: parameter("response_type"),
        scope: parameter("scope"),
        state: parameter(STATE),
        code_challenge: parameter("code_challenge"),
        code_challenge_method: parameter("code_challenge_method"),
        prompt: parameter("prompt"),
        response_mode: parameter("response_mode"),
        login_hint: parameter("login_hint"),
        resource: parameter("resource"),
    }
}

/// Returns the values of one parameter. An empty value counts as omitted (RFC 6749 section 3.1).
fn parameter<'a>(pairs: &'a [Pair<'a>], name: &str) -> ParameterValue<'a> {
    let mut values = pairs.iter().filter(|pair| pair.name == name).map(|pair| pair.value.as_ref());
    match (values.next(), values.next()) {
        (None, _) | (Some(""), None) => ParameterValue::Absent,
        (Some(value), None) if is_clean(name, value) => ParameterValue::Once(value),
        (Some(_), _) => ParameterValue::Faulty,
    }
}

/// Returns whether a value is acceptable. `state` is opaque and is returned unchanged, line breaks included
/// (security.md T25), except that it may not contain a NUL, which no store accepts.
fn is_clean(name: &str, value: &str) -> bool {
    if name == STATE { !value.contains('\0') } else { check_value(value).is_ok() }
}

fn problem(error: BeginAuthorizationError) -> Problem {
    match error {
        BeginAuthorizationError::Rejected { .. } => Problem::new(Fault::InvalidAuthorizationRequest),
        BeginAuthorizationError::Metadata(MetadataError::Busy) => Problem::new(Fault::Busy),
        BeginAuthorizationError::Metadata(fault) => {
            let setting = match fault {
                MetadataError::Off => " (its setting clients.metadata_documents is off)",
                MetadataError::HostNotListed => " (its setting clients.metadata_document_hosts)",
                _ => "",
            };
            let text = format!(
                "This server cannot use the metadata document of the app: {fault}{setting}. Nothing was shared. \
                 Please contact the developer of the app."
            );
            Problem::new(Fault::InvalidAuthorizationRequest).detail(text)
        }
        BeginAuthorizationError::NotReviewed { client_id: _, description } => {
            let text = format!(
                "The operator of this server has not reviewed the app, so you are not sent back to it with an \
                 error. The error is: {description}. Nothing was shared."
            );
            Problem::new(Fault::InvalidAuthorizationRequest).detail(text)
        }
        BeginAuthorizationError::TooManyRequests { retry_after_seconds } => {
            Problem::new(Fault::TooManyAttempts).retry_after(retry_after_seconds)
        }
        BeginAuthorizationError::Storage(error) => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_adapter::openapi::openapi_json;
    use proptest::prelude::*;

    fn sorted<T>(query: &str, test: impl Fn(AuthorizationParameters<'_>) -> T) -> T {
        test(parameters(&parse(query).unwrap()))
    }

    // T24
    #[test]
    fn a_repeated_client_or_uri_is_treated_as_absent() {
        assert!(sorted("client_id=a&client_id=a&redirect_uri=b", |p| p.client_id.is_none()));
        assert!(sorted("client_id=a&redirect_uri=b&redirect_uri=c", |p| p.redirect_uri.is_none()));
    }

    // T24
    #[test]
    fn any_other_repeated_parameter_is_faulty() {
        for name in [
            "response_type",
            "scope",
            "state",
            "code_challenge",
            "code_challenge_method",
            "prompt",
            "resource",
        ] {
            let query = format!("{name}=a&{name}=a");
            assert!(matches!(parameter(&parse(&query).unwrap(), name), ParameterValue::Faulty), "{name}");
        }
    }

    #[test]
    fn an_empty_value_counts_as_omitted_and_a_control_character_is_faulty() {
        assert!(sorted("state=", |p| p.state == ParameterValue::Absent));
        assert!(sorted("state=a%00b", |p| p.state == ParameterValue::Faulty));
        assert!(sorted("scope=a%0d%0ab", |p| p.scope == ParameterValue::Faulty));
    }

    // T25
    #[test]
    fn a_state_keeps_its_line_breaks() {
        assert!(sorted("state=a%20b", |p| p.state == ParameterValue::Once("a b")));
        assert!(sorted("state=a%0d%0ab", |p| p.state == ParameterValue::Once("a\r\nb")));
    }

    fn is_read(name: &str) -> bool {
        sorted(&format!("{name}=a"), |parameters| {
            let AuthorizationParameters {
                client_id,
                redirect_uri,
                response_type,
                scope,
                state,
                code_challenge,
                code_challenge_method,
                prompt,
                response_mode,
                login_hint,
                resource,
            } = parameters;
            client_id.or(redirect_uri).is_some()
                || [response_type, scope, state, code_challenge, code_challenge_method]
                    .into_iter()
                    .chain([prompt, response_mode, login_hint, resource])
                    .any(|given| given == ParameterValue::Once("a"))
        })
    }

    #[test]
    fn every_documented_parameter_is_read_and_no_other() {
        let document: serde_json::Value = serde_json::from_str(&openapi_json()).unwrap();
        let documented = document["paths"]["/authorize"]["get"]["parameters"].as_array().unwrap();
        for parameter in documented {
            assert!(is_read(parameter["name"].as_str().unwrap()), "{parameter}");
        }
        assert!(!is_read("max_age"));
    }

    proptest! {
        #[test]
        fn no_query_makes_the_sorting_panic(query in ".*") {
            if let Ok(pairs) = parse(&query) {
                let _ = parameters(&pairs);
            }
        }
    }
}
