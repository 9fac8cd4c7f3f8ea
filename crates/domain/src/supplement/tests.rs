use super::*;
use chrono::NaiveDate;
use uuid::Uuid;

fn label(entry_date: Option<NaiveDate>) -> SupplementLabel {
    let fields =
        SupplementLabelFields { name: "Zinc".into(), entry_date, ..SupplementLabelFields::default() };
    SupplementLabel::new(fields).expect("a label")
}

fn id() -> SupplementId {
    SupplementId::from_uuid(Uuid::from_u128(7))
}

fn utc(text: &str) -> DateTime<Utc> {
    text.parse().expect("an instant")
}

#[test]
fn the_entry_date_is_the_labels_own_else_the_time_of_first_import() {
    let imported_at = utc("2026-03-08T23:10:00Z");
    let own = Supplement::enter(id(), label(NaiveDate::from_ymd_opt(2024, 2, 29)), imported_at);
    assert_eq!(own.entry_date, utc("2024-02-29T00:00:00Z"));
    assert_eq!(Supplement::enter(id(), label(None), imported_at).entry_date, imported_at);
}

#[test]
fn a_corrected_label_keeps_the_id_and_the_time_of_first_import() {
    let imported_at = utc("2026-03-08T23:10:00Z");
    let entered = Supplement::enter(id(), label(None), imported_at);
    let corrected = entered.clone().corrected(label(None));
    assert_eq!(corrected, entered);
    let dated = entered.corrected(label(NaiveDate::from_ymd_opt(2024, 2, 29)));
    assert_eq!((dated.id, dated.entry_date), (id(), utc("2024-02-29T00:00:00Z")));
}
