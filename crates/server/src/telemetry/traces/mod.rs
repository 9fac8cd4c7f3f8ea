//! Traces of requests, sent to a collector by OTLP over HTTP.
//!
//! A tracer takes the spans with the target `trace` and nothing else: no event, no span of a library, so that only what
//! the adapters chose to say leaves the process. Spans wait in a bounded queue; what does not fit is dropped, and no
//! request waits for a collector.

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

/// The target of every span that is sent.
const TARGET: &str = "trace";
/// How long a collector may take for one batch.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many spans wait at most.
const QUEUE: usize = 4096;

/// What is to be emptied at the end.
static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Makes the layer that takes spans; nothing where no traces are sent.
pub(super) fn layer(
    settings: &TraceSettings,
) -> anyhow::Result<Option<Box<dyn Layer<Registry> + Send + Sync>>> {
    let Some(address) = settings.address() else { return Ok(None) };
    let trust = settings.trust().context("traces.otlp_endpoint cannot be used")?;
    let provider = provider(address, trust, settings.sample_ratio)?;
    let tracer = provider.tracer("restwell");
    // A second call, which only a test could make, keeps the first.
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
        .with_http_client(Collector::new(PATIENCE, trust)?)
        .with_protocol(Protocol::HttpBinary)
        .with_endpoint(address)
        .with_timeout(PATIENCE)
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

/// Returns what makes the span of a request go on its caller's trace; nothing where no traces are sent.
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
    // It fails on a span that has begun, or that is not recorded: then the trace begins here.
    let _ = span.set_parent(Context::new().with_remote_span_context(context));
}

/// Sends what waits still; a collector that does not answer does not keep the process for long.
pub(crate) async fn end_traces() {
    let Some(provider) = PROVIDER.get() else { return };
    let ended = tokio::task::spawn_blocking(|| provider.shutdown_with_timeout(PATIENCE)).await;
    if !matches!(ended, Ok(Ok(()))) {
        tracing::warn!("the last traces were not sent");
    }
}
