//! Traces of requests, sent to a collector by OTLP over HTTP.
//!
//! The tracer exports only spans with the target `trace`: no events, and no spans of libraries, so that only
//! attributes set by the adapters leave the process. Spans wait in a bounded queue. Spans beyond the limit
//! are dropped, and no request waits for a collector.

mod collector;

use crate::settings::{Settings, TraceSettings};
use anyhow::Context as _;
use collector::Collector;
use http_adapter::{TraceContinuation, TraceParent};
use opentelemetry::trace::{
    SpanContext, SpanId, TraceContextExt as _, TraceFlags, TraceId, TraceState, TracerProvider as _,
};
use opentelemetry::{Context, KeyValue};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{BatchConfigBuilder, BatchSpanProcessor, Sampler, SdkTracerProvider};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tls_trust::Trust;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::{Layer, Registry};

/// Target of exported spans.
const TARGET: &str = "trace";
/// Timeout of one batch.
const EXPORT_TIMEOUT: Duration = Duration::from_secs(3);
/// Maximum number of queued spans.
const QUEUE: usize = 4096;

/// Provider to shut down at the end.
static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Creates the layer that records spans; `None` if no collector is configured.
pub(super) fn layer(
    settings: &TraceSettings,
) -> anyhow::Result<Option<Box<dyn Layer<Registry> + Send + Sync>>> {
    let Some(address) = settings.address() else { return Ok(None) };
    let trust = settings.trust().context("traces.otlp_endpoint cannot be used")?;
    let provider = provider(address, trust, settings.sample_ratio)?;
    let tracer = provider.tracer("restwell");
    // Only tests call this twice; the first provider stays.
    let _ = PROVIDER.set(provider);
    let layer = tracing_opentelemetry::layer()
        .with_tracer(tracer)
        .with_location(false)
        .with_threads(false)
        .with_target(false)
        .with_level(false)
        .with_tracked_inactivity(false)
        .with_filter(Targets::new().with_target(TARGET, LevelFilter::INFO));
    Ok(Some(layer.boxed()))
}

fn provider(address: String, trust: Trust, sample_ratio: f64) -> anyhow::Result<SdkTracerProvider> {
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Collector::new(EXPORT_TIMEOUT, trust)?)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(address)
        .with_timeout(EXPORT_TIMEOUT)
        .build()
        .context("traces.otlp_endpoint cannot be used")?;
    let batches = BatchConfigBuilder::default()
        .with_max_queue_size(QUEUE)
        .with_scheduled_delay(Duration::from_secs(1))
        .build();
    let about = [
        KeyValue::new("service.name", "restwell"),
        KeyValue::new("service.version", env!("CARGO_PKG_VERSION")),
    ];
    Ok(SdkTracerProvider::builder()
        .with_span_processor(BatchSpanProcessor::builder(exporter).with_batch_config(batches).build())
        .with_sampler(Sampler::TraceIdRatioBased(sample_ratio))
        .with_resource(Resource::builder_empty().with_attributes(about).build())
        .build())
}

/// Returns the function that adds a request's span to its caller's trace; `None` if no collector is
/// configured.
pub(crate) fn trace_continuation(settings: &Settings) -> Option<TraceContinuation> {
    settings.traces.otlp_endpoint.as_ref().map(|_| Arc::new(go_on) as TraceContinuation)
}

fn go_on(span: &Span, parent: TraceParent) {
    let TraceParent { trace_id, span_id } = parent;
    let context = SpanContext::new(
        TraceId::from_bytes(trace_id.to_be_bytes()),
        SpanId::from_bytes(span_id.to_be_bytes()),
        TraceFlags::default(),
        true,
        TraceState::default(),
    );
    // Fails for a span that has started or is not recorded; the trace then starts here.
    let _ = span.set_parent(Context::new().with_remote_span_context(context));
}

/// Sends the queued spans; an unresponsive collector delays the exit by at most [`EXPORT_TIMEOUT`].
pub(crate) async fn end_traces() {
    let Some(provider) = PROVIDER.get() else { return };
    let ended = tokio::task::spawn_blocking(|| provider.shutdown_with_timeout(EXPORT_TIMEOUT)).await;
    if !matches!(ended, Ok(Ok(()))) {
        tracing::warn!("the last traces were not sent");
    }
}
