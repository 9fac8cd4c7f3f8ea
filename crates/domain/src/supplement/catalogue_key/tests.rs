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

#[test]
fn an_own_product_belongs_to_the_person_in_its_key() {
    let (one, other) = (UserId::from_uuid(Uuid::from_u128(1)), UserId::from_uuid(Uuid::from_u128(2)));
    let own = CatalogueKey::own(one, Uuid::from_u128(7));
    assert_eq!(own.owner(), Some(one));
    assert!(own.is_visible_to(one) && !own.is_visible_to(other));
    assert_eq!(key(own.source(), own.key()), Ok(own.clone()));
    assert_eq!(own.clone().owned_by(other), CatalogueKey::own(other, Uuid::from_u128(7)));
    let shared = key("dsld", own.key()).unwrap();
    assert_eq!(shared.owner(), None);
    assert!(shared.is_visible_to(other));
    assert_eq!(shared.clone().owned_by(other), shared);
}

#[test]
fn the_key_of_an_own_product_names_its_owner() {
    let owner = "00000000-0000-0000-0000-00000000000a";
    for text in [
        "17",
        owner,
        &format!("{owner}/17"),
        &format!("{owner}/{owner}/{owner}"),
        &format!("{}/{owner}", owner.to_uppercase()),
    ] {
        assert_eq!(key("own", text), Err(InvalidCatalogueKey::Own), "{text}");
    }
    assert!(key("own", &format!("{owner}/{owner}")).is_ok());
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
