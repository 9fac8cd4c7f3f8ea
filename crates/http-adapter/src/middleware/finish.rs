//! Turns whatever went wrong into an answer of the path's dialect, logs it once, and adds the headers that
//! every answer has.

use super::context::{Context, Outcome, Seen};
use super::header;
use crate::meter;
use crate::problem::{Fault, FaultRow, LogLevel, Problem, answer};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_SECURITY_POLICY};
use actix_web::{Error, HttpResponse, ResponseError};
use std::error::Error as StdError;
use std::fmt;

pub(super) async fn finish(
    seen: &Seen,
    request: ServiceRequest,
    next: impl AsyncFnOnce(ServiceRequest) -> Outcome,
) -> Outcome {
    match next(request).await {
        Ok(response) => {
            let mut response = finish_response(response, seen);
            header::write(response.headers_mut(), seen.dialect(), seen.is_https(), seen.request_id);
            Ok(response)
        }
        Err(error) => {
            let problem = problem_of(&error);
            note(&problem, seen);
            Err(Answered { problem, context: seen.context() }.into())
        }
    }
}

/// Replaces the body of an answer that tells of something wrong; leaves every other as it is. A form that comes back
/// with what is wrong at its fields says it better itself: only pages of ours have a policy.
fn finish_response(response: ServiceResponse, seen: &Seen) -> ServiceResponse {
    let status = response.status();
    if !status.is_client_error() && !status.is_server_error() {
        return response;
    }
    if response.headers().contains_key(CONTENT_SECURITY_POLICY) {
        return response;
    }
    let context = seen.context();
    let known = response.response().error().and_then(Error::as_error::<Problem>);
    let replacement = if let Some(problem) = known {
        note(problem, seen);
        answer(problem, context.for_answer())
    } else {
        let problem = problem_of_status(&response);
        note(&problem, seen);
        answer(&problem, context.for_answer())
    };
    response.into_response(replacement)
}

/// Names the problem behind an answer that a library made.
fn problem_of_status(response: &ServiceResponse) -> Problem {
    let problem = Problem::new(Fault::of_status(response.status().as_u16()));
    match response.headers().get(ALLOW).and_then(|methods| methods.to_str().ok()) {
        Some(methods) => problem.allow(methods),
        None => problem,
    }
}

fn problem_of(error: &Error) -> Problem {
    let fault = match error.as_error::<Problem>() {
        Some(problem) => problem.fault(),
        None => Fault::of_status(error.as_response_error().status_code().as_u16()),
    };
    Problem::new(fault)
}

/// Notes a problem: in the log, and by its code in the meter.
fn note(problem: &Problem, seen: &Seen) {
    meter::problem(problem.fault());
    let row = problem.fault().row();
    // Nothing is written where there is no cause.
    let cause = problem.cause().map(causes);
    let cause = cause.as_deref();
    match row.level {
        LogLevel::Debug | LogLevel::Info => log_refusal(row, cause),
        LogLevel::Warn | LogLevel::Error => {
            if let Some(more) = untold(problem.fault(), cause, seen) {
                // Nothing is written where there are none.
                log_trouble(row, cause, (more > 0).then_some(more));
            }
        }
    }
}

/// Returns how many like it were not told when a trouble is to be told. What is over by itself, and may come a thousand
/// times meanwhile, is told now and then; every other one always, since its request id leads to its cause.
fn untold(fault: Fault, cause: Option<&str>, seen: &Seen) -> Option<u64> {
    match &seen.state {
        Some(state) if fault.row().status == StatusCode::SERVICE_UNAVAILABLE => {
            state.troubles.note(fault, cause, (state.elapsed_time)())
        }
        _ => Some(0),
    }
}

fn log_refusal(row: FaultRow, cause: Option<&str>) {
    if row.level == LogLevel::Debug {
        tracing::debug!(code = row.code, cause, "request refused");
    } else {
        tracing::info!(code = row.code, cause, "request refused");
    }
}

fn log_trouble(row: FaultRow, cause: Option<&str>, more_before: Option<u64>) {
    if row.level == LogLevel::Warn {
        tracing::warn!(code = row.code, cause, more_before, "request refused");
    } else {
        tracing::error!(code = row.code, cause, more_before, "request failed");
    }
}

/// Writes an error and its sources in one line. Errors of the ports hold no value that a caller sent.
fn causes(error: &(dyn StdError + 'static)) -> String {
    let chain = std::iter::successors(Some(error), |error| (*error).source());
    chain.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

/// A problem on the way out without its request, which a panic took down.
#[derive(Debug)]
struct Answered {
    problem: Problem,
    context: Context,
}

impl fmt::Display for Answered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.problem.fmt(f)
    }
}

impl ResponseError for Answered {
    fn status_code(&self) -> StatusCode {
        self.problem.status_code()
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = answer(&self.problem, self.context.for_answer());
        let Context { dialect, is_https, request_id, .. } = self.context;
        header::write(response.headers_mut(), dialect, is_https, request_id);
        response
    }
}
