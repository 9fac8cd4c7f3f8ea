//! R1 and R2: minimal servers.
#![expect(
    clippy::disallowed_methods,
    reason = "the reference servers are not in the product's table of endpoints"
)]

use super::database::{ROW, UserKey};
use crate::process::{Running, Watched};
use crate::stage::{free_address, wait_for_answer};
use actix_web::http::header::ContentType;
use actix_web::{App, HttpResponse, HttpServer, get, web};
use anyhow::Context;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use serde::Serialize;
use std::net::SocketAddr;
use std::process::{Command, Stdio};
use tokio_postgres::{NoTls, Row};

/// Size of R2's pool.
const POOL: usize = 16;
const CONSTANT: &str =
    r#"{"status":"ok","data":{"id":"1a2b3c4d-0000-4000-8000-000000000001","home_timezone":"Europe/Berlin"}}"#;

/// Kind of reference server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Kind {
    /// R1: a constant
    Constant,
    /// R2: one row by its key, through a pool
    Row,
}

/// Columns of a person's row with plain types.
#[derive(Debug, Serialize)]
struct Person {
    email: String,
    home_timezone: String,
    biological_sex: Option<String>,
    blood_type: Option<String>,
    height_cm: Option<f64>,
    weight_kg: Option<f64>,
    skin_type: Option<i16>,
    wheelchair_use: Option<bool>,
}

impl Person {
    fn from_row(row: &Row) -> Result<Self, tokio_postgres::Error> {
        Ok(Self {
            email: row.try_get(0)?,
            home_timezone: row.try_get(1)?,
            biological_sex: row.try_get(2)?,
            blood_type: row.try_get(3)?,
            height_cm: row.try_get(4)?,
            weight_kg: row.try_get(5)?,
            skin_type: row.try_get(6)?,
            wheelchair_use: row.try_get(7)?,
        })
    }
}

#[get("/constant")]
async fn constant() -> HttpResponse {
    HttpResponse::Ok().content_type(ContentType::json()).body(CONSTANT)
}

#[get("/row/{id}")]
async fn one_row(id: web::Path<String>, pool: web::Data<Pool>) -> HttpResponse {
    match read(&id, &pool).await {
        Ok(person) => HttpResponse::Ok().json(person),
        Err(error) => HttpResponse::InternalServerError().body(error.to_string()),
    }
}

async fn read(id: &str, pool: &Pool) -> anyhow::Result<Person> {
    let key: UserKey = id.parse()?;
    let client = pool.get().await?;
    let statement = client.prepare_cached(ROW).await?;
    Ok(Person::from_row(&client.query_one(&statement, &[&key]).await?)?)
}

/// Serves a reference until the process is ended.
pub(crate) fn serve(kind: Kind, listen: SocketAddr, database: &str) -> anyhow::Result<()> {
    let pool = match kind {
        Kind::Constant => None,
        Kind::Row => Some(pool(database)?),
    };
    actix_web::rt::System::new().block_on(async move {
        let server = HttpServer::new(move || {
            let app = App::new().service(constant);
            match &pool {
                None => app,
                Some(pool) => app.app_data(web::Data::new(pool.clone())).service(one_row),
            }
        });
        Ok(server.tcp_nodelay(true).bind(listen)?.run().await?)
    })
}

fn pool(database: &str) -> anyhow::Result<Pool> {
    let config = database.parse().context("the database")?;
    let manager =
        Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
    Ok(Pool::builder(manager).max_size(POOL).build()?)
}

/// A reference in a separate process, like the measured program.
#[derive(Debug)]
pub(crate) struct ReferenceServer {
    process: Running,
    pub(crate) address: SocketAddr,
}

impl ReferenceServer {
    /// Starts one and waits until it responds.
    pub(crate) fn start(kind: Kind, database: &str) -> anyhow::Result<Self> {
        let address = free_address()?;
        let name = match kind {
            Kind::Constant => "constant",
            Kind::Row => "row",
        };
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(["reference", name, "--listen", &address.to_string(), "--database", database])
            .stdin(Stdio::null());
        let mut process = Running::start(&mut command)?;
        wait_for_answer(address, "/constant", &mut process)?;
        Ok(Self { process, address })
    }

    /// Returns its CPU time and memory source.
    pub(crate) fn watched(&self) -> Watched {
        Watched::Alone(self.process.id())
    }
}
