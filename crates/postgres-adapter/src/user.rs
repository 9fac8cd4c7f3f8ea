//! Users with their profiles.
//!
//! `person` has what must be unique over all people, `account` everything else. An engine that distributes
//! tables copies the first to every node. Only signing up, changing the email address and deletion write it.

use crate::connection::Pooled;
use crate::erasure::{delete_person, was_erased};
use crate::error::corrupt;
use crate::schema::{account, person};
use crate::statement::returning;
use crate::store::PostgresStore;
use crate::unit_of_work::PgUnitOfWork;
use application::ports::storage::{ProfileReader, StorageError, UniqueKey, UserRepository};
use async_trait::async_trait;
use chrono::{DateTime, NaiveDate, Utc};
use diesel::dsl::{SqlTypeOf, exists};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::Uuid as SqlUuid;
use diesel_async::RunQueryDsl as _;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, ProfileSource, SkinType,
    User, UserStatus,
};
use futures_util::FutureExt as _;
use std::sync::LazyLock;
use store_shared::Account;
use uuid::Uuid;

const TABLE: &str = "account";

/// Columns of an [`AccountRow`], in its order.
pub(crate) const ACCOUNT_COLUMNS: &str = "a.id, a.email, a.home_timezone, a.locked_at, a.created_at, \
    a.birth_date, a.biological_sex, a.blood_type, a.height_cm, a.weight_kg, a.skin_type, a.wheelchair_use";

/// SQL types of these columns.
pub(crate) type AccountColumns = SqlTypeOf<<AccountRow as Selectable<Pg>>::SelectExpression>;

/// A row of `account`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account, check_for_backend(Pg), treat_none_as_null = true)]
pub(crate) struct AccountRow {
    pub(crate) id: Uuid,
    pub(crate) email: String,
    pub(crate) home_timezone: String,
    pub(crate) locked_at: Option<DateTime<Utc>>,
    pub(crate) created_at: DateTime<Utc>,
    pub(crate) birth_date: Option<NaiveDate>,
    pub(crate) biological_sex: Option<String>,
    pub(crate) blood_type: Option<String>,
    pub(crate) height_cm: Option<f64>,
    pub(crate) weight_kg: Option<f64>,
    pub(crate) skin_type: Option<i16>,
    pub(crate) wheelchair_use: Option<bool>,
}

impl From<&User> for AccountRow {
    fn from(user: &User) -> Self {
        let User { id, email, home_timezone, created_at, status, biology } = user;
        let Biology { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } =
            biology;
        let locked_at = match status {
            UserStatus::Active => None,
            UserStatus::Locked { at } => Some(*at),
        };
        Self {
            id: id.as_uuid(),
            email: email.as_str().to_owned(),
            home_timezone: home_timezone.name().to_owned(),
            locked_at,
            created_at: *created_at,
            birth_date: birth_date.map(BirthDate::date),
            biological_sex: biological_sex.map(|sex| sex.as_str().to_owned()),
            blood_type: blood_type.map(|kind| kind.as_str().to_owned()),
            height_cm: height.map(BodyHeight::centimetres),
            weight_kg: weight.map(BodyWeight::kilograms),
            skin_type: skin_type.map(|kind| i16::from(kind.get())),
            wheelchair_use: *wheelchair_use,
        }
    }
}

impl AccountRow {
    pub(crate) fn into_user(self) -> Result<User, StorageError> {
        let Self { id, email, home_timezone, locked_at, created_at, .. } = &self;
        let id = *id;
        Ok(User {
            id: UserId::from_uuid(id),
            email: self::email(email, id)?,
            home_timezone: home_zone(home_timezone, id)?,
            created_at: *created_at,
            status: user_status(*locked_at),
            biology: self.biology()?,
        })
    }

    fn biology(&self) -> Result<Biology, StorageError> {
        let Self {
            id,
            birth_date,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
            ..
        } = self;
        let skin = |number: i16| u8::try_from(number).ok().and_then(|number| SkinType::new(number).ok());
        Ok(Biology {
            birth_date: parse_stored("birth_date", *id, *birth_date, |date| BirthDate::new(date).ok())?,
            biological_sex: parse_stored("biological_sex", *id, biological_sex.as_deref(), |text| {
                BiologicalSex::parse(text).ok()
            })?,
            blood_type: parse_stored("blood_type", *id, blood_type.as_deref(), |text| {
                BloodType::parse(text).ok()
            })?,
            height: parse_stored("height_cm", *id, *height_cm, |value| {
                BodyHeight::from_centimetres(value).ok()
            })?,
            weight: parse_stored("weight_kg", *id, *weight_kg, |value| {
                BodyWeight::from_kilograms(value).ok()
            })?,
            skin_type: parse_stored("skin_type", *id, *skin_type, skin)?,
            wheelchair_use: *wheelchair_use,
        })
    }
}

/// Parses an optional value.
fn parse_stored<S, T>(
    column: &'static str,
    row: Uuid,
    stored: Option<S>,
    read: impl FnOnce(S) -> Option<T>,
) -> Result<Option<T>, StorageError> {
    let Some(stored) = stored else { return Ok(None) };
    read(stored).ok_or(()).map(Some).map_err(corrupt(TABLE, column, row))
}

fn email(text: &str, row: Uuid) -> Result<Email, StorageError> {
    Email::parse_stored(text).map_err(corrupt(TABLE, "email", row))
}

pub(crate) fn home_zone(name: &str, row: Uuid) -> Result<TimeZone, StorageError> {
    TimeZone::parse(name).map_err(corrupt(TABLE, "home_timezone", row))
}

pub(crate) fn user_status(locked_at: Option<DateTime<Utc>>) -> UserStatus {
    locked_at.map_or(UserStatus::Active, |at| UserStatus::Locked { at })
}

#[async_trait]
impl ProfileReader for PostgresStore {
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        // The statement as text, because building it from the DSL takes 5 percent of a profile request.
        static TEXT: LazyLock<String> =
            LazyLock::new(|| format!("SELECT {ACCOUNT_COLUMNS} FROM account a WHERE a.id = $1"));
        let row: Option<AccountRow> = self
            .shared(move |mut connection| {
                let query = sql_query(TEXT.as_str()).bind::<SqlUuid, _>(user_id.as_uuid());
                let query = returning::<AccountColumns, _>(query);
                async move { query.get_result(&mut connection).await.optional() }.boxed()
            })
            .await?;
        row.map(AccountRow::into_user).transpose()
    }

    async fn list_sources(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
        store_shared::list_sources(self, user_id).await
    }

    async fn list_profiles(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        let query = move || {
            let mut query = account::table
                .order(account::id.asc())
                .limit(i64::from(limit))
                .select(AccountRow::as_select())
                .into_boxed();
            if let Some(after) = after {
                query = query.filter(account::id.gt(after.as_uuid()));
            }
            query
        };
        self.read_rows(query).await?.into_iter().map(AccountRow::into_user).collect()
    }
}

/// Reads the account of a session, link or sign-in in a separate statement: those are on one node, the
/// account may be on another.
pub(crate) async fn find_account(
    store: &PostgresStore,
    user_id: UserId,
) -> Result<Option<Account>, StorageError> {
    let id = user_id.as_uuid();
    let query =
        move || account::table.find(id).select((account::email, account::home_timezone, account::locked_at));
    let row: Option<(String, String, Option<DateTime<Utc>>)> = store.read_row(query).await?;
    let Some((address, zone, locked_at)) = row else { return Ok(None) };
    let (email, home_timezone) = (email(&address, id)?, home_zone(&zone, id)?);
    Ok(Some(Account { email, home_timezone, status: user_status(locked_at) }))
}

#[async_trait]
impl UserRepository for PgUnitOfWork {
    async fn insert(&mut self, user: &User) -> Result<(), StorageError> {
        let connection = self.connection()?;
        let key = (person::id.eq(user.id.as_uuid()), person::email_normalised.eq(user.email.normalised()));
        let query = diesel::insert_into(person::table).values(key).on_conflict_do_nothing();
        if connection.execute(query).await? == 0 {
            let same_id = person::table.filter(person::id.eq(user.id.as_uuid()));
            let id_is_taken: bool = connection.load_one(diesel::select(exists(same_id))).await?;
            return Err(StorageError::Conflict(if id_is_taken {
                UniqueKey::UserId
            } else {
                UniqueKey::UserEmail
            }));
        }
        refuse_erased(connection, user.id).await?;
        let query = diesel::insert_into(account::table).values(AccountRow::from(user));
        connection.execute(query).await.map(drop)
    }

    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError> {
        // The caller may update what it finds, so the row is locked. Inserts that reference it by foreign key
        // still run.
        let query = account::table
            .filter(account::id.eq(id.as_uuid()))
            .select(AccountRow::as_select())
            .for_no_key_update();
        let row: Option<AccountRow> = self.connection()?.load_row(query).await?;
        self.found.extend(row.is_some().then_some(id));
        row.map(AccountRow::into_user).transpose()
    }

    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError> {
        let connection = self.connection()?;
        let query = person::table.filter(person::email_normalised.eq(email.normalised())).select(person::id);
        let id: Option<Uuid> = connection.load_row(query).await?;
        // Read even if there is no such person, so that the response takes as long.
        let query = account::table.find(id.unwrap_or_default()).select(AccountRow::as_select());
        connection.load_row(query).await?.map(AccountRow::into_user).transpose()
    }

    async fn update(&mut self, user: &User) -> Result<bool, StorageError> {
        // One change number covers all changes of this person in the unit of work.
        let step = i64::from(!self.numbers.contains_key(&user.id));
        let connection = self.connection()?;
        keep_email_unique(connection, user).await?;
        let query = diesel::update(account::table.filter(account::id.eq(user.id.as_uuid())))
            .set((
                AccountRow::from(user),
                account::change_number.eq(account::change_number + step),
                account::profile_change_number.eq(account::change_number + step),
            ))
            .returning(account::change_number);
        let number: Option<i64> = connection.load_row(query).await?;
        let Some(number) = number else { return Ok(false) };
        if self.numbers.insert(user.id, number).is_none() {
            self.announce_change(user.id, number).await?;
        }
        Ok(true)
    }

    async fn record_sources(&mut self, id: UserId, sources: &[ProfileSource]) -> Result<(), StorageError> {
        store_shared::record_sources(self, id, sources).await
    }

    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError> {
        let connection = self.connection()?;
        lock_account(connection, id).await?;
        delete_person(connection, id).await
    }
}

/// Stores the email address if it is new; reports a conflict if it is another person's.
async fn keep_email_unique(connection: &mut Pooled, user: &User) -> Result<(), StorageError> {
    let (id, address) = (user.id.as_uuid(), user.email.normalised());
    let query = person::table.filter(person::email_normalised.eq(&address)).select(person::id);
    match connection.load_row::<Uuid, _>(query).await? {
        Some(owner) if owner == id => Ok(()),
        Some(_) => Err(StorageError::Conflict(UniqueKey::UserEmail)),
        None => {
            let query = diesel::update(person::table.find(id)).set(person::email_normalised.eq(address));
            connection.execute(query).await.map(drop)
        }
    }
}

/// Removes a new person whose id belonged to an erased one. Runs after the insert, which waits for an erasure
/// in progress.
async fn refuse_erased(connection: &mut Pooled, id: UserId) -> Result<(), StorageError> {
    if !was_erased(connection, id).await? {
        return Ok(());
    }
    delete_person(connection, id).await?;
    Err(StorageError::Conflict(UniqueKey::UserId))
}

/// Serializes units of work that check, then change, a person's data. Inserts that reference the account by
/// foreign key still run.
pub(crate) async fn lock_account(connection: &mut Pooled, user_id: UserId) -> Result<(), StorageError> {
    let query =
        account::table.filter(account::id.eq(user_id.as_uuid())).select(account::id).for_no_key_update();
    connection.execute(query).await.map(drop)
}
