//! The only crate that knows HTTP: the API, the OAuth endpoints, the pages, the reference.
//!
//! [`configure`] registers everything on an actix-web application; [`HttpState`] is what it needs. Handlers are
//! short: extract, build the command, `run`, map. What goes wrong is a [`problem::Problem`], and one table
//! ([`problem::Fault`]) says how each is answered.

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
