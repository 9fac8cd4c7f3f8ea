//! Parameters, with the constraints that the domain's parsers have.

use domain::change::ChangeKind;
use domain::paging::{ChangeLimit, MAX_PAGE_SIZE, PageSize};
use serde_json::json;
use utoipa::openapi::Required;
use utoipa::openapi::path::{Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{KnownFormat, ObjectBuilder, SchemaFormat, SchemaType, Type};

/// The spellings of a date parameter: a day, or a date-time with optional seconds, fraction and offset. That
/// 29 February needs a leap year is the one thing it does not say.
pub(super) const DATE_PATTERN: &str = "^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-9])|(?:0[13-9]|1[0-2])-30|(?:0[13578]|1[02])-31)(?:[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?(?:[Zz]|[+ -](?:(?:0[0-9]|1[0-7])(?::?[0-5][0-9])?|18(?::?00)?))?)?$";

/// Base64url of nine bytes, without or with a position.
pub(super) const CURSOR_PATTERN: &str = "^[A-Za-z0-9_-]{12,46}$";

/// The largest page number that is read: 18 digits.
const MAX_PAGE: u64 = 999_999_999_999_999_999;

const DATE_FORMS: &str = "`YYYY-MM-DD` (the whole local day in the person's `home_timezone`) or a date-time \
with optional seconds, fraction and offset (`Z`, `+02:00`, `+0200`, `+02`), without offset in \
`home_timezone`. An unencoded `+` is understood.";

/// Starts the schema of a string.
pub(super) fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String))
}

fn integer() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::Integer))
}

/// Starts the schema of a UUID.
pub(super) fn uuid() -> ObjectBuilder {
    string().format(Some(SchemaFormat::KnownFormat(KnownFormat::Uuid)))
}

/// Makes an optional query parameter.
pub(super) fn query(name: &str, description: impl Into<String>, schema: ObjectBuilder) -> Parameter {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Query)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema))
        .build()
}

/// Makes the `user_id` of a path.
pub(super) fn user_id() -> Parameter {
    ParameterBuilder::new()
        .name("user_id")
        .parameter_in(ParameterIn::Path)
        .required(Required::True)
        .description(Some(
            "The person, as a UUID in its 36-character form; the example is the person of the demo.",
        ))
        .schema(Some(uuid()))
        .example(Some(json!(super::example::user_id())))
        .build()
}

pub(super) fn start_date(of_what: &str) -> Parameter {
    let text = format!("{of_what} from here on, inclusive; without it from the earliest. {DATE_FORMS}");
    query("startDate", text, date())
}

pub(super) fn end_date(of_what: &str) -> Parameter {
    let text = format!(
        "{of_what} up to here, inclusive; without it up to the most recent. Not before `startDate`. {DATE_FORMS}"
    );
    query("endDate", text, date())
}

fn date() -> ObjectBuilder {
    string().pattern(Some(DATE_PATTERN)).examples([json!("2026-03-01"), json!("2026-03-01T22:00:00+01:00")])
}

pub(super) fn flag(name: &str, description: &str) -> Parameter {
    let schema = string().enum_values(Some(["true", "false", "1", "0"])).default(Some(json!("false")));
    query(name, description, schema)
}

pub(super) fn supplement_id() -> Parameter {
    query("supplementID", "Only this supplement; an unknown one gives an empty page.", uuid())
}

/// Makes `sort`, `page` and `pageSize`.
pub(super) fn paging(default_size: PageSize) -> [Parameter; 3] {
    let sort = string().enum_values(Some(["asc", "desc"])).default(Some(json!("desc")));
    let page = integer().minimum(Some(1_u64)).maximum(Some(MAX_PAGE)).default(Some(json!(1)));
    let size =
        integer().minimum(Some(1_u64)).maximum(Some(MAX_PAGE_SIZE)).default(Some(json!(default_size.get())));
    [
        query("sort", "Oldest first (`asc`) or newest first (`desc`).", sort),
        query("page", "Which page, from 1; one past the end is empty.", page),
        query("pageSize", "How many records a page holds at most.", size),
    ]
}

pub(super) fn cursor() -> Parameter {
    let text = "The `cursor` of the answer before; without it everything from the beginning.";
    query("cursor", text, string().pattern(Some(CURSOR_PATTERN)))
}

pub(super) fn change_limit() -> Parameter {
    let schema = integer().minimum(Some(1_u64)).maximum(Some(ChangeLimit::MAX));
    let schema = schema.default(Some(json!(ChangeLimit::DEFAULT.get())));
    query("limit", "How many changes an answer holds at most.", schema)
}

pub(super) fn export_format() -> Parameter {
    let schema = string().enum_values(Some(["ndjson", "zip"])).default(Some(json!("ndjson")));
    query("format", "Lines for programs, or an archive of tables.", schema)
}

pub(super) fn types() -> Parameter {
    let names = ChangeKind::ALL.map(ChangeKind::as_str);
    let name = names.join("|");
    let schema = string().pattern(Some(format!("^(?:{name})(?:,(?:{name})){{0,2}}$")));
    let text = "Only these types, separated by commas, each once; without it all that the token allows. Keep to the \
        same types while you keep a cursor.";
    query("types", text, schema.examples([json!("sleep"), json!("profile,sleep")]))
}
