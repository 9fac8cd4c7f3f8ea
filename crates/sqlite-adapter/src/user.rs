//! Users with their profiles.

use crate::error::StorageResult as _;
use crate::row::{Cells, blob, date, micros};
use crate::schema::{
    account, deletion, erased_person, import, import_change, import_part, intake_log, read_tally,
    sleep_session,
};
use crate::statement::{execute, load_row};
use crate::store::SqliteStore;
use crate::unit_of_work::SqliteUnitOfWork;
use application::ports::storage::{ProfileReader, StorageError, UniqueKey, UserRepository};
use async_trait::async_trait;
use diesel::dsl::exists;
use diesel::prelude::*;
use diesel::sqlite::SqliteConnection;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, ProfileSource, SkinType,
    User, UserStatus,
};
use sha2::{Digest as _, Sha256};
use store_shared::column::Held as _;
use store_shared::schema::{access_grant, authorization_code};

/// A row of `account`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account, treat_none_as_null = true)]
pub(crate) struct AccountRow {
    id: Vec<u8>,
    email: String,
    email_normalised: String,
    home_timezone: String,
    locked_at: Option<i64>,
    created_at: i64,
    birth_date: Option<String>,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<i32>,
    wheelchair_use: Option<bool>,
}

impl From<&User> for AccountRow {
    fn from(user: &User) -> Self {
        let User { id, email, home_timezone, created_at, status, biology } = user;
        let Biology { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } =
            *biology;
        Self {
            id: blob(id.as_uuid()),
            email: email.as_str().to_owned(),
            email_normalised: email.normalised(),
            home_timezone: home_timezone.name().to_owned(),
            locked_at: match *status {
                UserStatus::Active => None,
                UserStatus::Locked { at } => Some(micros(at)),
            },
            created_at: micros(*created_at),
            birth_date: birth_date.map(|day| date(day.date())),
            biological_sex: biological_sex.map(|sex| sex.as_str().to_owned()),
            blood_type: blood_type.map(|kind| kind.as_str().to_owned()),
            height_cm: height.map(BodyHeight::centimetres),
            weight_kg: weight.map(BodyWeight::kilograms),
            skin_type: skin_type.map(|kind| i32::from(kind.get())),
            wheelchair_use,
        }
    }
}

impl AccountRow {
    pub(crate) fn into_user(self) -> Result<User, StorageError> {
        let Self {
            id,
            email,
            // Derived from the address, for the database's unique key only.
            email_normalised: _,
            home_timezone,
            locked_at,
            created_at,
            birth_date,
            biological_sex,
            blood_type,
            height_cm,
            weight_kg,
            skin_type,
            wheelchair_use,
        } = self;
        let cells = Cells::new("account", &id);
        let birth_date = cells.optional_date("birth_date", birth_date.as_deref())?;
        let skin_type = skin_type.map(|kind| cells.valid("skin_type", u8::try_from(kind))).transpose()?;
        let sex = |text: String| cells.valid("biological_sex", BiologicalSex::parse(&text));
        let blood = |text: String| cells.valid("blood_type", BloodType::parse(&text));
        let height = |value| cells.valid("height_cm", BodyHeight::from_centimetres(value));
        let weight = |value| cells.valid("weight_kg", BodyWeight::from_kilograms(value));
        Ok(User {
            id: UserId::from_uuid(cells.uuid("id", &id)?),
            email: cells.valid("email", Email::parse_stored(&email))?,
            home_timezone: cells.valid("home_timezone", TimeZone::parse(&home_timezone))?,
            created_at: cells.instant("created_at", created_at)?,
            status: user_status(cells, locked_at)?,
            biology: Biology {
                birth_date: birth_date
                    .map(|day| cells.valid("birth_date", BirthDate::new(day)))
                    .transpose()?,
                biological_sex: biological_sex.map(sex).transpose()?,
                blood_type: blood_type.map(blood).transpose()?,
                height: height_cm.map(height).transpose()?,
                weight: weight_kg.map(weight).transpose()?,
                skin_type: skin_type.map(|kind| cells.valid("skin_type", SkinType::new(kind))).transpose()?,
                wheelchair_use,
            },
        })
    }
}

pub(crate) fn user_status(cells: Cells<'_>, locked_at: Option<i64>) -> Result<UserStatus, StorageError> {
    Ok(match cells.optional_instant("locked_at", locked_at)? {
        None => UserStatus::Active,
        Some(at) => UserStatus::Locked { at },
    })
}

pub(crate) fn find(connection: &mut SqliteConnection, id: UserId) -> Result<Option<User>, StorageError> {
    let row: Option<AccountRow> = account::table
        .find(blob(id.as_uuid()))
        .select(AccountRow::as_select())
        // `first` adds a `LIMIT`, for which SQLite prepares the statement again at each binding.
        .get_result(connection)
        .optional()
        .storage()?;
    row.map(AccountRow::into_user).transpose()
}

/// Returns the hash by which an erased id is remembered.
pub(crate) fn id_hash(id: UserId) -> Vec<u8> {
    Sha256::digest(id.as_uuid().as_bytes()).to_vec()
}

/// Returns whether a user with this id was erased.
pub(crate) fn was_erased(connection: &mut SqliteConnection, id: UserId) -> QueryResult<bool> {
    diesel::select(exists(erased_person::table.find(id_hash(id)))).get_result(connection)
}

#[async_trait]
impl ProfileReader for SqliteStore {
    async fn find_profile(&self, user_id: UserId) -> Result<Option<User>, StorageError> {
        self.read_row(move |connection| find(connection, user_id)).await
    }

    async fn list_sources(&self, user_id: UserId) -> Result<Vec<ProfileSource>, StorageError> {
        store_shared::list_sources(self, user_id).await
    }

    async fn list_profiles(&self, after: Option<UserId>, limit: u32) -> Result<Vec<User>, StorageError> {
        // An empty blob sorts first.
        let after = after.map(|id| blob(id.as_uuid())).unwrap_or_default();
        self.read(move |connection| {
            let rows: Vec<AccountRow> = account::table
                .select(AccountRow::as_select())
                .filter(account::id.gt(after))
                .order(account::id)
                .limit(i64::from(limit))
                .load(connection)
                .storage()?;
            rows.into_iter().map(AccountRow::into_user).collect()
        })
        .await
    }
}

#[async_trait]
impl UserRepository for SqliteUnitOfWork {
    async fn insert(&mut self, user: &User) -> Result<(), StorageError> {
        let row = AccountRow::from(user);
        let id = user.id;
        self.run(move |connection| {
            if was_erased(connection, id).storage()? {
                return Err(StorageError::Conflict(UniqueKey::UserId));
            }
            diesel::insert_into(account::table).values(row).execute(connection).storage().map(drop)
        })
        .await
    }

    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError> {
        self.run(move |connection| find(connection, id)).await
    }

    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError> {
        let email = email.normalised();
        let query =
            account::table.select(AccountRow::as_select()).filter(account::email_normalised.eq(email));
        self.run(load_row(query)).await?.map(AccountRow::into_user).transpose()
    }

    async fn update(&mut self, user: &User) -> Result<bool, StorageError> {
        let row = AccountRow::from(user);
        let Some(number) = self.change_number(user.id).await? else { return Ok(false) };
        let number = account::profile_change_number.eq(number);
        let query = diesel::update(account::table.find(row.id.clone())).set((row, number));
        Ok(self.run(execute(query)).await? > 0)
    }

    async fn record_sources(&mut self, id: UserId, sources: &[ProfileSource]) -> Result<(), StorageError> {
        store_shared::record_sources(self, id, sources).await
    }

    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError> {
        self.run(move |connection| delete(connection, id).storage()).await
    }
}

/// Deletes a person; returns whether they existed.
///
/// Tables that may have many rows are deleted explicitly, because foreign keys would delete them one row at a
/// time. Foreign keys delete the rest.
pub(crate) fn delete(connection: &mut SqliteConnection, id: UserId) -> QueryResult<bool> {
    let (cell, id) = (id.cell(), &blob(id.as_uuid())[..]);
    let imports = import::table.filter(import::user_id.eq(id)).select(import::id);
    diesel::delete(import_change::table.filter(import_change::import_id.eq_any(imports)))
        .execute(connection)?;
    diesel::delete(import_part::table.filter(import_part::import_id.eq_any(imports))).execute(connection)?;
    diesel::delete(read_tally::table.filter(read_tally::user_id.eq(id))).execute(connection)?;
    diesel::delete(intake_log::table.filter(intake_log::user_id.eq(id))).execute(connection)?;
    diesel::delete(sleep_session::table.filter(sleep_session::user_id.eq(id))).execute(connection)?;
    diesel::delete(deletion::table.filter(deletion::user_id.eq(id))).execute(connection)?;
    diesel::delete(authorization_code::table.filter(authorization_code::user_id.eq(cell)))
        .execute(connection)?;
    diesel::delete(access_grant::table.filter(access_grant::user_id.eq(cell))).execute(connection)?;
    Ok(diesel::delete(account::table.find(id)).execute(connection)? > 0)
}
