use super::super::Settings;
use super::super::source::Variables;
use super::*;

fn settings(pairs: &[(&str, &str)]) -> Result<Settings, String> {
    let named = |(name, value): &(&str, &str)| (format!("RESTWELL__{name}"), (*value).to_owned());
    let variables: Variables = pairs.iter().map(named).collect();
    Settings::from_sources(None, &variables).map_err(|error| error.to_string())
}

fn options(pairs: &[(&str, &str)], public_url: &str) -> Option<SmtpOptions> {
    let public_url = PublicUrl::parse(public_url).unwrap();
    settings(pairs).unwrap().mail.options(&public_url).unwrap()
}

const HOST: (&str, &str) = ("MAIL__HOST", "smtp.example.org");

#[test]
fn without_a_host_there_is_no_mail_whatever_else_is_set() {
    let pairs = [("MAIL__TLS", "none"), ("MAIL__USERNAME", "restwell"), ("MAIL__FROM", "nobody")];
    assert!(options(&pairs, "https://sleep.example.org").is_none());
    assert!(!settings(&pairs).unwrap().mail.is_set());
}

#[test]
fn a_host_alone_is_enough() {
    let found = options(&[HOST], "https://sleep.example.org").unwrap();
    assert_eq!(
        (found.host.as_str(), found.port, found.encryption),
        ("smtp.example.org", 465, Encryption::Implicit)
    );
    assert!(found.credentials.is_none());
    assert_eq!(found.public_host, "sleep.example.org");
    assert!(found.sender == Sender::parse("Restwell <restwell@sleep.example.org>").unwrap());
    assert_eq!(found.timeout, SmtpOptions::TIMEOUT);
}

#[test]
fn a_server_on_a_loopback_address_has_a_sender_too() {
    for public_url in ["http://127.0.0.1:8080", "http://[::1]:8080", "http://localhost:8080"] {
        assert!(options(&[HOST], public_url).is_some(), "{public_url}");
    }
}

#[test]
fn the_port_follows_the_encryption_unless_it_is_set() {
    for (pairs, port) in [
        (&[("MAIL__HOST", "localhost"), ("MAIL__TLS", "none")][..], 25),
        (&[HOST, ("MAIL__TLS", "starttls")], 587),
        (&[HOST, ("MAIL__PORT", "2525")], 2525),
    ] {
        assert_eq!(options(pairs, "https://sleep.example.org").unwrap().port, port);
    }
}

#[test]
fn the_password_may_be_in_a_file() {
    let directory = tempfile::TempDir::new().unwrap();
    let path = directory.path().join("password");
    std::fs::write(&path, "LEAKME123\n").unwrap();
    let pairs = [HOST, ("MAIL__USERNAME", "restwell"), ("MAIL__PASSWORD_FILE", path.to_str().unwrap())];
    let credentials = options(&pairs, "https://sleep.example.org").unwrap().credentials.unwrap();
    assert_eq!((credentials.user_name.as_str(), credentials.password.as_str()), ("restwell", "LEAKME123"));
    let shown = settings(&pairs).unwrap();
    assert!(!format!("{:?} {:?}", shown, shown.list_values()).contains("LEAKME123"));
    let both = settings(&[&pairs[..], &[("MAIL__PASSWORD", "LEAKME456")]].concat()).unwrap_err();
    assert!(both.contains("mail.password and mail.password_file are both set"), "{both}");
}

#[test]
fn a_password_in_place_of_its_file_is_not_repeated() {
    for password in ["LEAKME123", "rwk_LEAKME123", "smtp://u:LEAKME123@h"] {
        let problem = settings(&[HOST, ("MAIL__PASSWORD_FILE", password)]).unwrap_err();
        assert!(problem.contains("mail.password_file") && !problem.contains("LEAKME123"), "{problem}");
    }
}

#[test]
fn invalid_settings_are_named() {
    for (pairs, text) in [
        (&[("MAIL__HOST", "smtp.example.org:587")][..], "mail.host is neither"),
        (&[("MAIL__HOST", "smtps://smtp.example.org")], "mail.host is neither"),
        (&[HOST, ("MAIL__PORT", "0")], "mail.port must be between"),
        (&[HOST, ("MAIL__TLS", "none")], "mail.tls can be none"),
        (&[HOST, ("MAIL__TLS", "ssl")], "mail.tls must be implicit, starttls or none"),
        (&[HOST, ("MAIL__USERNAME", "restwell")], "mail.password must be set"),
        (&[HOST, ("MAIL__PASSWORD", "LEAKME123")], "mail.username must be set"),
        (&[HOST, ("MAIL__FROM", "LEAKME123")], "mail.from is not a valid sender"),
    ] {
        let problem = settings(pairs).unwrap_err();
        assert!(problem.contains(text) && !problem.contains("LEAKME123"), "{problem}");
    }
}

#[test]
fn sign_up_requires_a_mail_server() {
    let open = ("ACCOUNTS__SIGN_UP_OPEN", "true");
    let problem = settings(&[open]).unwrap_err();
    assert!(problem.contains("accounts.sign_up_open requires email"), "{problem}");
    assert!(settings(&[open, HOST]).unwrap().accounts.sign_up_open);
}
