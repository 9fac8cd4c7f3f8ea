use super::*;
use proptest::prelude::*;

proptest! {
    #[test]
    fn a_cursor_reads_back_as_itself(
        number in 0..=i64::MAX, kind in 0..3_usize, id in any::<u128>(), seconds in 0..4_000_000_000_i64,
        starts in any::<bool>(), person in prop::option::of(any::<u128>()),
    ) {
        let position = ChangePosition { number, kind: ChangeKind::ALL[kind], id: Uuid::from_u128(id) };
        let given_at = DateTime::from_timestamp(seconds, 0).unwrap();
        let person = person.map(|id| PersonMark::from_user(UserId::from_uuid(Uuid::from_u128(id))));
        let cursor = ChangeCursor { after: (!starts).then_some(position), given_at, person };
        let text = cursor.to_string();
        prop_assert_eq!(ChangeCursor::parse(&text), Ok(cursor));
        // The documentation promises at most 46 characters, and OpenAPI at least 12.
        prop_assert!((12..=46).contains(&text.len()), "{}", text);
    }

    #[test]
    fn a_list_of_kinds_reads_back_as_itself(kinds in Just(ChangeKind::ALL.to_vec()).prop_shuffle(), count in 1..4_usize) {
        let names: Vec<_> = kinds[..count].iter().map(|kind| kind.as_str()).collect();
        prop_assert_eq!(ChangeKind::parse_list(&names.join(",")), Ok(kinds[..count].to_vec()));
    }

    #[test]
    fn no_text_makes_a_cursor_panic(text in ".{0,120}") {
        let _outcome = ChangeCursor::parse(&text);
    }
}

#[test]
fn what_was_not_given_out_is_no_cursor() {
    let given_at = DateTime::UNIX_EPOCH;
    let position = ChangePosition { number: 7, kind: ChangeKind::Sleep, id: Uuid::nil() };
    for (after, person) in
        [(Some(position), None), (Some(position), Some(mark(1))), (None, None), (None, Some(mark(1)))]
    {
        let text = ChangeCursor { after, given_at, person }.to_string();
        let longer = format!("{text}AAAA");
        for rejected in [text.split_at(text.len() - 4).0, longer.as_str()] {
            assert_eq!(ChangeCursor::parse(rejected), Err(InvalidCursor), "{rejected}");
        }
    }
    // Empty texts, unknown kinds and unknown versions.
    for rejected in ["", "AA", "%", &"A".repeat(5000), "IwAAAAAAAAAAAQ", "MAAAAAAAAAAAAQ"] {
        assert_eq!(ChangeCursor::parse(rejected), Err(InvalidCursor), "{rejected}");
    }
}

#[test]
fn a_list_of_kinds_has_known_names_once_each() {
    for unknown in ["", ",", "sleep,", ",sleep", "sleep, profile", "Sleep", "sleep:write", "sleep;profile"] {
        assert_eq!(ChangeKind::parse_list(unknown), Err(InvalidKinds::Unknown), "{unknown}");
    }
    assert_eq!(ChangeKind::parse_list("sleep,profile,sleep"), Err(InvalidKinds::Repeated));
}

#[test]
fn a_cursor_expires_after_ninety_days() {
    let cursor = ChangeCursor { after: None, given_at: DateTime::UNIX_EPOCH, person: None };
    assert!(!cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90)));
    assert!(cursor.is_expired(DateTime::UNIX_EPOCH + TimeDelta::days(90) + TimeDelta::seconds(1)));
}

#[test]
fn changes_are_ordered_by_number_then_kind_then_id() {
    let at = |number, kind, id| ChangePosition { number, kind, id: Uuid::from_u128(id) };
    let ordered =
        [at(1, ChangeKind::Supplements, 9), at(2, ChangeKind::Profile, 9), at(2, ChangeKind::Sleep, 1)];
    assert!(ordered.is_sorted());
}

fn mark(person: u128) -> PersonMark {
    PersonMark::from_user(UserId::from_uuid(Uuid::from_u128(person)))
}

#[test]
fn a_cursor_from_the_future_is_expired_but_for_clocks_that_differ() {
    let given_at = DateTime::UNIX_EPOCH + TimeDelta::days(1);
    let cursor = ChangeCursor { after: None, given_at, person: None };
    assert!(!cursor.is_expired(given_at - TimeDelta::hours(1)));
    assert!(cursor.is_expired(given_at - TimeDelta::hours(1) - TimeDelta::seconds(1)));
}

#[test]
fn a_cursor_is_of_the_person_for_whom_it_was_given_out() {
    let given_at = DateTime::UNIX_EPOCH;
    let [person, other] = ["0190f7c8-3b1a-7cc2-9d5e-3f2a6b7c8d9e", "0190f7c8-3b1a-7cc2-9d5e-3f2a6b7c8d9f"]
        .map(|id| UserId::from_uuid(Uuid::parse_str(id).unwrap()));
    let cursor = ChangeCursor { after: None, given_at, person: Some(PersonMark::from_user(person)) };
    assert!(cursor.may_be_of(person) && !cursor.may_be_of(other));
    // Version 1 does not contain the person.
    let old = ChangeCursor { person: None, ..cursor };
    assert!(old.may_be_of(person) && old.may_be_of(other));
}

#[test]
fn cursors_that_were_given_out_before_are_still_read() {
    let given_at = DateTime::from_timestamp(1_773_014_400, 0).unwrap();
    let id = Uuid::from_u128(0x0a54_666f_e74a_5287_a048_90d0_f082_a49f);
    let after = Some(ChangePosition { number: 42, kind: ChangeKind::Sleep, id });
    let texts = [
        ("AQAAAABprg2A", None, None),
        ("AQAAAABprg2AAAAAAAAAACoBClRmb-dKUoegSJDQ8IKknw", after, None),
        ("LwBprg2AAABDIQ", None, Some(mark(0x0000_0001_0000_0020_0000_0300_0000_4000))),
        (
            "IQBprg2AAABDIQAAAAAAAAAqClRmb-dKUoegSJDQ8IKknw",
            after,
            Some(mark(0x0000_0001_0000_0020_0000_0300_0000_4000)),
        ),
    ];
    for (text, after, person) in texts {
        let cursor = ChangeCursor { after, given_at, person };
        assert_eq!(ChangeCursor::parse(text), Ok(cursor));
        assert_eq!(cursor.to_string(), text);
    }
}
