//! The section `server`.

use super::address_header::AddressHeader;
use super::problem::Problem;
use super::public_url::{PublicUrl, is_loopback};
use super::section::section;
use super::text_list::TextList;
use domain::user::Email;
use http_adapter::{AdmissionLimits, Operator, TrustedProxies};
use std::net::SocketAddr;
use std::num::NonZero;
use std::path::PathBuf;

section! {
    /// The listener, its public address, and its limits.
    ServerSettings("server") {
        /// Address and port to listen on; port 0 means any free port.
        listen: SocketAddr = Some("127.0.0.1:8080"), "address:port", "0.0.0.0:8080";
        /// Origin used by apps and people, and the issuer of tokens. Must be https unless it is a loopback
        /// address. Default: `server.listen`, if that is a loopback address.
        public_url: Option<String> = None, "URL", "https://sleep.example.org";
        /// Name of the operator, shown on the landing page and the help page.
        operator_name: Option<String> = None, "name", "Example Sleep Clinic";
        /// Contact of the operator: an email address or an https URL, shown with the name.
        operator_contact: Option<String> = None, "email address or URL", "help@example.org";
        /// PEM file with the certificate for the host of `server.public_url`, then its intermediates. Enables
        /// TLS without a proxy. Reloaded every minute and on SIGHUP.
        tls_certificate_file: Option<PathBuf> = None, "path", "/etc/restwell/tls/fullchain.pem";
        /// PEM file with the private key of that certificate. Only its owner may access it.
        tls_key_file: Option<PathBuf> = None, "path", "/etc/restwell/tls/privkey.pem";
        /// Addresses and networks of the proxies whose client address header is trusted. Name only proxies
        /// that replace the header or append to it, because limits are per address.
        trusted_proxies: TextList = Some(""), "list of addresses and networks, comma-separated in the environment", "10.0.7.0/24";
        /// Header in which these proxies send the client's address; the other header is ignored.
        client_address_header: AddressHeader = Some("x-forwarded-for"), "x-forwarded-for or forwarded", "forwarded";
        /// Maximum number of concurrent connections; further ones wait.
        max_connections: u32 = Some("8192"), "connections" in 16..=1_000_000, "20000";
        /// Maximum number of concurrent requests, at most half of them with a body; further ones get 503.
        /// Large pages may use at most a quarter for any single app or person.
        max_requests: u32 = Some("512"), "requests" in 2..=100_000, "256";
        /// Memory for the records of all responses above 256 KiB, at most a quarter for any single app or
        /// person; beyond it, requests get 503. A single response may exceed it if there are no others.
        max_large_answer_mebibytes: u32 = Some("512"), "MiB" in 1..=1_048_576, "128";
        /// Threads that serve requests; 0 means one per core.
        workers: usize = Some("0"), "threads", "4";
        /// Lifetime of an idle connection.
        keep_alive_seconds: u32 = Some("75"), "seconds" in 1..=3600, "30";
        /// Timeout for receiving the head of a request; then 408.
        request_timeout_seconds: u32 = Some("5"), "seconds" in 1..=60, "5";
        /// How long requests are still served after SIGTERM while `/readyz` answers 503. Must exceed the time
        /// your load balancer needs to notice. SIGINT skips it.
        drain_seconds: u32 = Some("3"), "seconds" in 0..=600, "5";
        /// Maximum time from the signal to the exit of the process. Must exceed `server.drain_seconds`.
        stop_seconds: u32 = Some("8"), "seconds" in 1..=3600, "30";
    }
}

impl ServerSettings {
    /// Returns the public URL of a server on the configured address.
    pub(crate) fn public_url(&self) -> Result<PublicUrl, Problem> {
        self.public_url_at(self.listen)
    }

    /// Returns the public URL of a server that is bound to this address.
    pub(crate) fn public_url_at(&self, listen: SocketAddr) -> Result<PublicUrl, Problem> {
        let problem = |text: String| Problem::new("server.public_url", text);
        match &self.public_url {
            Some(text) => PublicUrl::parse(text).map_err(problem),
            None if is_loopback(listen.ip()) => Ok(PublicUrl::of_loopback(listen)),
            None => Err(problem(format!(
                "must be set when server.listen ({listen}) is reached from other machines; \
                 set it to the https URL that apps use"
            ))),
        }
    }

    /// Returns the certificate files; `None` if the listener uses no TLS.
    pub(crate) fn tls_files(&self) -> Result<Option<TlsFiles>, Problem> {
        let only = |key: &str, other: &str| {
            Problem::new(format!("server.{key}"), format!("is set, but server.{other} is not"))
        };
        match (&self.tls_certificate_file, &self.tls_key_file) {
            (Some(certificate), Some(key)) => {
                Ok(Some(TlsFiles { certificate: certificate.clone(), key: key.clone() }))
            }
            (None, None) => Ok(None),
            (Some(_), None) => Err(only("tls_certificate_file", "tls_key_file")),
            (None, Some(_)) => Err(only("tls_key_file", "tls_certificate_file")),
        }
    }

    /// Returns a problem if the listener uses TLS but the public URL is http.
    fn plain_public_url(&self) -> Option<Problem> {
        let is_plain = self.public_url().is_ok_and(|url| !url.is_https());
        (is_plain && self.tls_certificate_file.is_some()).then(|| {
            Problem::new(
                "server.public_url",
                "must be set to an https URL when server.tls_certificate_file is set",
            )
        })
    }

    /// Returns a warning if requests arrive through a proxy that is not configured as trusted.
    pub(crate) fn unnamed_proxy(&self, public_url: &PublicUrl) -> Option<&'static str> {
        let is_behind_proxy = public_url.is_https() && self.tls_certificate_file.is_none();
        (is_behind_proxy && self.trusted_proxies.0.is_empty()).then_some(
            "server.public_url is https but this server does not use TLS, so there must be a proxy in front \
             of it, but server.trusted_proxies lists none: all callers share the proxy's address, and failed \
             sign-ins by one lock out the others; set it to the address that the proxy connects from",
        )
    }

    pub(crate) fn trusted_proxies(&self) -> Result<TrustedProxies, Problem> {
        TrustedProxies::parse(&self.trusted_proxies.0, self.client_address_header.0)
            .map_err(|error| Problem::new("server.trusted_proxies", format!("is invalid: {error}")))
    }

    /// Returns the limits on concurrent requests.
    pub(crate) fn admission_limits(&self) -> AdmissionLimits {
        AdmissionLimits {
            requests: self.max_requests,
            large_answer_bytes: u64::from(self.max_large_answer_mebibytes) << 20,
        }
    }

    /// Returns the number of threads that serve requests.
    pub(crate) fn worker_count(&self) -> usize {
        match self.workers {
            0 => std::thread::available_parallelism().map_or(1, NonZero::get),
            workers => workers,
        }
    }

    /// Returns what people see about the operator.
    pub(crate) fn operator(&self) -> Operator {
        Operator { name: self.operator_name.clone(), contact: self.operator_contact.clone() }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let contact = self
            .operator_contact
            .as_ref()
            .filter(|contact| !is_contact(contact))
            .map(|_| Problem::new("server.operator_contact", "must be an email address or an https URL"));
        let times = (self.stop_seconds <= self.drain_seconds).then(|| {
            Problem::new("server.stop_seconds", "must exceed server.drain_seconds, which it includes")
        });
        let workers = (self.workers > 1024).then(|| Problem::new("server.workers", "must be at most 1024"));
        let proxies = self.trusted_proxies().err();
        let tls = self.tls_files().err();
        let public_url = self.public_url().err().or_else(|| self.plain_public_url());
        [contact, times, workers, proxies, tls, public_url].into_iter().flatten().collect()
    }
}

fn is_contact(text: &str) -> bool {
    Email::parse(text).is_ok() || url::Url::parse(text).is_ok_and(|url| url.scheme() == "https")
}

/// A certificate and its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TlsFiles {
    /// PEM file of the certificate chain, the server's own first.
    pub(crate) certificate: PathBuf,
    /// PEM file of the private key.
    pub(crate) key: PathBuf,
}
