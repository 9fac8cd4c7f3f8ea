use super::JsonIngestParser;
use application::ports::import_source::{ImportItem, ImportRefusal};
use application::ports::ingest_source::{
    IngestContent, IngestItem, IngestKind, IngestLayout, IngestParser, IngestShape, ItemCode,
};
use domain::id::UserId;
use proptest::prelude::{Just, Strategy, any, prop, prop_assert, prop_assert_eq, prop_oneof, proptest};
use std::io::{Cursor, Read};
use uuid::Uuid;

const ME: &str = "4b1c5d6e-0000-4000-8000-000000000001";

fn shape(kind: IngestKind, layout: IngestLayout) -> IngestShape {
    IngestShape { kind, layout, user_id: UserId::parse(ME).ok() }
}

fn bytes(body: &[u8]) -> Box<dyn Read + Send> {
    Box::new(Cursor::new(body.to_vec()))
}

/// Reads a body in batches of two.
fn items(kind: IngestKind, layout: IngestLayout, body: &[u8]) -> Result<Vec<IngestItem>, ImportRefusal> {
    let mut source = JsonIngestParser.open(shape(kind, layout), bytes(body))?;
    let mut items = Vec::new();
    loop {
        let batch = source.next_batch(2)?;
        assert!(batch.len() <= 2);
        if batch.is_empty() {
            return Ok(items);
        }
        items.extend(batch);
    }
}

fn json(kind: IngestKind, body: &str) -> Vec<IngestItem> {
    items(kind, IngestLayout::Json, body.as_bytes()).unwrap()
}

/// Returns code and member of the body's only item.
fn refusal(kind: IngestKind, body: &str) -> (ItemCode, Option<&'static str>) {
    let mut found = json(kind, body);
    assert_eq!(found.len(), 1, "{body}");
    let refusal = found.remove(0).content.unwrap_err();
    assert!(!refusal.detail.contains("secret"), "{}", refusal.detail);
    (refusal.code, refusal.field)
}

const LOG: &str = r#"{"created_at":"2026-01-10T22:00:00Z","upc":"0 33674 49111 9","servings":1}"#;

#[test]
fn an_object_a_list_and_lines_are_the_same_items() {
    let of_object = json(IngestKind::Logs, LOG);
    let of_list = json(IngestKind::Logs, &format!("[{LOG},\n {LOG}, {LOG}]"));
    let lines = format!("{LOG}\n\n{LOG}\r\n{LOG}");
    let of_lines = items(IngestKind::Logs, IngestLayout::Lines, lines.as_bytes()).unwrap();
    assert_eq!((of_object.len(), of_list.len()), (1, 3));
    assert_eq!(of_list, of_lines);
    assert_eq!(of_list[0], of_object[0]);
    assert!(matches!(of_list[2].content, Ok(IngestContent::Record(ImportItem::Log(_)))));
}

#[test]
fn a_session_that_names_the_person_of_the_path_is_accepted_without_a_note() {
    let night = format!(
        r#"{{"user_id":"{ME}","time_in_bed_start":"2026-01-10T22:00:00Z","time_in_bed_end":"2026-01-11T06:00:00Z"}}"#
    );
    for layout in [IngestLayout::Json, IngestLayout::Lines] {
        let found = items(IngestKind::Sleep, layout, night.as_bytes()).unwrap();
        let [IngestItem { content: Ok(IngestContent::Record(ImportItem::Session(_))), notes }] = &found[..]
        else {
            panic!("{found:?}")
        };
        assert!(notes.is_empty(), "{notes:?}");
    }
}

#[test]
fn an_empty_list_no_lines_and_an_empty_body_have_no_items() {
    assert!(json(IngestKind::Sleep, "[]").is_empty());
    for layout in [IngestLayout::Json, IngestLayout::Lines] {
        for body in [&b""[..], b" \n", b"\xef\xbb\xbf"] {
            assert!(items(IngestKind::Sleep, layout, body).unwrap().is_empty());
            assert_eq!(JsonIngestParser.count(layout, bytes(body), 10), Ok(0));
        }
    }
    assert!(items(IngestKind::Sleep, IngestLayout::Lines, b"\n \n").unwrap().is_empty());
}

#[test]
fn malformed_files_are_refused_as_a_whole_with_the_position() {
    for (layout, body) in [
        (IngestLayout::Json, &b"7"[..]),
        (IngestLayout::Json, b"\"secret\""),
        (IngestLayout::Json, b"[{},"),
        (IngestLayout::Json, b"[{}] {}"),
        (IngestLayout::Json, b"{}{}"),
        (IngestLayout::Json, b"{\"a\":\xff}"),
        (IngestLayout::Lines, b"{}\n{\"a\":"),
        (IngestLayout::Lines, b"{}\nsecret"),
    ] {
        let counted = JsonIngestParser.count(layout, bytes(body), 10);
        let Err(ImportRefusal::Damaged { place, reason }) = counted else { panic!("{counted:?}") };
        assert!(place.starts_with("line ") && !reason.contains("secret"), "{place}: {reason}");
        assert!(items(IngestKind::Sleep, layout, body).is_err());
    }
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    assert!(JsonIngestParser.count(IngestLayout::Json, bytes(deep.as_bytes()), 10).is_err());
}

#[test]
fn counting_ends_just_past_the_limit() {
    let list = format!("[{}{{}}]", "{},".repeat(99));
    let count = |limit| JsonIngestParser.count(IngestLayout::Json, bytes(list.as_bytes()), limit).unwrap();
    assert_eq!((count(99), count(100), count(1000)), (100, 100, 100));
    assert_eq!(count(10), 11);
}

#[test]
fn a_rejected_item_has_a_reason_and_names_the_member() {
    use IngestKind::{Logs, Profile, Sleep, Supplements, Users};
    use ItemCode::{InvalidMember, MissingMember, NotAnObject, OtherUser};
    let other = format!(r#"{{"user_id":"{}"}}"#, Uuid::nil());
    let night = r#""time_in_bed_start":"2026-01-10T22:00:00Z","time_in_bed_end":"2026-01-11T06:00:00Z""#;
    let others_night = other.replace('}', &format!(",{night}}}"));
    for (kind, body, code, field) in [
        (Sleep, "[7]", NotAnObject, None),
        (Sleep, "[[{}]]", NotAnObject, None),
        (Sleep, "{}", MissingMember, Some("time_in_bed_start")),
        (Profile, &other, OtherUser, Some("user_id")),
        (Sleep, &others_night, OtherUser, Some("user_id")),
        (Logs, &LOG.replace('{', &other.replace('}', ",")), OtherUser, Some("user_id")),
        (Profile, r#"{"height_cm":"secret"}"#, InvalidMember, Some("height_cm")),
        (Profile, r#"{"weight_kg":-1}"#, InvalidMember, Some("weight_kg")),
        (Profile, r#"{"birth_date":"secret"}"#, InvalidMember, Some("birth_date")),
        (Profile, r#"{"home_timezone":"secret"}"#, InvalidMember, Some("home_timezone")),
        (Users, "{}", MissingMember, Some("email")),
        (Users, r#"{"email":"secret"}"#, InvalidMember, Some("email")),
        (Users, r#"{"email":"a@example.org","id":"secret"}"#, InvalidMember, Some("id")),
        (Supplements, r#"{"name":" "}"#, InvalidMember, Some("name")),
        (Supplements, r#"{"name":"a","external_id":"secret"}"#, InvalidMember, Some("external_id")),
        (Logs, r#"{"created_at":"2026-01-10T22:00:00Z","servings":1}"#, MissingMember, Some("supplement_id")),
        (
            Logs,
            r#"{"created_at":"secret","servings":1,"upc":"33674491119"}"#,
            InvalidMember,
            Some("created_at"),
        ),
        (
            Logs,
            r#"{"created_at":"2026-01-10T22:00:00Z","servings":0,"upc":"33674491119"}"#,
            InvalidMember,
            Some("servings"),
        ),
    ] {
        assert_eq!(refusal(kind, body), (code, field), "{body}");
    }
}

#[test]
fn a_list_in_place_of_a_stage_a_metric_or_an_ingredient_is_rejected() {
    use IngestKind::{Sleep, Supplements};
    let night =
        r#""time_in_bed_start":"2026-01-13T23:00:00+01:00","time_in_bed_end":"2026-01-14T07:00:00+01:00""#;
    let stage = r#"["LIGHT","2026-01-13T23:15:00+01:00","2026-01-14T06:50:00+01:00"]"#;
    for (kind, body, field) in [
        (Sleep, format!(r#"{{{night},"raw_sleep":[{stage}]}}"#), "raw_sleep"),
        (Sleep, format!(r#"{{{night},"unknown":1,"raw_sleep":[{stage}]}}"#), "raw_sleep"),
        (Sleep, format!(r#"{{{night},"sleep_metric":[["time_night_asleep",25200]]}}"#), "sleep_metric"),
        (
            Supplements,
            r#"{"name":"a","supplement_ingredient":[[1,"mg",true,"Magnesium",1,true]]}"#.to_owned(),
            "supplement_ingredient",
        ),
    ] {
        let invalid = json(kind, &body).remove(0).content.unwrap_err();
        assert_eq!((invalid.code, invalid.field), (ItemCode::InvalidMember, Some(field)), "{body}");
        assert!(invalid.detail.contains("expected an object"), "{}", invalid.detail);
    }
}

#[test]
fn a_session_names_the_member_at_fault() {
    let session = |change: (&str, &str)| {
        let text = r#"{"id":null,"time_in_bed_start":"2026-01-10T23:00:00+01:00","time_in_bed_end":"2026-01-11T07:00:00+01:00","raw_sleep":[{"stage":"LIGHT","start":"2026-01-10T23:15:00+01:00","end":"2026-01-11T06:50:00+01:00"}],"is_nap":false}"#;
        text.replace(change.0, change.1)
    };
    for (change, field) in [
        (("LIGHT", "secret"), "raw_sleep"),
        (("\"2026-01-11T06:50:00+01:00\"", "7"), "raw_sleep"),
        (("2026-01-11T07:00:00+01:00", "2026-01-10T07:00:00+01:00"), "time_in_bed_end"),
        (("\"is_nap\":false", "\"is_nap\":\"secret\""), "is_nap"),
        (("null", "\"secret\""), "id"),
    ] {
        assert_eq!(refusal(IngestKind::Sleep, &session(change)).1, Some(field), "{change:?}");
    }
    let taken = json(IngestKind::Sleep, &session(("is_nap", "is_a_nap")));
    assert!(taken[0].content.is_ok());
    assert_eq!(taken[0].notes, ["unknown members were skipped"]);
}

#[test]
fn a_session_with_a_blank_source_has_none() {
    let night = r#"{"time_in_bed_start":"2026-01-10T22:00:00Z","time_in_bed_end":"2026-01-11T06:00:00Z"}"#;
    let absent = json(IngestKind::Sleep, night);
    for blank in ["\"\"", "\" \""] {
        let found = json(IngestKind::Sleep, &night.replacen('{', &format!(r#"{{"source":{blank},"#), 1));
        assert_eq!(found, absent, "{blank}");
    }
}

/// An unknown member whose name and values contain recognisable sender text.
fn member() -> impl Strategy<Value = String> {
    let value = prop_oneof![
        Just(r#""LEAKME""#.to_owned()),
        Just(r#"{"LEAKME":["LEAKME",{"LEAKME":1e999}]}"#.to_owned()),
        Just(r#"[[["LEAKME"]]]"#.to_owned()),
        Just("1e999".to_owned()),
        Just(format!("{}{}", "[".repeat(120), "]".repeat(120))),
        Just("null".to_owned()),
        Just(r#"[{"stage":"LEAKME","start":"LEAKME","end":"LEAKME","LEAKME":7}]"#.to_owned()),
    ];
    let names = [
        "LEAKME",
        r"LEAKME\u0000",
        "type",
        "id",
        "user_id",
        "email",
        "home_timezone",
        "birth_date",
        "height_cm",
        "time_in_bed_start",
        "raw_sleep",
        "sleep_metric",
        "source",
        "external_id",
        "name",
        "servings",
        "upc",
        "supplement_ingredient",
        "supplement_id",
        "created_at",
    ];
    (prop::sample::select(names.to_vec()), value).prop_map(|(name, value)| format!("\"{name}\":{value}"))
}

proptest! {
    /// Replies are stored for a day under an idempotency key, where nothing of the sender may be.
    #[test]
    fn an_error_of_an_item_repeats_nothing_that_the_sender_wrote(members in prop::collection::vec(member(), 0..6)) {
        let body = format!("[{{{}}}]", members.join(","));
        for kind in [IngestKind::Users, IngestKind::Profile, IngestKind::Sleep, IngestKind::Supplements, IngestKind::Logs] {
            let text = match items(kind, IngestLayout::Json, body.as_bytes()) {
                Ok(items) => {
                    let text: Vec<_> = items.into_iter().map(|item| (item.notes, item.content.err())).collect();
                    format!("{text:?}")
                }
                Err(refusal) => refusal.to_string(),
            };
            prop_assert!(!text.contains("LEAKME"), "{body}: {text}");
        }
    }

    #[test]
    fn no_bytes_make_the_reader_panic_and_both_readings_agree(body in prop::collection::vec(any::<u8>(), 0..64)) {
        for layout in [IngestLayout::Json, IngestLayout::Lines] {
            let counted = JsonIngestParser.count(layout, bytes(&body), usize::MAX - 1);
            match items(IngestKind::Users, layout, &body) {
                Ok(read) => prop_assert_eq!(counted, Ok(read.len())),
                Err(_) => prop_assert!(counted.is_err()),
            }
        }
    }

    #[test]
    fn every_list_that_serde_accepts_is_accepted(body in r#"\[[\[\]{},:"a1 \n]{0,14}"#) {
        let valid = serde_json::from_str::<Vec<serde::de::IgnoredAny>>(&body);
        let read = items(IngestKind::Sleep, IngestLayout::Json, body.as_bytes());
        prop_assert_eq!(valid.map(|list| list.len()).ok(), read.map(|items| items.len()).ok());
    }
}
