//! Users with their profiles.

use crate::column::{DayCell, Held, Id, IdCell, TimeCell, held};
use crate::profile_source::record_sources;
use crate::row::{self, Cells, Stored};
use crate::schema::account;
use crate::statement::{Locked, Raw};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{StorageError, UserRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::dsl::SqlTypeOf;
use diesel::pg::Pg;
use diesel::prelude::*;
use domain::id::UserId;
use domain::time::TimeZone;
use domain::user::{
    BiologicalSex, Biology, BirthDate, BloodType, BodyHeight, BodyWeight, Email, ProfileSource, SkinType,
    User, UserStatus,
};
use std::sync::LazyLock;
use uuid::Uuid;

/// A row of `account`.
#[derive(Queryable, Selectable, Insertable, AsChangeset)]
#[diesel(table_name = account, treat_none_as_null = true)]
pub struct AccountRow {
    id: IdCell,
    email: String,
    home_timezone: String,
    locked_at: Option<TimeCell>,
    created_at: TimeCell,
    birth_date: Option<DayCell>,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<i16>,
    wheelchair_use: Option<bool>,
}

/// Columns of an [`AccountRow`], in its order, of `account AS a`.
pub const ACCOUNT_COLUMNS: &str = "a.id, a.email, a.home_timezone, a.locked_at, a.created_at, \
    a.birth_date, a.biological_sex, a.blood_type, a.height_cm, a.weight_kg, a.skin_type, a.wheelchair_use";

/// SQL types of these columns.
pub type AccountColumns = SqlTypeOf<<AccountRow as Selectable<Pg>>::SelectExpression>;

held! {
    UserStatus as Option<TimeCell>: |status| match status {
            Self::Active => None,
            Self::Locked { at } => Some(at.cell()),
        },
        |cell| Held::parse(cell).map(|at: Option<_>| at.map_or(Self::Active, |at| Self::Locked { at }));
    BirthDate as DayCell: |date| date.date().cell(), |cell| Self::new(Held::parse(cell)?).ok();
    BiologicalSex as String: |sex| sex.as_str().to_owned(), |text| Self::parse(&text).ok();
    BloodType as String: |kind| kind.as_str().to_owned(), |text| Self::parse(&text).ok();
    BodyHeight as f64: |height| height.centimetres(), |value| Self::from_centimetres(value).ok();
    BodyWeight as f64: |weight| weight.kilograms(), |value| Self::from_kilograms(value).ok();
    SkinType as i16: |kind| i16::from(kind.get()), |number| Self::new(u8::try_from(number).ok()?).ok();
}

impl From<&User> for AccountRow {
    fn from(user: &User) -> Self {
        let User { id, email, home_timezone, created_at, status, biology } = user;
        let Biology { birth_date, biological_sex, blood_type, height, weight, skin_type, wheelchair_use } =
            biology;
        Self {
            id: id.cell(),
            email: email.cell(),
            home_timezone: home_timezone.cell(),
            locked_at: status.cell(),
            created_at: created_at.cell(),
            birth_date: birth_date.cell(),
            biological_sex: biological_sex.cell(),
            blood_type: blood_type.cell(),
            height_cm: height.cell(),
            weight_kg: weight.cell(),
            skin_type: skin_type.cell(),
            wheelchair_use: wheelchair_use.cell(),
        }
    }
}

impl Stored for AccountRow {
    type Value = User;

    fn into_value(self) -> Result<User, StorageError> {
        let cells = Cells("account", &self.id);
        Ok(User {
            id: cells.parse("id", self.id)?,
            email: cells.present("email", Email::parse_stored(&self.email).ok())?,
            home_timezone: cells.parse("home_timezone", self.home_timezone)?,
            created_at: cells.parse("created_at", self.created_at)?,
            status: cells.parse("locked_at", self.locked_at)?,
            biology: Biology {
                birth_date: cells.parse("birth_date", self.birth_date)?,
                biological_sex: cells.parse("biological_sex", self.biological_sex)?,
                blood_type: cells.parse("blood_type", self.blood_type)?,
                height: cells.parse("height_cm", self.height_cm)?,
                weight: cells.parse("weight_kg", self.weight_kg)?,
                skin_type: cells.parse("skin_type", self.skin_type)?,
                wheelchair_use: self.wheelchair_use,
            },
        })
    }
}

/// Returns the statement that reads a profile, as text: building it from the DSL takes 5 percent of a profile
/// request.
pub fn profile_statement(user_id: UserId) -> Raw<AccountColumns> {
    static TEXT: LazyLock<String> =
        LazyLock::new(|| format!("SELECT {ACCOUNT_COLUMNS} FROM account a WHERE a.id = ?"));
    Raw::same(TEXT.as_str()).bind(user_id.cell())
}

/// Finds a user.
pub async fn find_profile(store: &impl Store, user_id: UserId) -> Result<Option<User>, StorageError> {
    store.read::<AccountRow, _>(profile_statement(user_id)).await
}

/// Lists users by id.
pub async fn list_profiles(
    store: &impl Store,
    after: Option<UserId>,
    limit: u32,
) -> Result<Vec<User>, StorageError> {
    let after = after.map_or(Uuid::nil(), |id| id.as_uuid());
    let query = account::table.filter(account::id.gt(after.cell())).order(account::id.asc());
    let query = query.limit(i64::from(limit)).select(<AccountRow as Selectable<Pg>>::construct_selection());
    store.read_all::<AccountRow, _>(query).await
}

/// Part of an account that sessions, links and sign-ins need.
pub(crate) struct Account {
    pub(crate) email: Email,
    pub(crate) home_timezone: TimeZone,
    pub(crate) status: UserStatus,
}

/// Finds the account of a session, link or sign-in in a separate statement: those are on one node of
/// `PostgreSQL`, the account may be on another.
pub(crate) async fn find_account(
    store: &impl Store,
    user_id: UserId,
) -> Result<Option<Account>, StorageError> {
    let query = account::table.find(user_id.cell()).select((
        account::email,
        account::home_timezone,
        account::locked_at,
    ));
    let row: Option<(String, String, Option<TimeCell>)> = store.load_row(query).await?;
    let Some((email, zone, locked_at)) = row else { return Ok(None) };
    let cells = Cells("account", &user_id);
    Ok(Some(Account {
        email: cells.present("email", Email::parse_stored(&email).ok())?,
        home_timezone: cells.parse("home_timezone", zone)?,
        status: cells.parse("locked_at", locked_at)?,
    }))
}

/// Returns the statement that finds the id of the user with this address.
pub(crate) fn id_of(email: &Email) -> Raw<Id> {
    let texts = [
        "SELECT id FROM person WHERE email_normalised = ?",
        "SELECT id FROM account WHERE email_normalised = ?",
    ];
    Raw::new(texts).bind(email.normalised())
}

/// Returns a found id, or one that no user has. The caller reads that account too, so that the response takes
/// as long.
pub(crate) fn found_or_nil(id: Option<IdCell>) -> Result<UserId, StorageError> {
    id.map_or(Ok(UserId::from_uuid(Uuid::nil())), |id| row::parse("account", "id", &id, id))
}

/// Prevents the erasure of a person until the end of the transaction, and does not wait for writers of the
/// person's data. Returns whether the account exists.
pub(crate) async fn keep_account(unit: &mut impl Transaction, user_id: UserId) -> Result<bool, StorageError> {
    let texts = ["SELECT id FROM account WHERE id = ? FOR KEY SHARE", "SELECT id FROM account WHERE id = ?"];
    let id: Option<IdCell> = unit.load_row(Raw::<Id>::new(texts).bind(user_id.cell())).await?;
    Ok(id.is_some())
}

/// Statements about people that each store runs in its way.
#[async_trait]
pub trait StoreUsers: Send {
    /// Stores a user as [`UserRepository::insert`] describes.
    async fn insert_user(&mut self, user: &User) -> Result<(), StorageError>;

    /// Updates a user as [`UserRepository::update`] describes.
    async fn update_user(&mut self, user: &User) -> Result<bool, StorageError>;

    /// Deletes a user as [`UserRepository::delete`] describes.
    async fn delete_user(&mut self, id: UserId) -> Result<bool, StorageError>;

    /// Makes other transactions that refer to a person wait until the end of this one. Returns the normalised
    /// email address, and `None` if there is no such person.
    async fn lock_person(&mut self, id: UserId) -> Result<Option<String>, StorageError>;

    /// Queues events about an erasure, before the grants are deleted.
    async fn announce_erasure(&mut self, id: UserId, at: DateTime<Utc>) -> Result<(), StorageError>;
}

#[async_trait]
impl<R: Transaction + StoreUsers> UserRepository for Unit<R> {
    async fn insert(&mut self, user: &User) -> Result<(), StorageError> {
        self.0.insert_user(user).await
    }

    async fn find(&mut self, id: UserId) -> Result<Option<User>, StorageError> {
        // The caller may update what it finds.
        let row = self.load_locked(id, Locked(profile_statement(id))).await?;
        row.map(AccountRow::into_value).transpose()
    }

    async fn find_by_email(&mut self, email: &Email) -> Result<Option<User>, StorageError> {
        let id = found_or_nil(self.0.load_row(id_of(email)).await?)?;
        self.read::<AccountRow>(profile_statement(id)).await
    }

    async fn update(&mut self, user: &User) -> Result<bool, StorageError> {
        self.0.update_user(user).await
    }

    async fn record_sources(&mut self, id: UserId, sources: &[ProfileSource]) -> Result<(), StorageError> {
        record_sources(&mut self.0, id, sources).await
    }

    async fn delete(&mut self, id: UserId) -> Result<bool, StorageError> {
        self.0.delete_user(id).await
    }
}
