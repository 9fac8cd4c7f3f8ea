//! Writes error bodies in the format of the endpoint, logs each error once, and adds the common headers.

use super::facts::{ErrorContext, Outcome, RequestFacts};
use super::{head, header};
use crate::meter;
use crate::problem::{Fault, FaultRow, FinishedBody, LogLevel, Problem, answer, rate_limit_headers};
use crate::request_context::RequestContext;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue};
use actix_web::{Error, HttpResponse, ResponseError};
use std::error::Error as StdError;
use std::fmt;

/// Every response after the rate limit was checked carries its counter, which the handler stores in the
/// request's context (decisions 4).
pub(super) async fn finish(
    facts: &RequestFacts,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    match next(request).await {
        Ok(response) => {
            let mut response = finish_response(response, facts);
            let (rate, ignored) = {
                let mut context = RequestContext::of(response.request());
                (context.rate, context.ignored_parameters.take())
            };
            for (name, value) in rate.into_iter().flat_map(rate_limit_headers) {
                response.headers_mut().insert(name, value);
            }
            if let Some(value) = ignored.and_then(|names| HeaderValue::from_str(names.as_str()).ok()) {
                response.headers_mut().insert(IGNORED_PARAMETERS, value);
            }
            header::write(response.headers_mut(), facts.dialect(), facts.is_https(), facts.request_id);
            Ok(response)
        }
        Err(error) => {
            let problem = problem_of(&error);
            log_problem(&problem, facts);
            Err(LostRequest { problem, context: facts.for_errors() }.into())
        }
    }
}

/// Names the parameters that a data endpoint ignored, for developers (decisions 5).
const IGNORED_PARAMETERS: HeaderName = HeaderName::from_static("restwell-ignored-parameters");

/// Replaces the body of an error response.
///
/// A rendered page, recognized by its content security policy, is kept: a form shows its errors beside the
/// fields. So is a body that its handler calls finished.
fn finish_response(response: ServiceResponse, facts: &RequestFacts) -> ServiceResponse {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    if response.headers().contains_key(CONTENT_SECURITY_POLICY)
        || response.response().extensions().contains::<FinishedBody>()
    {
        return response;
    }
    let known = response.response().error().and_then(Error::as_error::<Problem>);
    let generic;
    let problem = if let Some(problem) = known {
        problem
    } else {
        generic = problem_of_status(&response, facts);
        &generic
    };
    log_problem(problem, facts);
    let json_rpc_id = RequestContext::of(response.request()).json_rpc_id.take();
    let replacement = answer(problem, facts.for_errors().for_answer(json_rpc_id.as_ref()));
    response.into_response(replacement)
}

/// Returns the problem for an error response that a library created.
fn problem_of_status(response: &ServiceResponse, facts: &RequestFacts) -> Problem {
    let problem = Problem::new(Fault::from_status(response.status().as_u16()));
    match response.headers().get(ALLOW).and_then(|methods| methods.to_str().ok()) {
        Some(methods) => problem.allow(head::with_head(facts.endpoint, methods)),
        None => problem,
    }
}

fn problem_of(error: &Error) -> Problem {
    let fault = match error.as_error::<Problem>() {
        Some(problem) => problem.fault(),
        None => Fault::from_status(error.as_response_error().status_code().as_u16()),
    };
    Problem::new(fault)
}

/// Logs a problem and counts it by its code.
fn log_problem(problem: &Problem, facts: &RequestFacts) {
    meter::problem(problem.fault());
    let row = problem.fault().row();
    let cause = problem.cause().map(causes);
    let cause = cause.as_deref();
    match row.level {
        LogLevel::Debug | LogLevel::Info => log_refusal(row, cause),
        LogLevel::Warn | LogLevel::Error => {
            if let Some(more) = suppressed_before(problem.fault(), cause, facts) {
                log_failure(row, cause, (more > 0).then_some(more));
            }
        }
    }
}

/// Returns the number of similar failures suppressed since the last log line; `None` if this one is
/// suppressed too.
///
/// Only 503s are suppressed: a busy store causes thousands. Any other failure is logged, so that its request
/// id leads to its cause.
fn suppressed_before(fault: Fault, cause: Option<&str>, facts: &RequestFacts) -> Option<u64> {
    match &facts.state {
        Some(state) if fault.row().status == StatusCode::SERVICE_UNAVAILABLE => {
            state.log_suppression.record(fault, cause, (state.elapsed_time)())
        }
        _ => Some(0),
    }
}

fn log_refusal(row: FaultRow, cause: Option<&str>) {
    if row.level == LogLevel::Debug {
        tracing::debug!(code = row.code, cause, "request rejected");
    } else {
        tracing::info!(code = row.code, cause, "request rejected");
    }
}

fn log_failure(row: FaultRow, cause: Option<&str>, more_before: Option<u64>) {
    if row.level == LogLevel::Warn {
        tracing::warn!(code = row.code, cause, more_before, "request rejected");
    } else {
        tracing::error!(code = row.code, cause, more_before, "request failed");
    }
}

/// Joins an error and its sources. Errors of the ports contain no value sent by a caller.
fn causes(error: &(dyn StdError + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// Problem whose request was lost in a panic or a timeout.
#[derive(Debug)]
struct LostRequest {
    problem: Problem,
    context: ErrorContext,
}

impl fmt::Display for LostRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl ResponseError for LostRequest {
    fn status_code(&self) -> StatusCode {
        self.problem.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = answer(&self.problem, self.context.for_answer(None));
        let ErrorContext { dialect, is_https, request_id, .. } = self.context;
        header::write(response.headers_mut(), dialect, is_https, request_id);
        response
    }
}
