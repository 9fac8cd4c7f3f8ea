//! Figures for Prometheus: what is measured, and the listener that tells it.
//!
//! The adapters write to the `metrics` facade; without a recorder that does nothing. The recorder is set here, before
//! anything else is made, and only where `metrics.listen` is set.

mod background;
mod catalogue;
mod process;
mod server;

pub(crate) use background::{UploadMeter, count_mail};
pub(crate) use catalogue::markdown as metrics_reference;
pub(crate) use server::MetricsServer;
