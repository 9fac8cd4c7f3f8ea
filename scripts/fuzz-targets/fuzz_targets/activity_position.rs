//! Where the page of reads goes on: what is taken is what was written, letter by letter, and a moment that any store
//! can be asked for.
#![no_main]

use domain::id::UserId;
use http_adapter::test_support::{parse_position, write_position};
use libfuzzer_sys::fuzz_target;
use uuid::Uuid;

fuzz_target!(|text: &str| {
    let user_id = UserId::from_uuid(Uuid::from_u128(7));
    if let Some(key) = parse_position(text, user_id) {
        assert_eq!(write_position(&key), text);
        assert_eq!(key.user_id, user_id, "whose reads are listed is never in the address");
        let year = key.minute.format("%Y").to_string();
        assert!(year.len() == 4 && year.as_str() >= "1970", "{year}");
    }
});
