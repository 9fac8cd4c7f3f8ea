//! Check that the caller's address arrives through the proxy, as the server itself sees it (ADR 75).

use super::check::{Check, Status};
use super::public_url::get;
use crate::settings::{PublicUrl, Settings};
use crate::wiring::KeyParts;
use anyhow::Context as _;
use http_adapter::caller::SeenCaller;
use http_adapter::{DOCTOR_PASS, Endpoint};
use outbound_adapter::SiteProbe;
use serde::Deserialize;
use system_adapter::DoctorPass;

const NAME: &str = "caller_address";

#[derive(Deserialize)]
struct Answer {
    caller: Option<SeenCaller>,
}

/// Asks the server through the public URL which caller it sees, if that URL was `reached`.
pub(super) async fn check(
    settings: &Settings,
    public_url: &PublicUrl,
    reached: &Check,
    keys: Option<&KeyParts>,
) -> Check {
    // Only this machine can use an http URL: nothing is in front of the server.
    if !public_url.is_https() {
        return Check::skipped(NAME, format!("only this machine can use {public_url}"));
    }
    let reason = match (reached.status, keys) {
        (Status::Ok | Status::Warning, Some(keys)) => {
            return seen_by_server(settings, public_url, &keys.doctor_pass).await;
        }
        (Status::Ok | Status::Warning, None) => "the keys cannot be used",
        (Status::Failed, _) => "the public URL was not reached",
        (Status::Skipped, _) => return Check::skipped(NAME, reached.message.clone()),
    };
    Check::skipped(NAME, reason)
}

async fn seen_by_server(settings: &Settings, public_url: &PublicUrl, pass: &DoctorPass) -> Check {
    match ask(public_url, pass).await {
        Err(error) => Check::failed(NAME, format!("{error:#}"), "Look at the log of the server."),
        Ok(None) => Check::skipped(NAME, "the server did not accept the pass of this command")
            .advise("Restart the server with this release and these settings."),
        Ok(Some(seen)) => {
            let by_tls = settings.server.tls_certificate_file.is_some();
            verdict(&seen, &settings.server.client_address_header.to_string(), by_tls)
        }
    }
}

async fn ask(public_url: &PublicUrl, pass: &DoctorPass) -> anyhow::Result<Option<SeenCaller>> {
    let pass = pass.issue().context("no pass could be made")?;
    let answer = get(&SiteProbe::new()?, public_url, Endpoint::Live, vec![(DOCTOR_PASS, pass)]).await?;
    let answer: Answer = serde_json::from_slice(&answer.response.body).context("/livez is not JSON")?;
    Ok(answer.caller)
}

/// Decides from what the server saw; `by_tls`: whether the server itself uses TLS, so that it needs no proxy.
fn verdict(seen: &SeenCaller, header: &str, by_tls: bool) -> Check {
    let SeenCaller { address, peer, has_header, is_trusted } = seen;
    match (has_header, is_trusted) {
        (true, true) if address == peer && !peer.is_loopback() => Check::failed(
            NAME,
            format!("all callers share the address {peer}: {header} of that proxy has no address"),
            format!("Let the proxy write the caller's address to {header}."),
        ),
        (true, true) => {
            Check::ok(NAME, format!("{address} arrives as the caller's address through the proxy {peer}"))
        }
        (true, false) => Check::failed(
            NAME,
            format!(
                "all callers share the address {peer}: that proxy sends {header}, but is not in server.trusted_proxies"
            ),
            format!(
                "Add {peer}, or the network of your proxies, to server.trusted_proxies, and restart the server."
            ),
        ),
        (false, false) if by_tls => Check::ok(NAME, format!("{address} arrives directly, without a proxy")),
        (false, _) => Check::failed(
            NAME,
            format!("all callers share the address {peer}: that proxy does not send {header}"),
            format!(
                "Let the proxy set {header} (see deploy/nginx and deploy/haproxy), or choose its header in \
                 server.client_address_header."
            ),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_from_an_unnamed_proxy_and_a_proxy_without_it_fail() {
        let check = |has_header, is_trusted, by_tls| {
            let (address, peer) = ("203.0.113.7".parse().unwrap(), "10.0.7.5".parse().unwrap());
            verdict(&SeenCaller { address, peer, has_header, is_trusted }, "x-forwarded-for", by_tls)
        };
        assert_eq!(check(true, true, false).status, Status::Ok);
        assert_eq!(check(false, false, true).status, Status::Ok);
        let unnamed = check(true, false, false);
        assert_eq!(unnamed.status, Status::Failed);
        assert!(unnamed.advice.unwrap().starts_with("Add 10.0.7.5"));
        for (is_trusted, by_tls) in [(true, false), (true, true), (false, false)] {
            let silent = check(false, is_trusted, by_tls);
            assert_eq!(silent.status, Status::Failed);
            assert!(silent.message.ends_with("does not send x-forwarded-for"));
        }
    }

    #[test]
    fn a_header_without_an_address_fails_unless_the_proxy_is_local() {
        for (peer, expected) in [("10.0.7.5", Status::Failed), ("127.0.0.1", Status::Ok)] {
            let peer = peer.parse().unwrap();
            let seen = SeenCaller { address: peer, peer, has_header: true, is_trusted: true };
            assert_eq!(verdict(&seen, "x-forwarded-for", false).status, expected);
        }
    }
}
