use super::*;
use crate::supplement::TextProblem;
use proptest::prelude::*;

fn key(source: &str, key: &str) -> Result<CatalogueKey, InvalidCatalogueKey> {
    CatalogueKey::new(source.into(), key.into())
}

#[test]
fn a_key_is_found_again_by_source_and_key() {
    let label = key(CatalogueKey::DSLD, "10098").expect("a key");
    assert_eq!((label.source(), label.key()), ("dsld", "10098"));
    assert_eq!(label.to_string(), "dsld:10098");
    assert_ne!(Ok(label), key(CatalogueKey::RESTWELL, "10098"));
}

#[test]
fn a_source_is_a_short_plain_name() {
    for source in ["", "DSLD", "ds ld", "ds:ld", "däld", &"d".repeat(51)] {
        assert_eq!(key(source, "1"), Err(InvalidCatalogueKey::Source), "{source}");
    }
    assert!(key(&"d".repeat(50), "1").is_ok());
}

#[test]
fn a_key_is_a_text_that_is_not_blank() {
    let rejected = |problem| Err(InvalidCatalogueKey::Key(InvalidText { field: "key", problem }));
    assert_eq!(key("dsld", ""), rejected(TextProblem::Blank));
    assert_eq!(key("dsld", "1\0"), rejected(TextProblem::ControlCharacter));
    assert_eq!(key("dsld", &"1".repeat(201)), rejected(TextProblem::TooLong { limit: 200 }));
}

proptest! {
    #[test]
    fn building_a_key_from_arbitrary_text_never_panics(source in any::<String>(), text in any::<String>()) {
        let _ = key(&source, &text);
    }

    #[test]
    fn a_key_returns_its_parts(source in "[a-z0-9_-]{1,50}", text in "[^\\p{Cc}]{0,60}x") {
        let made = key(&source, &text).expect("a key");
        prop_assert_eq!(made.into_parts(), (source, text));
    }
}
