//! Check of the public URL: reached, answered by this installation and, over https, with a valid certificate.

use super::check::Check;
use crate::lifecycle::Period;
use crate::settings::PublicUrl;
use crate::wiring::KeyParts;
use anyhow::{Context as _, bail};
use application::ports::system::OutboundRequest;
use domain::outbound::OutboundUrl;
use http_adapter::Endpoint;
use outbound_adapter::{ProbeError, SiteProbe, SiteResponse};
use serde_json::Value;
use std::time::Duration;
use system_adapter::Ed25519KeyRing;

const NAME: &str = "public_url";

/// Time limit of a request.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Requests the metadata and the keys through the public URL. Without `keys`, the keys are not compared.
pub(super) async fn check(public_url: &PublicUrl, keys: Option<&KeyParts>) -> Check {
    if let Err(reason) = OutboundUrl::parse(public_url.as_str()) {
        return Check::skipped(NAME, format!("{public_url} cannot be checked: it {reason}"));
    }
    match examine(public_url, keys.map(|keys| &*keys.ring)).await {
        // Only this machine can use an http URL. The server may not have been started yet.
        Err(error) if !public_url.is_https() && is_unreachable(&error) => {
            Check::warning(NAME, format!("no server runs at {public_url}"), "Start it: restwell serve")
        }
        Err(error) => Check::failed(NAME, format!("{public_url}: {error:#}"), advice(&error)),
        Ok(Some(warning)) => Check::warning(NAME, warning, "Renew the certificate; check its renewal job."),
        Ok(None) if !public_url.is_https() => {
            Check::ok(NAME, format!("{public_url} answers, to this machine only"))
        }
        Ok(None) => Check::ok(NAME, format!("{public_url} answers with a valid certificate")),
    }
}

fn is_unreachable(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(ProbeError::Unreachable(_)))
}

fn advice(error: &anyhow::Error) -> String {
    match error.downcast_ref::<ProbeError>() {
        Some(ProbeError::Unreachable(_) | ProbeError::TimedOut) => {
            "Check DNS, the firewall, and that the proxy and the server run. If other machines do reach the URL, let this \
             one reach it too."
        }
        Some(ProbeError::Certificate(_)) => {
            "Install a certificate for this host with its intermediates, and check its renewal."
        }
        Some(ProbeError::Tls(_)) => "Enable TLS on the port of server.public_url.",
        Some(ProbeError::NoAuthorities(_)) => "Install the package ca-certificates.",
        Some(ProbeError::Setup(_) | ProbeError::NotHttp) | None => {
            "Check that the proxy forwards to this server, that it runs, and that this command uses its settings and \
             store."
        }
    }
    .to_owned()
}

/// Returns a warning about the certificate, if any.
async fn examine(public_url: &PublicUrl, ring: Option<&Ed25519KeyRing>) -> anyhow::Result<Option<String>> {
    let probe = SiteProbe::new()?;
    let metadata = get(&probe, public_url, Endpoint::Metadata, Vec::new()).await?;
    let issuer = json(&metadata)?;
    if issuer.get("issuer").and_then(Value::as_str) != Some(public_url.as_str()) {
        bail!("another server answers: the issuer in its metadata is not server.public_url");
    }
    if let Some(ring) = ring {
        let keys = json(&get(&probe, public_url, Endpoint::KeySet, Vec::new()).await?)?;
        if !shares_a_key(&keys, ring) {
            bail!("another server answers: it signs tokens with keys that are not in this store");
        }
    }
    Ok(Period::from_chain(&metadata.certificates).and_then(Period::warning_today))
}

fn shares_a_key(answer: &Value, ring: &Ed25519KeyRing) -> bool {
    let answered = answer.get("keys").and_then(Value::as_array).into_iter().flatten();
    let mut ids = answered.filter_map(|key| key.get("kid")?.as_str());
    ids.any(|id| ring.public_key_set().keys.iter().any(|key| key.kid == id))
}

fn json(answer: &SiteResponse) -> anyhow::Result<Value> {
    let status = answer.response.status;
    if status != 200 {
        bail!("another server answers, or the proxy does not reach this one: HTTP status {status}");
    }
    serde_json::from_slice(&answer.response.body).context("another server answers: the response is not JSON")
}

/// Requests an endpoint through the public URL.
pub(super) async fn get(
    probe: &SiteProbe,
    public_url: &PublicUrl,
    endpoint: Endpoint,
    headers: Vec<(&'static str, String)>,
) -> anyhow::Result<SiteResponse> {
    let url = OutboundUrl::parse(&format!("{public_url}{}", endpoint.path()))?;
    let request = OutboundRequest {
        url,
        is_reviewed: true,
        json: None,
        headers,
        max_body_bytes: 64 * 1024,
        timeout: TIMEOUT,
    };
    Ok(probe.get(request).await?)
}
