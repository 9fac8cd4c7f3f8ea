//! Checks of the store, its schema, its clock and the keys that sign tokens.

use super::check::Check;
use crate::cli::check_config;
use crate::settings::{PublicUrl, Settings, StoragePlace};
use crate::wiring::{ClockSkew, IfMissing, KeyParts, KeySource, Services, Store, explained, refusal};
use application::schema::SchemaState;
use std::sync::Arc;
use system_adapter::SystemClock;

/// Checks the store and its schema; returns the store if this program can use it.
pub(super) async fn check(settings: &Settings) -> (Vec<Check>, Option<Store>) {
    match open(settings).await {
        Err(error) => {
            let advice = match settings.storage.place() {
                Ok(StoragePlace::Sqlite(_)) => {
                    "Check storage.url or storage.data_dir. `restwell migrate`, run as the server's user, creates the store."
                }
                _ => {
                    "Check that PostgreSQL runs, storage.url, and that pg_hba.conf lets this machine connect."
                }
            };
            let skipped = Check::skipped("schema", NO_STORE);
            (vec![Check::failed("store", format!("{error:#}"), advice), skipped], None)
        }
        Ok((place, store, state)) => {
            let (schema, fits) = schema(&store, &state).await;
            (vec![Check::ok("store", format!("{place} is reachable")), schema], fits.then_some(store))
        }
    }
}

const NO_STORE: &str = "the store cannot be used";

async fn open(settings: &Settings) -> anyhow::Result<(String, Store, SchemaState)> {
    let place = settings.storage.place()?.to_string();
    let store = Store::open(settings, IfMissing::Refuse).await?;
    let state = store.schema.state().await;
    let state = state.map_err(|error| explained(store.schema.as_ref(), error).context(place.clone()))?;
    Ok((place, store, state))
}

/// Returns the check, and whether this program can use the schema.
async fn schema(store: &Store, state: &SchemaState) -> (Check, bool) {
    const NAME: &str = "schema";
    if let Some(sentence) = refusal(state) {
        let advice = match state {
            SchemaState::NewerIncompatible => "Install the release that migrated the store, or a newer one.",
            _ => "Run `restwell migrate`.",
        };
        return (Check::failed(NAME, sentence, advice), false);
    }
    let check = match store.schema.layout().await {
        Err(error) => Check::failed(NAME, explained(store.schema.as_ref(), error).to_string(), "Try again."),
        Ok(layout) if !layout.warnings.is_empty() => {
            Check::warning(NAME, layout.warnings.join("; "), "See docs/scaling.md.")
        }
        Ok(_) if *state == SchemaState::NewerCompatible => {
            Check::ok(NAME, "newer than this program, which can use it")
        }
        Ok(_) => Check::ok(NAME, "up to date"),
    };
    (check, true)
}

/// Checks the encryption key, and that it decrypts the signing keys.
pub(super) async fn keys(
    settings: &Settings,
    public_url: &PublicUrl,
    store: Option<&Store>,
) -> (Check, Option<KeyParts>) {
    const NAME: &str = "keys";
    let source = match check_config::key_source(settings) {
        Ok(source) => source,
        Err(problem) => {
            let advice = match KeySource::created_file(settings) {
                Ok(created) if created.exists() => {
                    format!("Set keys.encryption_key_file to {}, the key of this store.", created.display())
                }
                _ => "Restore the key from your safe copy. For a new store, `restwell key generate` prints one."
                    .to_owned(),
            };
            return (Check::failed(NAME, problem.to_string(), advice), None);
        }
    };
    let Some(store) = store else { return (Check::skipped(NAME, NO_STORE), None) };
    if let KeySource::File(path) = &source
        && !path.exists()
    {
        let message = format!("the key file {} does not exist", path.display());
        let advice =
            "Restore it from your safe copy. If it is lost, see docs/operating.md, \"The encryption key\".";
        return (Check::failed(NAME, message, advice), None);
    }
    match loaded(settings, public_url, store).await {
        Err(error) => {
            let advice = "Use the encryption key that this store was created with, from your safe copy, with mode 0600 and \
                          as the server's user.";
            (Check::failed(NAME, format!("{error:#}"), advice), None)
        }
        Ok(keys) if keys.ring.public_key_set().keys.is_empty() => (
            Check::failed(NAME, "the store has no signing key", "Run `restwell migrate`, which creates one."),
            None,
        ),
        Ok(keys) => (Check::ok(NAME, "the encryption key decrypts the signing keys"), Some(keys)),
    }
}

async fn loaded(settings: &Settings, public_url: &PublicUrl, store: &Store) -> anyhow::Result<KeyParts> {
    let (store, settings, public_url) = (store.clone(), settings.clone(), public_url.clone());
    let keys = Services { store, settings, public_url, clock: Arc::new(SystemClock) }.keys().await?;
    keys.reload.run().await?;
    Ok(keys)
}

/// Compares this machine's clock with the database's.
pub(super) async fn clock(store: Option<&Store>) -> Check {
    const NAME: &str = "clock";
    let Some(store) = store else { return Check::skipped(NAME, NO_STORE) };
    match ClockSkew::measure(store.database_clock.as_ref()).await {
        Err(error) => Check::failed(NAME, error.to_string(), "Check the database."),
        Ok(None) => Check::warning(
            NAME,
            "the database took longer than 1 s to tell its time",
            "Look at the load of the database and at the network.",
        ),
        Ok(Some(skew)) => {
            let apart = format!("{:.1} s", skew.ahead().abs().as_seconds_f64());
            if skew.is_too_large() {
                let message = format!(
                    "this machine's clock and the database's are {apart} apart, and 2 s is the limit"
                );
                Check::failed(NAME, message, "Set both clocks by NTP, for example with chrony.")
            } else {
                Check::ok(NAME, format!("{apart} from the store's"))
            }
        }
    }
}
