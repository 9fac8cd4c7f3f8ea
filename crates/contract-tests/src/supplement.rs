//! The catalogue of supplements, and the supplements of a person.

use crate::Harness;
use crate::fixture::{
    catalogue_key, conflict, label, log, now, seconds, supplement, supplement_id, user, user_id,
};
use application::ports::storage::{CatalogueVersion, UniqueKey};
use chrono::NaiveDate;
use domain::supplement::{
    Amount, CatalogueKey, Ingredient, Supplement, SupplementLabel, SupplementLabelFields, Upc,
};

fn made_of(number: u64, fields: SupplementLabelFields) -> Supplement {
    let label = SupplementLabel::new(fields).unwrap();
    Supplement { id: supplement_id(number), label, entry_date: seconds(-5) }
}

/// Returns a label with as few fields as possible, and one with all.
fn odd_supplements() -> [Supplement; 2] {
    let bare = SupplementLabelFields { name: " 'x' ".to_owned(), ..SupplementLabelFields::default() };
    let ingredient = |number: u16| {
        let unit = "µg ".repeat(20);
        let amount = Amount::new(f64::from(number) * 0.1, unit).unwrap();
        let stated = (!number.is_multiple_of(3)).then_some(amount);
        Ingredient::new(format!("{number}{}", "ß".repeat(496)), stated, number.is_multiple_of(2)).unwrap()
    };
    let mut ingredients: Vec<_> = (0..1998).map(ingredient).collect();
    let amount = |quantity| Some(Amount::new(quantity, String::new()).unwrap());
    ingredients.push(Ingredient::new("largest".to_owned(), amount(f64::MAX), true).unwrap());
    ingredients.push(Ingredient::new("smallest".to_owned(), amount(f64::MIN_POSITIVE), true).unwrap());
    let full = SupplementLabelFields {
        brand: "語".repeat(300),
        name: "🧴".repeat(500),
        servings: "\\\"'%".repeat(12),
        upc: "0".repeat(100),
        entry_date: NaiveDate::from_ymd_opt(1, 1, 1),
        ingredients,
    };
    [made_of(1, bare), made_of(2, full)]
}

async fn find(harness: &Harness, number: u64) -> Option<Supplement> {
    let found = harness.begin().await.supplements().find(supplement_id(number)).await.unwrap();
    found.map(|(_, supplement)| supplement)
}

async fn find_current(harness: &Harness, key: u64) -> Option<Supplement> {
    harness.begin().await.supplements().find_current(&catalogue_key(key)).await.unwrap()
}

pub(crate) async fn a_label_reads_back_as_stored(harness: &Harness) {
    for (number, supplement) in (1..).zip(odd_supplements()) {
        harness.store_supplement(&catalogue_key(number), &supplement).await;
        assert_eq!(find(harness, number).await.as_ref(), Some(&supplement));
        assert_eq!(find_current(harness, number).await, Some(supplement));
    }
}

pub(crate) async fn an_unknown_label_is_absent(harness: &Harness) {
    assert_eq!(find(harness, 1).await, None);
    assert_eq!(find_current(harness, 1).await, None);
}

pub(crate) async fn keys_differ_by_source_and_case(harness: &Harness) {
    let key = |source: &str, key: &str| CatalogueKey::new(source.to_owned(), key.to_owned()).unwrap();
    let keys = [key("dsld", "a"), key("dsld", "A"), key("other", "a"), key("dsld", "a ")];
    for (number, key) in (1..).zip(&keys) {
        harness.store_supplement(key, &supplement(number)).await;
    }
    let mut unit = harness.begin().await;
    for (number, key) in (1..).zip(&keys) {
        assert_eq!(unit.supplements().find_current(key).await.unwrap(), Some(supplement(number)));
    }
}

pub(crate) async fn a_taken_id_or_key_is_a_conflict(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    let mut unit = harness.begin().await;
    let same_id = unit.supplements().insert(&[(catalogue_key(2), supplement(1))]).await;
    assert_eq!(conflict(same_id), UniqueKey::Supplement);
    let same_key = unit.supplements().insert(&[(catalogue_key(1), supplement(2))]).await;
    assert_eq!(conflict(same_key), UniqueKey::Supplement);
    unit.supplements().insert(&[(catalogue_key(2), supplement(2))]).await.unwrap();
    let found = unit.supplements().find(supplement_id(1)).await.unwrap();
    assert_eq!(found, Some((catalogue_key(1), supplement(1))));
}

pub(crate) async fn many_labels_are_stored_and_found_at_once(harness: &Harness) {
    let mut labels: Vec<_> = (1..=300).map(|number| (catalogue_key(number), supplement(number))).collect();
    // The order by key differs from the order by number.
    labels.reverse();
    for (number, odd) in (301..).zip(odd_supplements()) {
        labels.push((catalogue_key(number), Supplement { id: supplement_id(number), ..odd }));
    }
    let mut unit = harness.begin().await;
    unit.supplements().insert(&labels).await.unwrap();
    unit.supplements().insert(&[]).await.unwrap();
    unit.commit().await.unwrap();
    replace(harness, 1, 900).await;
    let mut unit = harness.begin().await;
    let repository = unit.supplements();
    // Duplicate and unknown keys.
    let keys: Vec<_> = (1..=310).chain(1..=2).map(catalogue_key).collect();
    let mut found = repository.find_current_many(&keys).await.unwrap();
    found.sort_by_key(|(_, supplement)| supplement.id);
    let mut expected = labels.clone();
    expected.retain(|(key, _)| *key != catalogue_key(1));
    expected.push((catalogue_key(1), supplement(900)));
    expected.sort_by_key(|(_, supplement)| supplement.id);
    assert_eq!(found, expected);
    // A replaced version is found by its id.
    let ids: Vec<_> = [900, 1, 302, 77, 1, 555].map(supplement_id).to_vec();
    let found = repository.find_many(&ids).await.unwrap();
    assert!(found.iter().all(|(key, one)| *key == catalogue_key(1) || one.id != supplement_id(900)));
    let mut found: Vec<_> = found.into_iter().map(|(_, supplement)| supplement).collect();
    found.sort_by_key(|supplement| supplement.id);
    let odd = labels.last().map(|(_, supplement)| supplement.clone()).unwrap();
    let mut expected = vec![supplement(900), supplement(1), odd, supplement(77)];
    expected.sort_by_key(|supplement| supplement.id);
    assert_eq!(found, expected);
    assert_eq!(repository.find_many(&[]).await.unwrap(), []);
    assert_eq!(repository.find_current_many(&[]).await.unwrap(), []);
}

pub(crate) async fn many_labels_of_which_one_is_taken_are_all_rejected(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    let new = |key, number| (catalogue_key(key), supplement(number));
    let mut unit = harness.begin().await;
    for taken in [
        [new(2, 2), new(3, 1), new(4, 4)],
        [new(2, 2), new(1, 3), new(4, 4)],
        [new(2, 2), new(2, 3), new(4, 4)],
        [new(2, 2), new(3, 2), new(4, 4)],
    ] {
        assert_eq!(conflict(unit.supplements().insert(&taken).await), UniqueKey::Supplement);
    }
    unit.supplements().insert(&[new(4, 4)]).await.unwrap();
    unit.commit().await.unwrap();
    let found: Vec<_> = [find(harness, 1).await, find(harness, 2).await, find(harness, 4).await].into();
    assert_eq!(found, [Some(supplement(1)), None, Some(supplement(4))]);
}

pub(crate) async fn an_update_overwrites_label_and_entry_date(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_supplement(&catalogue_key(2), &supplement(2)).await;
    let [bare, full] = odd_supplements();
    for changed in [full, bare, supplement(1)] {
        let changed = Supplement { id: supplement_id(1), ..changed };
        assert!(commit!(harness, supplements().update(&changed)));
        assert_eq!(find_current(harness, 1).await, Some(changed));
    }
    assert_eq!(find(harness, 2).await, Some(supplement(2)));
}

pub(crate) async fn updating_an_unknown_label_is_reported(harness: &Harness) {
    let mut unit = harness.begin().await;
    assert!(!unit.supplements().update(&supplement(1)).await.unwrap());
    assert_eq!(unit.supplements().find(supplement_id(1)).await.unwrap(), None);
}

pub(crate) async fn a_new_version_becomes_current_and_the_old_one_stays(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_supplement(&catalogue_key(2), &supplement(9)).await;
    for (old, new) in [(1, 2), (2, 3)] {
        let mut unit = harness.begin().await;
        let replaced =
            unit.supplements().replace(supplement_id(old), &catalogue_key(1), &supplement(new)).await;
        replaced.unwrap();
        unit.commit().await.unwrap();
        assert_eq!(find_current(harness, 1).await, Some(supplement(new)));
        assert_eq!(find(harness, old).await, Some(supplement(old)));
    }
    assert_eq!(find_current(harness, 2).await, Some(supplement(9)));
}

pub(crate) async fn a_replacement_under_a_taken_id_is_a_conflict_and_changes_nothing(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_supplement(&catalogue_key(2), &supplement(2)).await;
    let mut unit = harness.begin().await;
    let taken = unit.supplements().replace(supplement_id(1), &catalogue_key(1), &supplement(2)).await;
    assert_eq!(conflict(taken), UniqueKey::Supplement);
    unit.commit().await.unwrap();
    assert_eq!(find_current(harness, 1).await, Some(supplement(1)));
    assert_eq!(find_current(harness, 2).await, Some(supplement(2)));
}

pub(crate) async fn a_version_that_is_not_current_is_not_replaced(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    let mut unit = harness.begin().await;
    unit.supplements().replace(supplement_id(1), &catalogue_key(1), &supplement(2)).await.unwrap();
    let late = unit.supplements().replace(supplement_id(1), &catalogue_key(1), &supplement(3)).await;
    assert_eq!(conflict(late), UniqueKey::Supplement);
    unit.commit().await.unwrap();
    assert_eq!(find_current(harness, 1).await, Some(supplement(2)));
    assert_eq!(find(harness, 3).await, None);
}

pub(crate) async fn a_label_has_logs_once_any_person_has_one(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    harness.store_supplement(&catalogue_key(2), &supplement(2)).await;
    assert!(!harness.begin().await.supplements().has_logs(supplement_id(1)).await.unwrap());
    harness.store_logs(user_id(1), &[log(1, 1, now())]).await;
    let mut unit = harness.begin().await;
    assert!(unit.supplements().has_logs(supplement_id(1)).await.unwrap());
    assert!(!unit.supplements().has_logs(supplement_id(2)).await.unwrap());
    assert!(!unit.supplements().has_logs(supplement_id(3)).await.unwrap());
}

pub(crate) async fn logged_supplements_are_listed_by_id_in_every_version(harness: &Harness) {
    harness.store_users([1, 2]).await;
    for number in [5, 1, 3] {
        harness.store_supplement(&catalogue_key(number), &supplement(number)).await;
    }
    harness.store_logs(user_id(1), &[log(1, 5, now()), log(2, 1, now()), log(3, 1, seconds(9))]).await;
    harness.store_logs(user_id(2), &[log(4, 3, now())]).await;
    let mut unit = harness.begin().await;
    let new = Supplement { label: label("new"), ..supplement(2) };
    unit.supplements().replace(supplement_id(1), &catalogue_key(1), &new).await.unwrap();
    unit.commit().await.unwrap();
    harness.store_logs(user_id(1), &[log(5, 2, seconds(10))]).await;
    let expected =
        [(catalogue_key(1), supplement(1)), (catalogue_key(1), new), (catalogue_key(5), supplement(5))];
    assert_eq!(harness.supplements.list_logged(user_id(1)).await.unwrap(), expected);
    let other = [(catalogue_key(3), supplement(3))];
    assert_eq!(harness.supplements.list_logged(user_id(2)).await.unwrap(), other);
    assert_eq!(harness.supplements.list_logged(user_id(3)).await.unwrap(), []);
}

/// Returns a supplement whose label has this UPC, entered this many seconds after [`now`].
fn coded(number: u64, upc: &str, at: i64) -> Supplement {
    let fields = SupplementLabelFields { upc: upc.to_owned(), ..label("coded").into_fields() };
    Supplement { entry_date: seconds(at), ..made_of(number, fields) }
}

async fn find_by_upc(harness: &Harness, code: &str) -> Option<Supplement> {
    harness.begin().await.supplements().find_by_upc(&Upc::parse(code).unwrap(), user_id(1)).await.unwrap()
}

pub(crate) async fn a_version_reads_back_with_its_key(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    let mut unit = harness.begin().await;
    unit.supplements().replace(supplement_id(1), &catalogue_key(1), &supplement(2)).await.unwrap();
    for number in [1, 2] {
        let found = unit.supplements().find(supplement_id(number)).await.unwrap();
        assert_eq!(found, Some((catalogue_key(1), supplement(number))));
    }
}

pub(crate) async fn a_code_finds_the_current_label_in_any_spelling(harness: &Harness) {
    let first = coded(1, " 0 33674-49111\u{a0}9", 0);
    harness.store_supplement(&catalogue_key(1), &first).await;
    harness.store_supplement(&catalogue_key(2), &coded(2, "see 033674491119", 0)).await;
    harness.store_supplement(&catalogue_key(3), &coded(3, "", 0)).await;
    for code in ["033674491119", "33674491119", "0033674491119"] {
        assert_eq!(find_by_upc(harness, code).await, Some(first.clone()), "{code}");
    }
    let mut unit = harness.begin().await;
    assert!(unit.supplements().update(&coded(1, "12345670", 0)).await.unwrap());
    unit.supplements().replace(supplement_id(1), &catalogue_key(1), &coded(4, "87654321", 0)).await.unwrap();
    unit.commit().await.unwrap();
    assert_eq!(find_by_upc(harness, "33674491119").await, None);
    assert_eq!(find_by_upc(harness, "12345670").await, None);
    assert_eq!(find_by_upc(harness, "000087654321").await, Some(coded(4, "87654321", 0)));
}

pub(crate) async fn the_latest_of_several_labels_with_a_code_is_found(harness: &Harness) {
    for (number, at) in [(9, 1), (3, 5), (4, 5), (2, 5)] {
        harness.store_supplement(&catalogue_key(number), &coded(number, "12345670", at)).await;
    }
    assert_eq!(find_by_upc(harness, "12345670").await, Some(coded(4, "12345670", 5)));
    // A label that states no entry date is not the latest, although it has the time of its import.
    let dated = |number: u64, date: &str| {
        let fields = SupplementLabelFields {
            upc: "87654321".to_owned(),
            entry_date: date.parse().ok(),
            ..label("coded").into_fields()
        };
        Supplement::enter(supplement_id(number), made_of(number, fields).label, seconds(0))
    };
    let latest = dated(11, "2020-01-02");
    for (number, label) in [(11, latest.clone()), (12, dated(12, "")), (13, dated(13, "2019-12-31"))] {
        harness.store_supplement(&catalogue_key(number), &label).await;
    }
    assert_eq!(find_by_upc(harness, "87654321").await, Some(latest));
}

pub(crate) async fn every_version_with_a_code_is_listed_the_current_one_first(harness: &Harness) {
    harness.store_supplement(&catalogue_key(2), &coded(5, "012345670", 0)).await;
    harness.store_supplement(&catalogue_key(1), &coded(1, "1234 5670", 0)).await;
    harness.store_supplement(&catalogue_key(3), &coded(6, "87654321", 0)).await;
    let mut unit = harness.begin().await;
    for (old, new) in [(1, 3), (3, 2)] {
        let new = coded(new, "12345670", 9);
        unit.supplements().replace(supplement_id(old), &catalogue_key(1), &new).await.unwrap();
    }
    unit.commit().await.unwrap();
    let found = harness.supplements.list_by_upc(&Upc::parse("12345670").unwrap()).await.unwrap();
    let version = |key, number, code, at, is_current| {
        let (key, supplement) = (catalogue_key(key), coded(number, code, at));
        CatalogueVersion { key, supplement, is_current }
    };
    let expected = [
        version(1, 2, "12345670", 9, true),
        version(1, 1, "1234 5670", 0, false),
        version(1, 3, "12345670", 9, false),
        version(2, 5, "012345670", 0, true),
    ];
    assert_eq!(found, expected);
    assert_eq!(harness.supplements.list_by_upc(&Upc::parse("12345679").unwrap()).await.unwrap(), []);
}

async fn retract(harness: &Harness, number: u64, predecessor: Option<u64>) -> bool {
    let mut unit = harness.begin().await;
    let predecessor = predecessor.map(supplement_id);
    let retracted = unit.supplements().retract(supplement_id(number), predecessor).await.unwrap();
    unit.commit().await.unwrap();
    retracted
}

async fn replace(harness: &Harness, old: u64, new: u64) {
    commit!(harness, supplements().replace(supplement_id(old), &catalogue_key(1), &supplement(new)));
}

pub(crate) async fn a_retracted_version_is_replaced_by_its_predecessor(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    replace(harness, 1, 2).await;
    assert!(retract(harness, 2, Some(1)).await);
    assert_eq!(find_current(harness, 1).await, Some(supplement(1)));
    assert_eq!(find(harness, 2).await, None);
    assert!(retract(harness, 1, None).await);
    assert_eq!(find_current(harness, 1).await, None);
    harness.store_supplement(&catalogue_key(1), &supplement(3)).await;
}

pub(crate) async fn a_version_that_was_logged_or_is_not_there_is_not_retracted(harness: &Harness) {
    harness.store_user(&user(1)).await;
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    replace(harness, 1, 2).await;
    harness.store_logs(user_id(1), &[log(1, 2, now())]).await;
    assert!(!retract(harness, 2, Some(1)).await);
    assert!(!retract(harness, 3, Some(1)).await);
    assert_eq!(find_current(harness, 1).await, Some(supplement(2)));
    assert_eq!(find(harness, 1).await, Some(supplement(1)));
}

pub(crate) async fn a_replaced_version_is_retracted_without_its_predecessor_coming_back(harness: &Harness) {
    harness.store_supplement(&catalogue_key(1), &supplement(1)).await;
    replace(harness, 1, 2).await;
    replace(harness, 2, 3).await;
    assert!(retract(harness, 2, Some(1)).await);
    assert_eq!(find_current(harness, 1).await, Some(supplement(3)));
    assert_eq!(find(harness, 2).await, None);
}
