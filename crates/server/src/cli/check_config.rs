//! `restwell check-config`: the effective settings and their problems.

use super::output;
use crate::lifecycle;
use crate::settings::{Problem, PublicUrl, Settings, is_loopback};
use crate::wiring::{IfMissing, KeySource, Store, explained, refusal};
use std::fmt::Write;

#[derive(Debug, clap::Args)]
pub(crate) struct CheckConfigArguments {
    /// Also connect to the store and report its schema and servers
    #[arg(long)]
    store: bool,
}

/// What was found in settings that a server can start with.
pub(super) struct Valid {
    pub(super) public_url: PublicUrl,
    /// Validity of the listener's certificate.
    period: Option<lifecycle::Period>,
}

/// Validates what can be known without the store, except the encryption key.
pub(super) fn validate(settings: &Settings) -> anyhow::Result<Valid> {
    let public_url = settings.server.public_url()?;
    Store::check(settings)?;
    let tls_files = settings.server.tls_files()?;
    let certificate = tls_files.as_ref().map(lifecycle::certificate).transpose()?;
    let period = certificate.and_then(|certificate| lifecycle::Period::from_chain(&certificate.cert));
    Ok(Valid { public_url, period })
}

/// Returns the source of the encryption key; fails if the setting holds no key.
pub(super) fn key_source(settings: &Settings) -> Result<KeySource, Problem> {
    let source = KeySource::from_settings(settings)?;
    if source == KeySource::Setting {
        KeySource::parse_setting(settings)?;
    }
    Ok(source)
}

/// Lists what is wrong with valid settings.
pub(super) fn warnings(settings: &Settings, valid: &Valid) -> Vec<String> {
    let Valid { public_url, period } = valid;
    let mut warnings: Vec<String> = exposed_plain_http(settings, public_url).into_iter().collect();
    warnings.extend(settings.server.unnamed_proxy(public_url).map(str::to_owned));
    warnings.extend(risky_pairs(settings, public_url));
    warnings.extend(exposed_files(settings));
    warnings.extend(period.and_then(lifecycle::Period::warning_today));
    warnings
}

/// Prints the settings and their effect. Creates nothing, and connects to the store only if asked.
pub(crate) async fn run(arguments: &CheckConfigArguments, settings: &Settings) -> anyhow::Result<()> {
    let valid = validate(settings)?;
    let source = key_source(settings)?;
    let mut text = String::new();
    // Writing into a String cannot fail.
    for (key, value) in settings.list_values() {
        let _ = writeln!(text, "{key} = {value}");
    }
    text.push('\n');
    for note in notes(settings, &valid.public_url, &source)? {
        let _ = writeln!(text, "* {note}");
    }
    for warning in warnings(settings, &valid) {
        let _ = writeln!(text, "* WARNING: {warning}");
    }
    if arguments.store {
        for note in store_notes(settings).await? {
            let _ = writeln!(text, "* {note}");
        }
    }
    Ok(output::print_text(&text)?)
}

/// Reports what only the store knows.
async fn store_notes(settings: &Settings) -> anyhow::Result<Vec<String>> {
    let store = Store::open(settings, IfMissing::Refuse).await?;
    let state = match store.schema.state().await {
        Ok(state) => state,
        Err(error) => {
            let reason = explained(store.schema.as_ref(), error);
            return Ok(vec![format!("WARNING: the store cannot be reached: {reason}")]);
        }
    };
    let layout = store.schema.layout().await?;
    let mut notes = vec![match refusal(&state) {
        None => "schema: compatible with this program".to_owned(),
        Some(sentence) => format!("WARNING: {sentence}"),
    }];
    notes.extend(layout.fact);
    notes.extend(layout.warnings.into_iter().map(|warning| format!("WARNING: {warning}")));
    Ok(notes)
}

fn notes(settings: &Settings, public_url: &PublicUrl, source: &KeySource) -> anyhow::Result<Vec<String>> {
    let mut notes =
        vec![format!("public URL: {public_url}"), format!("store: {}", settings.storage.place()?)];
    notes.push(match source {
        KeySource::Setting => match &settings.keys.encryption_key_file {
            Some(path) => format!("encryption key: from the file {}", path.display()),
            None => "encryption key: from the settings".to_owned(),
        },
        KeySource::File(path) if path.exists() => format!("encryption key: from the file {}", path.display()),
        KeySource::File(path) => {
            format!(
                "encryption key: the file {} will be created because the public URL is loopback",
                path.display()
            )
        }
    });
    notes.push(match settings.rate_limits.store()? {
        Some(store) => format!("rate limits: shared by all replicas in {store}"),
        None => "rate limits: counted per process; with several replicas, the effective limit is multiplied"
            .to_owned(),
    });
    if let Some(path) = &settings.server.tls_certificate_file {
        notes.push(format!("TLS: certificate {}", path.display()));
    }
    if settings.tokens.allow_query_secrets {
        notes.push("secrets in query strings: accepted; keep URLs out of proxy logs".to_owned());
    }
    notes.push(match &settings.mail.host {
        Some(host) if settings.mail.is_set() => format!("mail: sent through {host}"),
        _ => "mail: off; `restwell user reset-password` prints links to choose a password".to_owned(),
    });
    if settings.accounts.sign_up_open {
        notes.push("sign-up: open to anyone with an email address".to_owned());
    }
    notes.push(match settings.metrics.listen {
        Some(listen) if is_loopback(listen.ip()) => {
            format!("metrics: on {listen}, reachable from this machine only")
        }
        Some(listen) => {
            format!("metrics: on {listen}; make sure that only the monitoring network can reach it")
        }
        None => "metrics: off".to_owned(),
    });
    if let Some(address) = settings.traces.address() {
        notes.push(format!("traces: sent to {address}"));
    }
    let origins = &settings.cors.allowed_origins.0;
    if !origins.is_empty() {
        notes.push(format!("CORS: allowed for {}", origins.join(", ")));
    }
    if !public_url.is_https() && is_loopback(settings.server.listen.ip()) {
        notes.push("plain HTTP: reachable from this machine only".to_owned());
    }
    Ok(notes)
}

/// Warns about settings that are safe alone, but not together.
fn risky_pairs(settings: &Settings, public_url: &PublicUrl) -> impl Iterator<Item = String> {
    let self_service = settings.developers.self_service;
    let private_webhooks = self_service && settings.outbound.allow_private_networks;
    let open_registration = self_service && settings.accounts.sign_up_open;
    let calls_itself = public_url.is_loopback()
        && !is_loopback(settings.server.listen.ip())
        && (self_service || settings.clients.metadata_policy().accepts_some());
    let local_origin = settings.cors.loopback_origin().filter(|_| !public_url.is_loopback());
    [
        private_webhooks.then(|| {
            "developers.self_service with outbound.allow_private_networks: `restwell client approve` also lets an app's \
             webhook endpoints be on your private networks; check their hosts before you approve"
                .to_owned()
        }),
        open_registration.then(|| {
            "developers.self_service with accounts.sign_up_open: anyone with an email address can register apps, and have \
             this server send webhook challenges to public hosts"
                .to_owned()
        }),
        calls_itself.then(|| {
            "server.public_url is on loopback, but server.listen is not: apps that others register can make this server call \
             programs on this machine; listen on a loopback address, or set the URL that others use"
                .to_owned()
        }),
        local_origin.map(|origin| {
            format!(
                "cors.allowed_origins has {origin}: on a public server, any program on a person's computer can be that \
                 origin; remove it"
            )
        }),
    ]
    .into_iter()
    .flatten()
}

/// Warns about secret files that other users can read.
fn exposed_files(settings: &Settings) -> impl Iterator<Item = String> {
    settings.exposed_secret_files().into_iter().map(|(key, path, mode)| {
        format!(
            "other users of this machine can access {} ({key}, mode {mode:04o}); run chmod 600 on it, unless this is \
             a container without other users",
            path.display()
        )
    })
}

/// Warns about a server with plain HTTP that other machines can reach.
fn exposed_plain_http(settings: &Settings, public_url: &PublicUrl) -> Option<String> {
    let listen = settings.server.listen;
    if public_url.is_https() || is_loopback(listen.ip()) {
        return None;
    }
    Some(format!(
        "plain HTTP, and server.listen ({listen}) is not a loopback address: other machines can reach the server, \
         and all traffic, including tokens, is unencrypted; listen on a loopback address, or set server.public_url \
         to the https URL of a reverse proxy"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Variables;

    fn report(pairs: &[(&str, &str)]) -> String {
        let variables: Variables =
            pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let settings = Settings::from_sources(None, &variables).unwrap();
        let public_url = settings.server.public_url().unwrap();
        let source = KeySource::from_settings(&settings).unwrap();
        let mut lines = notes(&settings, &public_url, &source).unwrap();
        let warnings = warnings(&settings, &Valid { public_url, period: None });
        lines.extend(warnings.iter().map(|warning| format!("WARNING: {warning}")));
        lines.join("\n")
    }

    #[test]
    fn the_report_describes_the_effective_settings() {
        let text = report(&[]);
        assert!(text.contains("counted per process") && text.contains("restwell.key"), "{text}");
        assert!(!text.contains("CORS"), "{text}");
        assert!(text.contains("mail: off") && !text.contains("sign-up"), "{text}");
        assert!(text.contains("metrics: off") && !text.contains("traces:"), "{text}");
        assert!(!text.contains("TLS:"), "{text}");
        let text = report(&[
            ("RESTWELL__METRICS__LISTEN", "10.0.0.7:9464"),
            ("RESTWELL__TRACES__OTLP_ENDPOINT", "http://127.0.0.1:4318"),
            ("RESTWELL__MAIL__HOST", "smtp.example.org"),
            ("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true"),
            ("RESTWELL__CORS__ALLOWED_ORIGINS", "https://app.example.org"),
            ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org"),
            ("RESTWELL__SERVER__TLS_CERTIFICATE_FILE", "/etc/tls/fullchain.pem"),
            ("RESTWELL__SERVER__TLS_KEY_FILE", "/etc/tls/privkey.pem"),
            ("RESTWELL__KEYS__ENCRYPTION_KEY", "HIDDEN"),
            ("RESTWELL__STORAGE__URL", "postgres://u:HIDDEN@h/d"),
            ("RESTWELL__RATE_LIMITS__STORE_URL", "rediss://u:HIDDEN@cache.example.org/1"),
        ]);
        let together = "shared by all replicas in rediss://cache.example.org:6379/1";
        assert!(text.contains(together) && !text.contains("per process"), "{text}");
        assert!(text.contains("CORS: allowed for https://app.example.org"), "{text}");
        assert!(text.contains("from the settings") && !text.contains("HIDDEN"), "{text}");
        assert!(text.contains("TLS: certificate /etc/tls/fullchain.pem"), "{text}");
        assert!(text.contains("metrics: on 10.0.0.7:9464; make sure"), "{text}");
        assert!(text.contains("traces: sent to http://127.0.0.1:4318/v1/traces"), "{text}");
        assert!(
            text.contains("mail: sent through smtp.example.org") && text.contains("sign-up: open"),
            "{text}"
        );
    }

    #[test]
    fn plain_http_is_for_this_machine_only_when_it_listens_on_loopback() {
        assert!(report(&[]).contains("reachable from this machine only"));
        let text = report(&[
            ("RESTWELL__SERVER__LISTEN", "0.0.0.0:8080"),
            ("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080"),
        ]);
        assert!(text.contains("other machines can reach") && text.contains("0.0.0.0:8080"), "{text}");
        assert!(!text.contains("this machine only"), "{text}");
        let proxied = [
            ("RESTWELL__SERVER__LISTEN", "0.0.0.0:8080"),
            ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org"),
            ("RESTWELL__KEYS__ENCRYPTION_KEY", "x"),
        ];
        assert!(!report(&proxied).contains("plain HTTP"));
    }

    // T108
    #[test]
    fn settings_that_are_safe_alone_but_not_together_are_warned_of() {
        let public = [
            ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org"),
            ("RESTWELL__KEYS__ENCRYPTION_KEY", "x"),
            ("RESTWELL__SERVER__TRUSTED_PROXIES", "10.0.7.5"),
        ];
        let developers = ("RESTWELL__DEVELOPERS__SELF_SERVICE", "true");
        let sign_up =
            [("RESTWELL__ACCOUNTS__SIGN_UP_OPEN", "true"), ("RESTWELL__MAIL__HOST", "smtp.example.org")];
        let all_interfaces = [
            ("RESTWELL__SERVER__LISTEN", "0.0.0.0:8080"),
            ("RESTWELL__SERVER__PUBLIC_URL", "http://localhost:8080"),
        ];
        let documents = ("RESTWELL__CLIENTS__METADATA_DOCUMENTS", "any");
        let private = ("RESTWELL__OUTBOUND__ALLOW_PRIVATE_NETWORKS", "true");
        let origin = ("RESTWELL__CORS__ALLOWED_ORIGINS", "https://app.example.org,http://localhost:3000");
        for (together, alone, words) in [
            (
                vec![private, developers],
                vec![private],
                "allow_private_networks: `restwell client approve` also lets",
            ),
            ([&sign_up[..], &[developers]].concat(), sign_up.to_vec(), "accounts.sign_up_open: anyone"),
            (vec![origin], vec![], "cors.allowed_origins has http://localhost:3000"),
        ] {
            let report = |pairs: &[_]| report(&[&public[..], pairs].concat());
            let warning = report(&together);
            let line =
                warning.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{warning}"));
            assert!(line.starts_with("WARNING: "), "{line}");
            for pairs in [alone, vec![developers], vec![]] {
                assert!(!report(&pairs).contains(words), "{words}");
            }
        }
        assert!(!report(&[origin]).contains("remove it"));
        for more in [developers, documents] {
            let text = report(&[&all_interfaces[..], &[more]].concat());
            assert!(
                text.contains("WARNING: server.public_url is on loopback, but server.listen is not"),
                "{text}"
            );
            assert!(!report(&[more]).contains("server.listen is not"));
        }
        assert!(!report(&all_interfaces).contains("server.listen is not:"));
    }

    #[test]
    fn an_https_url_without_a_trusted_proxy_or_a_certificate_is_warned_of() {
        let https = [
            ("RESTWELL__SERVER__PUBLIC_URL", "https://sleep.example.org"),
            ("RESTWELL__KEYS__ENCRYPTION_KEY", "x"),
        ];
        let tls = [
            ("RESTWELL__SERVER__TLS_CERTIFICATE_FILE", "/etc/tls/fullchain.pem"),
            ("RESTWELL__SERVER__TLS_KEY_FILE", "/etc/tls/privkey.pem"),
        ];
        let named = [("RESTWELL__SERVER__TRUSTED_PROXIES", "10.0.7.5")];
        let warning = "WARNING: server.public_url is https but this server does not use TLS";
        assert!(
            report(&https).contains(warning) && report(&https).contains("server.trusted_proxies lists none")
        );
        for others in [&tls[..], &named[..]] {
            assert!(!report(&[&https[..], others].concat()).contains(warning));
        }
        assert!(!report(&[]).contains(warning));
    }

    #[test]
    fn a_key_from_a_file_is_reported_as_such() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "HIDDEN").unwrap();
        let path = file.path().display().to_string();
        let text = report(&[("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &path)]);
        assert!(text.contains(&format!("encryption key: from the file {path}")), "{text}");
        assert!(!text.contains("HIDDEN"), "{text}");
    }

    #[test]
    fn a_secret_file_that_others_may_read_causes_a_warning() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "HIDDEN").unwrap();
        let path = file.path().display().to_string();
        for (mode, is_warned) in [(0o600, false), (0o640, true), (0o644, true), (0o400, false)] {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).unwrap();
            let text = report(&[("RESTWELL__KEYS__ENCRYPTION_KEY_FILE", &path)]);
            let warning =
                format!("can access {path} (keys.encryption_key_file, mode {mode:04o}); run chmod 600");
            assert_eq!(text.contains(&warning), is_warned, "{text}");
        }
    }
}
