//! Where the encryption key comes from (decisions 3).

use super::store::create_private_folder;
use crate::settings::{Problem, PublicUrl, Settings, StoragePlace};
use std::path::{Path, PathBuf};
use system_adapter::EncryptionKey;

/// Where the encryption key comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// The setting `keys.encryption_key`, or the file that it names.
    Setting,
    /// A file of a server that only this machine reaches, made when it is not there.
    File(PathBuf),
}

impl KeySource {
    /// Finds out where the key comes from; a server that others reach must have it set.
    pub(crate) fn of(settings: &Settings, public_url: &PublicUrl) -> Result<Self, Problem> {
        if settings.keys.encryption_key.is_some() {
            return Ok(Self::Setting);
        }
        if !public_url.is_loopback() {
            let text = format!(
                "must be set for the public URL {public_url}; `restwell key generate` prints a key, \
                 for keys.encryption_key or the file that keys.encryption_key_file names"
            );
            return Err(Problem::new("keys.encryption_key", text));
        }
        let folder = match settings.storage.place()? {
            StoragePlace::Sqlite(path) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            StoragePlace::Postgres(_) => settings.storage.data_dir.clone(),
        };
        Ok(Self::File(folder.join("restwell.key")))
    }

    /// Reads the key, or makes its file.
    pub(crate) fn load(&self, settings: &Settings) -> anyhow::Result<EncryptionKey> {
        match self {
            Self::Setting => Self::parse_setting(settings).map_err(anyhow::Error::from),
            Self::File(path) => {
                if let Some(folder) = path.parent() {
                    create_private_folder(folder)?;
                }
                Ok(EncryptionKey::load_or_create_file(path)?)
            }
        }
    }

    /// Parses the key of the setting.
    pub(crate) fn parse_setting(settings: &Settings) -> Result<EncryptionKey, Problem> {
        let text = settings.keys.encryption_key.as_ref().map_or("", |key| key.expose());
        EncryptionKey::parse(text)
            .map_err(|error| Problem::new("keys.encryption_key", format!("cannot be used: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Variables;

    fn source(pairs: &[(&str, &str)], url: &str) -> Result<KeySource, Problem> {
        let variables: Variables =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        KeySource::of(&Settings::from_sources(None, &variables).unwrap(), &PublicUrl::parse(url).unwrap())
    }

    #[test]
    fn a_loopback_server_keeps_its_key_beside_the_store() {
        let sqlite = source(&[("RESTWELL__STORAGE__URL", "sqlite:///srv/r.db")], "http://127.0.0.1:1");
        assert_eq!(sqlite, Ok(KeySource::File(PathBuf::from("/srv/restwell.key"))));
        let pairs =
            [("RESTWELL__STORAGE__URL", "postgres://u@h/d"), ("RESTWELL__STORAGE__DATA_DIR", "/srv/data")];
        assert_eq!(
            source(&pairs, "http://localhost:1"),
            Ok(KeySource::File(PathBuf::from("/srv/data/restwell.key")))
        );
    }

    #[test]
    fn a_reachable_server_must_be_given_its_key() {
        let refused = source(&[], "https://sleep.example.org").unwrap_err().to_string();
        assert!(
            refused.starts_with("keys.encryption_key ") && refused.contains("restwell key generate"),
            "{refused}"
        );
        let set = source(&[("RESTWELL__KEYS__ENCRYPTION_KEY", "x")], "https://sleep.example.org");
        assert_eq!(set, Ok(KeySource::Setting));
    }
}
