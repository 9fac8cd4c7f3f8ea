//! The section `storage`.

use super::problem::Problem;
use super::secret_text::SecretText;
use super::section::section;
use std::fmt;
use std::path::PathBuf;
use url::Url;

section! {
    /// The store.
    StorageSettings("storage") {
        /// `sqlite:///path/to/restwell.db` (embedded, one machine) or `postgres://user@host/database`.
        /// Default: `restwell.db` in `storage.data_dir`.
        url: Option<SecretText> = None, "URL", "postgres://restwell@db.example.org/restwell";
        /// File that contains `storage.url`.
        url_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-storage-url";
        /// Streaming-replication standby of `storage.url` (Postgres, one server). The data endpoints read
        /// from it while it is fresh; everything else, access checks included, uses `storage.url`.
        read_url: Option<SecretText> = None, "URL", "postgres://restwell@standby.example.org/restwell";
        /// File that contains `storage.read_url`.
        read_url_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-storage-read-url";
        /// Maximum age of data read from the standby. Beyond it `storage.url` is read.
        read_max_lag_milliseconds: u32 = Some("1000"), "milliseconds" in 100..=60_000, "500";
        /// Directory of the embedded store if `storage.url` is not set, and of the key file of a loopback
        /// server.
        data_dir: PathBuf = Some("restwell-data"), "path", "/var/lib/restwell";
        /// Connections for transactions (Postgres) or concurrent reads (embedded). On Postgres there are also
        /// half as many for large pages, one for each of `server.workers` (at most 16), and one for the rest
        /// of the process.
        pool_size: u32 = Some("8"), "connections" in 1..=1000, "16";
        /// Maximum wait for a connection.
        connect_timeout_seconds: u32 = Some("3"), "seconds" in 1..=60, "3";
        /// Maximum duration of a statement (Postgres).
        statement_timeout_seconds: u32 = Some("10"), "seconds" in 1..=600, "10";
        /// Maximum wait for a lock.
        lock_timeout_seconds: u32 = Some("5"), "seconds" in 1..=60, "5";
    }
}

/// Kind and location of the store.
#[derive(Clone)]
pub(crate) enum StoragePlace {
    /// Embedded store in this file.
    Sqlite(PathBuf),
    /// Postgres at this URL.
    Postgres(SecretText),
}

impl StoragePlace {
    fn parse(url: &SecretText) -> Result<Self, String> {
        let text = url.expose().trim();
        if let Some(path) = text.strip_prefix("sqlite://") {
            return match path {
                "" => Err("names no file; write sqlite:///path/to/restwell.db".to_owned()),
                path => Ok(Self::Sqlite(PathBuf::from(path))),
            };
        }
        if !text.starts_with("postgres://") && !text.starts_with("postgresql://") {
            return Err("must begin with sqlite:// or postgres://".to_owned());
        }
        match each_host(text).try_for_each(|(url, _)| Url::parse(&url).map(drop)) {
            Ok(()) => Ok(Self::Postgres(SecretText::new(text.to_owned()))),
            Err(reason) => {
                Err(format!("is not a URL ({reason}); write postgres://user:password@host/database"))
            }
        }
    }
}

/// Splits a URL with several hosts (`host1:port1,host2:port2`) into one URL per host, each with its host.
fn each_host(url: &str) -> impl Iterator<Item = (String, &str)> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("postgres", url));
    let end = rest.find(['/', '?']).unwrap_or(rest.len());
    let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
    let (user, hosts) =
        authority.rsplit_once('@').map_or((None, authority), |(user, hosts)| (Some(user), hosts));
    let user = user.map(|user| format!("{user}@")).unwrap_or_default();
    hosts.split(',').map(move |host| (format!("{scheme}://{user}{host}{path}"), host))
}

/// Formats the location without password and parameters.
impl fmt::Display for StoragePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite://{}", path.display()),
            Self::Postgres(url) => f.write_str(&redacted(url.expose())),
        }
    }
}

impl fmt::Debug for StoragePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Returns a URL with its first host and without its password; further hosts are listed after it.
fn redacted(url: &str) -> String {
    let mut hosts = each_host(url);
    let Some((first, _)) = hosts.next() else { return "postgres://...".to_owned() };
    let others = hosts.map(|(_, host)| format!(", or {host}"));
    others.fold(redacted_one(&first), |text, other| text + &other)
}

fn redacted_one(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "postgres://...".to_owned() };
    let host = url.query_pairs().find(|(name, _)| name == "host").map(|(_, host)| host.into_owned());
    let had_password = url.password().is_some();
    // A URL that cannot have a password has none to redact.
    let hidden = !had_password || url.set_password(Some("***")).is_ok();
    url.set_query(None);
    url.set_fragment(None);
    match (hidden, host) {
        (false, _) => "postgres://...".to_owned(),
        (true, None) => url.to_string(),
        (true, Some(host)) => format!("{url} (host {host})"),
    }
}

impl StorageSettings {
    /// Returns the kind and location of the store.
    pub(crate) fn place(&self) -> Result<StoragePlace, Problem> {
        match &self.url {
            Some(url) => StoragePlace::parse(url).map_err(|text| Problem::new("storage.url", text)),
            None => Ok(StoragePlace::Sqlite(self.data_dir.join("restwell.db"))),
        }
    }

    /// Returns the URL of the standby for reads; `None` if there is none.
    pub(crate) fn standby(&self) -> Result<Option<SecretText>, Problem> {
        let Some(url) = &self.read_url else { return Ok(None) };
        let wrong = |text| Problem::new("storage.read_url", text);
        match (self.place()?, StoragePlace::parse(url).map_err(wrong)?) {
            (StoragePlace::Postgres(_), StoragePlace::Postgres(url)) => Ok(Some(url)),
            (StoragePlace::Sqlite(_), _) => {
                Err(wrong("is set, but storage.url is not Postgres; only Postgres has standbys".to_owned()))
            }
            (_, StoragePlace::Sqlite(_)) => Err(wrong("must begin with postgres://".to_owned())),
        }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let place = self.place().map(drop).and_then(|()| self.standby().map(drop)).err();
        place.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> Result<StoragePlace, String> {
        StoragePlace::parse(&SecretText::new(url.to_owned()))
    }

    #[test]
    fn the_scheme_chooses_the_store() {
        assert!(
            matches!(place("sqlite:///var/lib/r.db"), Ok(StoragePlace::Sqlite(path)) if path.as_os_str() == "/var/lib/r.db")
        );
        assert!(
            matches!(place("sqlite://data/r.db"), Ok(StoragePlace::Sqlite(path)) if path.as_os_str() == "data/r.db")
        );
        assert!(matches!(place("postgres://u@h/d"), Ok(StoragePlace::Postgres(_))));
        assert!(matches!(place("postgresql://u@h/d"), Ok(StoragePlace::Postgres(_))));
        for url in ["", "sqlite://", "mysql://h/d", "/var/lib/r.db", "postgres://h:port/d"] {
            assert!(place(url).is_err(), "{url}");
        }
    }

    #[test]
    fn a_url_may_contain_several_hosts() {
        let place = place("postgres://u:HI,DDEN@one:5433,two:5434/d?sslmode=require").unwrap();
        assert_eq!(place.to_string(), "postgres://u:***@one:5433/d, or two:5434");
    }

    #[test]
    fn a_standby_is_a_postgres_of_a_postgres() {
        let standby = |url: &str, read_url: &str| {
            let text = format!("[storage]\nurl = \"{url}\"\nread_url = \"{read_url}\"\n");
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(file.path(), text).unwrap();
            crate::settings::Settings::from_sources(Some(file.path()), &crate::settings::Variables::default())
                .map(|settings| settings.storage.standby().unwrap().is_some())
                .map_err(|error| error.to_string())
        };
        assert_eq!(standby("postgres://u@one/d", "postgres://u@two/d"), Ok(true));
        for (url, read_url) in [
            ("sqlite:///r.db", "postgres://u@two/d"),
            ("postgres://u@one/d", "sqlite:///r.db"),
            ("postgres://u@one/d", "two"),
        ] {
            assert!(standby(url, read_url).unwrap_err().contains("storage.read_url"), "{url} {read_url}");
        }
    }

    #[test]
    fn a_printed_place_has_no_password() {
        for url in
            ["postgres://u:HIDDEN@h:5433/d?sslmode=require", "postgres://u@h/d?password=HIDDEN&host=/run/pg"]
        {
            let place = place(url).unwrap();
            assert!(!format!("{place} {place:?}").contains("HIDDEN"), "{place}");
        }
        assert_eq!(place("postgres://u:x@h:5433/d").unwrap().to_string(), "postgres://u:***@h:5433/d");
        assert_eq!(place("postgres:///d?host=/run/pg").unwrap().to_string(), "postgres:///d (host /run/pg)");
        assert!(!place("postgres://u:HIDDEN@h:port/d").unwrap_err().contains("HIDDEN"));
    }
}
