//! Messages in wire format (RFC 5322).

use crate::failure::Failure;
use crate::sender::Sender;
use application::ports::system::Mail;
use chrono::{DateTime, Utc};
use domain::user::Email;
use lettre::address::Address;
use lettre::message::header::{ContentType, HeaderName, HeaderValue};
use lettre::message::{Mailbox, Message, SinglePart};

/// Writes a plain-text message marked as generated (RFC 3834), so that automatic responders ignore it.
pub(crate) fn write(
    mail: &Mail,
    sender: &Sender,
    message_id: String,
    at: DateTime<Utc>,
) -> Result<Message, Failure> {
    let Mail { to, subject, text } = mail;
    let automatic =
        HeaderValue::new(HeaderName::new_from_ascii_str("Auto-Submitted"), "auto-generated".to_owned());
    Message::builder()
        .from(sender.mailbox().clone())
        .to(Mailbox::new(None, address(to)?))
        .subject(one_line(subject))
        .date(at.into())
        .message_id(Some(message_id))
        .raw_header(automatic)
        .singlepart(SinglePart::builder().header(ContentType::TEXT_PLAIN).body(lines(text)))
        .map_err(|_| Failure::NoAddress)
}

/// Returns the address with its host in ASCII, which every mail server accepts.
fn address(email: &Email) -> Result<Address, Failure> {
    let (local, host) = email.as_str().rsplit_once('@').ok_or(Failure::NoAddress)?;
    if host.is_ascii() {
        return Address::new(local, host).map_err(|_| Failure::NoAddress);
    }
    let host = url::Host::parse(host).map_err(|_| Failure::NoAddress)?;
    Address::new(local, host.to_string()).map_err(|_| Failure::NoAddress)
}

/// Removes line breaks from a subject, so that it cannot inject a header.
fn one_line(subject: &str) -> String {
    subject.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

/// Normalises line ends to `\n` and removes the last one; the library writes CR LF and adds the final one.
fn lines(text: &str) -> String {
    let mut lines = text.replace("\r\n", "\n").replace('\r', "\n");
    lines.truncate(lines.trim_end_matches('\n').len());
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn mail(to: &str, subject: &str, text: &str) -> Mail {
        Mail { to: Email::parse(to).unwrap(), subject: subject.to_owned(), text: text.to_owned() }
    }

    fn formatted(mail: &Mail) -> Result<String, Failure> {
        let sender = Sender::parse("Restwell <restwell@example.org>").unwrap();
        let at = "2026-03-08T23:10:00Z".parse().unwrap();
        let message = write(mail, &sender, "<id@sleep.example.org>".to_owned(), at)?;
        Ok(String::from_utf8(message.formatted()).unwrap())
    }

    fn headers(message: &str) -> Vec<&str> {
        message.split("\r\n\r\n").next().unwrap().split("\r\n").collect()
    }

    // The library parses the sender when it builds a message, so every accepted sender must survive that.
    #[test]
    fn a_message_of_a_server_on_this_machine_can_be_written() {
        for host in ["127.0.0.1", "[::1]", "localhost", "sleep.example.org"] {
            let sender = Sender::for_host(host).unwrap();
            let at = "2026-03-08T23:10:00Z".parse().unwrap();
            let mail = mail("robin@example.org", "Hello", "A text");
            assert!(write(&mail, &sender, "<id@sleep.example.org>".to_owned(), at).is_ok(), "{host}");
        }
    }

    #[test]
    fn a_message_has_these_headers_and_no_others() {
        let message = formatted(&mail("sam@example.org", "Choose a password", "One.\nTwo.\n")).unwrap();
        assert_eq!(
            message,
            "From: Restwell <restwell@example.org>\r\n\
             To: sam@example.org\r\n\
             Subject: Choose a password\r\n\
             Date: Sun, 08 Mar 2026 23:10:00 +0000\r\n\
             Message-ID: <id@sleep.example.org>\r\n\
             Auto-Submitted: auto-generated\r\n\
             MIME-Version: 1.0\r\n\
             Content-Type: text/plain; charset=utf-8\r\n\
             Content-Transfer-Encoding: 7bit\r\n\
             \r\n\
             One.\r\nTwo.\r\n"
        );
    }

    #[test]
    fn a_line_break_in_a_subject_adds_no_header() {
        for subject in
            ["Hello\r\nBcc: all@example.org", "Hello\nBcc: x@example.org", "a\rBcc: x", "a\r\n\r\nbody"]
        {
            let message = formatted(&mail("sam@example.org", subject, "Text.\n")).unwrap();
            assert!(!headers(&message).iter().any(|line| line.starts_with("Bcc")), "{message}");
            assert_eq!(headers(&message).len(), 9, "{message}");
            assert!(message.ends_with("\r\n\r\nText.\r\n"));
        }
    }

    #[test]
    fn an_address_invalid_in_mail_is_refused_and_no_address_adds_a_header() {
        for to in ["sam@exa\u{85}mple.org", "sam@example.org\r\nBcc:x@example.org"] {
            assert!(Email::parse(to).is_err(), "{to}");
        }
        for to in ["sam>,<kim@example.org", "<sam@example.org", "sam@[127.0.0.1", ".sam@example.org"] {
            assert_eq!(formatted(&mail(to, "Hello", "Text.\n")), Err(Failure::NoAddress), "{to}");
        }
    }

    #[test]
    fn a_host_beyond_ascii_is_written_in_ascii() {
        let message = formatted(&mail("sam@bücher.example", "Hello", "Text.\n")).unwrap();
        assert!(headers(&message).contains(&"To: sam@xn--bcher-kva.example"), "{message}");
    }

    #[test]
    fn stray_line_ends_of_a_text_become_line_ends() {
        let message = formatted(&mail("sam@example.org", "Hello", "a\r\nb\rc\nd")).unwrap();
        assert!(message.ends_with("\r\n\r\na\r\nb\r\nc\r\nd\r\n"), "{message:?}");
    }

    proptest! {
        #[test]
        fn the_headers_are_always_nine_short_ascii_lines(
            subject in "(?s).{0,200}",
            text in "(?s).{0,200}",
            local in "[a-zäß+.<>\",:;()@ \\\\-]{1,20}",
        ) {
            let Ok(to) = Email::parse(&format!("{local}@example.org")) else { return Ok(()) };
            let Ok(message) = formatted(&Mail { to, subject, text }) else { return Ok(()) };
            let names: Vec<&str> = headers(&message)
                .iter()
                .filter(|line| !line.starts_with([' ', '\t']))
                .filter_map(|line| line.split_once(':').map(|(name, _)| name))
                .collect();
            prop_assert_eq!(names.join(" "), "From To Subject Date Message-ID Auto-Submitted MIME-Version Content-Type Content-Transfer-Encoding");
            prop_assert!(message.split("\r\n").all(|line| line.len() <= 998 && !line.contains(['\r', '\n'])));
        }
    }
}
