use super::{Ndjson, session_at_once};
use crate::Format;
use crate::input::{Cursor, Position};
use crate::json::check;
use crate::source::Notes;
use crate::testing::{USER, frame, items, notes, read, rejections, sessions, stages};
use application::ports::import_source::{
    ImportItem, ImportRefusal, ImportedLog, ImportedProfile, ImportedSupplement,
};
use domain::id::UserId;
use domain::sleep::{MetricKind, MetricValue};
use domain::user::{BodyHeight, ProfileField};
use proptest::prelude::*;

#[test]
fn the_readme_names_every_member_of_a_profile() {
    for name in ProfileField::ALL.map(ProfileField::as_str) {
        assert!(include_str!("README.md").contains(&format!("`{name}`")), "{name}");
    }
}

fn lines(text: &str) -> Vec<ImportItem> {
    items(text, Format::Ndjson, "Europe/Berlin")
}

/// Reads one line that is fully accepted.
fn only(line: &str) -> ImportItem {
    let mut items = items(line, None, "Europe/Berlin");
    assert_eq!((rejections(&items), notes(&items)), (vec![], vec![]));
    assert_eq!(items.len(), 1);
    items.remove(0)
}

fn rejection(line: &str) -> String {
    let found = rejections(&lines(&format!("{{\"type\":\"profile\"}}\n{line}")));
    assert_eq!(found.len(), 1, "{line}");
    found.concat()
}

const SESSION: &str = r#"{"type":"sleep_session","id":"0c6b2a54-7d1e-4f3a-9b8c-5e4d3c2b1a09","time_in_bed_start":"2026-03-08T23:10:00-05:00","time_in_bed_end":"2026-03-09T00:10:00.500-04:00","raw_sleep":[{"stage":"LIGHT","start":"2026-03-08T23:10:00-05:00","end":"2026-03-08T23:20:00-05:00"},{"stage":"LIGHT","start":"2026-03-08T23:20:00-05:00","end":"2026-03-08T23:30:00-05:00"}],"sleep_metric":[{"sleep_metric":"timeNightInBed","value":1}],"source":"fitbit","is_nap":false,"updated_at":"2026-03-10T08:00:00Z","external_id":"41000000007","external_id_kind":"given"}"#;

#[test]
fn lines_that_end_in_returns_are_read() {
    let text = [SESSION, r#"{"type":"profile"}"#, SESSION, ""].join("\r");
    let items = items(&text, None, "Europe/Berlin");
    assert_eq!((sessions(&items).len(), rejections(&items)), (2, vec![]));
    assert_eq!(items.last().unwrap().place(), "line 3");
}

#[test]
fn a_session_keeps_its_offsets_its_key_and_its_stages() {
    let ImportItem::Session(session) = only(&SESSION.replace("2026-03-09T00:10", "2026-03-09T01:10")) else {
        panic!("not a session");
    };
    let record = &session.record;
    assert_eq!(frame(record), "2026-03-08T23:10:00-05:00 2026-03-09T01:10:00.500-04:00");
    assert_eq!(stages(record), ["LIGHT 23:10-23:20", "LIGHT 23:20-23:30"]);
    assert_eq!(record.key().to_stored(), "given:41000000007");
    assert_eq!((record.source().unwrap().as_str(), record.is_nap()), ("fitbit", Some(false)));
    assert_eq!(session.id.unwrap().to_string(), "0c6b2a54-7d1e-4f3a-9b8c-5e4d3c2b1a09");
    assert_eq!(session.updated_at.unwrap().to_rfc3339(), "2026-03-10T08:00:00+00:00");
    assert_eq!(record.metrics().get(MetricKind::TimeNightInBed), MetricValue::from_f64(3600.5));
}

#[test]
fn a_session_without_stages_keeps_its_metrics() {
    let ImportItem::Session(session) = only(
        r#"{"type":"sleep_session","time_in_bed_start":"2026-03-08T23:00:00Z","time_in_bed_end":"2026-03-09T07:00:00Z","raw_sleep":[],"sleep_metric":[{"sleep_metric":"timeNightInBed","value":28800},{"sleep_metric":"sleepEfficiency","value":91.6667}],"source":null,"is_nap":null}"#,
    ) else {
        panic!("not a session");
    };
    let record = &session.record;
    assert_eq!(record.metrics().get(MetricKind::SleepEfficiency), MetricValue::from_f64(91.6667));
    assert_eq!(record.key().to_stored(), "derived:2026-03-08T23:00:00.000Z");
    assert_eq!(frame(record), "2026-03-08T23:00:00Z 2026-03-09T07:00:00Z");
    assert_eq!((record.source(), record.is_nap(), session.id), (None, None, None));
}

#[test]
fn a_derived_key_is_read_as_derived() {
    let text = SESSION.replace("\"given\"", "\"derived\"").replace("09T00:10", "09T01:10");
    assert_eq!(sessions(&lines(&text))[0].key().to_stored(), "derived:41000000007");
}

#[test]
fn stages_out_of_order_are_laid_on_one_time_line_and_reported() {
    let text = SESSION
        .replace("09T00:10", "09T01:10")
        .replace("\"start\":\"2026-03-08T23:20", "\"start\":\"2026-03-08T22:15");
    let items = lines(&text);
    assert!(notes(&items)[0].starts_with("line 1: stages overlap"));
    assert_eq!(stages(&sessions(&items)[0]), ["LIGHT 23:10-23:30"]);
}

#[test]
fn a_profile_changes_only_its_own_members() {
    let line = format!(
        r#"{{"type":"profile","user_id":"{}","created_at":"2026-01-02T03:04:05.678901+00:00","home_timezone":"Asia/Tokyo","scopes":["profile"],"birth_date":"1990-05-17","biological_sex":"other","blood_type":"AB-","height_cm":171.5,"weight_kg":null,"skin_type":3,"wheelchair_use":false}}"#,
        USER.to_uppercase()
    );
    let ImportItem::Profile(profile) = only(&line) else { panic!("not a profile") };
    assert_eq!(profile.created_at.unwrap().to_rfc3339(), "2026-01-02T03:04:05.678901+00:00");
    assert_eq!(profile.home_timezone.unwrap().name(), "Asia/Tokyo");
    assert_eq!(profile.biology.height, BodyHeight::from_centimetres(171.5).ok());
    assert_eq!((profile.biology.weight, profile.biology.wheelchair_use), (None, Some(false)));
    let nothing =
        ImportedProfile { place: "line 1".to_owned(), is_restore: true, ..ImportedProfile::default() };
    let of_nobody = r#"{"type":"profile","created_at":"2026-01-02T03:04:05Z"}"#;
    assert_eq!(only(of_nobody), ImportItem::Profile(Box::new(nothing.clone())));
    assert_eq!(only(r#"{"type":"profile"}"#), ImportItem::Profile(Box::new(nothing)));
}

const SUPPLEMENT: &str = r#"{"type":"supplement","id":"1a2b3c4d-0000-4000-8000-000000000001","brand":"B","name":"N","servings":"30","upc":"","entry_date":"2020-02-03T00:00:00+00:00","supplement_ingredient":[{"quantity":0,"unit":"NP","active":true,"ingredient_name":"Second","order":2,"amount_stated":false},{"quantity":2.5,"unit":"mg","active":false,"ingredient_name":"First","order":1,"amount_stated":true}],"external_id":"4000123","external_source":"dsld"}"#;

fn supplement(line: &str) -> ImportedSupplement {
    match only(line) {
        ImportItem::Supplement(supplement) => *supplement,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_supplement_keeps_its_key_its_day_and_the_order_of_its_ingredients() {
    let found = supplement(SUPPLEMENT);
    assert_eq!(found.key.to_string(), "dsld:4000123");
    assert_eq!(found.label.entry_date().unwrap().to_string(), "2020-02-03");
    let [first, second] = found.label.ingredients() else { panic!("not two") };
    assert_eq!((first.name(), first.amount().unwrap().quantity(), first.is_active()), ("First", 2.5, false));
    assert_eq!((second.name(), second.amount(), second.is_active()), ("Second", None, true));
}

#[test]
fn a_time_that_is_not_midnight_is_the_one_of_the_first_import() {
    let found = supplement(&SUPPLEMENT.replace("T00:00:00+00:00", "T00:00:01+00:00"));
    assert_eq!(found.label.entry_date(), None);
    assert_eq!(found.entry_date.unwrap().to_rfc3339(), "2020-02-03T00:00:01+00:00");
}

#[test]
fn a_supplement_without_a_key_is_identified_by_its_id_or_its_text() {
    let keyless = SUPPLEMENT.replace(r#","external_id":"4000123","external_source":"dsld""#, "");
    let own = supplement(&keyless);
    assert_eq!(own.key.to_string(), "restwell:1a2b3c4d-0000-4000-8000-000000000001");
    let bare = keyless.replace(r#""id":"1a2b3c4d-0000-4000-8000-000000000001","#, "");
    let (one, same) = (supplement(&bare), supplement(&bare.replace("2.5", "5")));
    assert_eq!(one.key, same.key);
    assert!(one.key.to_string().starts_with("restwell:label-"));
    assert_ne!(one.key, supplement(&bare.replace("\"brand\":\"B\"", "\"brand\":\"C\"")).key);
}

#[test]
fn a_log_names_its_supplement_and_its_line() {
    let line = format!(
        r#"{{"type":"supplement_log","id":"1a2b3c4d-0000-4000-8000-000000000002","created_at":"2026-01-02T03:04:05.678901+00:00","user_id":"{USER}","supplement_id":"1a2b3c4d-0000-4000-8000-000000000001","servings":1.5,"external_id":"mine"}}"#
    );
    let items = lines(&format!("\n{line}"));
    let [ImportItem::Log(log)] = items.as_slice() else { panic!("{items:?}") };
    let ImportedLog { place, file: 0, id, upc: None, record } = &**log else { panic!("{log:?}") };
    assert_eq!(
        (place.as_str(), record.servings().get(), record.external_key()),
        ("line 2", 1.5, Some("mine"))
    );
    assert_eq!(id.unwrap().to_string(), "1a2b3c4d-0000-4000-8000-000000000002");
    assert_eq!(record.supplement_id().to_string(), "1a2b3c4d-0000-4000-8000-000000000001");
    assert_eq!(record.created_at().to_rfc3339(), "2026-01-02T03:04:05.678901+00:00");
}

#[test]
fn unknown_members_are_reported_by_name() {
    let text = SESSION
        .replace("09T00:10", "09T01:10")
        .replace("\"is_nap\"", "\"isNap\"")
        .replace("{\"stage\"", "{\"phase\":\"4711\",\"stage\"");
    let items = lines(&text);
    assert_eq!(notes(&items), ["line 1: unknown members were skipped: isNap, phase"]);
    assert_eq!(sessions(&items).len(), 1);
    let text = SESSION
        .replace("09T00:10", "09T01:10")
        .replace("timeNightInBed", "time4711")
        .replace("LIGHT", "DEEP");
    assert_eq!(notes(&lines(&text)), Vec::<String>::new());
}

#[test]
fn an_unknown_metric_is_reported() {
    let items = lines(
        r#"{"type":"sleep_session","time_in_bed_start":"2026-03-08T23:00:00Z","time_in_bed_end":"2026-03-09T07:00:00Z","sleep_metric":[{"sleep_metric":"sleepScore","value":80}]}"#,
    );
    assert_eq!(notes(&items), ["line 1: unknown metrics were left out: 1"]);
}

#[test]
fn an_unacceptable_line_is_rejected_without_its_values() {
    let session = SESSION.replace("09T00:10", "09T01:10");
    let log = r#"{"type":"supplement_log","created_at":"2026-01-02T03:04:05Z","supplement_id":"1a2b3c4d-0000-4000-8000-000000000001","servings":1}"#;
    for (line, part) in [
        ("[4711]".to_owned(), "not an object"),
        (r#"{"type":"4711"}"#.to_owned(), "type is not one of"),
        (r#"{"id":"4711"}"#.to_owned(), "type is not one of"),
        (session.replace("LIGHT", "light4711"), "a stage is not one of"),
        (session.replace("2026-03-08T23:10:00-05:00\",\"time", "2026-03-08T23:10:00\",\"time"), "time_in_bed_start is not"),
        (session.replace("-04:00", "+23:00"), "time_in_bed_end is not"),
        (session.replace("2026-03-09T01", "2026-03-08T01"), "the end is not after the start"),
        (session.replace("\"given\"", "\"4711\""), "external_id_kind is neither"),
        (session.replace("0c6b2a54", "4711"), "id: not a UUID"),
        (session.replace("\"time_in_bed_end\"", "\"end4711\""), "missing field `time_in_bed_end`"),
        (r#"{"type":"sleep_session","time_in_bed_start":"2026-03-08T23:00:00Z","time_in_bed_end":"2026-03-08T23:30:00Z","sleep_metric":[{"sleep_metric":"timeNightAsleep","value":4711}]}"#.to_owned(), "exceeds the time in bed"),
        (r#"{"type":"profile","birth_date":"4711"}"#.to_owned(), "birth date must be"),
        (r#"{"type":"profile","home_timezone":"4711"}"#.to_owned(), "home_timezone: not the name"),
        (r#"{"type":"profile","height_cm":"4711"}"#.to_owned(), "the wrong type"),
        (r#"{"type":"profile","user_id":"4711"}"#.to_owned(), "user_id: not a UUID"),
        (session.replace("\"is_nap\"", "\"user_id\":\"4711\",\"is_nap\""), "user_id: not a UUID"),
        (log.replace("\"servings\":1", "\"servings\":0"), "servings is not a number above 0"),
        (log.replace("1a2b3c4d", "4711"), "supplement_id: not a UUID"),
        (SUPPLEMENT.replace(r#","external_source":"dsld""#, ""), "go together"),
        (SUPPLEMENT.replace("2.5", "-4711"), "supplement_ingredient: quantity"),
        (SUPPLEMENT.replace("\"N\"", "\"\""), "name is blank"),
    ] {
        let found = rejection(&line);
        assert!(found.starts_with("line 2: ") && found.contains(part), "{found} for {line}");
        assert!(!found.replace("end4711", "").contains("4711"), "{found}");
    }
}

#[test]
fn empty_lines_are_skipped_and_a_line_that_is_not_json_rejects_the_file() {
    let profile = r#"{"type":"profile"}"#;
    assert_eq!(lines(&format!("\n{profile}\r\n  \n{profile}")).len(), 2);
    assert!(lines("").is_empty());
    for (rest, place) in
        [("{\"type\":", "line 2, column 9"), ("oops", "line 2, column 1"), ("{} {}", "line 2, column 4")]
    {
        let refused = read(format!("{profile}\n{rest}").as_bytes(), Format::Ndjson, "UTC").unwrap_err();
        assert!(refused.to_string().starts_with(&format!("damaged at {place}")), "{refused}");
    }
    let refused = read(b"{\"type\":\"profile\"}\n{\"type\":\"\xff\"}", Format::Ndjson, "UTC").unwrap_err();
    assert_eq!(refused.to_string(), "damaged at line 2, column 10: not valid UTF-8");
}

#[test]
fn totals_are_used_only_where_the_stages_cover_little() {
    let read = |asleep: &str| {
        let line = SESSION
            .replace("2026-03-09T00:10", "2026-03-09T01:10")
            .replace(r#""timeNightInBed","value":1"#, &format!(r#""timeNightAsleep","value":{asleep}"#));
        let ImportItem::Session(session) = only(&line) else { panic!("not a session") };
        assert_eq!(session.record.hypnogram().len(), 2);
        session.record.metrics().get(MetricKind::TimeNightAsleep).map(MetricValue::as_f64)
    };
    // The stages are 1200 seconds of light sleep.
    assert_eq!(read("1333"), Some(1200.0));
    assert_eq!(read("1334"), Some(1334.0));
    assert_eq!(read("-7"), Some(1200.0), "what is no metric is passed over beside stages");
    assert_eq!(read("9999"), Some(1200.0));
}

#[test]
fn one_line_of_another_person_rejects_the_whole_file() {
    let other = "1a2b3c4d-0000-4000-8000-000000004711";
    let session = SESSION.replace("09T00:10", "09T01:10");
    let log = r#"{"type":"supplement_log","created_at":"2026-01-02T03:04:05Z","supplement_id":"1a2b3c4d-0000-4000-8000-000000000001","servings":1}"#;
    for line in [
        r#"{"type":"profile"}"#.replacen('}', &format!(r#","user_id":"{other}"}}"#), 1),
        session.replace("\"is_nap\"", &format!("\"user_id\":\"{other}\",\"is_nap\"")),
        log.replace("\"servings\"", &format!("\"user_id\":\"{other}\",\"servings\"")),
    ] {
        let refused = read(format!("{session}\n{line}").as_bytes(), None, "UTC").unwrap_err();
        assert_eq!(refused, ImportRefusal::OtherPerson { place: "line 2".to_owned() });
        assert!(!refused.to_string().contains("4711"), "{refused}");
    }
}

proptest! {
    /// The fast path accepts only what the full check accepts, with the same result.
    #[test]
    fn the_fast_and_the_full_path_read_the_same_session(
        place in 0..SESSION.len(),
        byte in prop::sample::select(b"\"\\{}[],: 0a-\xff\n".as_slice()),
        cut in prop::option::weighted(0.2, 0..SESSION.len()),
    ) {
        let mut line = SESSION.replace("2026-03-09T00:10", "2026-03-09T01:10").into_bytes();
        line[place] = byte;
        line.truncate(cut.unwrap_or(line.len()));
        if let Some((session, notes)) = session_at_once(&line, None, "line 1") {
            let text = check(&line, Position::START);
            prop_assert!(text.is_ok());
            let reader = Ndjson::new(Cursor::new(Box::new(std::io::empty())).unwrap(), None);
            let mut other_notes = Notes::default();
            prop_assert_eq!(reader.item(text.unwrap(), "line 1", &mut other_notes), Ok(session));
            prop_assert!(notes.into_texts().eq(other_notes.into_texts()));
        }
    }
}

#[test]
fn the_fast_path_applies_if_the_type_is_the_first_member() {
    let session = SESSION.replace("2026-03-09T00:10", "2026-03-09T01:10");
    assert!(session_at_once(session.as_bytes(), UserId::parse(USER).ok(), "line 1").is_some());
    assert!(
        session_at_once(session.replacen(':', " :\t", 1).as_bytes(), UserId::parse(USER).ok(), "line 1")
            .is_some()
    );
    let own = session.replacen("\"is_nap\"", &format!("\"user_id\":\"{USER}\",\"is_nap\""), 1);
    assert!(session_at_once(own.as_bytes(), UserId::parse(USER).ok(), "line 1").is_some());
    for other in [
        session.replacen("sleep_session", "sleep_sessions", 1),
        session.replacen("sleep_session", "profile", 1),
        format!("{session}}}"),
        session.replacen("\"is_nap\"", "\"type\":\"profile\",\"is_nap\"", 1),
        session.replacen("\"is_nap\":false", "\"is_nap\":0", 1),
        session.replacen("\"is_nap\"", "\"user_id\":\"1a2b3c4d-0000-4000-8000-000000004711\",\"is_nap\"", 1),
    ] {
        assert!(session_at_once(other.as_bytes(), UserId::parse(USER).ok(), "line 1").is_none(), "{other}");
    }
}

proptest! {
    /// The fast path reads what the full path reads, and never misses an unknown member.
    #[test]
    fn the_fast_path_accepts_only_what_the_full_path_accepts(
        unknown in prop::option::of((0..3_usize, "[a-z]{1,3}")),
        kind in prop_oneof![Just("\"sleep_session\""), Just("null"), Just("7"), Just("{\"x\":1}"), Just("\"\\u0061\"")],
        dropped in prop::option::of(prop_oneof![Just("\"id\":"), Just("\"stage\":"), Just("\"value\":")]),
    ) {
        let mut text = SESSION.replacen("\"sleep_session\"", kind, 1);
        if let Some((place, name)) = unknown {
            let before = ["\"id\":", "\"stage\":", "\"value\":"][place];
            text = text.replacen(before, &format!("\"x{name}\":[{{\"y\":1}}],{before}"), 1);
        }
        if let Some(dropped) = dropped {
            text = text.replacen(dropped, "\"z\":", 1);
        }
        let mut notes = Notes::default();
        let long = super::line::read_members::<super::session::Line<'_>>(&text, &mut notes);
        let has_unknown = notes.into_texts().next().is_some();
        match super::session::known_members(&text) {
            Some(short) => {
                prop_assert!(!has_unknown);
                let read = |line: &super::session::Line<'_>| {
                    super::session::read(line, None, "here", &mut Notes::default()).map_err(|invalid| format!("{invalid:?}"))
                };
                prop_assert_eq!(read(&short), read(&long.unwrap()));
            }
            // Anything else takes the full path.
            None => prop_assert!(has_unknown || long.is_err() || kind != "\"sleep_session\""),
        }
    }
}
