//! Prometheus metrics and their listener.
//!
//! The adapters use the `metrics` facade, which does nothing without a recorder. The recorder is installed
//! first, and only if `metrics.listen` is set.

mod background;
mod catalogue;
mod process;
mod server;

pub(crate) use background::{UploadMeter, count_mail};
pub(crate) use catalogue::markdown as metrics_reference;
pub(crate) use server::MetricsServer;
