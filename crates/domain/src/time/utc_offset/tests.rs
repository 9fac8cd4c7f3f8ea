use super::*;
use proptest::prelude::*;

#[test]
fn every_spelling_of_an_offset_is_read() {
    for (text, minutes) in [
        ("Z", 0),
        ("z", 0),
        ("+00:00", 0),
        ("-00:00", 0),
        ("+02", 120),
        ("+0200", 120),
        ("+02:00", 120),
        ("-0430", -270),
        ("-04:30", -270),
        ("+10:30", 630),
        ("+18:00", 1080),
        ("-18", -1080),
    ] {
        assert_eq!(UtcOffset::parse(text).map(UtcOffset::minutes), Ok(minutes), "{text}");
    }
}

#[test]
fn an_invalid_offset_is_rejected() {
    for text in [
        "",
        "+",
        "-",
        "+2",
        "+2:00",
        "+020",
        "+02:0",
        "+02:00:00",
        "02:00",
        "+02:60",
        "+18:01",
        "-1801",
        "+19",
        "+99",
        "ZZ",
        " 02:00",
        "+02 00",
        "+٠٢:00",
        "−02:00",
        "UTC",
        "+0x:00",
        "++2",
    ] {
        assert_eq!(UtcOffset::parse(text), Err(InvalidUtcOffset), "{text}");
    }
}

#[test]
fn odd_seconds_are_cut_towards_zero() {
    assert_eq!(UtcOffset::from_seconds(-17_762).map(UtcOffset::minutes), Some(-296));
    assert_eq!(UtcOffset::from_seconds(3_208).map(UtcOffset::minutes), Some(53));
    assert_eq!(UtcOffset::from_seconds(-59), Some(UtcOffset::UTC));
}

#[test]
fn eighteen_hours_is_the_widest_offset() {
    assert_eq!(UtcOffset::from_seconds(64_800).map(UtcOffset::seconds), Some(64_800));
    assert_eq!(UtcOffset::from_seconds(64_801), None);
    assert_eq!(UtcOffset::from_seconds(-64_801), None);
    assert_eq!(UtcOffset::from_seconds(i32::MIN), None);
    assert_eq!(UtcOffset::from_minutes(i16::MAX), None);
}

proptest! {
    #[test]
    fn parsing_a_text_that_looks_like_an_offset_never_panics(text in "[-+ Zz]?[0-9:]{0,7}") {
        let _ = UtcOffset::parse(&text);
    }

    #[test]
    fn parse_of_display_is_the_identity(minutes in -1080_i16..=1080) {
        let offset = UtcOffset::from_minutes(minutes).expect("in range");
        prop_assert_eq!(UtcOffset::parse(&offset.to_string()), Ok(offset));
        prop_assert_eq!(offset.seconds(), i32::from(minutes) * 60);
    }
}
