//! The way to the collector.

use anyhow::Context as _;
use async_trait::async_trait;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::runtime::Handle;

/// Sends batches of spans on the program's own runtime: the exporter calls from a thread that has none.
#[derive(Debug)]
pub(super) struct Collector {
    client: reqwest::Client,
    runtime: Handle,
    is_lost: AtomicBool,
}

impl Collector {
    /// Prepares a client; no connection is made yet.
    pub(super) fn new(patience: Duration) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .timeout(patience)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()
            .context("no client for the collector of traces")?;
        Ok(Self { client, runtime: Handle::current(), is_lost: AtomicBool::new(false) })
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
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { send(&client, request).await }).await;
        let answer = sent.map_err(HttpError::from).and_then(|answer| answer);
        self.tell(!answer.as_ref().is_ok_and(|answer| answer.status().is_success()));
        answer
    }
}

async fn send(client: &reqwest::Client, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
    let request = reqwest::Request::try_from(request)?;
    let answer = client.execute(request).await?;
    let (status, headers) = (answer.status(), answer.headers().clone());
    let mut response = Response::builder().status(status).body(answer.bytes().await?)?;
    *response.headers_mut() = headers;
    Ok(response)
}
