//! Environment of the cases: Postgres, Redis, the program with its servers, and people with data.

mod data;
mod people;
mod plan;
mod postgres;
mod program;
mod redis;

pub(crate) use people::{App, Person, create_person, get, member, post};
pub(crate) use plan::Plan;
pub(crate) use postgres::Postgres;
pub(crate) use program::{Program, Server, free_address, wait_for_answer};
pub(crate) use redis::Redis;

use crate::measure::Costs;
use crate::outcome::Versions;
use crate::process::output_of;
use crate::reference::{Kind, ReferenceServer};
use anyhow::Context;
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tempfile::TempDir;

/// All running processes, and the people known to them.
///
/// Fields are dropped in order: clients before servers.
#[derive(Debug)]
pub(crate) struct Stage {
    pub(crate) plan: Plan,
    /// R2, started on first use.
    row: Option<ReferenceServer>,
    /// The server with Postgres and in-process limits, started on first use.
    server: Option<Server>,
    /// People by their data.
    people: BTreeMap<String, Person>,
    /// The reading app.
    pub(crate) app: App,
    /// The program, configured for Postgres.
    pub(crate) program: Program,
    pub(crate) redis: Redis,
    pub(crate) postgres: Postgres,
    /// Data folder, removed at the end.
    pub(crate) folder: TempDir,
}

impl Stage {
    /// Starts the stores, migrates the database and registers the app.
    pub(crate) fn set(binary: &Path, below: &Path, is_citus: bool, plan: Plan) -> anyhow::Result<Self> {
        let folder = tempfile::Builder::new().prefix("restwell-bench.").tempdir_in(below)?;
        // Postgres does not run as root, so its user needs access to the folder.
        std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711))?;
        let postgres = Postgres::start(&folder.path().join("postgres"), is_citus)?;
        let redis = Redis::start(folder.path())?;
        let program = Program::new(binary, folder.path())?
            .with("STORAGE__URL", &postgres.url())
            .keeping_logs(plan.short);
        program.run(&["migrate"], None).context("the database was not migrated")?;
        if is_citus {
            postgres.distribute()?;
        }
        let app = App::register(&program)?;
        Ok(Self {
            plan,
            row: None,
            server: None,
            people: BTreeMap::new(),
            app,
            program,
            redis,
            postgres,
            folder,
        })
    }

    /// Returns the versions of the programs.
    pub(crate) fn versions(&self) -> anyhow::Result<Versions> {
        Ok(Versions {
            restwell: self.program.version()?,
            postgres: self.postgres.version()?,
            redis: self.redis.version()?,
            rustc: output_of("rustc", &["--version"]).unwrap_or_default(),
        })
    }

    /// Returns the server with Postgres, all checks, and in-process limits.
    pub(crate) fn server(&mut self) -> anyhow::Result<&Server> {
        if self.server.is_none() {
            self.server = Some(self.program.serve()?);
        }
        self.server.as_ref().context("the server is gone")
    }

    /// Returns R2: one row by its key through a pool.
    pub(crate) fn row_server(&mut self) -> anyhow::Result<&ReferenceServer> {
        if self.row.is_none() {
            self.row = Some(ReferenceServer::start(Kind::Row, &self.postgres.parameters())?);
        }
        self.row.as_ref().context("the reference is gone")
    }

    /// Returns the program configured for a new embedded store, which is migrated.
    pub(crate) fn sqlite(&self, name: &str) -> anyhow::Result<Program> {
        let folder = self.folder.path().join(name);
        let file = folder.join("restwell.db").display().to_string();
        std::fs::create_dir(&folder)?;
        let program = Program::new(self.program.binary(), &folder)?
            .with("STORAGE__URL", &format!("sqlite://{file}"))
            .keeping_logs(self.plan.short);
        program.run(&["migrate"], None).context("the embedded store was not migrated")?;
        Ok(program)
    }

    /// Processes measured in rounds on [`Stage::server`].
    pub(crate) fn server_costs(&mut self) -> anyhow::Result<Costs> {
        let watched = self.server()?.watched();
        Ok(self.postgres.costs(watched))
    }

    /// Processes measured in rounds on [`Stage::row_server`].
    pub(crate) fn row_costs(&mut self) -> anyhow::Result<Costs> {
        let watched = self.row_server()?.watched();
        Ok(self.postgres.costs(watched))
    }

    /// Processes measured in rounds on a server.
    pub(crate) fn costs(&self, server: &Server) -> Costs {
        self.postgres.costs(server.watched())
    }
}
