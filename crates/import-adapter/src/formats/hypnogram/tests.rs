use crate::testing::{context, frame, items, only_session, read, rejections, sessions, stages};
use crate::{FileContext, Format, open};
use application::ports::import_source::{ImportItem, ImportRefusal};
use domain::sleep::SleepRecord;
use proptest::prelude::{prop, prop_assert_eq, proptest};
use std::io::Write as _;

const HYPNOGRAM: Format = Format::Hypnogram;
const NO_STAGE: &str = "not a stage; expected -1, 0, 1, 2, 3 or 4, or W, N1, N2, N3 or R";

fn read_all(text: &str) -> Vec<ImportItem> {
    items(text, None, "Asia/Tokyo")
}

fn only(text: &str) -> SleepRecord {
    only_session(&read_all(text))
}

#[test]
fn each_value_is_thirty_seconds_from_the_start_that_was_given() {
    let lines = only("# a comment\n0\n0\n1\n2\n\n3\r\n4\n-1\n2");
    let list = only("[0, 0, 1, 2,\n3, 4, -1, 2]");
    assert_eq!(lines, list);
    assert_eq!(frame(&lines), "2026-01-10T22:30:00+01:00 2026-01-10T22:34:00+01:00");
    assert_eq!(lines.source().unwrap().as_str(), "polysomnography");
    assert!(!lines.key().is_given());
    let lengths: Vec<_> =
        lines.hypnogram().entries().iter().map(|one| (one.stage().as_str(), one.millis() / 1000)).collect();
    assert_eq!(
        lengths,
        [("AWAKE", 60), ("LIGHT", 60), ("DEEP", 30), ("REM", 30), ("UNKNOWN", 30), ("LIGHT", 30)]
    );
    assert_eq!(stages(&lines)[1], "LIGHT 22:31-22:32");
}

#[test]
fn lines_that_end_in_returns_are_read() {
    assert_eq!(only("# a comment\r0\r\r1\r2\r"), only("0\n1\n2\n"));
}

#[test]
fn letters_are_read_as_the_stages_that_they_name() {
    let numbers = only("0\n1\n2\n3\n4\n-1\n-1\n0\n");
    for letters in [
        ["W", "N1", "N2", "N3", "R", "?", "ART", "W"],
        ["W", "S1", "S2", "S3", "REM", "?", "?", "W"],
        ["w", "s1", "n2", "s4", "rem", "art", "uns", "WAKE"],
    ] {
        assert_eq!(only(&letters.join("\n")), numbers, "{letters:?}");
        assert_eq!(only(&format!("# scored by hand\r\n{}\r\n", letters.join("\r\n"))), numbers);
        let quoted = letters.map(|one| format!("\"{one}\""));
        assert_eq!(only(&quoted.join("\n")), numbers);
        assert_eq!(only(&format!("[{}]", quoted.join(", "))), numbers);
    }
    // Unscored epochs are neither a number nor a letter of a stage.
    assert_eq!(only("?\n0\n4\n"), only("-1\n0\n4\n"));
    assert_eq!(only("[\"N3\",\"R\",-1]"), only("[3,4,-1]"));
}

#[test]
fn a_table_of_yasa_is_the_same_night_as_its_stages_alone() {
    let stages = only("W\nN2\nN3\nR\n?\nW\n");
    for table in [
        ",Stage,Confidence\n0,W,0.93\n1,N2,0.5\n2,N3,0.7\n3,R,1.0\n4,UNS,0.2\n5,WAKE,1\n",
        "Epoch,Stage\r\n10,W\r\n11,N1\r\n12,N3\r\n13,REM\r\n14,ART\r\n15,W\r\n\r\n",
        "Time,Stage\n2026-01-10 22:30:00,0\n2026-01-10 22:30:30,2\n2026-01-10 22:31:00+01:00,3\n\
         2026-01-10T22:31:30,4\n2026-01-10 22:32:00,-1\n2026-01-10 22:32:30,0\n",
    ] {
        assert_eq!(only(table), stages, "{table}");
    }
    let fewer = only("Epoch,Stage\n0,WAKE\n1,LIGHT\n2,DEEP\n3,NREM\n4,SLEEP\n");
    let names: Vec<_> = fewer.hypnogram().entries().iter().map(|entry| entry.stage().as_str()).collect();
    assert_eq!(names, ["AWAKE", "LIGHT", "DEEP", "ASLEEP"]);
}

#[test]
fn a_table_with_a_missing_epoch_or_another_start_rejects_the_night() {
    let gap = "the epoch does not follow the previous one by 30 seconds";
    for (table, reason) in [
        (",Stage\n0,W\n2,W\n", format!("line 3: {gap}")),
        (",Stage\n0,W\n0,W\n", format!("line 3: {gap}")),
        ("Time,Stage\n2026-01-10 22:30:00,W\n2026-01-10 22:31:00,W\n", format!("line 3: {gap}")),
        (
            "Time,Stage\n2026-01-10 23:30:00,W\n",
            "line 2: the first time is not the start that was given".to_owned(),
        ),
        (",Stage\nx,W\n", "line 2: the epoch has neither a number nor a time".to_owned()),
        ("Time,Stage\n0,W\n", "line 2: the epoch has neither a number nor a time".to_owned()),
        (",Stage\n0,W\n1,\n", format!("line 3: {NO_STAGE}")),
        (",Stage\n0,W\n1\n", format!("line 3: {NO_STAGE}")),
    ] {
        assert_eq!(rejections(&read_all(table)), [format!("record 1: {reason}")], "{table}");
    }
    let damaged = read(b",Stage\n0,W\n1,\"N2\n", None, "UTC").unwrap_err();
    assert_eq!(damaged.to_string(), "damaged at line 3, column 1: not a row of a CSV");
    for other in ["Stage,Confidence\nW,1\n", "Name,Stage\n0,W\n", ",Stage\n0,Tour\n", "Epoch,Score\n0,W\n"] {
        assert!(read(other.as_bytes(), None, "UTC").is_err(), "{other}");
    }
}

#[test]
fn whole_numbers_may_be_written_with_a_point() {
    assert_eq!(only("2.0\n3.000e+00\n"), only("[2, 3.0]"));
}

#[test]
fn a_value_of_another_scale_rejects_the_night() {
    for (text, reason) in [
        ("# R and K\n0\n0\n1\n5\n7\n", format!("line 5: {NO_STAGE}")),
        ("[0,1,2.5]", format!("epoch 3: {NO_STAGE}")),
        ("[0,\"W\",9]", "epoch 2: the file mixes numbers and letters".to_owned()),
        ("W\nN2\n4\n", "line 3: the file mixes numbers and letters".to_owned()),
        ("[\"W\",\"N9\"]", format!("epoch 2: {NO_STAGE}")),
        ("[\"W\",\"\"]", format!("epoch 2: {NO_STAGE}")),
        ("[0,null]", format!("epoch 2: {NO_STAGE}")),
        ("[0,{\"a\":1}]", format!("epoch 2: {NO_STAGE}")),
    ] {
        let found = read_all(text);
        assert_eq!(rejections(&found), [format!("record 1: {reason}")], "{text}");
        assert_eq!(found.len(), 1);
    }
}

#[test]
fn a_night_is_at_most_seven_days_long() {
    let night = |epochs: usize| read_all(&"2\n".repeat(epochs));
    assert_eq!(sessions(&night(20_160)).len(), 1);
    assert_eq!(rejections(&night(20_161)), ["record 1: time in bed: longer than seven days"]);
}

#[test]
fn a_file_that_is_not_a_hypnogram_to_its_end_is_refused() {
    for (text, reason) in [
        (
            &b"0\n1\n2\n3\n2\nREM 4711\n"[..],
            "damaged at line 6, column 1: neither a number nor a stage; a hypnogram has one per line",
        ),
        (
            b"0\n1\n2\n3\n2\nNaN\n",
            "damaged at line 6, column 1: neither a number nor a stage; a hypnogram has one per line",
        ),
        (
            b"W\nN1\nN2\nN3\nR\nX\n",
            "damaged at line 6, column 1: neither a number nor a stage; a hypnogram has one per line",
        ),
        (b"0\n1\n2\n3\n2\n\xff\n", "damaged at line 6, column 1: not valid UTF-8"),
        (b"[0,1", "damaged at line 1, column 5: the file is truncated"),
        (b"[0,1] 2", "damaged at line 1, column 7: not valid JSON: unexpected data after the end"),
    ] {
        assert_eq!(read(text, None, "UTC").unwrap_err().to_string(), reason);
    }
}

#[test]
fn a_hypnogram_without_a_start_is_refused_with_what_to_do() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(b"0\n1\n").unwrap();
    let without = FileContext { start: None, ..context("UTC") };
    let refused = open(file.path(), None, without).and_then(|file| file.open().map(|_| ())).unwrap_err();
    assert_eq!(refused.to_string(), "a hypnogram does not contain its start time");
}

#[test]
fn numbers_of_sleep_stages_are_recognised_and_others_are_not() {
    for text in ["0\n", "# x\n# y\n-1\n4\n", "[3]", " [ -1 ,0]", "1"] {
        assert_eq!(read_all(text).len(), 1, "{text}");
    }
    for text in [
        "5\n1\n",
        "0\n9\n",
        "0,1\n",
        "0 1\n",
        "# nothing\n",
        "W\nN1\nX\n",
        "W,N1\n",
        "[\"X\"]",
        "[5]",
        "[0.5]",
        "[[0]]",
        "[true]",
        "[\"0\"]",
    ] {
        let refused = read(text.as_bytes(), None, "UTC");
        assert!(matches!(refused, Err(ImportRefusal::NotThisFormat(_))), "{text}: {refused:?}");
    }
    for text in ["[]", "", "# nothing\n"] {
        assert_eq!(items(text, HYPNOGRAM, "UTC"), [], "{text}");
    }
    assert_eq!(rejections(&items("[5]", HYPNOGRAM, "UTC")).len(), 1);
    assert!(read(b"X\n", HYPNOGRAM, "UTC").is_err() && read(b"{}", HYPNOGRAM, "UTC").is_err());
}

proptest! {
    #[test]
    fn any_night_reads_back_as_the_same_night(codes in prop::collection::vec(-1_i8..=4, 1..300), json in prop::bool::ANY) {
        let printed: Vec<_> = codes.iter().map(ToString::to_string).collect();
        let text = if json { format!("[{}]", printed.join(",")) } else { printed.join("\n") };
        let found = read(text.as_bytes(), HYPNOGRAM, "UTC").unwrap();
        let [record] = sessions(&found).try_into().unwrap();
        let start = record.time_in_bed().start_millis();
        prop_assert_eq!(record.time_in_bed().millis(), i64::try_from(codes.len()).unwrap() * 30_000);
        for (epoch, code) in codes.iter().enumerate() {
            let at = start + i64::try_from(epoch).unwrap() * 30_000;
            let entry = record.hypnogram().entries().iter().find(|one| one.start_millis() <= at && at < one.end_millis());
            let expected = ["UNKNOWN", "AWAKE", "LIGHT", "LIGHT", "DEEP", "REM"][usize::try_from(code + 1).unwrap()];
            prop_assert_eq!(entry.unwrap().stage().as_str(), expected);
        }
    }
}
