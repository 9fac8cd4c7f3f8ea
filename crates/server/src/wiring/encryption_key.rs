//! Source of the encryption key (decisions 3).

use super::store::{Store, create_private_folder};
use crate::settings::{Problem, Settings, StoragePlace};
use anyhow::{Context, bail};
use application::ports::storage::StorageError;
use application::schema::SchemaState;
use std::path::{Path, PathBuf};
use system_adapter::EncryptionKey;

/// Source of the encryption key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum KeySource {
    /// The setting `keys.encryption_key`, or the file that it names.
    Setting,
    /// Key file of a loopback server, created if missing.
    File(PathBuf),
}

impl KeySource {
    /// Returns the source of the key. Only a loopback server may leave it unset.
    pub(crate) fn from_settings(settings: &Settings) -> Result<Self, Problem> {
        if settings.keys.encryption_key.is_some() {
            return Ok(Self::Setting);
        }
        let public_url = settings.server.public_url()?;
        if !public_url.is_loopback() {
            let text = format!(
                "must be set for the public URL {public_url}; `restwell key generate` prints a key, \
                 for keys.encryption_key or the file that keys.encryption_key_file names"
            );
            return Err(Problem::new("keys.encryption_key", text));
        }
        Ok(Self::File(Self::created_file(settings)?))
    }

    /// Returns the key file that a loopback server creates.
    pub(crate) fn created_file(settings: &Settings) -> Result<PathBuf, Problem> {
        let folder = match settings.storage.place()? {
            StoragePlace::Sqlite(path) => path.parent().map(Path::to_path_buf).unwrap_or_default(),
            StoragePlace::Postgres(_) => settings.storage.data_dir.clone(),
        };
        Ok(folder.join("restwell.key"))
    }

    /// Reads the key, or creates its file. The file is only created if the store has no signing keys, because
    /// a new key cannot decrypt existing ones.
    pub(crate) async fn load(&self, settings: &Settings, store: &Store) -> anyhow::Result<EncryptionKey> {
        match self {
            Self::Setting => Self::parse_setting(settings).map_err(anyhow::Error::from),
            Self::File(path) => {
                if !path.exists() {
                    refuse_a_second_key(path, store).await?;
                }
                if let Some(folder) = path.parent() {
                    create_private_folder(folder)?;
                }
                Ok(EncryptionKey::load_or_create_file(path)?)
            }
        }
    }

    pub(crate) fn parse_setting(settings: &Settings) -> Result<EncryptionKey, Problem> {
        let text = settings.keys.encryption_key.as_ref().map_or("", |key| key.expose());
        EncryptionKey::parse(text)
            .map_err(|error| Problem::new("keys.encryption_key", format!("cannot be used: {error}")))
    }
}

/// Fails if the key file is missing and the store has keys that were sealed with it. An unavailable store
/// passes: the server waits for it, and then reports which key cannot be decrypted.
async fn refuse_a_second_key(path: &Path, store: &Store) -> anyhow::Result<()> {
    let asked = async {
        match store.schema.state().await? {
            SchemaState::Missing => Ok(false),
            _ => Ok(!store.signing_keys.list_signing_keys().await?.is_empty()),
        }
    };
    let is_needed = match asked.await {
        Err(StorageError::Unavailable | StorageError::Disk(_)) => false,
        known => known.context("the signing keys of the store cannot be listed")?,
    };
    // Another process may have created the file in the meantime, and then the first key.
    if is_needed && !path.exists() {
        bail!(
            "the file {} is missing, and only the encryption key in it can decrypt the signing keys of the store; \
             restore it from your backup. If you have none, empty the table signing_key and start again: \
             existing access tokens become invalid, refresh tokens keep working",
            path.display()
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Variables;
    use crate::wiring::{IfMissing, Services};
    use std::sync::Arc;
    use system_adapter::SystemClock;

    fn source(pairs: &[(&str, &str)], url: &str) -> Result<KeySource, Problem> {
        let pairs = pairs.iter().copied().chain([("RESTWELL__SERVER__PUBLIC_URL", url)]);
        let variables: Variables = pairs.map(|(name, value)| (name.into(), value.into())).collect();
        KeySource::from_settings(&Settings::from_sources(None, &variables).unwrap())
    }

    #[test]
    fn a_loopback_server_stores_its_key_next_to_the_store() {
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
    fn a_reachable_server_requires_a_configured_key() {
        let refused = source(&[], "https://sleep.example.org").unwrap_err().to_string();
        assert!(
            refused.starts_with("keys.encryption_key ") && refused.contains("restwell key generate"),
            "{refused}"
        );
        let set = source(&[("RESTWELL__KEYS__ENCRYPTION_KEY", "x")], "https://sleep.example.org");
        assert_eq!(set, Ok(KeySource::Setting));
    }

    /// Creates a store in a folder, with the settings of a loopback server on it.
    async fn served_from(folder: &Path) -> Services {
        let url = format!("sqlite://{}", folder.join("r.db").display());
        let variables: Variables = [("RESTWELL__STORAGE__URL".into(), url)].into_iter().collect();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let store = Store::open(&settings, IfMissing::Create).await.unwrap();
        let public_url = settings.server.public_url().unwrap();
        Services { store, settings, public_url, clock: Arc::new(SystemClock) }
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_key_file_is_created_only_for_a_store_without_keys() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("restwell.key");
        let services = served_from(folder.path()).await;
        services.encryption_key().await.unwrap();
        std::fs::remove_file(&file).unwrap();
        services.store.schema.migrate().await.unwrap();
        let keys = services.keys().await.unwrap();
        assert!(file.exists(), "an empty store needs no key of before");
        assert!(keys.ensure().await.unwrap());

        let kept = folder.path().join("kept");
        std::fs::rename(&file, &kept).unwrap();
        let Err(refused) = services.encryption_key().await else { panic!("the key was replaced") };
        let refused = refused.to_string();
        assert!(refused.contains("restwell.key is missing") && refused.contains("restore it"), "{refused}");
        assert!(!file.exists());

        std::fs::rename(&kept, &file).unwrap();
        services.encryption_key().await.unwrap();
    }
}
