//! The way to the collector.

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

/// More than a collector has to say about a batch, in bytes.
const LONGEST_ANSWER: usize = 64 * 1024;

/// Goes where it is told: redirections and the proxies of the environment are not looked at.
type Sender = Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// Sends batches of spans on the program's own runtime: the exporter calls from a thread that has none.
#[derive(Debug)]
pub(super) struct Collector {
    sender: Sender,
    patience: Duration,
    runtime: Handle,
    is_lost: AtomicBool,
}

impl Collector {
    /// Prepares a client; no connection is made yet.
    pub(super) fn new(patience: Duration, trust: Trust) -> anyhow::Result<Self> {
        let tls = client_config(trust).context("no TLS for the collector of traces")?;
        let connector =
            HttpsConnectorBuilder::new().with_tls_config(tls).https_or_http().enable_http1().build();
        let sender = Client::builder(TokioExecutor::new()).build(connector);
        Ok(Self { sender, patience, runtime: Handle::current(), is_lost: AtomicBool::new(false) })
    }

    /// Says once that a collector is lost, and once that it is back.
    fn tell(&self, is_lost: bool) {
        if self.is_lost.swap(is_lost, Ordering::Relaxed) == is_lost {
            return;
        }
        if is_lost {
            tracing::warn!("the collector does not take traces; they are dropped until it does");
        } else {
            tracing::info!("the collector takes traces again");
        }
    }
}

#[async_trait]
impl HttpClient for Collector {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let (sender, patience) = (self.sender.clone(), self.patience);
        let sent = self.runtime.spawn(async move { timeout(patience, send(&sender, request)).await? }).await;
        let answer = sent.map_err(HttpError::from).and_then(|answer| answer);
        self.tell(!answer.as_ref().is_ok_and(|answer| answer.status().is_success()));
        answer
    }
}

async fn send(sender: &Sender, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let (head, body) = sender.request(request.map(Full::new)).await?.into_parts();
    let body = Limited::new(body, LONGEST_ANSWER).collect().await?.to_bytes();
    Ok(Response::from_parts(head, body))
}
