//! The HTTP side: the API, the OAuth endpoints, the pages and the reference. No other crate depends on HTTP.
//!
//! [`configure`] registers everything on an actix-web application; [`HttpState`] holds the dependencies.
//! Handlers are short: extract, build the command, `run`, map. Errors are [`problem::Problem`]s, and one
//! table ([`problem::Fault`]) defines the response to each.

mod app;
mod body;
mod caller;
pub mod data;
mod export;
mod health;
mod ingest;
mod key_set;
mod metadata;
mod meter;
mod metrics_page;
mod middleware;
pub mod openapi;
mod page;
pub mod parameter;
pub mod problem;
mod route;
mod state;
#[cfg(any(test, feature = "test-support"))]
pub mod test_support;
#[cfg(test)]
mod tests;
pub mod token;
mod trace;

pub use app::configure;
pub use caller::{ClientAddressHeader, InvalidProxy, TrustedProxies};
pub use export::{ExportUseCases, NdjsonExport};
pub use health::{Check, CheckState, HealthCheck};
pub use ingest::IngestUseCases;
pub use key_set::{KeySetSource, PublicKey};
pub use metrics_page::{MetricsText, configure_metrics};
pub use middleware::{Admission, AdmissionLimits, RequestId, Troubles, UnnamedProxyWarning};
pub use problem::error_reference;
pub use route::{Audience, Credential, Endpoint, EndpointRow, Outcome, authorization_reference};
pub use state::{
    ElapsedTimeSource, HttpSettings, HttpState, PageUseCases, RequestIdSource, UploadUseCases, VisitSource,
};
pub use trace::{TraceContinuation, TraceParent};
