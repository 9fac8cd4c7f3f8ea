//! Rows that become values of the domain.

use crate::column::Held;
use application::ports::storage::StorageError;
use std::fmt::Display;

/// A row that becomes a value of the domain.
pub trait Stored: Send + 'static {
    /// The value.
    type Value: Send;

    /// Converts the row; the error names the table, the column and the row of a corrupt cell, never the cell.
    fn into_value(self) -> Result<Self::Value, StorageError>;
}

/// Converts rows.
pub(crate) fn values<T: Stored>(rows: Vec<T>) -> Result<Vec<T::Value>, StorageError> {
    rows.into_iter().map(T::into_value).collect()
}

/// Parses the cell of a column, in the row with this key.
pub(crate) fn parse<C, T: Held<C>>(
    table: &'static str,
    column: &'static str,
    row: &dyn Display,
    cell: C,
) -> Result<T, StorageError> {
    T::parse(cell).ok_or_else(|| StorageError::Corrupt { table, column, row: row.to_string() })
}

/// Reader of one row's cells, for a row whose columns do not match the fields of a type.
#[derive(Clone, Copy)]
pub(crate) struct Cells<'a>(pub(crate) &'static str, pub(crate) &'a dyn Display);

impl Cells<'_> {
    /// Parses the cell of a column.
    pub(crate) fn parse<C, T: Held<C>>(self, column: &'static str, cell: C) -> Result<T, StorageError> {
        parse(self.0, column, self.1, cell)
    }

    /// Returns the value, or the error for a corrupt column.
    pub(crate) fn present<T>(self, column: &'static str, value: Option<T>) -> Result<T, StorageError> {
        let Self(table, row) = self;
        value.ok_or_else(|| StorageError::Corrupt { table, column, row: row.to_string() })
    }
}

/// Defines a row whose columns hold the fields of a type, and its conversion in both directions. A column has
/// the name of its field, or the one after `in`. A field in several columns lists them after `of`, in the
/// order of its cell, and errors name the first. Errors name the row by the expression after `row`.
///
/// Both conversions list every field, so that a new one does not compile until it is stored.
macro_rules! row {
    (
        $(#[$meta:meta])*
        $row:ident of $table:ident: $value:ident, row $key:expr, {
            $($field:ident: $cell:ty $(, in $column:ident)? $(, of $first:ident $($next:ident)*)?;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(diesel::Queryable, diesel::Insertable)]
        #[diesel(table_name = $table)]
        pub(crate) struct $row {
            $(
                $(#[diesel(column_name = $column)])?
                $(#[doc = concat!("Columns from `", stringify!($first), "` on.")] #[diesel(embed)])?
                $field: $cell,
            )*
        }

        impl $row {
            /// The columns, in the order of the fields.
            const COLUMNS: ($($crate::row::column!($table $field $($column)? $(of $first $($next)*)?),)*) =
                ($($crate::row::column!($table $field $($column)? $(of $first $($next)*)?),)*);
        }

        impl From<&$value> for $row {
            fn from(value: &$value) -> Self {
                let $value { $($field,)* } = value;
                Self { $($field: $crate::column::Held::cell($field),)* }
            }
        }

        impl $crate::row::Stored for $row {
            type Value = $value;

            fn into_value(self) -> Result<$value, application::ports::storage::StorageError> {
                let Self { $($field,)* } = self;
                let row = $key;
                Ok($value {
                    $($field: $crate::row::parse(
                        stringify!($table),
                        <$crate::row::column!($table $field $($column)? $($first)?) as diesel::Column>::NAME,
                        &row,
                        $field,
                    )?,)*
                })
            }
        }
    };
}
pub(crate) use row;

/// Names a field's column, or its columns.
macro_rules! column {
    ($table:ident $field:ident) => {
        $table::$field
    };
    ($table:ident $field:ident $column:ident) => {
        $table::$column
    };
    ($table:ident $field:ident of $($column:ident)*) => {
        ($($table::$column,)*)
    };
}
pub(crate) use column;
