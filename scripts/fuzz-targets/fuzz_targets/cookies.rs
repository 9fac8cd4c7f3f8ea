//! Cookies: Restwell's cookies are returned exactly, once, under their names.
//!
//! The input is lines of the `Cookie` header; `$S` and `$V` are replaced by valid values.
#![no_main]

use actix_web::http::header::{COOKIE, HeaderValue};
use actix_web::test::TestRequest;
use domain::secret::{Secret, SecretBytes, SecretKind};
use http_adapter::HttpSettings;
use libfuzzer_sys::fuzz_target;
use page_adapter::test_support::cookies;

fn read(lines: &[HeaderValue], settings: &HttpSettings) -> [Option<Secret>; 2] {
    let request = TestRequest::default();
    let request = lines.iter().fold(request, |request, line| request.append_header((COOKIE, line.clone())));
    let (session, visit) = cookies(&request.to_http_request(), settings);
    [session, visit]
}

fuzz_target!(|data: &[u8]| {
    let (https, data) = data.split_first().map_or((false, data), |(first, rest)| (first % 2 == 1, rest));
    let mut settings = HttpSettings::default();
    if https {
        settings.public_url = "https://id.example".to_owned();
    }
    let bytes = |byte| SecretBytes::new([byte; 32]);
    let session = Secret::from_bytes(SecretKind::Session, &bytes(1));
    let visit = Secret::from_bytes(SecretKind::Visit, &bytes(2));
    let fill = |line: &[u8]| {
        let line = String::from_utf8_lossy(line);
        let line = line.replace("$S", session.expose()).replace("$V", visit.expose());
        HeaderValue::from_str(&line).ok()
    };
    let mut lines: Vec<_> = data.split(|byte| *byte == b'\n').filter_map(fill).collect();
    let prefix = if https { "__Host-" } else { "" };
    let kinds = [("session", SecretKind::Session), ("visit", SecretKind::Visit)];
    let found = read(&lines, &settings);
    for ((name, kind), secret) in kinds.into_iter().zip(&found) {
        let Some(secret) = secret else { continue };
        assert_eq!(secret.kind(), kind);
        let pair = format!("{prefix}restwell_{name}={}", secret.expose());
        let sent = lines.iter().filter_map(|line| line.to_str().ok()).flat_map(|line| line.split(';'));
        assert_eq!(sent.filter(|given| given.trim() == pair).count(), 1);
    }
    // A second cookie of the same name invalidates both.
    for (name, _) in kinds {
        lines.push(HeaderValue::from_str(&format!("a=b; {prefix}restwell_{name}=x")).unwrap());
    }
    assert!(read(&lines, &settings).iter().all(Option::is_none));
});
