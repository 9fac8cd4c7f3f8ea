//! Schemas that parameters share, and the parameters of changes and of an export, for the `OpenAPI` document;
//! `data::query` parses them.

use domain::data_kind::DataKind;
use domain::paging::ChangeLimit;
use serde_json::json;
use utoipa::IntoParams;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};
use utoipa::openapi::{RefOr, Schema};

/// Accepted spellings of a date parameter. The pattern does not check that 29 February is in a leap year.
pub(crate) const DATE_PATTERN: &str = "^(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-9])|(?:0[13-9]|1[0-2])-30|(?:0[13578]|1[02])-31)(?:[Tt](?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\\.[0-9]{1,9})?)?(?:[Zz]|[+ -](?:(?:0[0-9]|1[0-7])(?::?[0-5][0-9])?|18(?::?00)?))?)?$";

fn string() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(SchemaType::Type(Type::String))
}

/// Schema of a date parameter.
pub struct DateText;

impl utoipa::ToSchema for DateText {}

impl utoipa::PartialSchema for DateText {
    fn schema() -> RefOr<Schema> {
        let text = "`YYYY-MM-DD` (the whole local day in the person's `home_timezone`) or a date-time with optional \
            seconds, fraction and offset (`Z`, `+02:00`, `+0200`, `+02`), without offset in `home_timezone`. An \
            unencoded `+` is accepted.";
        let schema = string().pattern(Some(DATE_PATTERN)).description(Some(text));
        schema.examples([json!("2026-03-01"), json!("2026-03-01T22:00:00+01:00")]).into()
    }
}

/// Schema of a boolean parameter.
pub struct FlagText;

impl utoipa::ToSchema for FlagText {}

impl utoipa::PartialSchema for FlagText {
    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(["true", "false", "1", "0"])).default(Some(json!("false"))).into()
    }
}

/// Schema of a list of record types.
pub struct TypesText;

impl utoipa::ToSchema for TypesText {}

impl utoipa::PartialSchema for TypesText {
    fn schema() -> RefOr<Schema> {
        let others = DataKind::ALL.len() - 1;
        let name = DataKind::ALL.map(DataKind::as_str).join("|");
        let schema = string().pattern(Some(format!("^(?:{name})(?:,(?:{name})){{0,{others}}}$")));
        schema.examples([json!("sleep"), json!("profile,sleep")]).into()
    }
}

/// Schema of the order of a list.
pub struct SortText;

impl utoipa::ToSchema for SortText {}

impl utoipa::PartialSchema for SortText {
    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(["asc", "desc"])).default(Some(json!("desc"))).into()
    }
}

/// Schema of the format of an export.
pub struct FormatText;

impl utoipa::ToSchema for FormatText {}

impl utoipa::PartialSchema for FormatText {
    fn schema() -> RefOr<Schema> {
        string().enum_values(Some(["ndjson", "zip"])).default(Some(json!("ndjson"))).into()
    }
}

/// The person in the path.
#[derive(IntoParams)]
#[into_params(parameter_in = Path)]
pub struct UserPath {
    /// The person, as a UUID in its 36-character form; the example is the person of the demo.
    #[param(value_type = uuid::Uuid, example = crate::example::user_id)]
    pub user_id: String,
}

/// Parameters of the change feed.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ChangesQuery {
    /// The `cursor` of the previous response; if absent, all records are listed.
    #[param(pattern = "^[A-Za-z0-9_-]{12,46}$")]
    pub cursor: Option<String>,
    /// The maximum number of changes in a response.
    #[param(minimum = 1, maximum = 1_000, default = json!(ChangeLimit::DEFAULT.get()))]
    pub limit: Option<u16>,
    /// Only these types, separated by commas, each once; if absent, all that the token allows. Use the same
    /// types as long as you follow a cursor.
    #[param(value_type = Option<TypesText>, inline)]
    pub types: Option<String>,
}

/// Parameters of an export.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ExportParameters {
    /// JSON lines, or a ZIP archive of CSV tables.
    #[param(value_type = Option<FormatText>, inline)]
    pub format: Option<String>,
    /// Only these types, separated by commas, each once; if absent, all that the token allows.
    #[param(value_type = Option<TypesText>, inline)]
    pub types: Option<String>,
}
