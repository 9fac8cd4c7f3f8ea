//! Statements without a name, for poolers that give every transaction another session of the server.
//!
//! The text, its values and the request to run it travel together and are answered together: nothing of a statement
//! is left behind in the session. It costs the server a plan for each run, and nothing else: no further round trip.

use super::row::{ColumnType, Row};
use diesel::pg::{Pg, PgMetadataLookup, PgQueryBuilder, PgTypeMetadata};
use diesel::query_builder::bind_collector::RawBytesBindCollector;
use diesel::query_builder::{QueryBuilder, QueryFragment};
use diesel::result::{DatabaseErrorInformation, DatabaseErrorKind, Error, QueryResult};
use futures_util::stream::BoxStream;
use futures_util::{StreamExt, TryStreamExt};
use std::fmt;
use tokio_postgres::error::{DbError, SqlState};
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Connection, Socket};

/// A connection on which no statement has a name.
pub(crate) struct Unnamed(Client);

impl Unnamed {
    /// Takes a connection over; it is driven until this value is dropped.
    pub(super) fn new<S>(client: Client, connection: Connection<Socket, S>) -> Self
    where
        S: tokio_postgres::tls::TlsStream + Unpin + Send + 'static,
    {
        // What ends it is seen by whoever asks next: the client says that it is closed.
        tokio::spawn(async move { connection.await.ok() });
        Self(client)
    }

    pub(super) fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    pub(super) async fn batch_execute(&self, text: &str) -> QueryResult<()> {
        self.0.batch_execute(text).await.map_err(|error| driver_error(&error))
    }

    pub(super) async fn load(
        &self,
        statement: QueryResult<Written>,
    ) -> QueryResult<BoxStream<'static, QueryResult<Row>>> {
        let Written { text, binds } = statement?;
        let rows = self.0.query_typed_raw(&text, binds).await.map_err(|error| driver_error(&error))?;
        let mut types = None;
        let row = move |row| {
            let types = types.get_or_insert_with(|| ColumnType::all(&row));
            let types = std::sync::Arc::clone(types);
            Row::Unnamed(row, types)
        };
        Ok(rows.map_err(|error| driver_error(&error)).map_ok(row).boxed())
    }

    pub(super) async fn execute(&self, statement: QueryResult<Written>) -> QueryResult<usize> {
        let Written { text, binds } = statement?;
        let binds: Vec<_> =
            binds.iter().map(|(bind, kind)| (bind as &(dyn ToSql + Sync), kind.clone())).collect();
        let rows = self.0.execute_typed(&text, &binds).await.map_err(|error| driver_error(&error))?;
        usize::try_from(rows).map_err(|error| Error::DeserializationError(Box::new(error)))
    }
}

/// A statement as it is sent.
pub(super) struct Written {
    text: String,
    binds: Vec<(Bind, Type)>,
}

impl Written {
    /// Writes a statement down.
    pub(super) fn of<Q: QueryFragment<Pg>>(query: &Q) -> QueryResult<Self> {
        let mut builder = PgQueryBuilder::default();
        query.to_sql(&mut builder, &Pg)?;
        let mut values = RawBytesBindCollector::<Pg>::new();
        query.collect_binds(&mut values, &mut BuiltIn, &Pg)?;
        let binds = values.metadata.into_iter().zip(values.binds);
        let binds = binds.map(|(kind, bytes)| Ok((Bind(bytes), built_in(&kind)?)));
        Ok(Self { text: builder.finish(), binds: binds.collect::<QueryResult<_>>()? })
    }
}

fn built_in(kind: &PgTypeMetadata) -> QueryResult<Type> {
    let unknown = || Error::SerializationError("the type of a value is not one of PostgreSQL's own".into());
    Type::from_oid(kind.oid().map_err(|_| unknown())?).ok_or_else(unknown)
}

/// Knows no types but the server's own: the schema has no others.
struct BuiltIn;

impl PgMetadataLookup for BuiltIn {
    fn lookup_type(&mut self, _: &str, _: Option<&str>) -> PgTypeMetadata {
        PgTypeMetadata::new(0, 0)
    }
}

/// A value as diesel wrote it; nothing for NULL. `Debug` leaves it out.
struct Bind(Option<Vec<u8>>);

impl fmt::Debug for Bind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Bind")
    }
}

impl ToSql for Bind {
    fn to_sql(
        &self,
        _: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn std::error::Error + Sync + Send>> {
        let Some(bytes) = &self.0 else { return Ok(IsNull::Yes) };
        out.extend_from_slice(bytes);
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

/// Says what the driver reports in diesel's words, as diesel's own connection does.
fn driver_error(error: &tokio_postgres::Error) -> Error {
    let Some(reported) = error.as_db_error() else {
        let kind = DatabaseErrorKind::UnableToSendCommand;
        return Error::DatabaseError(kind, Box::new(error.to_string()));
    };
    let kind = match *reported.code() {
        SqlState::UNIQUE_VIOLATION => DatabaseErrorKind::UniqueViolation,
        SqlState::FOREIGN_KEY_VIOLATION => DatabaseErrorKind::ForeignKeyViolation,
        SqlState::RESTRICT_VIOLATION => DatabaseErrorKind::RestrictViolation,
        SqlState::EXCLUSION_VIOLATION => DatabaseErrorKind::ExclusionViolation,
        SqlState::T_R_SERIALIZATION_FAILURE => DatabaseErrorKind::SerializationFailure,
        SqlState::READ_ONLY_SQL_TRANSACTION => DatabaseErrorKind::ReadOnlyTransaction,
        SqlState::NOT_NULL_VIOLATION => DatabaseErrorKind::NotNullViolation,
        SqlState::CHECK_VIOLATION => DatabaseErrorKind::CheckViolation,
        _ => DatabaseErrorKind::Unknown,
    };
    Error::DatabaseError(
        kind,
        Box::new(Reported { english: english(reported.code()), error: reported.clone() }),
    )
}

/// Returns how the server begins the message of a state in English, where the message is looked at (see `error`): a
/// pooler's session may not have been asked for English.
fn english(state: &SqlState) -> Option<&'static str> {
    Some(match *state {
        SqlState::T_R_DEADLOCK_DETECTED => "deadlock detected",
        SqlState::LOCK_NOT_AVAILABLE => "canceling statement due to lock timeout",
        SqlState::QUERY_CANCELED => "canceling statement due to statement timeout",
        SqlState::ADMIN_SHUTDOWN | SqlState::IDLE_IN_TRANSACTION_SESSION_TIMEOUT => {
            "terminating connection due to administrator command"
        }
        SqlState::CRASH_SHUTDOWN => "terminating connection because of crash of another server process",
        SqlState::CANNOT_CONNECT_NOW => "the database system is not there",
        SqlState::TOO_MANY_CONNECTIONS => "sorry, too many clients already",
        // How a pooler says that it has no server.
        SqlState::PROTOCOL_VIOLATION | SqlState::CONNECTION_FAILURE | SqlState::CONNECTION_EXCEPTION => {
            "terminating connection because the server is not there"
        }
        _ => return None,
    })
}

/// What the server reported.
struct Reported {
    english: Option<&'static str>,
    error: DbError,
}

impl DatabaseErrorInformation for Reported {
    fn message(&self) -> &str {
        self.english.unwrap_or_else(|| self.error.message())
    }

    fn details(&self) -> Option<&str> {
        self.error.detail()
    }

    fn hint(&self) -> Option<&str> {
        self.error.hint()
    }

    fn table_name(&self) -> Option<&str> {
        self.error.table()
    }

    fn column_name(&self) -> Option<&str> {
        self.error.column()
    }

    fn constraint_name(&self) -> Option<&str> {
        self.error.constraint()
    }

    fn statement_position(&self) -> Option<i32> {
        None
    }
}
