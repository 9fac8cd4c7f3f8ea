use super::*;
use proptest::prelude::*;

fn parsed(url: &str) -> Result<String, InvalidRedisOptions> {
    RedisOptions::parse(url, None, Duration::from_millis(50)).map(|options| options.to_string())
}

#[test]
fn every_kind_of_url_is_parsed_and_printed_without_its_password() {
    let known = [
        ("redis://h", "redis://h:6379/0"),
        ("redis://h:7000/3", "redis://h:7000/3"),
        (" redis://u:HIDDEN@h/ ", "redis://h:6379/0"),
        ("redis://:HIDDEN%2F@[::1]:7000", "redis://[::1]:7000/0"),
        ("rediss://u:HIDDEN@cache.example.org:6380/1", "rediss://cache.example.org:6380/1"),
        ("valkey://h", "redis://h:6379/0"),
        ("valkeys://h", "rediss://h:6379/0"),
        ("redis+unix:///run/redis.sock", "redis+unix:///run/redis.sock?db=0"),
        ("redis+unix:///run/r.sock?db=2&user=u&pass=HIDDEN", "redis+unix:///run/r.sock?db=2"),
        ("valkey+unix:///run/r.sock", "redis+unix:///run/r.sock?db=0"),
    ];
    for (url, shown) in known {
        let options = RedisOptions::parse(url, None, Duration::from_millis(50)).unwrap();
        assert_eq!(options.to_string(), shown);
        assert!(!format!("{options} {options:?}").contains("HIDDEN"), "{options:?}");
    }
}

#[test]
fn invalid_urls_are_rejected_with_a_reason() {
    let cases = [
        ("", InvalidRedisOptions::Scheme),
        ("h:6379", InvalidRedisOptions::Scheme),
        ("http://h", InvalidRedisOptions::Scheme),
        ("REDIS://h", InvalidRedisOptions::Scheme),
        ("redis://h:port", InvalidRedisOptions::NotAUrl),
        ("redis://", InvalidRedisOptions::Host),
        ("redis://0.0.0.0", InvalidRedisOptions::Host),
        ("redis+unix://", InvalidRedisOptions::Host),
        ("redis+unix://host/run/r.sock", InvalidRedisOptions::Host),
        ("redis://h/name", InvalidRedisOptions::Database),
        ("redis://h/-1", InvalidRedisOptions::Database),
        ("redis://h/70000", InvalidRedisOptions::Database),
        ("redis+unix:///r.sock?db=x", InvalidRedisOptions::Database),
        ("redis://h?timeout=3", InvalidRedisOptions::Parameter),
        ("redis+unix:///r.sock?password=x", InvalidRedisOptions::Parameter),
        ("rediss://h/#insecure", InvalidRedisOptions::Fragment),
    ];
    for (url, reason) in cases {
        assert_eq!(parsed(url), Err(reason), "{url}");
    }
}

#[test]
fn authorities_are_for_encrypted_connections_and_must_be_there() {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "no certificate").unwrap();
    let parse = |url: &str, path: &Path| RedisOptions::parse(url, Some(path), Duration::from_millis(50));
    assert_eq!(parse("redis://h", file.path()).unwrap_err(), InvalidRedisOptions::NotEncrypted);
    for path in [file.path(), Path::new("/nonexistent/ca.pem")] {
        assert_eq!(
            parse("rediss://h", path).unwrap_err(),
            InvalidRedisOptions::Certificates(path.to_owned())
        );
    }
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic_or_repeats_itself(text in "(redis|rediss|valkey\\+unix)://HIDDEN.{0,40}") {
        match RedisOptions::parse(&text, None, Duration::from_millis(50)) {
            Ok(options) => {
                let shown = format!("{options:?}");
                prop_assert!(!shown.contains("pass="));
            }
            Err(reason) => {
                let shown = reason.to_string();
                prop_assert!(!shown.contains("HIDDEN"));
            }
        }
    }
}
