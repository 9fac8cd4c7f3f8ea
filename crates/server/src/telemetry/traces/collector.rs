//! HTTP client for the collector.

use anyhow::Context as _;
use async_trait::async_trait;
use http_body_util::{BodyExt as _, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tls_trust::{Trust, client_config};
use tokio::runtime::Handle;
use tokio::time::timeout;

/// Maximum size of a response in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// HTTP client that follows no redirects and ignores the proxy variables of the environment.
type Sender = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Sender of span batches on the program's runtime; the exporter runs on a thread without one.
#[derive(Debug)]
pub(super) struct Collector {
    sender: Sender,
    limit: Duration,
    runtime: Handle,
    is_lost: AtomicBool,
}

impl Collector {
    /// Creates a client without connecting.
    pub(super) fn new(limit: Duration, trust: Trust) -> anyhow::Result<Self> {
        let tls = client_config(trust).context("TLS to the trace collector cannot be set up")?;
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        let sender = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { sender, limit, runtime: Handle::current(), is_lost: AtomicBool::new(false) })
    }

    /// Logs once that the collector is unreachable, and once that it is back.
    fn log_change(&self, is_lost: bool) {
        if self.is_lost.swap(is_lost, Ordering::Relaxed) == is_lost {
            return;
        }
        if is_lost {
            tracing::warn!("the collector does not accept traces; they are dropped until it does");
        } else {
            tracing::info!("the collector accepts traces again");
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (sender, limit) = (self.sender.clone(), self.limit);
        let sent = self.runtime.spawn(async move { timeout(limit, send(&sender, request)).await? }).await;
        let answer = sent.map_err(HttpError::from).and_then(|answer| answer);
        self.log_change(!answer.as_ref().is_ok_and(|answer| answer.status().is_success()));
        answer
    }
}

async fn send(sender: &Sender, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let (head, body) = sender.request(request.map(Full::new)).await?.into_parts();
    let body = Limited::new(body, LONGEST_ANSWER).collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
}
