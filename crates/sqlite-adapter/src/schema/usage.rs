//! Counts of reads, and of clients' requests.

diesel::table! {
    client_usage (client_id, day, endpoint, status) {
        client_id -> Binary,
        day -> Text,
        endpoint -> Text,
        status -> BigInt,
        requests -> BigInt,
        fewest_left -> Nullable<BigInt>,
        rejection -> Nullable<Text>,
        rejected_at -> Nullable<BigInt>,
    }
}

diesel::table! {
    read_tally (user_id, minute, reader_kind, reader_id, kind) {
        user_id -> Binary,
        minute -> BigInt,
        reader_kind -> Text,
        reader_id -> Binary,
        kind -> Text,
        requests -> BigInt,
        items -> BigInt,
        range_from -> Nullable<BigInt>,
        range_to -> Nullable<BigInt>,
    }
}
