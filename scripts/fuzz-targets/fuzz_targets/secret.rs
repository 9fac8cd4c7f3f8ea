//! Secrets: an accepted secret is printed as it was read, has one kind, and is rejected with any character
//! changed.
//!
//! The input is a candidate; 32 bytes or more also generate a secret.
#![no_main]

use domain::secret::{Secret, SecretBytes, SecretKind};
use libfuzzer_sys::fuzz_target;

fn check(text: &str) -> usize {
    let parsed = SecretKind::ALL.into_iter().filter_map(|kind| {
        let secret = Secret::parse(kind, text).ok()?;
        assert_eq!((secret.kind(), secret.expose()), (kind, text));
        assert_eq!(format!("{secret:?}"), format!("Secret({}..)", kind.prefix()));
        Some(secret.hash())
    });
    parsed.count()
}

fuzz_target!(|data: &[u8]| {
    if let Ok(text) = std::str::from_utf8(data) {
        assert!(check(text) <= 1);
    }
    let Some((bytes, rest)) = data.split_first_chunk::<32>() else { return };
    let [kind, at, to, ..] = *rest else { return };
    let kind = SecretKind::ALL[usize::from(kind) % SecretKind::ALL.len()];
    let secret = Secret::from_bytes(kind, &SecretBytes::new(*bytes));
    let text = secret.expose();
    assert_eq!(check(text), 1);
    assert!(Secret::parse(kind, text).unwrap().hash() == secret.hash());
    let at = usize::from(at) % text.len();
    let (before, after) = text.split_at(at);
    let to = char::from(to);
    for altered in [
        format!("{before}{to}{}", &after[1..]),
        format!("{before}{to}{after}"),
        format!("{before}{}", &after[1..]),
        before.to_owned(),
    ] {
        assert_eq!(check(&altered), usize::from(altered == text));
    }
});
