//! Connection settings: URL, pool sizes and timeouts.

use crate::tls::{InvalidTls, TlsPolicy};
use percent_encoding::percent_decode_str;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Options of a Postgres store. The URL contains a password, so `Debug` omits it.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database?...` in libpq's syntax.
    ///
    /// With several servers, `host1:port1,host2:port2`, the store uses the one that accepts writes.
    ///
    /// A Unix socket is a host with `%2F` for the slashes of its directory. The parameters of
    /// `tokio_postgres::Config` are accepted, and:
    ///
    /// * `sslmode=disable`: no TLS. `prefer` (the default): TLS if the server offers it, without
    ///   verification. `require`: TLS required, without verification unless `sslrootcert` is set, which makes
    ///   it `verify-ca`. `verify-ca`: the certificate must be issued by an authority of `sslrootcert`.
    ///   `verify-full`: the certificate must also match the host name. Only this mode rejects an attacker
    ///   with a certificate for another host. libpq's `allow` is not supported. Unix sockets never use TLS.
    /// * `sslrootcert=FILE`: PEM certificates of the trusted authorities. `system`, or no value with
    ///   `verify-full`: the authorities that the operating system trusts. As in libpq, all other modes reject
    ///   `system`: public authorities issue certificates to anyone, so the host name must be verified.
    pub url: String,
    /// Size of the connection pool for transactions, at least 1; long pages use half as many more. About
    /// twice the server's cores is best; more connections reduce throughput.
    pub pool_size: usize,
    /// Additional connections for single rows and short pages, at least 1. One per HTTP worker is best; with
    /// fewer, workers share them. The rest of the process uses one more.
    pub shared_connections: usize,
    /// Time after which the server cancels a statement; the port returns `Unavailable`. One second later the
    /// store gives up on a server that does not respond, and closes its connections.
    pub statement_timeout: Duration,
    /// Time limit of a wait for a lock; the port returns `Retryable`.
    pub lock_timeout: Duration,
    /// Time after which the server closes a session that is idle in a transaction. This is a last resort: a
    /// dropped unit of work closes its connection.
    pub idle_in_transaction_timeout: Duration,
    /// Time limit of a wait for a pooled or new connection and for the start of a transaction; then
    /// `Unavailable`. After this time a shared connection that does not respond is replaced, and the kernel
    /// closes a connection with unacknowledged data.
    pub wait_timeout: Duration,
}

impl PostgresOptions {
    /// Returns the defaults for this URL.
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

/// Reason why options are rejected; never contains the URL.
#[derive(Debug, thiserror::Error)]
pub enum InvalidPostgresOptions {
    /// The text is not a Postgres URL, or has an unknown parameter.
    #[error("not a URL of the form postgres://user:password@host:port/database")]
    Url(#[source] Option<tokio_postgres::Error>),
    /// The parameters of TLS or the trusted certificates are rejected.
    #[error(transparent)]
    Tls(#[from] InvalidTls),
    /// The replica's URL names several servers, so it is unknown whose lag is measured.
    #[error("names several servers; specify exactly one standby")]
    SeveralReplicas,
    /// The number of connections is 0.
    #[error("a pool has at least one connection")]
    PoolSize,
}

/// Parsed URL: the driver's settings and those that this crate implements.
pub(crate) struct ParsedUrl {
    /// One per host of the URL.
    pub(crate) servers: Vec<tokio_postgres::Config>,
    pub(crate) tls: TlsPolicy,
}

/// Parses a URL. The driver supports neither `sslrootcert` nor the `verify-` modes, so they are removed
/// first.
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
    let tls = TlsPolicy::parse(mode, root.as_deref())?;
    Ok(ParsedUrl { servers, tls })
}

/// Returns the URL once per host that it names.
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
    fn tls_parameters_are_removed_and_the_others_stay() {
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
    fn an_invalid_url_or_mode_is_refused_without_repeating_it() {
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
