//! People with their accounts, passwords and erasures.

use diesel::{allow_tables_to_appear_in_same_query, joinable, table};

table! {
    use diesel::sql_types::{BigInt, Bool, Double, Nullable, SmallInt, Text};
    use crate::column::{Day, Id, Instant};

    account (id) {
        id -> Id,
        email -> Text,
        /// Only on SQLite: `PostgreSQL` has it in `person`.
        email_normalised -> Text,
        home_timezone -> Text,
        locked_at -> Nullable<Instant>,
        created_at -> Instant,
        birth_date -> Nullable<Day>,
        biological_sex -> Nullable<Text>,
        blood_type -> Nullable<Text>,
        height_cm -> Nullable<Double>,
        weight_kg -> Nullable<Double>,
        skin_type -> Nullable<SmallInt>,
        wheelchair_use -> Nullable<Bool>,
        change_number -> BigInt,
        profile_change_number -> BigInt,
    }
}

table! {
    use diesel::sql_types::Text;
    use crate::column::{Id, Instant};

    password (user_id) {
        user_id -> Id,
        hash -> Text,
        changed_at -> Instant,
    }
}

table! {
    use diesel::sql_types::Binary;

    erased_person (id_hash) {
        id_hash -> Binary,
    }
}

table! {
    use crate::column::{Id, Instant};

    erasure (id) {
        id -> Id,
        at -> Instant,
    }
}

joinable!(password -> account (user_id));
allow_tables_to_appear_in_same_query!(account, password);
