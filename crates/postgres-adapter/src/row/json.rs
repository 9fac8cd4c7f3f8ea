//! JSON text in a `jsonb` or `json` column.

use diesel::deserialize::{self, FromSql, FromSqlRow};
use diesel::expression::AsExpression;
use diesel::pg::{Pg, PgValue};
use diesel::serialize::{self, IsNull, Output, ToSql};
use diesel::sql_types::{Json, Jsonb};
use std::io::Write as _;

/// First byte of `jsonb` on the wire: its version.
const WIRE_VERSION: u8 = 1;

/// JSON document as text; callers parse and write it.
#[derive(Debug, Clone, PartialEq, Eq, AsExpression, FromSqlRow)]
#[diesel(sql_type = Jsonb)]
#[diesel(sql_type = Json)]
pub(crate) struct JsonText(pub(crate) String);

impl JsonText {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<String> for JsonText {
    fn from(json: String) -> Self {
        Self(json)
    }
}

impl ToSql<Jsonb, Pg> for JsonText {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(&[WIRE_VERSION])?;
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Jsonb, Pg> for JsonText {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        match value.as_bytes().split_first() {
            Some((&WIRE_VERSION, text)) => Ok(Self(str::from_utf8(text)?.to_owned())),
            _ => Err("jsonb of an unknown version".into()),
        }
    }
}

impl ToSql<Json, Pg> for JsonText {
    fn to_sql<'b>(&'b self, out: &mut Output<'b, '_, Pg>) -> serialize::Result {
        out.write_all(self.0.as_bytes())?;
        Ok(IsNull::No)
    }
}

impl FromSql<Json, Pg> for JsonText {
    fn from_sql(value: PgValue<'_>) -> deserialize::Result<Self> {
        Ok(Self(str::from_utf8(value.as_bytes())?.to_owned()))
    }
}
