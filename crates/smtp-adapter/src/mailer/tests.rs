use super::*;
use crate::options::SmtpCredentials;
use crate::sender::Sender;
use crate::testing::{Behaviour, Identity, MailServer, Misbehaviour, Transcript};
use application::ports::system::{MockClock, MockEntropy};
use domain::user::Email;
use lettre::transport::smtp::client::{Certificate, CertificateStore};
use std::error::Error as _;
use std::fmt::Write;
use std::sync::Mutex;
use uuid::Uuid;
use zeroize::Zeroizing;

const TO: &str = "sam@example.org";
const LINK: &str = "https://sleep.example.org/set-password?link=rwl_LEAKME123";

fn mail() -> Mail {
    let text = format!("Hello,\n\nfollow this link:\n{LINK}\n.\n..two dots\nBye.\n");
    Mail { to: Email::parse(TO).unwrap(), subject: "Choose a password".to_owned(), text }
}

fn options(port: u16, encryption: Encryption) -> SmtpOptions {
    SmtpOptions {
        host: "localhost".to_owned(),
        port,
        encryption,
        credentials: None,
        sender: Sender::parse("Restwell <restwell@example.org>").unwrap(),
        public_host: "sleep.example.org".to_owned(),
        timeout: SmtpOptions::TIMEOUT,
    }
}

fn signing_in(port: u16, encryption: Encryption) -> SmtpOptions {
    let credentials = SmtpCredentials {
        user_name: "restwell".to_owned(),
        password: Zeroizing::new("LEAKME123".to_owned()),
    };
    SmtpOptions { credentials: Some(credentials), ..options(port, encryption) }
}

fn mailer(options: SmtpOptions, security: Security) -> SmtpMailer {
    let mut clock = MockClock::new();
    clock.expect_now().returning(|| "2026-03-08T23:10:00Z".parse().unwrap());
    let mut entropy = MockEntropy::new();
    entropy.expect_uuid().returning(|| Uuid::from_u128(0x0123_4567_89ab_cdef));
    SmtpMailer::with_security(options, security, Arc::new(clock), Arc::new(entropy)).unwrap()
}

fn in_clear(server: &MailServer) -> SmtpMailer {
    mailer(options(server.port, Encryption::None), Security::None)
}

fn trusting(identity: &Identity) -> TlsParameters {
    TlsParameters::builder("localhost".to_owned())
        .certificate_store(CertificateStore::None)
        .add_root_certificate(Certificate::from_der(identity.certificate.clone()).unwrap())
        .build_rustls()
        .unwrap()
}

#[tokio::test]
async fn a_sign_in_without_a_message_ends_before_the_sender() {
    let identity = Identity::new();
    let accepting = || Behaviour { extensions: vec!["AUTH PLAIN"], ..Behaviour::with_starttls(&identity) };
    let rejecting = Behaviour { instead: vec![("AUTH", Misbehaviour::Say("535 wrong"))], ..accepting() };
    for (behaviour, expected) in
        [(accepting(), None), (rejecting, Some("the mail server rejected AUTH with code 535"))]
    {
        let server = MailServer::start(behaviour).await;
        let mailer =
            mailer(signing_in(server.port, Encryption::StartTls), Security::StartTls(trusting(&identity)));
        let steps = Mutex::new(Vec::new());
        let outcome = mailer.sign_in(&|step| steps.lock().unwrap().push(step)).await;
        assert_eq!(outcome.err().map(|error| error.0.to_string()).as_deref(), expected);
        let done = [Step::Connect, Step::StartTls, Step::SignIn];
        let count = if expected.is_some() { 2 } else { 3 };
        assert_eq!(steps.into_inner().unwrap(), done[..count]);
        let Transcript { encrypted, texts, .. } = server.transcript();
        assert!(texts.is_empty() && !encrypted.iter().any(|line| line.starts_with("MAIL")), "{encrypted:?}");
    }
}

/// Returns the text of an error and of all its sources.
fn error_text(error: &MailError) -> String {
    let mut text = format!("{error} {error:?}");
    let mut source = error.source();
    while let Some(found) = source {
        let _ = write!(text, " {found} {found:?}");
        source = found.source();
    }
    text
}

async fn failure(mailer: &SmtpMailer) -> MailError {
    let error = mailer.send(&mail()).await.expect_err("the message cannot have been taken");
    let text = error_text(&error);
    for secret in [TO, "sam", "LEAKME123", "restwell@", "Choose"] {
        assert!(!text.contains(secret), "{text}");
    }
    error
}

fn sent_unencrypted(heard: &Transcript, word: &str) -> bool {
    heard.in_clear.iter().any(|line| line.to_uppercase().starts_with(word))
}

#[tokio::test]
async fn a_message_arrives_as_it_was_written() {
    let server = MailServer::start(Behaviour::default()).await;
    in_clear(&server).send(&mail()).await.unwrap();
    let Transcript { in_clear, encrypted, texts } = server.transcript();
    assert_eq!(
        in_clear,
        [
            "EHLO sleep.example.org",
            "MAIL FROM:<restwell@example.org>",
            "RCPT TO:<sam@example.org>",
            "DATA",
            "QUIT",
        ]
    );
    assert!(encrypted.is_empty());
    let [text] = texts.as_slice() else { panic!("{texts:?}") };
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.contains("Message-ID: <00000000000000000123456789abcdef@sleep.example.org>"), "{head}");
    assert!(head.contains("Auto-Submitted: auto-generated"), "{head}");
    assert_eq!(body.trim_end(), mail().text.trim_end().replace('\n', "\r\n"));
}

#[tokio::test]
async fn a_permanent_rejection_of_the_message_is_final() {
    for line in ["MAIL", "RCPT", "DATA", "."] {
        let refusal = Misbehaviour::Say("550 5.1.1 <sam@example.org> unknown, LEAKME123");
        let server = MailServer::start(Behaviour::instead(line, refusal)).await;
        let error = failure(&in_clear(&server)).await;
        assert!(matches!(error, MailError::Refused), "{line}: {error:?}");
    }
}

#[tokio::test]
async fn a_transient_rejection_is_not_final_and_reports_only_its_code() {
    for line in ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."] {
        let refusal = Misbehaviour::Say("451 4.3.0 <sam@example.org> later, LEAKME123");
        let server = MailServer::start(Behaviour::instead(line, refusal)).await;
        let error = failure(&in_clear(&server)).await;
        assert!(matches!(error, MailError::Unavailable(Some(_))), "{line}: {error:?}");
        assert!(error_text(&error).contains("451"), "{}", error_text(&error));
    }
}

#[tokio::test]
async fn a_rejection_before_rcpt_does_not_fail_the_message() {
    for (line, refusal) in [
        ("greeting", "554 5.7.1 go away"),
        ("EHLO", "550 5.7.1 go away"),
        ("AUTH", "535 5.7.8 wrong password LEAKME123"),
        ("MAIL", "530 5.7.0 sign in first"),
    ] {
        let behaviour = Behaviour {
            extensions: vec!["AUTH PLAIN LOGIN"],
            ..Behaviour::instead(line, Misbehaviour::Say(refusal))
        };
        let server = MailServer::start(behaviour).await;
        let mailer = mailer(signing_in(server.port, Encryption::None), Security::None);
        let error = failure(&mailer).await;
        assert!(matches!(error, MailError::Unavailable(Some(_))), "{line}: {error:?}");
    }
}

#[tokio::test]
async fn a_server_that_hangs_or_disconnects_is_unavailable() {
    for line in ["greeting", "EHLO", "MAIL", "RCPT", "DATA", "."] {
        for instead in [
            Misbehaviour::Hang,
            Misbehaviour::Drop,
            Misbehaviour::Say("no SMTP at all"),
            Misbehaviour::Say("299 LEAKME123"),
        ] {
            let server = MailServer::start(Behaviour::instead(line, instead)).await;
            let mut mailer = in_clear(&server);
            if matches!(instead, Misbehaviour::Hang) {
                mailer.options.timeout = Duration::from_millis(100);
            }
            let error = failure(&mailer).await;
            assert!(matches!(error, MailError::Unavailable(Some(_))), "{line} {instead:?}: {error:?}");
        }
    }
}

#[tokio::test]
async fn a_reply_to_another_step_is_not_treated_as_success() {
    for (line, answer) in
        [("MAIL", "354 go on"), ("RCPT", "221 bye"), ("DATA", "250 good"), (".", "354 go on")]
    {
        let server = MailServer::start(Behaviour::instead(line, Misbehaviour::Say(answer))).await;
        let error = failure(&in_clear(&server)).await;
        assert!(error_text(&error).contains("invalid reply"), "{}", error_text(&error));
    }
}

#[tokio::test]
async fn an_unreachable_mail_server_is_unavailable() {
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let error = failure(&mailer(options(port, Encryption::None), Security::None)).await;
    assert!(error_text(&error).contains("refused"), "{}", error_text(&error));
}

#[tokio::test]
async fn an_accepted_message_is_sent_even_if_quit_fails() {
    for instead in [Misbehaviour::Drop, Misbehaviour::Say("550 no"), Misbehaviour::Say("nonsense")] {
        let server = MailServer::start(Behaviour::instead("QUIT", instead)).await;
        in_clear(&server).send(&mail()).await.unwrap();
        assert_eq!(server.transcript().texts.len(), 1);
    }
}

#[tokio::test]
async fn with_implicit_tls_nothing_is_sent_unencrypted() {
    let identity = Identity::new();
    let behaviour = Behaviour { extensions: vec!["AUTH PLAIN"], ..Behaviour::with_implicit(&identity) };
    let server = MailServer::start(behaviour).await;
    let security = Security::Implicit(trusting(&identity));
    mailer(signing_in(server.port, Encryption::Implicit), security).send(&mail()).await.unwrap();
    let heard = server.transcript();
    assert!(heard.in_clear.is_empty());
    assert_eq!(heard.texts.len(), 1);
    // NUL user NUL password, in base64 (RFC 4616).
    assert!(heard.encrypted.contains(&"AUTH PLAIN AHJlc3R3ZWxsAExFQUtNRTEyMw==".to_owned()), "{heard:?}");
}

#[tokio::test]
async fn with_starttls_only_the_greeting_is_in_clear() {
    let identity = Identity::new();
    let behaviour = Behaviour { extensions: vec!["AUTH PLAIN"], ..Behaviour::with_starttls(&identity) };
    let server = MailServer::start(behaviour).await;
    let security = Security::StartTls(trusting(&identity));
    mailer(signing_in(server.port, Encryption::StartTls), security).send(&mail()).await.unwrap();
    let heard = server.transcript();
    assert_eq!(heard.in_clear, ["EHLO sleep.example.org", "STARTTLS"]);
    assert_eq!(heard.texts.len(), 1);
    assert!(heard.encrypted.iter().any(|line| line.starts_with("AUTH")));
}

#[tokio::test]
async fn without_the_configured_starttls_nothing_is_sent() {
    let identity = Identity::new();
    for (behaviour, reason) in [
        (Behaviour { extensions: vec!["AUTH PLAIN"], ..Behaviour::default() }, "STARTTLS"),
        (
            Behaviour {
                instead: vec![("STARTTLS", Misbehaviour::Say("454 4.7.0 not now"))],
                ..Behaviour::with_starttls(&identity)
            },
            "454",
        ),
    ] {
        let server = MailServer::start(behaviour).await;
        let security = Security::StartTls(trusting(&identity));
        let error = failure(&mailer(signing_in(server.port, Encryption::StartTls), security)).await;
        assert!(matches!(error, MailError::Unavailable(Some(_))), "{error:?}");
        assert!(error_text(&error).contains(reason), "{}", error_text(&error));
        let heard = server.transcript();
        assert!(!sent_unencrypted(&heard, "AUTH") && !sent_unencrypted(&heard, "MAIL"), "{heard:?}");
        assert!(heard.texts.is_empty());
    }
}

#[tokio::test]
async fn nothing_is_sent_to_a_server_with_another_certificate() {
    let (trusted, other) = (Identity::new(), Identity::new());
    for (behaviour, security) in [
        (Behaviour::with_implicit(&other), Security::Implicit(trusting(&trusted))),
        (Behaviour::with_starttls(&other), Security::StartTls(trusting(&trusted))),
    ] {
        let server = MailServer::start(behaviour).await;
        let error = failure(&mailer(signing_in(server.port, Encryption::Implicit), security)).await;
        assert!(error_text(&error).contains("certificate"), "{}", error_text(&error));
        let heard = server.transcript();
        assert!(heard.encrypted.is_empty() && heard.texts.is_empty(), "{heard:?}");
        assert!(!sent_unencrypted(&heard, "AUTH") && !sent_unencrypted(&heard, "MAIL"), "{heard:?}");
    }
}

#[tokio::test]
async fn no_message_is_sent_if_authentication_fails() {
    let server = MailServer::start(Behaviour::default()).await;
    let error = failure(&mailer(signing_in(server.port, Encryption::None), Security::None)).await;
    assert!(error_text(&error).contains("AUTH"), "{}", error_text(&error));
    assert!(server.transcript().texts.is_empty());
}

#[tokio::test]
async fn an_address_beyond_ascii_goes_only_where_it_is_understood() {
    let mail = Mail { to: Email::parse("zoë@example.org").unwrap(), ..mail() };
    let server = MailServer::start(Behaviour::default()).await;
    let error = in_clear(&server).send(&mail).await.unwrap_err();
    assert!(matches!(error, MailError::Unavailable(Some(_))), "{error:?}");
    assert!(!error_text(&error).contains("zoë"));
    assert!(server.transcript().texts.is_empty());
    let server =
        MailServer::start(Behaviour { extensions: vec!["SMTPUTF8", "8BITMIME"], ..Behaviour::default() })
            .await;
    in_clear(&server).send(&mail).await.unwrap();
    let heard = server.transcript();
    assert!(
        heard.in_clear.contains(&"MAIL FROM:<restwell@example.org> SMTPUTF8 BODY=8BITMIME".to_owned()),
        "{heard:?}"
    );
}

#[tokio::test]
async fn an_address_invalid_in_smtp_is_rejected_without_a_connection() {
    let server = MailServer::start(Behaviour::default()).await;
    let mail = Mail { to: Email::parse("<sam@example.org").unwrap(), ..mail() };
    assert!(matches!(in_clear(&server).send(&mail).await, Err(MailError::Refused)));
    assert!(server.transcript().in_clear.is_empty());
}

#[test]
fn without_encryption_only_this_machine_is_a_mail_server() {
    let made = |host: &str, public_host: &str| {
        let options = SmtpOptions {
            host: host.to_owned(),
            public_host: public_host.to_owned(),
            ..options(25, Encryption::None)
        };
        SmtpMailer::new(options, Arc::new(MockClock::new()), Arc::new(MockEntropy::new())).map(|_| ())
    };
    assert_eq!(made("mail.example.org", "sleep.example.org"), Err(SmtpSetupError::ClearText));
    assert_eq!(made("[::1]", "sleep.example.org"), Ok(()));
    assert_eq!(made("localhost", "a b"), Err(SmtpSetupError::PublicHost));
}

#[test]
fn the_greeting_contains_the_public_host() {
    for (public_host, hello) in
        [("sleep.example.org", "sleep.example.org"), ("127.0.0.1", "[127.0.0.1]"), ("[::1]", "[IPv6:::1]")]
    {
        let options = SmtpOptions { public_host: public_host.to_owned(), ..options(25, Encryption::None) };
        assert_eq!(mailer(options, Security::None).hello.to_string(), hello);
    }
}

/// Sends the message; returns the completed steps and the error of the next one.
async fn steps(mailer: &SmtpMailer) -> (Vec<Step>, Option<String>) {
    let completed = Mutex::new(Vec::new());
    let outcome = mailer.send_in_steps(&mail(), &|step| completed.lock().unwrap().push(step)).await;
    (completed.into_inner().unwrap(), outcome.err().map(|error| error.0.to_string()))
}

#[tokio::test]
async fn each_step_of_a_probe_is_reported_in_order() {
    let server = MailServer::start(Behaviour::default()).await;
    let accepted = [Step::Connect, Step::Sender, Step::Recipient, Step::Message];
    assert_eq!(steps(&in_clear(&server)).await, (accepted.to_vec(), None));
    let identity = Identity::new();
    let behaviour = Behaviour { extensions: vec!["AUTH PLAIN"], ..Behaviour::with_starttls(&identity) };
    let server = MailServer::start(behaviour).await;
    let security = Security::StartTls(trusting(&identity));
    let (completed, error) = steps(&mailer(signing_in(server.port, Encryption::StartTls), security)).await;
    assert_eq!(completed[..3], [Step::Connect, Step::StartTls, Step::SignIn]);
    assert_eq!((completed.len(), error), (6, None));
}

#[tokio::test]
async fn a_probe_stops_at_the_failing_step_and_reports_why_without_an_address() {
    for (line, completed, reason) in [
        ("greeting", 0, "the connection with code 451"),
        ("MAIL", 1, "MAIL FROM with code 451"),
        ("RCPT", 2, "RCPT TO with code 451"),
        (".", 3, "DATA with code 451"),
    ] {
        let refusal = Misbehaviour::Say("451 4.3.0 <sam@example.org> later, LEAKME123");
        let server = MailServer::start(Behaviour::instead(line, refusal)).await;
        let (done, error) = steps(&in_clear(&server)).await;
        let error = error.unwrap();
        assert_eq!(done.len(), completed, "{line}");
        assert!(error.ends_with(reason) && !error.contains("sam"), "{line}: {error}");
    }
}
