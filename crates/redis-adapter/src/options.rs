//! Options of the shared store.

use redis::{Client, ConnectionAddr, ConnectionInfo, IntoConnectionInfo, TlsCertificates};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tls_trust::Authorities;
use url::Url;

/// Why a URL is rejected; never repeats it, because it may contain a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidRedisOptions {
    /// Not a URL, or the scheme of another kind of store.
    #[error("must begin with redis://, rediss:// or redis+unix:// (valkey likewise)")]
    Scheme,
    /// Not a valid URL.
    #[error("is not a URL; write redis://user:password@host:6379/0 or redis+unix:///path/to/socket")]
    NotAUrl,
    /// No host or socket, or an unspecified address.
    #[error("names no host; write redis://host:6379 or redis+unix:///path/to/socket")]
    Host,
    /// The database number is invalid.
    #[error("names a database that is not a number between 0 and 65535; write redis://host:6379/0")]
    Database,
    /// An unknown query parameter.
    #[error("has an unknown parameter; only a socket URL may have db, user and pass")]
    Parameter,
    /// A fragment that would disable certificate checks.
    #[error("must not have a fragment (#): certificates are always checked")]
    Fragment,
    /// The file with the authorities is unreadable or empty.
    #[error("has a certificate file without valid PEM certificates: {}", .0.display())]
    Certificates(PathBuf),
    /// Authorities were given for a connection without TLS.
    #[error("does not use TLS, so certificates cannot be checked; write rediss://")]
    NotEncrypted,
    /// The driver rejects the URL.
    #[error("is rejected by the driver")]
    Refused,
}

/// Location of the store; printed without user and password.
#[derive(Clone)]
pub struct RedisOptions {
    client: Client,
    answer_timeout: Duration,
}

impl RedisOptions {
    /// Parses a URL; does not connect.
    ///
    /// `redis://[user[:password]@]host[:6379][/database]`, `rediss://` for the same with TLS, and
    /// `redis+unix:///path?db=&user=&pass=` for a socket; each also with `valkey`. `authorities` is a PEM
    /// file; without it, the authorities of the operating system are trusted.
    pub fn parse(
        url: &str,
        authorities: Option<&Path>,
        answer_timeout: Duration,
    ) -> Result<Self, InvalidRedisOptions> {
        let info =
            checked_url(url.trim())?.into_connection_info().map_err(|_| InvalidRedisOptions::Refused)?;
        let is_encrypted = matches!(info.addr(), ConnectionAddr::TcpTls { .. });
        let client = match authorities {
            None => Client::open(info).map_err(|_| InvalidRedisOptions::Refused)?,
            Some(_) if !is_encrypted => return Err(InvalidRedisOptions::NotEncrypted),
            Some(path) => {
                trusting(info, path).ok_or_else(|| InvalidRedisOptions::Certificates(path.to_owned()))?
            }
        };
        Ok(Self { client, answer_timeout })
    }

    pub(crate) fn client(&self) -> &Client {
        &self.client
    }

    pub(crate) fn answer_timeout(&self) -> Duration {
        self.answer_timeout
    }
}

/// Creates a client that trusts only the authorities in this file.
fn trusting(info: ConnectionInfo, authorities: &Path) -> Option<Client> {
    let pem = std::fs::read(authorities).ok()?;
    // The driver accepts a file without certificates and then trusts no server.
    Authorities::from_pem(&pem)?;
    let certificates = TlsCertificates { client_tls: None, root_cert: Some(pem) };
    Client::build_with_tls(info, certificates).ok()
}

/// Parses a URL, and rejects parts that the driver would ignore.
fn checked_url(text: &str) -> Result<Url, InvalidRedisOptions> {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme);
    let is_socket = match scheme {
        Some("redis" | "rediss" | "valkey" | "valkeys") => false,
        Some("redis+unix" | "valkey+unix") => true,
        _ => return Err(InvalidRedisOptions::Scheme),
    };
    let url = Url::parse(text).map_err(|_| InvalidRedisOptions::NotAUrl)?;
    if url.fragment().is_some() {
        return Err(InvalidRedisOptions::Fragment);
    }
    let known: &[&str] = if is_socket { &["db", "user", "pass"] } else { &[] };
    if url.query_pairs().any(|(name, _)| !known.contains(&&*name)) {
        return Err(InvalidRedisOptions::Parameter);
    }
    let (is_named, database) = if is_socket {
        let database = url.query_pairs().find(|(name, _)| name == "db");
        (!url.has_host() && url.path().len() > 1, database.map(|(_, number)| number.into_owned()))
    } else {
        let database = url.path().trim_start_matches('/');
        let is_named = !matches!(url.host_str(), None | Some("" | "0.0.0.0" | "[::]"));
        (is_named, (!database.is_empty()).then(|| database.to_owned()))
    };
    if !is_named {
        return Err(InvalidRedisOptions::Host);
    }
    if database.is_some_and(|number| number.parse::<u16>().is_err()) {
        return Err(InvalidRedisOptions::Database);
    }
    Ok(url)
}

/// Formats the location without user, password and parameters.
impl fmt::Display for RedisOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.client.get_connection_info();
        let database = info.redis_settings().db();
        match info.addr() {
            ConnectionAddr::Tcp(host, port) => write!(f, "redis://{}:{port}/{database}", bracketed(host)),
            ConnectionAddr::TcpTls { host, port, .. } => {
                write!(f, "rediss://{}:{port}/{database}", bracketed(host))
            }
            ConnectionAddr::Unix(path) => write!(f, "redis+unix://{}?db={database}", path.display()),
            _ => f.write_str("redis://..."),
        }
    }
}

/// Adds the brackets of an IPv6 address in a URL.
fn bracketed(host: &str) -> String {
    if host.contains(':') { format!("[{host}]") } else { host.to_owned() }
}

impl fmt::Debug for RedisOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisOptions({self}, {} ms)", self.answer_timeout.as_millis())
    }
}

#[cfg(test)]
mod tests;
