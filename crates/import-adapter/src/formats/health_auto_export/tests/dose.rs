//! Medications.

use super::read_text;
use crate::testing::{USER, context, notes, rejections};
use crate::{FileContext, Format, open};
use application::ports::import_source::{ImportItem, ImportedLog, ImportedSupplement};
use std::io::Write as _;

const DOSE: &str = r#"{"displayText":"Melatonin 3 mg tablet","nickname":"Night pill","scheduledDate":"2026-02-07 22:00:00 +0930",
"start":"2026-02-07 22:06:31 +0930","end":"2026-02-07 22:06:31 +0930","scheduledDosage":2,"dosage":2,"units":"count",
"status":"Taken","isArchived":false,"codings":[{"system":"http://www.nlm.nih.gov/research/umls/rxnorm","code":"0000000"}]}"#;

fn read_doses(doses: &str) -> Vec<ImportItem> {
    read_text(&document(doses))
}

fn document(doses: &str) -> String {
    format!(r#"{{"data":{{"medications":[{doses}]}}}}"#)
}

fn logs(items: &[ImportItem]) -> Vec<&ImportedLog> {
    items
        .iter()
        .filter_map(|item| if let ImportItem::Log(log) = item { Some(&**log) } else { None })
        .collect()
}

fn products(items: &[ImportItem]) -> Vec<&ImportedSupplement> {
    items
        .iter()
        .filter_map(|item| if let ImportItem::Supplement(one) = item { Some(&**one) } else { None })
        .collect()
}

#[test]
fn a_dose_that_was_taken_is_an_intake_of_a_product_of_the_person() {
    let items = read_doses(DOSE);
    let [ImportItem::Supplement(product), ImportItem::Log(log)] = items.as_slice() else {
        panic!("{items:?}")
    };
    assert_eq!(product.label.name(), "Melatonin 3 mg tablet");
    assert_eq!(product.key.owner().map(|owner| owner.to_string()).as_deref(), Some(USER));
    assert_eq!(product.id, Some(log.record.supplement_id()));
    assert_eq!(log.record.created_at().to_rfc3339(), "2026-02-07T12:36:31+00:00");
    assert!((log.record.servings().get() - 2.0).abs() < f64::EPSILON);
    assert_eq!((log.id, &log.upc, log.record.external_key()), (None, &None, None));
}

#[test]
fn only_the_status_taken_is_an_intake_whatever_the_dosage() {
    let other = [
        "Skipped",
        "Snoozed",
        "Not Interacted",
        "Notification Not Sent",
        "Unspecified",
        "skipped",
        "Not Logged",
    ];
    for status in other {
        for dosage in ["1", "null", "\"x\""] {
            let dose = DOSE.replace("\"Taken\"", &format!("\"{status}\""));
            let items = read_doses(&dose.replace("\"dosage\":2", &format!("\"dosage\":{dosage}")));
            assert!(logs(&items).is_empty() && products(&items).is_empty(), "{status}");
            assert_eq!((rejections(&items).len(), notes(&items).len()), (0, 1), "{status}");
        }
    }
    assert_eq!(logs(&read_doses(&DOSE.replace("Taken", "taken"))).len(), 1);
}

#[test]
fn doses_that_were_not_taken_are_counted() {
    let [skipped, undone] = ["Skipped", "Not Logged"].map(|status| DOSE.replace("Taken", status));
    let mut found = notes(&read_doses(&[&*skipped, DOSE, &*skipped, &*undone].join(",")));
    found.sort();
    assert_eq!(
        found,
        [
            "record 1: doses that were not taken were omitted: 2",
            "record 4: doses that are no longer logged were omitted; an intake of an earlier import stays and \
             can be deleted: 1"
        ]
    );
}

#[test]
fn a_product_is_added_once_per_file_and_is_the_same_in_the_next() {
    let later = DOSE.replace("22:06:31", "23:06:31");
    let items = read_doses(&format!("{DOSE},{later}"));
    assert_eq!((products(&items).len(), logs(&items).len()), (1, 2));
    assert_eq!(products(&read_doses(&later))[0].key, products(&items)[0].key);
}

#[test]
fn medications_differ_by_their_name_or_their_codes() {
    let key = |dose: &str| products(&read_doses(dose))[0].key.clone();
    let coded = |codes: &str| DOSE.replace("[{", &format!("[{codes}{{"));
    let one = r#"{"system":"a","code":"1"},"#;
    let other = r#"{"system":"b","code":2},"#;
    assert_ne!(key(&DOSE.replace("3 mg", "5 mg")), key(DOSE));
    assert_ne!(key(&coded(one)), key(DOSE));
    assert_eq!(key(&coded(&format!("{one}{other}"))), key(&coded(&format!("{other}{one}{one}"))));
    let without = |name: &str| {
        let dose = DOSE.replace("Melatonin 3 mg tablet", name);
        let (start, _) = dose.split_once(r#","codings""#).unwrap();
        format!("{start}}}")
    };
    let items = read_doses(&format!("{},{}", without("Zinc"), without("Iron")));
    assert_eq!((products(&items).len(), logs(&items).len()), (2, 2));
    assert_eq!(key(&without("Zinc")), key(&without(" Zinc ")));
}

#[test]
fn a_product_of_another_person_is_another_product() {
    let read_of = |user_id| {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(document(DOSE).as_bytes()).unwrap();
        let context = FileContext { user_id, ..context("UTC") };
        let opened = open(file.path(), Some(Format::HealthAutoExport), context).unwrap();
        opened.open().unwrap().next_batch(10).unwrap()
    };
    let [one, other] = [USER, "0b7c5a1e-93d4-4b7c-8a52-1d2e3f405162"]
        .map(|user| read_of(Some(domain::id::UserId::parse(user).unwrap())));
    assert_ne!(products(&one)[0].id, products(&other)[0].id);
    assert_ne!(products(&one)[0].key, products(&other)[0].key);
    assert_eq!(
        rejections(&read_of(None)),
        ["record 1: a dose belongs to a person, but the import has no user"]
    );
}

#[test]
fn a_dosage_that_is_no_count_is_one_serving_with_a_note() {
    for (from, to) in [
        (r#""units":"count","#, ""),
        (r#""units":"count""#, r#""units":"mg""#),
        (r#""dosage":2"#, r#""dosage":null"#),
    ] {
        let items = read_doses(&DOSE.replace(from, to));
        assert!((logs(&items)[0].record.servings().get() - 1.0).abs() < f64::EPSILON, "{to}");
        let note = "record 1: doses whose number of units is not stated were stored as one serving: 1";
        assert_eq!(notes(&items), [note]);
    }
}

#[test]
fn a_dose_as_needed_has_no_scheduled_time() {
    let dose = DOSE.replace(r#""scheduledDate":"2026-02-07 22:00:00 +0930","#, "");
    let dose = dose.replace(r#""end":"2026-02-07 22:06:31 +0930","#, "");
    assert_eq!(read_doses(&dose), read_doses(DOSE));
}

#[test]
fn medications_may_follow_metrics() {
    let text = format!(
        r#"{{"data":{{"metrics":[{{"name":"sleep_analysis","units":"hr","data":[{}]}}],"medications":[{DOSE}]}}}}"#,
        super::NIGHT
    );
    let items = read_text(&text);
    let places: Vec<_> = items.iter().map(ImportItem::place).collect();
    assert_eq!(places, ["record 1", "record 2", "record 2"]);
}

#[test]
fn an_invalid_dose_is_rejected_and_the_others_are_read() {
    let dosage = "dosage is not a number above 0 and up to 10000";
    for (from, to, reason) in [
        (r#""status":"Taken","#, "", "status is missing"),
        ("Taken", "Perhaps", "status is not a known word"),
        ("\"Taken\"", "4", "status is not a known word"),
        (r#""displayText":"Melatonin 3 mg tablet","#, "", "displayText is missing"),
        ("Melatonin 3 mg tablet", " ", "displayText is missing"),
        ("\"start\"", "\"begin\"", "start is missing"),
        (
            "\"start\":\"2026-02-07 22:06:31 +0930\"",
            "\"start\":\"2026-02-07\"",
            "start is not a time such as 2026-01-10 23:05:00 +0100",
        ),
        ("\"dosage\":2", "\"dosage\":0", dosage),
        ("\"dosage\":2", "\"dosage\":-1", dosage),
        ("\"dosage\":2", "\"dosage\":\"two\"", dosage),
        ("\"dosage\":2", "\"dosage\":20000", dosage),
    ] {
        let items = read_doses(&format!("{DOSE},{}", DOSE.replacen(from, to, 1)));
        assert_eq!(rejections(&items), [format!("record 2: {reason}")], "{to}");
        assert_eq!(logs(&items).len(), 1);
    }
    let long = DOSE.replace("Melatonin", &"M".repeat(500));
    assert!(rejections(&read_doses(&long))[0].starts_with("record 1: displayText: "));
}
