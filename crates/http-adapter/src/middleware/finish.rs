//! Turns whatever went wrong into an answer of the path's dialect, logs it once, and adds the headers that
//! every answer has.

use super::context::Context;
use super::header;
use crate::meter;
use crate::problem::{Fault, FaultRow, LogLevel, Problem, answer};
use actix_web::body::{BoxBody, MessageBody};
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::StatusCode;
use actix_web::http::header::{ALLOW, CONTENT_SECURITY_POLICY};
use actix_web::middleware::Next;
use actix_web::{Error, HttpResponse, ResponseError};
use std::error::Error as StdError;
use std::fmt;

pub(super) async fn finish(
    request: ServiceRequest,
    next: Next<impl MessageBody + 'static>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let context = Context::of(&request);
    match next.call(request).await {
        Ok(response) => {
            let mut response = finish_response(response.map_into_boxed_body(), &context);
            header::write(response.headers_mut(), &context);
            Ok(response)
        }
        Err(error) => {
            let problem = problem_of(&error);
            note(&problem);
            Err(Answered { problem, context }.into())
        }
    }
}

/// Replaces the body of an answer that tells of something wrong; leaves every other as it is. A form that comes back
/// with what is wrong at its fields says it better itself: only pages of ours have a policy.
fn finish_response(response: ServiceResponse<BoxBody>, context: &Context) -> ServiceResponse<BoxBody> {
    let status = response.status();
    let is_page = response.headers().contains_key(CONTENT_SECURITY_POLICY);
    if is_page || (!status.is_client_error() && !status.is_server_error()) {
        return response;
    }
    let known = response.response().error().and_then(Error::as_error::<Problem>);
    let replacement = if let Some(problem) = known {
        note(problem);
        answer(problem, context.for_answer())
    } else {
        let problem = problem_of_status(&response);
        note(&problem);
        answer(&problem, context.for_answer())
    };
    response.into_response(replacement)
}

/// Names the problem behind an answer that a library made.
fn problem_of_status(response: &ServiceResponse<BoxBody>) -> Problem {
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
fn note(problem: &Problem) {
    meter::problem(problem.fault());
    let row = problem.fault().row();
    // Nothing is written where there is no cause.
    let cause = problem.cause().map(causes);
    let cause = cause.as_deref();
    match row.level {
        LogLevel::Debug | LogLevel::Info => log_refusal(row, cause),
        LogLevel::Warn | LogLevel::Error => log_trouble(row, cause),
    }
}

fn log_refusal(row: FaultRow, cause: Option<&str>) {
    if row.level == LogLevel::Debug {
        tracing::debug!(code = row.code, cause, "request refused");
    } else {
        tracing::info!(code = row.code, cause, "request refused");
    }
}

fn log_trouble(row: FaultRow, cause: Option<&str>) {
    if row.level == LogLevel::Warn {
        tracing::warn!(code = row.code, cause, "request refused");
    } else {
        tracing::error!(code = row.code, cause, "request failed");
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
        header::write(response.headers_mut(), &self.context);
        response
    }
}
