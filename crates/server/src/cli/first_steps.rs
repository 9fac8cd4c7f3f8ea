//! What an operator does next on an installation without people.

use super::output;
use crate::settings::{LogFormat, PublicUrl, Settings};
use crate::wiring::{KeySource, Services};
use std::path::Path;
use std::time::Duration;
use tokio::time::timeout;

/// Maximum wait for the store: the steps are advice, and must not delay a start.
const TIMEOUT: Duration = Duration::from_secs(1);

/// Returns the next steps if the store responds and has no person; `file` is the settings file.
pub(super) async fn find(
    Services { store, settings, public_url, .. }: &Services,
    file: Option<&Path>,
) -> Option<[String; 5]> {
    let people = timeout(TIMEOUT, store.profiles.list_profiles(None, 1)).await.ok()?.ok()?;
    people.is_empty().then(|| steps(settings, public_url, file))
}

/// Writes the steps of a server: lines, or one event in a log of JSON objects.
pub(super) fn report(steps: &[String; 5], format: LogFormat) {
    match format {
        LogFormat::Human => output::note(steps.join("\n")),
        LogFormat::Json => tracing::info!(steps = steps.join("; "), "first start: no person yet"),
    }
}

/// Where restwell.service and `restwell-run` have the key of `INSTALLED_KEY`.
const CREDENTIAL: &str = "/run/credentials/restwell.service/restwell-key";
const INSTALLED_KEY: &str = "/etc/restwell/restwell.key";

fn steps(settings: &Settings, public_url: &PublicUrl, file: Option<&Path>) -> [String; 5] {
    let key_file = settings.keys.encryption_key_file.as_deref();
    let is_service = key_file == Some(Path::new(CREDENTIAL));
    let command = if is_service { "restwell-run" } else { "restwell" };
    let option =
        file.filter(|_| !is_service).map(|file| format!(" --config {}", file.display())).unwrap_or_default();
    let file = file.map_or_else(
        || "none, only variables and defaults; name a file with --config or RESTWELL_CONFIG".to_owned(),
        |file| file.display().to_string(),
    );
    let key = match KeySource::from_settings(settings) {
        Err(problem) => problem.to_string(),
        Ok(source) => {
            let place = match (&source, key_file) {
                (KeySource::File(path), _) => path.display().to_string(),
                (KeySource::Setting, Some(_)) if is_service => INSTALLED_KEY.to_owned(),
                (KeySource::Setting, Some(path)) => path.display().to_string(),
                (KeySource::Setting, None) => "in the settings".to_owned(),
            };
            format!("{place}; save a copy in a safe place, because backups need it")
        }
    };
    let reach = if public_url.is_loopback() {
        "only this machine reaches it; for others, set server.public_url to an https URL"
    } else {
        "your proxy, or server.tls_certificate_file, must serve it"
    };
    [
        format!("Settings file: {file}"),
        format!("Encryption key: {key}"),
        format!("First person: {command} user create --email ADDRESS --timezone Europe/Berlin{option}"),
        format!("Public URL: {public_url}; {reach}"),
        format!("Check everything: {command} doctor{option}"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Variables;

    fn lines(pairs: &[(&str, &str)], file: Option<&str>) -> String {
        let variables: Variables =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let public_url = settings.server.public_url().unwrap();
        steps(&settings, &public_url, file.map(Path::new)).join("\n")
    }

    #[test]
    fn the_steps_of_the_installed_service_use_restwell_run() {
        let key = [("RESTWELL__KEYS__ENCRYPTION_KEY".into(), "HIDDEN".into())];
        let mut settings = Settings::from_sources(None, &key.into_iter().collect()).unwrap();
        settings.keys.encryption_key_file = Some(CREDENTIAL.into());
        let public_url = settings.server.public_url().unwrap();
        let text = steps(&settings, &public_url, Some(Path::new("/etc/restwell/restwell.toml"))).join("\n");
        assert!(text.contains("Encryption key: /etc/restwell/restwell.key; save"), "{text}");
        assert!(text.contains("First person: restwell-run user create --email"), "{text}");
        assert!(text.ends_with("Check everything: restwell-run doctor"), "{text}");
    }

    #[test]
    fn the_steps_name_the_files_and_the_commands() {
        assert_eq!(
            lines(&[], None),
            "Settings file: none, only variables and defaults; name a file with --config or RESTWELL_CONFIG\n\
             Encryption key: restwell-data/restwell.key; save a copy in a safe place, because backups need it\n\
             First person: restwell user create --email ADDRESS --timezone Europe/Berlin\n\
             Public URL: http://127.0.0.1:8080; only this machine reaches it; for others, set server.public_url to an https URL\n\
             Check everything: restwell doctor"
        );
        let url = ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org");
        let text = lines(&[url], Some("/etc/r.toml"));
        assert!(text.starts_with("Settings file: /etc/r.toml\n"), "{text}");
        assert!(text.ends_with("Check everything: restwell doctor --config /etc/r.toml"), "{text}");
        assert!(text.contains("Encryption key: keys.encryption_key must be set"), "{text}");
        assert!(text.contains("https://sleep.example.org; your proxy, or"), "{text}");
        let text = lines(&[url, ("RESTWELL__KEYS__ENCRYPTION_KEY", "HIDDEN")], None);
        assert!(text.contains("Encryption key: in the settings; save") && !text.contains("HIDDEN"), "{text}");
    }
}
