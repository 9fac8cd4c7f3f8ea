//! Webhooks: endpoints, events and deliveries.

use crate::column::{Held, IdCell, TimeCell, held};
use crate::names::{endpoint_status_parts, parse_endpoint_status};
use crate::row::{Cells, row};
use crate::schema::{access_grant, account, client, webhook_delivery, webhook_endpoint, webhook_event};
use crate::statement::{Locked, Raw};
use crate::store::Store;
use crate::unit_of_work::{Transaction, Unit};
use application::ports::storage::{PendingEvent, Settlement, StorageError, WebhookRepository};
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use domain::id::{ClientId, UserId, WebhookEndpointId};
use domain::outbound::OutboundUrl;
use domain::scope::ScopeSet;
use domain::webhook::{
    Delivery, DeliveryResult, EndpointSecret, EndpointStatus, EventKey, EventKind, SealedWebhookSecret,
    WebhookEndpoint,
};
use std::collections::HashSet;

row! {
    /// A row of `webhook_endpoint`.
    #[derive(AsChangeset)]
    #[diesel(treat_none_as_null = true)]
    EndpointRow of webhook_endpoint: WebhookEndpoint, row id, {
        id: IdCell;
        client_id: IdCell;
        url: String;
        contact: Option<String>;
        status: StatusCells, of status disabled_at;
        is_reviewed: bool;
        secret: Vec<u8>;
        previous_secret: PreviousCells, of previous_secret previous_secret_expires_at;
        created_at: TimeCell;
    }
}

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = webhook_endpoint, treat_none_as_null = true)]
pub(crate) struct StatusCells {
    status: String,
    disabled_at: Option<TimeCell>,
}

#[derive(Queryable, Insertable, AsChangeset)]
#[diesel(table_name = webhook_endpoint, treat_none_as_null = true)]
pub(crate) struct PreviousCells {
    previous_secret: Option<Vec<u8>>,
    previous_secret_expires_at: Option<TimeCell>,
}

row! {
    /// A row of `webhook_delivery`.
    DeliveryRow of webhook_delivery: Delivery, row id, {
        id: IdCell;
        event: KeyCells, of kind endpoint_id user_id;
        number: i64;
        announced_before: i64;
        occurred_at: TimeCell;
        at: TimeCell;
        milliseconds: i64;
        result: String;
        next_attempt_at: Option<TimeCell>;
    }
}

#[derive(Queryable, Insertable)]
#[diesel(table_name = webhook_delivery)]
pub(crate) struct KeyCells {
    kind: String,
    endpoint_id: IdCell,
    user_id: IdCell,
}

held! {
    OutboundUrl as String: |url| url.as_str().to_owned(), |text| Self::parse(&text).ok();
    SealedWebhookSecret as Vec<u8>: |secret| secret.as_bytes().to_vec(), |bytes| Some(Self::new(bytes));
    DeliveryResult as String: |result| result.to_name(), |text| Self::parse(&text);
    EndpointStatus as StatusCells: |status| {
            let (status, disabled_at) = endpoint_status_parts(*status);
            StatusCells { status: status.to_owned(), disabled_at: disabled_at.cell() }
        },
        |cells| parse_endpoint_status(&cells.status, Held::parse(cells.disabled_at)?);
    Option<EndpointSecret> as PreviousCells: |previous| PreviousCells {
            previous_secret: previous.as_ref().map(|previous| previous.sealed.cell()),
            previous_secret_expires_at: previous.as_ref().map(|previous| previous.expires_at.cell()),
        },
        |PreviousCells { previous_secret, previous_secret_expires_at }| {
            let expires_at: Option<_> = Held::parse(previous_secret_expires_at)?;
            let sealed = previous_secret.map(SealedWebhookSecret::new);
            Some(sealed.zip(expires_at).map(|(sealed, expires_at)| EndpointSecret { sealed, expires_at }))
        };
    EventKey as KeyCells: |key| KeyCells {
            kind: key.kind.as_str().to_owned(),
            endpoint_id: key.endpoint_id.cell(),
            user_id: key.user_id.cell(),
        },
        |KeyCells { kind, endpoint_id, user_id }| Some(Self {
            user_id: Held::parse(user_id)?,
            endpoint_id: Held::parse(endpoint_id)?,
            kind: EventKind::parse(&kind)?,
        });
}

/// Lists the endpoints of a client, or those of every client that is not disabled.
pub async fn list_endpoints(
    store: &impl Store,
    client_id: Option<ClientId>,
) -> Result<Vec<WebhookEndpoint>, StorageError> {
    let query = webhook_endpoint::table
        .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
        .order((webhook_endpoint::created_at, webhook_endpoint::id))
        .select(EndpointRow::COLUMNS);
    match client_id {
        Some(id) => {
            let own = query.filter(webhook_endpoint::client_id.eq(id.cell()));
            store.read_all::<EndpointRow, _>(own).await
        }
        None => store.read_all::<EndpointRow, _>(query.filter(client::disabled_at.is_null())).await,
    }
}

/// Finds an endpoint of a client that is not disabled.
pub async fn find_endpoint(
    store: &impl Store,
    id: WebhookEndpointId,
) -> Result<Option<WebhookEndpoint>, StorageError> {
    let query = webhook_endpoint::table
        .inner_join(client::table.on(client::id.eq(webhook_endpoint::client_id)))
        .filter(webhook_endpoint::id.eq(id.cell()))
        .filter(client::disabled_at.is_null())
        .select(EndpointRow::COLUMNS);
    store.read::<EndpointRow, _>(query).await
}

/// Lists due events of these endpoints.
pub async fn list_due_events(
    store: &impl Store,
    endpoints: &[WebhookEndpointId],
    now: DateTime<Utc>,
    limit: u32,
) -> Result<Vec<EventKey>, StorageError> {
    let ids: Vec<IdCell> = endpoints.iter().map(Held::cell).collect();
    let query = webhook_event::table
        .filter(webhook_event::endpoint_id.eq_any(ids))
        .filter(webhook_event::due_at.le(now.cell()))
        .select((webhook_event::kind, webhook_event::endpoint_id, webhook_event::user_id))
        .limit(i64::from(limit));
    let keys: Vec<KeyCells> = store.load_rows(query).await?;
    keys.into_iter()
        .map(|key| {
            let row = key.endpoint_id;
            Cells("webhook_event", &row).parse("kind", key)
        })
        .collect()
}

/// Finds an event that is to be delivered.
pub async fn find_pending_event(
    store: &impl Store,
    key: EventKey,
) -> Result<Option<PendingEvent>, StorageError> {
    let query = webhook_event::table
        .find((key.user_id.cell(), key.endpoint_id.cell(), key.kind.as_str()))
        .filter(webhook_event::due_at.is_not_null())
        .select((
            webhook_event::number,
            webhook_event::announced,
            webhook_event::occurred_at,
            webhook_event::failed,
            webhook_event::due_at.assume_not_null(),
        ));
    let row: Option<(i64, i64, TimeCell, i32, TimeCell)> = store.load_row(query).await?;
    let Some((number, announced, occurred_at, failed, due_at)) = row else { return Ok(None) };
    let cells = Cells("webhook_event", &key.endpoint_id);
    Ok(Some(PendingEvent {
        key,
        number,
        announced,
        occurred_at: cells.parse("occurred_at", occurred_at)?,
        failed: cells.parse("failed", failed)?,
        due_at: cells.parse("due_at", due_at)?,
    }))
}

/// Returns the scopes of a client's live grants of a person whose account is not locked.
pub async fn list_live_scopes(
    store: &impl Store,
    client_id: ClientId,
    user_id: UserId,
) -> Result<ScopeSet, StorageError> {
    let query = access_grant::table
        .inner_join(account::table.on(account::id.eq(access_grant::user_id)))
        .filter(access_grant::user_id.eq(user_id.cell()))
        .filter(access_grant::client_id.eq(client_id.cell()))
        .filter(access_grant::revoked_at.is_null())
        .filter(account::locked_at.is_null())
        .select(access_grant::scopes)
        .distinct();
    let rows: Vec<String> = store.load_rows(query).await?;
    let mut scopes = Vec::new();
    for row in rows {
        let of_grant: ScopeSet = Cells("access_grant", &user_id).parse("scopes", row)?;
        scopes.extend(of_grant.iter());
    }
    Ok(scopes.into_iter().collect())
}

/// Lists the newest deliveries to an endpoint.
pub async fn list_deliveries(
    store: &impl Store,
    id: WebhookEndpointId,
    limit: u32,
) -> Result<Vec<Delivery>, StorageError> {
    let query = webhook_delivery::table
        .filter(webhook_delivery::endpoint_id.eq(id.cell()))
        .order((webhook_delivery::at.desc(), webhook_delivery::id.desc()))
        .limit(i64::from(limit))
        .select(DeliveryRow::COLUMNS);
    store.read_all::<DeliveryRow, _>(query).await
}

/// Counts the due events. There may be many, which would delay the readers of single rows.
pub async fn count_due_events(store: &impl Store, now: DateTime<Utc>) -> Result<u64, StorageError> {
    let query = webhook_event::table.filter(webhook_event::due_at.le(now.cell())).count();
    let counts: Vec<i64> = store.load_rows(query).await?;
    Ok(counts.into_iter().map(i64::unsigned_abs).sum())
}

/// Restricts a statement to the event with this key.
fn about(statement: Raw, key: EventKey) -> Raw {
    statement
        .sql(" WHERE user_id = ? AND endpoint_id = ? AND kind = ?")
        .bind(key.user_id.cell())
        .bind(key.endpoint_id.cell())
        .text(key.kind.as_str())
}

/// The number of such an event is its time.
const DELETE_ENDINGS: &str =
    "DELETE FROM webhook_event WHERE kind IN ('grant.revoked', 'person.erased') AND number < ?";

/// Inserts nothing if the client has another live grant.
const GRANT_REVOKED: &str =
    "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at)
    SELECT g.user_id, e.id, 'grant.revoked', ?, 0, 0, ";

/// Queues events about revoked grants, given as pairs of person and client, where no live grant is left.
pub(crate) async fn announce_revocations(
    unit: &mut impl Transaction,
    revoked: Vec<(IdCell, IdCell)>,
    at: DateTime<Utc>,
) -> Result<(), StorageError> {
    if revoked.is_empty() {
        return Ok(());
    }
    let query = webhook_endpoint::table.select(webhook_endpoint::client_id).distinct();
    let announced: HashSet<IdCell> = unit.load_rows(query).await?.into_iter().collect();
    let pairs: HashSet<_> = revoked.into_iter().filter(|(_, client)| announced.contains(client)).collect();
    for (user_id, client_id) in pairs {
        let query: Raw = Raw::same(GRANT_REVOKED)
            .bind(at.timestamp_micros())
            .sql_of(["to_timestamp(0)", "0"])
            .sql(
                " FROM access_grant g JOIN webhook_endpoint e ON e.client_id = g.client_id
                WHERE g.user_id = ? AND g.client_id = ?
                GROUP BY g.user_id, e.id HAVING count(*) FILTER (WHERE g.revoked_at IS NULL) = 0
                ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE SET number = excluded.number,
                    occurred_at = excluded.occurred_at, failed = 0, due_at = excluded.due_at",
            )
            .bind(user_id)
            .bind(client_id);
        unit.execute(query).await?;
    }
    Ok(())
}

#[async_trait]
impl<R: Transaction> WebhookRepository for Unit<R> {
    async fn insert(&mut self, endpoint: &WebhookEndpoint) -> Result<(), StorageError> {
        let query = diesel::insert_into(webhook_endpoint::table).values(EndpointRow::from(endpoint));
        self.0.execute(query).await.map(drop)
    }

    async fn list(&mut self, client_id: ClientId) -> Result<Vec<WebhookEndpoint>, StorageError> {
        let query = webhook_endpoint::table
            .filter(webhook_endpoint::client_id.eq(client_id.cell()))
            .order((webhook_endpoint::created_at, webhook_endpoint::id))
            .select(EndpointRow::COLUMNS);
        self.read_all::<EndpointRow>(Locked(query)).await
    }

    async fn find(&mut self, id: WebhookEndpointId) -> Result<Option<WebhookEndpoint>, StorageError> {
        let query = webhook_endpoint::table.find(id.cell()).select(EndpointRow::COLUMNS);
        self.read::<EndpointRow>(Locked(query)).await
    }

    async fn update(&mut self, endpoint: &WebhookEndpoint) -> Result<bool, StorageError> {
        let one = webhook_endpoint::table.find(endpoint.id.cell());
        self.changes(diesel::update(one).set(EndpointRow::from(endpoint))).await
    }

    async fn delete(&mut self, id: WebhookEndpointId) -> Result<bool, StorageError> {
        let deliveries = webhook_delivery::table.filter(webhook_delivery::endpoint_id.eq(id.cell()));
        self.0.execute(diesel::delete(deliveries)).await?;
        self.changes(diesel::delete(webhook_endpoint::table.find(id.cell()))).await
    }

    async fn queue(&mut self, key: EventKey, number: i64) -> Result<(), StorageError> {
        let query: Raw = Raw::same(
            "INSERT INTO webhook_event (user_id, endpoint_id, kind, number, announced, failed, due_at)
            VALUES (?, ?, ?, ?, 0, 0, ?)
            ON CONFLICT (user_id, endpoint_id, kind) DO UPDATE SET number = excluded.number,
                occurred_at = excluded.occurred_at, failed = 0, due_at = excluded.due_at",
        );
        let query = query.bind(key.user_id.cell()).bind(key.endpoint_id.cell()).text(key.kind.as_str());
        self.0.execute(query.bind(number).bind(DateTime::UNIX_EPOCH.cell())).await.map(drop)
    }

    async fn replay(
        &mut self,
        key: EventKey,
        announced: i64,
        occurred_at: DateTime<Utc>,
    ) -> Result<(), StorageError> {
        let earlier = [
            "UPDATE webhook_event SET announced = least(announced, ?), occurred_at = least(occurred_at, ?),",
            "UPDATE webhook_event SET announced = min(announced, ?), occurred_at = min(occurred_at, ?),",
        ];
        let query = Raw::new(earlier).bind(announced).bind(occurred_at.cell());
        let query = query.sql(" failed = 0, due_at = ?").bind(DateTime::UNIX_EPOCH.cell());
        self.0.execute(about(query, key)).await.map(drop)
    }

    async fn settle(&mut self, event: &PendingEvent, settlement: Settlement) -> Result<(), StorageError> {
        let PendingEvent { key, number, announced, .. } = *event;
        let immediately = DateTime::UNIX_EPOCH.cell();
        let query = match settlement {
            Settlement::Announced if key.kind == EventKind::RecordsChanged => {
                let query = Raw::same(
                    "UPDATE webhook_event SET announced = ?, failed = 0, due_at = CASE WHEN number > ? THEN ? END",
                );
                let query = about(query.bind(number).bind(number).bind(immediately), key);
                query.sql(" AND announced = ?").bind(announced)
            }
            Settlement::Paused => {
                let query = "UPDATE webhook_event SET failed = 0, due_at = CASE WHEN number > ? THEN ? END";
                about(Raw::same(query).bind(number).bind(immediately), key)
            }
            Settlement::Announced | Settlement::Dropped => {
                about(Raw::same("DELETE FROM webhook_event"), key).sql(" AND number = ?").bind(number)
            }
            Settlement::Retry(at) => {
                let query = Raw::same("UPDATE webhook_event SET failed = failed + 1, due_at = ?");
                about(query.bind(at.cell()), key)
            }
            Settlement::Kept => {
                about(Raw::same("UPDATE webhook_event SET failed = 0, due_at = ?").bind(immediately), key)
            }
        };
        self.0.execute(query).await.map(drop)
    }

    async fn log(&mut self, delivery: &Delivery) -> Result<(), StorageError> {
        let query = diesel::insert_into(webhook_delivery::table).values(DeliveryRow::from(delivery));
        self.0.execute(query).await.map(drop)
    }

    async fn delete_old(&mut self, before: DateTime<Utc>, limit: u32) -> Result<(u64, u64), StorageError> {
        let deliveries = self.0.delete_oldest(("webhook_delivery", "id", "at"), before, limit).await?;
        let query: Raw = Raw::same(DELETE_ENDINGS).bind(before.timestamp_micros());
        Ok((deliveries, self.0.execute(query).await?))
    }
}
