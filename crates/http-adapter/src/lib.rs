//! The HTTP side: the API, the OAuth endpoints, the reference, and the middleware around every endpoint.
//!
//! [`configure`] registers the API on an actix-web application; [`ApiState`] holds its dependencies, and
//! [`HttpState`] those that every endpoint shares. `page-adapter` adds the pages for people.
//! Handlers are short: extract, call the use case, map. Errors are [`problem::Problem`]s, and one
//! table ([`problem::Fault`]) defines the response to each.

mod accept;
mod admission;
mod app;
pub mod body;
pub mod caller;
pub mod client_request;
pub mod data;
mod errors;
mod example;
mod export;
mod health;
mod ingest;
mod key_set;
mod log_suppression;
mod metadata;
mod meter;
mod middleware;
pub mod openapi;
pub mod parameter;
pub mod problem;
mod request_context;
mod resource;
mod route;
mod state;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
#[cfg(test)]
mod tests;
pub mod token;
mod trace;

pub use accept::wants_page;
pub use admission::{Admission, AdmissionLimits, PagePermit, ResponseOwner, UploadPermit};
pub use app::configure;
pub use caller::{ClientAddressHeader, InvalidProxy, TrustedProxies, UnnamedProxyWarning};
pub use export::{NdjsonExport, attachment};
pub use health::DOCTOR_PASS;
pub use log_suppression::LogSuppression;
pub use meter::{MetricsText, configure_metrics};
pub use problem::error_reference;
pub use request_context::RequestContext;
pub use route::{Audience, Credential, Endpoint, EndpointRow, Outcome, authorization_reference};
pub use state::{
    ApiState, Check, CheckState, ElapsedTimeSource, ExportUseCases, HealthCheck, HttpSettings, HttpState,
    IngestUseCases, KeySetSource, Operator, PassCheck, PublicKey, RequestIdSource, UsageSink,
};
pub use trace::{TraceContinuation, TraceParent};
