//! Diesel's table definitions of the schema in `migrations/postgres`.

diesel::table! {
    person (id) {
        id -> Uuid,
        email_normalised -> Text,
    }
}

diesel::table! {
    schema_compatibility (version) {
        version -> Text,
        oldest_program -> Integer,
    }
}
