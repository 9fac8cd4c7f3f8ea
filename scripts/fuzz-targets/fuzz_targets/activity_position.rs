//! Positions on the activity page: an accepted position is printed as it was read, and its time is one that
//! every store supports.
#![no_main]

use domain::id::UserId;
use libfuzzer_sys::fuzz_target;
use page_adapter::test_support::{parse_position, write_position};
use uuid::Uuid;

fuzz_target!(|text: &str| {
    let user_id = UserId::from_uuid(Uuid::from_u128(7));
    if let Some(key) = parse_position(text, user_id) {
        assert_eq!(write_position(&key), text);
        assert_eq!(key.user_id, user_id, "the position contains no user id");
        let year = key.minute.format("%Y").to_string();
        assert!(year.len() == 4 && year.as_str() >= "1970", "{year}");
    }
});
