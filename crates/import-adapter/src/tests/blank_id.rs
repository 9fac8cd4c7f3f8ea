//! A blank id is an absent one.

use crate::Format;
use crate::testing::{read, rejections};
use application::ports::import_source::ImportItem;

/// A file of each format whose records have an id as text, with the member of that id.
const FILES: [(Format, &str, &str); 10] = [
    (
        Format::Fitbit,
        r#""logId":ID,"#,
        r#"[{"logId":ID,"startTime":"2026-01-10T23:00:00.000","endTime":"2026-01-11T00:00:00.000"}]"#,
    ),
    (
        Format::Oura,
        r#""id":ID,"#,
        r#"{"data":[{"id":ID,"type":"sleep","bedtime_start":"2026-01-10T23:00:00+01:00",
        "bedtime_end":"2026-01-11T00:00:00+01:00"}]}"#,
    ),
    (
        Format::Garmin,
        r#""id":ID,"#,
        r#"[{"dailySleepDTO":{"id":ID,"sleepStartTimestampGMT":1768104000000,"sleepEndTimestampGMT":1768107600000}}]"#,
    ),
    (
        Format::Withings,
        r#""id":ID,"#,
        r#"{"status":0,"body":{"series":[{"id":ID,"startdate":1768086000,"enddate":1768089600,"timezone":"Europe/Paris",
        "data":{"total_sleep_time":3000}}],"more":false}}"#,
    ),
    (
        Format::OpenMhealth,
        r#","acquisition_provenance":{"source_data_point_id":ID}"#,
        r#"{"header":{"id":"a","schema_id":{"namespace":"omh","name":"sleep-episode","version":"1.1"}
        ,"acquisition_provenance":{"source_data_point_id":ID}},
        "body":{"effective_time_frame":{"time_interval":{"start_date_time":"2026-01-10T23:00:00+01:00",
        "duration":{"value":8,"unit":"h"}}}}}"#,
    ),
    (
        Format::SleepAsAndroid,
        "",
        "Id,Tz,From,To,Sched,Hours\nID,Europe/Paris,10. 01. 2026 22:00,11. 01. 2026 6:00,,8.0\n",
    ),
    (
        Format::Ndjson,
        r#""id":ID,"external_id":ID,"user_id":ID,"#,
        r#"{"type":"sleep_session","id":ID,"external_id":ID,"user_id":ID,"time_in_bed_start":"2026-03-08T23:00:00Z","time_in_bed_end":"2026-03-09T07:00:00Z"}"#,
    ),
    (
        Format::Ndjson,
        r#""id":ID,"external_id":ID,"external_source":ID,"#,
        r#"{"type":"supplement","id":ID,"external_id":ID,"external_source":ID,"name":"Magnesium"}"#,
    ),
    (
        Format::Ndjson,
        r#""id":ID,"external_id":ID,"user_id":ID,"upc":ID,"#,
        r#"{"type":"supplement_log","id":ID,"external_id":ID,"user_id":ID,"upc":ID,"created_at":"2026-03-09T07:00:00Z","servings":1,"supplement_id":"1a2b3c4d-0000-4000-8000-000000000001"}"#,
    ),
    (
        Format::Ndjson,
        r#""user_id":ID,"#,
        r#"{"type":"profile","user_id":ID,"created_at":"2026-03-09T07:00:00Z","home_timezone":"Asia/Tokyo"}"#,
    ),
];

/// Reads a file whose records are all accepted.
fn items(text: &str, format: impl Into<Option<Format>>) -> Vec<ImportItem> {
    let items = read(text.as_bytes(), format, "UTC").unwrap();
    assert_eq!(rejections(&items), Vec::<String>::new(), "{text}");
    items
}

#[test]
fn a_blank_id_is_absent_in_every_format() {
    for (format, member, file) in FILES {
        let absent = items(&file.replace(member, "").replace("ID,", ","), format);
        for blank in ["", " "] {
            let blank =
                if format == Format::SleepAsAndroid { blank.to_owned() } else { format!("\"{blank}\"") };
            assert_eq!(
                items(
                    &file.replace("ID,", &format!("{blank},")).replace("ID}", &format!("{blank}}}")),
                    format
                ),
                absent
            );
        }
    }
}
