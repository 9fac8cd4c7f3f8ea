//! Prometheus metrics and their listener.
//!
//! The adapters use the `metrics` facade, which does nothing without a recorder. The recorder is installed
//! first, and only if `metrics.listen` is set.

mod background;
mod catalogue;
mod process;

pub(crate) use background::{UploadMeter, count_mail};
pub(crate) use catalogue::markdown as metrics_reference;

use crate::lifecycle;
use crate::settings::Settings;
use actix_web::dev::ServerHandle;
use actix_web::{App, HttpServer};
use anyhow::Context;
use http_adapter::{Check, CheckState, HealthCheck, MetricsText, configure_metrics};
use metrics::gauge;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusHandle};
use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::interval;

/// Interval of sorting recorded durations into buckets; until then each occupies eight bytes.
const UPKEEP: Duration = Duration::from_secs(1);

/// Recorder of metrics, and the bound listener that will export them.
pub(crate) struct MetricsServer {
    recorded: PrometheusHandle,
    listener: TcpListener,
}

/// A running listener.
pub(crate) struct RunningMetrics {
    server: ServerHandle,
    tasks: [JoinHandle<()>; 2],
}

impl MetricsServer {
    /// Installs the recorder; `None` if `metrics.listen` is not set. Must be called before anything that
    /// registers metrics is created: earlier metrics are lost.
    pub(crate) fn begin(settings: &Settings) -> anyhow::Result<Option<Self>> {
        let Some(address) = settings.metrics.listen else { return Ok(None) };
        let (listener, address) = lifecycle::bind(address, "metrics.listen")?;
        let mut builder = PrometheusBuilder::new();
        for (name, buckets) in catalogue::histograms() {
            builder = builder.set_buckets_for_metric(Matcher::Full(name.to_owned()), buckets)?;
        }
        let recorded = builder.install_recorder().context("the metrics recorder cannot be installed")?;
        catalogue::describe();
        gauge!("restwell_build_info", "version" => env!("CARGO_PKG_VERSION")).set(1.0);
        tracing::info!(%address, "serving metrics");
        Ok(Some(Self { recorded, listener }))
    }

    /// Starts to serve `/metrics` until stopped; a draining server can still be monitored.
    pub(crate) fn answer(self, health: Arc<dyn HealthCheck>) -> anyhow::Result<RunningMetrics> {
        let Self { recorded, listener } = self;
        let upkeep = tokio::spawn(run_upkeep(recorded.clone()));
        let text: MetricsText = Arc::new(move || {
            process::observe();
            observe_readiness(health.as_ref());
            recorded.render()
        });
        let server = HttpServer::new(move || App::new().configure(configure_metrics(text.clone())))
            .workers(1)
            .client_request_timeout(Duration::from_secs(5))
            .disable_signals()
            .listen(listener)
            .context("the listener for metrics cannot start")?
            .run();
        let handle = server.handle();
        let running = tokio::spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the metrics listener stopped");
            }
        });
        Ok(RunningMetrics { server: handle, tasks: [upkeep, running] })
    }
}

impl RunningMetrics {
    pub(crate) async fn stop(self) {
        self.server.stop(false).await;
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

const fn figure(is_so: bool) -> f64 {
    if is_so { 1.0 } else { 0.0 }
}

/// Measures the current state of `/readyz`; a cached value could contradict it.
fn observe_readiness(health: &dyn HealthCheck) {
    let checks = health.checks();
    gauge!("restwell_ready").set(figure(checks.iter().all(|check| check.state != CheckState::Failed)));
    for Check { name, state } in checks {
        gauge!("restwell_ready_check", "check" => name).set(figure(state == CheckState::Ok));
    }
}

async fn run_upkeep(recorded: PrometheusHandle) {
    let mut ticks = interval(UPKEEP);
    loop {
        ticks.tick().await;
        recorded.run_upkeep();
    }
}
