//! Counts of reads, and of clients' requests.

diesel::table! {
    client_usage (client_id, day, endpoint, status) {
        client_id -> Uuid,
        day -> Date,
        endpoint -> Text,
        status -> SmallInt,
        requests -> BigInt,
        fewest_left -> Nullable<BigInt>,
        rejection -> Nullable<Text>,
        rejected_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    read_tally (user_id, minute, reader_kind, reader_id, kind) {
        user_id -> Uuid,
        minute -> Timestamptz,
        reader_kind -> Text,
        reader_id -> Uuid,
        kind -> Text,
        requests -> BigInt,
        items -> BigInt,
        range_from -> Nullable<Timestamptz>,
        range_to -> Nullable<Timestamptz>,
    }
}
