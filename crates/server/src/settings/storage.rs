//! The section `storage`.

use super::problem::Problem;
use super::secret_text::SecretText;
use super::section::section;
use std::fmt;
use std::path::PathBuf;
use url::Url;

section! {
    /// Where everything is kept.
    StorageSettings("storage") {
        /// The store: `sqlite:///path/to/restwell.db` (embedded, one machine) or `postgres://user@host/database`.
        /// Not set, it is the file `restwell.db` in `storage.data_dir`. It may hold a password and is never printed whole.
        url: Option<SecretText> = None, "URL", "postgres://restwell@db.example.org/restwell";
        /// A file that holds `storage.url`, for a password that should not stand in settings or environment.
        url_file: Option<PathBuf> = None, "path", "/run/secrets/restwell-storage-url";
        /// The local data directory: the embedded store when no other is named, and the key file for a loopback server.
        data_dir: PathBuf = Some("restwell-data"), "path", "/var/lib/restwell";
        /// How many connections carry transactions and pages (Postgres; two more, on top, are shared by all small
        /// reads), or read at a time (embedded).
        pool_size: u32 = Some("8"), "connections, 1 to 1000", "16";
        /// How long a free connection, or a new one, is waited for.
        connect_timeout_seconds: u32 = Some("3"), "seconds, 1 to 60", "3";
        /// How long one statement may run (Postgres).
        statement_timeout_seconds: u32 = Some("10"), "seconds, 1 to 600", "10";
        /// How long a lock, or the turn to write (embedded), is waited for.
        lock_timeout_seconds: u32 = Some("5"), "seconds, 1 to 60", "5";
    }
}

/// Which store, and where.
#[derive(Clone)]
pub(crate) enum StoragePlace {
    /// The embedded store in this file.
    Sqlite(PathBuf),
    /// Postgres under this URL.
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
        match Url::parse(text) {
            Ok(_) => Ok(Self::Postgres(SecretText::new(text.to_owned()))),
            Err(reason) => {
                Err(format!("is not a URL ({reason}); write postgres://user:password@host/database"))
            }
        }
    }
}

/// Prints the place without password and parameters.
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

fn redacted(url: &str) -> String {
    let Ok(mut url) = Url::parse(url) else { return "postgres://...".to_owned() };
    let host = url.query_pairs().find(|(name, _)| name == "host").map(|(_, host)| host.into_owned());
    let had_password = url.password().is_some();
    // A URL that cannot have a password has none to hide.
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
    /// Returns which store is meant.
    pub(crate) fn place(&self) -> Result<StoragePlace, Problem> {
        match &self.url {
            Some(url) => StoragePlace::parse(url).map_err(|text| Problem::new("storage.url", text)),
            None => Ok(StoragePlace::Sqlite(self.data_dir.join("restwell.db"))),
        }
    }

    pub(super) fn problems(&self) -> Vec<Problem> {
        let ranges = [
            Problem::unless_within("storage.pool_size", self.pool_size, 1..=1000),
            Problem::unless_within("storage.connect_timeout_seconds", self.connect_timeout_seconds, 1..=60),
            Problem::unless_within(
                "storage.statement_timeout_seconds",
                self.statement_timeout_seconds,
                1..=600,
            ),
            Problem::unless_within("storage.lock_timeout_seconds", self.lock_timeout_seconds, 1..=60),
        ];
        ranges.into_iter().flatten().chain(self.place().err()).collect()
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
