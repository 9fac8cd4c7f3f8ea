//! Diesel's table definitions of the schema in `migrations/postgres`.

diesel::table! {
    person (id) {
        id -> Uuid,
        email_normalised -> Text,
    }
}

diesel::table! {
    account (id) {
        id -> Uuid,
        email -> Text,
        home_timezone -> Text,
        locked_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        birth_date -> Nullable<Date>,
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

diesel::table! {
    password (user_id) {
        user_id -> Uuid,
        hash -> Text,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    erased_person (id_hash) {
        id_hash -> Binary,
    }
}

diesel::table! {
    erasure (id) {
        id -> Uuid,
        at -> Timestamptz,
    }
}

diesel::table! {
    schema_compatibility (version) {
        version -> Text,
        oldest_program -> Integer,
    }
}

diesel::joinable!(password -> account (user_id));
diesel::allow_tables_to_appear_in_same_query!(account, password);
