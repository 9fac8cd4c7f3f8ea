use super::*;
use crate::data_kind::InvalidKinds;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_cursor_reads_back_as_itself(
        number in 0..=i64::MAX, kind in 0..3_usize, id in any::<u128>(), seconds in 0..4_000_000_000_i64,
        starts in any::<bool>(), user in any::<u128>(),
    ) {
        let position = ChangePosition { number, kind: DataKind::ALL[kind], id: Uuid::from_u128(id) };
        let issued_at = DateTime::from_timestamp(seconds, 0).unwrap();
        let cursor = ChangeCursor { after: (!starts).then_some(position), issued_at, user: fingerprint(user) };
        let text = cursor.to_string();
        prop_assert_eq!(ChangeCursor::parse(&text), Ok(cursor));
        // The documentation promises at most 46 characters, and OpenAPI at least 12.
        prop_assert!((12..=46).contains(&text.len()), "{}", text);
    }

    #[test]
    fn a_list_of_kinds_reads_back_as_itself(kinds in Just(DataKind::ALL.to_vec()).prop_shuffle(), count in 1..4_usize) {
        let names: Vec<_> = kinds[..count].iter().map(|kind| kind.as_str()).collect();
        prop_assert_eq!(DataKind::parse_list(&names.join(",")), Ok(kinds[..count].to_vec()));
    }

    #[test]
    fn parsing_arbitrary_text_as_a_cursor_never_panics(text in ".{0,120}") {
        let _outcome = ChangeCursor::parse(&text);
    }
}

#[test]
fn a_text_that_was_not_issued_as_a_cursor_is_rejected() {
    let issued_at = DateTime::UNIX_EPOCH;
    let position = ChangePosition { number: 7, kind: DataKind::Sleep, id: Uuid::nil() };
    for after in [Some(position), None] {
        let text = ChangeCursor { after, issued_at, user: fingerprint(1) }.to_string();
        let longer = format!("{text}AAAA");
        for rejected in [text.split_at(text.len() - 4).0, longer.as_str()] {
            assert_eq!(ChangeCursor::parse(rejected), Err(InvalidCursor), "{rejected}");
        }
    }
    // Empty texts, unknown kinds and unknown versions.
    for rejected in ["", "AA", "%", &"A".repeat(5000), "IwAAAAAAAAAAAQ", "MAAAAAAAAAAAAQ", "AQAAAABprg2A"] {
        assert_eq!(ChangeCursor::parse(rejected), Err(InvalidCursor), "{rejected}");
    }
}

#[test]
fn a_list_of_kinds_has_known_names_once_each() {
    for unknown in ["", ",", "sleep,", ",sleep", "sleep, profile", "Sleep", "sleep:write", "sleep;profile"] {
        assert_eq!(DataKind::parse_list(unknown), Err(InvalidKinds::Unknown), "{unknown}");
    }
    assert_eq!(DataKind::parse_list("sleep,profile,sleep"), Err(InvalidKinds::Repeated));
}

#[test]
fn a_cursor_expires_after_ninety_days() {
    let cursor = ChangeCursor { after: None, issued_at: DateTime::UNIX_EPOCH, user: fingerprint(1) };
    assert!(!cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90)));
    assert!(cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90) + TimeDelta::seconds(1)));
}

#[test]
fn changes_are_ordered_by_number_then_kind_then_id() {
    let at = |number, kind, id| ChangePosition { number, kind, id: Uuid::from_u128(id) };
    let ordered = [at(1, DataKind::Supplements, 9), at(2, DataKind::Profile, 9), at(2, DataKind::Sleep, 1)];
    assert!(ordered.is_sorted());
}

fn fingerprint(user: u128) -> UserFingerprint {
    UserFingerprint::new(UserId::from_uuid(Uuid::from_u128(user)))
}

#[test]
fn a_cursor_from_the_future_is_expired_but_for_clocks_that_differ() {
    let issued_at = DateTime::UNIX_EPOCH + TimeDelta::days(1);
    let cursor = ChangeCursor { after: None, issued_at, user: fingerprint(1) };
    assert!(!cursor.is_expired(issued_at - TimeDelta::hours(1)));
    assert!(cursor.is_expired(issued_at - TimeDelta::hours(1) - TimeDelta::seconds(1)));
}

#[test]
fn ids_that_differ_in_one_digit_have_different_fingerprints() {
    let [user, other] = ["0190f7c8-3b1a-7cc2-9d5e-3f2a6b7c8d9e", "0190f7c8-3b1a-7cc2-9d5e-3f2a6b7c8d9f"]
        .map(|id| UserId::from_uuid(Uuid::parse_str(id).unwrap()));
    assert_ne!(UserFingerprint::new(user), UserFingerprint::new(other));
}

#[test]
fn cursors_keep_their_format() {
    let issued_at = DateTime::from_timestamp(1_773_014_400, 0).unwrap();
    let id = Uuid::from_u128(0x0a54_666f_e74a_5287_a048_90d0_f082_a49f);
    let position = ChangePosition { number: 42, kind: DataKind::Sleep, id };
    let user = fingerprint(0x0000_0001_0000_0020_0000_0300_0000_4000);
    for (text, after) in
        [("LwBprg2AAABDIQ", None), ("IQBprg2AAABDIQAAAAAAAAAqClRmb-dKUoegSJDQ8IKknw", Some(position))]
    {
        let cursor = ChangeCursor { after, issued_at, user };
        assert_eq!(ChangeCursor::parse(text), Ok(cursor));
        assert_eq!(cursor.to_string(), text);
    }
}
