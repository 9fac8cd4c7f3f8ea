//! How to reach the server, and how long to wait for it.

use crate::connection::{InvalidTls, TlsPolicy};
use percent_encoding::percent_decode_str;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// What a store on Postgres needs to know. Holds the password of the URL, so `Debug` leaves the URL out.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database?...`, as libpq reads it.
    ///
    /// Several servers may be named, `host1:port1,host2:port2`: the one that takes writes is used.
    ///
    /// A Unix socket is a host with `%2F` for the slashes of its directory. Of libpq's parameters those of
    /// `tokio_postgres::Config` are known, and:
    ///
    /// * `sslmode=disable`: no TLS. `prefer` (the default): TLS when the server offers it, its certificate
    ///   unchecked. `require`: TLS or no connection, the certificate unchecked unless `sslrootcert` is given,
    ///   which makes it `verify-ca`. `verify-ca`: the certificate must come from an authority of `sslrootcert`.
    ///   `verify-full`: and be made out for this host; the only mode that keeps out somebody on the way who has
    ///   a certificate for another host. libpq's `allow` is not offered. A Unix socket never speaks TLS.
    /// * `sslrootcert=FILE`: PEM certificates of the authorities to trust; `system`, or nothing with `verify-full`:
    ///   those that the operating system trusts. Any other mode refuses `system`, as libpq does: public authorities
    ///   certify everybody, so that only the name of the host tells the server from somebody else.
    pub url: String,
    /// Connections for transactions, at least 1; workers share half as many more for long pages. About twice the cores
    /// of the server; more make it slower.
    pub pool_size: usize,
    /// Further connections for single rows and short pages, at least 1: one for each worker of the HTTP server is
    /// best; if there are fewer, workers share them. The rest of the process uses one more.
    pub shared_connections: usize,
    /// How long one statement may run before the server gives it up; the port then reports `Unavailable`. A server
    /// that says nothing at all is given up a second later, and the connections of that time with it.
    pub statement_timeout: Duration,
    /// How long a statement may wait for a lock; the port then reports `Retryable`.
    pub lock_timeout: Duration,
    /// How long a transaction may stand idle before the server ends the session: a last resort, because
    /// a unit of work that is dropped closes its connection.
    pub idle_in_transaction_timeout: Duration,
    /// How long to wait for a free connection of the pool, or for a new one, and for a transaction to begin; then
    /// `Unavailable`. After this time, too, nobody else is sent to a shared connection that does not answer, and the
    /// kernel ends a connection over which nothing is acknowledged.
    pub wait_timeout: Duration,
}

impl PostgresOptions {
    /// Takes the defaults for everything but the URL.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            pool_size: 8,
            shared_connections: 2,
            statement_timeout: Duration::from_secs(10),
            lock_timeout: Duration::from_secs(5),
            idle_in_transaction_timeout: Duration::from_secs(30),
            wait_timeout: Duration::from_secs(3),
        }
    }
}

impl fmt::Debug for PostgresOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            url: _,
            pool_size,
            shared_connections,
            statement_timeout,
            lock_timeout,
            idle_in_transaction_timeout,
            wait_timeout,
        } = self;
        f.debug_struct("PostgresOptions")
            .field("pool_size", pool_size)
            .field("shared_connections", shared_connections)
            .field("statement_timeout", statement_timeout)
            .field("lock_timeout", lock_timeout)
            .field("idle_in_transaction_timeout", idle_in_transaction_timeout)
            .field("wait_timeout", wait_timeout)
            .finish_non_exhaustive()
    }
}

/// Says why options are refused; never repeats the URL.
#[derive(Debug, thiserror::Error)]
pub enum InvalidPostgresOptions {
    /// The text is not a URL of Postgres, or has a parameter that is not known.
    #[error("not a URL of the form postgres://user:password@host:port/database")]
    Url(#[source] Option<tokio_postgres::Error>),
    /// The parameter `sslmode` is none of the five.
    #[error("sslmode must be disable, prefer, require, verify-ca or verify-full")]
    SslMode,
    /// The certificates to trust cannot be had.
    #[error(transparent)]
    Tls(#[from] InvalidTls),
    /// More than one standby is named; it could not be known which of them is fresh.
    #[error("names several servers; a read replica is one")]
    SeveralReplicas,
    /// A number of connections is 0.
    #[error("a pool has at least one connection")]
    PoolSize,
}

/// A URL taken apart: what the driver understands, and what this crate does itself.
pub(crate) struct ParsedUrl {
    /// One for each host of the address.
    pub(crate) servers: Vec<tokio_postgres::Config>,
    pub(crate) tls: TlsPolicy,
}

/// Reads a URL; the driver knows neither `sslrootcert` nor the `verify-` modes, so they are taken out first.
pub(crate) fn parse_url(url: &str) -> Result<ParsedUrl, InvalidPostgresOptions> {
    if !(url.starts_with("postgres://") || url.starts_with("postgresql://")) {
        return Err(InvalidPostgresOptions::Url(None));
    }
    let (address, query) = url.split_once('?').unwrap_or((url, ""));
    let mut mode = None;
    let mut root = None;
    let mut rest = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = Some(value),
            Some(("sslrootcert", value)) => root = Some(decoded(value)?),
            _ => rest.push(pair),
        }
    }
    let query = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
    let parsed = |address: String| {
        format!("{address}{query}").parse().map_err(|source| InvalidPostgresOptions::Url(Some(source)))
    };
    let servers = each_host(address).map(parsed).collect::<Result<_, _>>()?;
    let tls = TlsPolicy::of(mode, root.as_deref())?;
    Ok(ParsedUrl { servers, tls })
}

/// Writes an address once for each of the hosts that it names.
fn each_host(address: &str) -> impl Iterator<Item = String> {
    let (scheme, rest) = address.split_once("://").unwrap_or(("postgres", address));
    let (authority, database) = rest
        .split_once('/')
        .map_or((rest, String::new()), |(authority, name)| (authority, format!("/{name}")));
    let (user, hosts) = authority
        .rsplit_once('@')
        .map_or((String::new(), authority), |(user, hosts)| (format!("{user}@"), hosts));
    hosts.split(',').map(move |host| format!("{scheme}://{user}{host}{database}"))
}

fn decoded(value: &str) -> Result<PathBuf, InvalidPostgresOptions> {
    let text = percent_decode_str(value).decode_utf8().map_err(|_| InvalidPostgresOptions::Url(None))?;
    Ok(PathBuf::from(text.as_ref()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_tls_are_taken_out_and_the_others_stay() {
        let url =
            "postgres://u:p@db.example/x?sslrootcert=%2Fetc%2Fca.pem&connect_timeout=7&sslmode=verify-full";
        let parsed = parse_url(url).unwrap();
        let [config] = &parsed.servers[..] else { panic!("one server") };
        assert_eq!(config.get_dbname(), Some("x"));
        assert_eq!(config.get_connect_timeout(), Some(&Duration::from_secs(7)));
        let roots = PathBuf::from("/etc/ca.pem");
        assert_eq!(parsed.tls, TlsPolicy::Checked { roots: Some(roots), host: true });
    }

    #[test]
    fn each_host_of_an_address_is_a_server_of_its_own() {
        let parsed = parse_url("postgres://u:p%40x@one:5433,two,[::1]:7/d?application_name=me").unwrap();
        let seen = parsed.servers.iter().map(|config| {
            assert_eq!((config.get_user(), config.get_dbname()), (Some("u"), Some("d")));
            assert_eq!(config.get_password(), Some(b"p@x".as_slice()));
            assert_eq!(config.get_application_name(), Some("me"));
            (format!("{:?}", config.get_hosts()), config.get_ports().to_vec())
        });
        let host = |name: &str| format!("[Tcp({name:?})]");
        let expected = [(host("one"), vec![5433]), (host("two"), vec![5432]), (host("::1"), vec![7])];
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn what_is_no_url_and_what_is_no_mode_is_refused_without_repeating_it() {
        for url in [
            "host=/tmp dbname=x",
            "mysql://db/x",
            "postgres://u:LEAKME@db/x?sslmode=allow",
            "postgres://u:LEAKME@db:x/y",
        ] {
            let Err(error) = parse_url(url) else { panic!("accepted") };
            assert!(!format!("{error} {error:?}").contains("LEAKME"));
        }
    }

    #[test]
    fn the_url_is_not_printed() {
        assert!(!format!("{:?}", PostgresOptions::new("postgres://u:LEAKME@db/x")).contains("LEAKME"));
    }
}
