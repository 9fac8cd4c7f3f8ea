//! Products of people's own, and the search of the catalogue.

use crate::Harness;
use crate::fixture::{catalogue_key, label, log, log_id, now, seconds, supplement, supplement_id, user_id};
use domain::supplement::{
    CatalogueKey, SearchWords, Supplement, SupplementLabel, SupplementLabelFields, Upc,
};
use uuid::Uuid;

fn own_key(person: u64, product: u128) -> CatalogueKey {
    CatalogueKey::own(user_id(person), Uuid::from_u128(product))
}

fn named(number: u64, name: &str, brand: &str) -> Supplement {
    let fields = SupplementLabelFields {
        name: name.to_owned(),
        brand: brand.to_owned(),
        upc: String::new(),
        ..label(name).into_fields()
    };
    let label = SupplementLabel::new(fields).unwrap();
    Supplement { id: supplement_id(number), label, entry_date: seconds(-5) }
}

async fn people(harness: &Harness) {
    harness.store_users([1, 2]).await;
}

async fn search(harness: &Harness, query: &str, limit: u32) -> Vec<Uuid> {
    let words = SearchWords::parse(query).unwrap();
    let found = harness.supplements.search(&words, limit).await.unwrap();
    found.into_iter().map(|(_, supplement)| supplement.id.as_uuid()).collect()
}

fn ids<const N: usize>(numbers: [u64; N]) -> Vec<Uuid> {
    numbers.iter().map(|number| supplement_id(*number).as_uuid()).collect()
}

pub(crate) async fn an_own_product_reads_back_and_is_listed_for_its_owner_alone(harness: &Harness) {
    people(harness).await;
    for number in [3, 1, 2] {
        harness.store_supplement(&own_key(1, number.into()), &supplement(number)).await;
    }
    harness.store_supplement(&own_key(2, 1), &supplement(4)).await;
    harness.store_supplement(&catalogue_key(1), &supplement(5)).await;
    let mut unit = harness.begin().await;
    let found = unit.supplements().find(supplement_id(1)).await.unwrap();
    assert_eq!(found, Some((own_key(1, 1), supplement(1))));
    unit.supplements().replace(supplement_id(2), &own_key(1, 2), &supplement(6)).await.unwrap();
    unit.commit().await.unwrap();
    let expected = [(1, 1), (3, 3), (2, 6)].map(|(key, number)| (own_key(1, key), supplement(number)));
    assert_eq!(harness.supplements.list_own(user_id(1)).await.unwrap(), expected);
    let expected = [(own_key(2, 1), supplement(4))];
    assert_eq!(harness.supplements.list_own(user_id(2)).await.unwrap(), expected);
    assert_eq!(harness.supplements.list_own(user_id(3)).await.unwrap(), []);
}

pub(crate) async fn a_code_finds_the_persons_product_before_the_catalogue_never_anothers(harness: &Harness) {
    people(harness).await;
    // The labels of the fixture have one code.
    let code = Upc::parse("012345678905").unwrap();
    harness.store_supplement(&own_key(1, 1), &supplement(1)).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.supplements().find_by_upc(&code, user_id(2)).await.unwrap(), None);
    unit.rollback().await.unwrap();
    assert_eq!(harness.supplements.list_by_upc(&code).await.unwrap(), []);
    let later = Supplement { entry_date: seconds(99), ..supplement(2) };
    harness.store_supplement(&catalogue_key(1), &later).await;
    let mut unit = harness.begin().await;
    assert_eq!(unit.supplements().find_by_upc(&code, user_id(1)).await.unwrap(), Some(supplement(1)));
    assert_eq!(unit.supplements().find_by_upc(&code, user_id(2)).await.unwrap(), Some(later));
    unit.rollback().await.unwrap();
    let listed = harness.supplements.list_by_upc(&code).await.unwrap();
    assert_eq!(listed.into_iter().map(|version| version.key).collect::<Vec<_>>(), [catalogue_key(1)]);
}

pub(crate) async fn a_search_returns_labels_of_the_catalogue_alone(harness: &Harness) {
    people(harness).await;
    harness.store_supplement(&own_key(1, 1), &named(1, "Zinc", "Mine")).await;
    assert_eq!(search(harness, "zinc", 9).await, ids([]));
    harness.store_supplement(&catalogue_key(1), &named(2, "Zinc", "Theirs")).await;
    assert_eq!(search(harness, "zinc", 9).await, ids([2]));
    let words = SearchWords::parse("zinc").unwrap();
    let found = harness.supplements.search(&words, 9).await.unwrap();
    assert_eq!(found, [(catalogue_key(1), named(2, "Zinc", "Theirs"))]);
}

pub(crate) async fn a_search_matches_the_beginning_of_each_word_in_any_order(harness: &Harness) {
    let labels = [
        ("Vitamin D-3 (1,000 IU)", "N.O.W."),
        ("Kids' Vitamin C/Zinc", "Solgar"),
        ("Magnesium\\Glycinate \"Plus\"", "Dr's [Best]"),
        ("Ginkgo Bïloba", "ÄRZTE"),
    ];
    for (number, (name, brand)) in (1..).zip(labels) {
        harness.store_supplement(&catalogue_key(number), &named(number, name, brand)).await;
    }
    let cases: [(&str, &[u64]); 14] = [
        ("vitamin d", &[1]),
        ("VITAMIN", &[1, 2]),
        ("d vit", &[1]),
        ("iu 1,000", &[1]),
        ("n.o.w", &[1]),
        ("itamin", &[]),
        ("zinc kids solgar", &[2]),
        ("zinc kids now", &[]),
        ("glycinate plus best", &[3]),
        ("best magnesium\\gly", &[3]),
        ("bïloba", &[4]),
        ("bÏloba", &[]),
        ("ÄRZTE", &[4]),
        ("ärzte", &[]),
    ];
    for (query, expected) in cases {
        let mut found = search(harness, query, 9).await;
        found.sort();
        let mut expected: Vec<_> = expected.iter().map(|number| supplement_id(*number).as_uuid()).collect();
        expected.sort();
        assert_eq!(found, expected, "{query}");
    }
}

pub(crate) async fn names_that_begin_with_the_query_come_first_and_the_limit_holds(harness: &Harness) {
    let names = ["A zinc", "Zinc tablets", "B zinc", "Zinc", "Zinc capsules", "Zin"];
    for (number, name) in (1..).zip(names) {
        harness.store_supplement(&catalogue_key(number), &named(number, name, "")).await;
    }
    assert_eq!(search(harness, "zinc", 9).await, ids([4, 5, 2, 1, 3]));
    assert_eq!(search(harness, "zinc", 4).await.len(), 4);
    assert_eq!(search(harness, "zinc", 2).await, ids([4, 5]));
    assert_eq!(search(harness, "zinc tab", 9).await, ids([2]));
}

pub(crate) async fn a_replaced_version_is_not_found_by_a_search(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &named(1, "Old zinc", "")).await;
    commit!(harness, supplements().replace(supplement_id(1), &catalogue_key(1), &named(2, "New zinc", "")));
    assert_eq!(search(harness, "zinc", 9).await, ids([2]));
    assert!(commit!(harness, supplements().update(&named(2, "New iron", ""))));
    assert_eq!(search(harness, "zinc", 9).await, ids([]));
    assert_eq!(search(harness, "iron", 9).await, ids([2]));
}

pub(crate) async fn any_query_of_any_letters_is_answered(harness: &Harness) {
    let long = "語".repeat(500);
    harness.store_supplement(&catalogue_key(1), &named(1, &long, &"語".repeat(300))).await;
    assert_eq!(search(harness, &"語".repeat(200), 9).await, ids([1]));
    for query in [
        "a:b & !c | d <-> e",
        "'x' y",
        "x\\' y",
        "%_",
        "$1",
        ":*",
        "\u{10ffff}",
        "🧴 🧴",
        "1e5 -3 .5 1/2",
        "a a a a",
        "e\u{301}\u{200b}",
        "^`~={}@<>",
    ] {
        if SearchWords::parse(query).is_some() {
            assert_eq!(search(harness, query, 9).await, ids([]), "{query}");
        }
    }
}

pub(crate) async fn versions_are_listed_by_id_with_their_keys(harness: &Harness) {
    people(harness).await;
    harness.store_supplement(&own_key(1, 1), &supplement(1)).await;
    harness.store_supplement(&catalogue_key(2), &supplement(2)).await;
    commit!(harness, supplements().replace(supplement_id(2), &catalogue_key(2), &supplement(3)));
    let mut found = harness.supplements.list_versions(&[3, 1, 2, 77].map(supplement_id)).await.unwrap();
    found.sort_by_key(|(_, supplement)| supplement.id);
    let mut expected = vec![
        (own_key(1, 1), supplement(1)),
        (catalogue_key(2), supplement(2)),
        (catalogue_key(2), supplement(3)),
    ];
    expected.sort_by_key(|(_, supplement)| supplement.id);
    assert_eq!(found, expected);
    assert_eq!(harness.supplements.list_versions(&[]).await.unwrap(), []);
}

pub(crate) async fn a_log_is_found_for_its_person_alone(harness: &Harness) {
    people(harness).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    assert_eq!(harness.supplements.find_log(user_id(1), log_id(1)).await.unwrap(), Some(log(1, 1, now())));
    assert_eq!(harness.supplements.find_log(user_id(2), log_id(1)).await.unwrap(), None);
    assert_eq!(harness.supplements.find_log(user_id(1), log_id(2)).await.unwrap(), None);
}

pub(crate) async fn erasing_a_person_deletes_their_products_and_logs_and_nobody_elses(harness: &Harness) {
    people(harness).await;
    harness.store_supplement(&own_key(1, 1), &supplement(1)).await;
    harness.store_supplement(&own_key(1, 2), &supplement(2)).await;
    harness.store_supplement(&own_key(2, 1), &supplement(3)).await;
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    harness.store_logs(user_id(2), &[log(3, 3, now())]).await;
    commit!(harness, supplements().replace(supplement_id(1), &own_key(1, 1), &supplement(4)));
    assert!(commit!(harness, users().delete(user_id(1))));
    let left = harness.supplements.list_versions(&[1, 2, 3, 4].map(supplement_id)).await.unwrap();
    assert_eq!(left, [(own_key(2, 1), supplement(3))]);
    assert!(harness.supplements.find_log(user_id(2), log_id(3)).await.unwrap().is_some());
}
