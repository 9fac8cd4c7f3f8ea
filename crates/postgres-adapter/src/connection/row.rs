//! A row of an answer, whichever way its statement was sent.

use diesel::pg::{Pg, PgValue, TypeOidLookup};
use diesel::row::{Field as DieselField, PartialRow, Row as DieselRow, RowIndex, RowSealed};
use diesel_async::{AsyncConnectionCore, AsyncPgConnection};
use std::error::Error;
use std::num::NonZeroU32;
use std::ops::Range;
use std::sync::Arc;
use tokio_postgres::types::{FromSql, Type};

/// A row of a statement that was prepared under a name.
type Named = <AsyncPgConnection as AsyncConnectionCore>::Row<'static, 'static>;

/// A row, as both ways of sending a statement give it.
pub(crate) enum Row {
    /// Of a statement that was prepared under a name.
    Named(Named),
    /// Of one that was not, with the types of its columns.
    Unnamed(tokio_postgres::Row, Arc<[ColumnType]>),
}

/// The type of a column, by the number that the server knows it by.
pub(crate) struct ColumnType(NonZeroU32);

impl ColumnType {
    /// Lists the types of a row's columns.
    pub(super) fn all(row: &tokio_postgres::Row) -> Arc<[Self]> {
        // No type has the number 0; were there one, nothing would be read as it.
        let number = |oid| NonZeroU32::new(oid).unwrap_or(NonZeroU32::MAX);
        row.columns().iter().map(|column| Self(number(column.type_().oid()))).collect()
    }
}

impl TypeOidLookup for ColumnType {
    fn lookup(&self) -> NonZeroU32 {
        self.0
    }
}

impl RowSealed for Row {}

impl<'a> DieselRow<'a, Pg> for Row {
    type Field<'b>
        = Field<'b>
    where
        Self: 'b,
        'a: 'b;
    type InnerPartialRow = Self;

    fn field_count(&self) -> usize {
        match self {
            Self::Named(row) => row.field_count(),
            Self::Unnamed(row, _) => row.len(),
        }
    }

    fn get<'b, I>(&'b self, index: I) -> Option<Self::Field<'b>>
    where
        'a: 'b,
        Self: RowIndex<I>,
    {
        let place = self.idx(index)?;
        match self {
            Self::Named(row) => row.get(place).map(Field::Named),
            Self::Unnamed(row, types) => {
                let column = types.get(place)?;
                let name = row.columns().get(place)?.name();
                let value = row.try_get::<_, Option<Bytes<'b>>>(place).ok().flatten();
                Some(Field::Unnamed { name, value: value.map(|Bytes(bytes)| bytes), column })
            }
        }
    }

    fn partial_row(&self, range: Range<usize>) -> PartialRow<'_, Self::InnerPartialRow> {
        PartialRow::new(self, range)
    }
}

impl RowIndex<usize> for Row {
    fn idx(&self, index: usize) -> Option<usize> {
        (index < self.field_count()).then_some(index)
    }
}

impl RowIndex<&str> for Row {
    fn idx(&self, name: &str) -> Option<usize> {
        match self {
            Self::Named(row) => row.idx(name),
            Self::Unnamed(row, _) => row.columns().iter().position(|column| column.name() == name),
        }
    }
}

/// A field of a row.
pub(crate) enum Field<'a> {
    /// Of a statement that was prepared under a name.
    Named(<Named as DieselRow<'a, Pg>>::Field<'a>),
    /// Of one that was not.
    Unnamed {
        /// The name of its column.
        name: &'a str,
        /// What the server sent; nothing for NULL.
        value: Option<&'a [u8]>,
        /// The type of its column.
        column: &'a ColumnType,
    },
}

impl<'a> DieselField<'a, Pg> for Field<'a> {
    fn field_name(&self) -> Option<&str> {
        match self {
            Self::Named(field) => field.field_name(),
            Self::Unnamed { name, .. } => Some(name),
        }
    }

    fn value(&self) -> Option<PgValue<'_>> {
        match self {
            Self::Named(field) => field.value(),
            Self::Unnamed { value, column, .. } => value.map(|bytes| PgValue::new(bytes, *column)),
        }
    }
}

/// A value as it came, of whatever type; diesel reads it.
struct Bytes<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Bytes<'a> {
    fn from_sql(_: &Type, bytes: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(bytes))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}
