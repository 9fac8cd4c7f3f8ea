//! An app with a webhook endpoint at a receiver.

use crate::e2e::app::{Registration, SCOPES, ask_refresh, code, read_json, redeem, register, text};
use crate::e2e::operation::receiver::{Message, Receiver};
use crate::e2e::operation::records;
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::World;
use serde_json::Value;

/// An app whose person granted everything, with an endpoint at a receiver.
pub(super) struct Scene {
    pub(super) app: Registration,
    refresh: String,
    pub(super) receiver: Receiver,
    pub(super) endpoint: String,
    pub(super) secret: String,
}

impl Scene {
    /// Begins with an endpoint that has returned its challenge.
    pub(super) async fn new(world: &World, server: &Server) -> Self {
        Self::at(world, server, register(world), "127.0.0.1").await
    }

    /// Begins with an endpoint of this app, at this name of the machine.
    pub(super) async fn at(world: &World, server: &Server, app: Registration, host: &str) -> Self {
        let refresh = redeem(server, &app, &code(world, &app, &SCOPES)).await.refresh;
        let receiver = Receiver::start().await;
        let url = receiver.url.replace("127.0.0.1", host);
        let created = world.json(&["webhook", "create", "--client", &app.client_id, "--url", &url, "--json"]);
        let (endpoint, secret) = (text(&created, "endpoint_id"), text(&created, "secret"));
        let scene = Self { app, refresh, receiver, endpoint, secret };
        scene.wait_for_status(world, "active").await;
        scene
    }

    pub(super) async fn wait_for_status(&self, world: &World, status: &str) {
        let is_status = async || {
            let endpoints = world.json_lines(&["webhook", "list", "--client", &self.app.client_id, "--json"]);
            (text(&endpoints[0], "status") == status).then_some(())
        };
        eventually(status, is_status).await;
    }

    /// Waits for this many messages of a type.
    pub(super) async fn wait_for(&self, kind: &str, count: usize) -> Vec<Message> {
        eventually(kind, async || {
            let messages = self.receiver.messages(kind);
            (messages.len() >= count).then_some(messages)
        })
        .await
    }

    /// Waits until this many deliveries are logged, which happens after the response; returns their results,
    /// latest first.
    pub(super) async fn wait_for_results(&self, world: &World, count: usize) -> Vec<String> {
        eventually("deliveries", async || {
            let deliveries = world.json_lines(&["webhook", "deliveries", &self.endpoint, "--json"]);
            let results: Vec<String> = deliveries.iter().map(|delivery| text(delivery, "result")).collect();
            (results.len() >= count).then_some(results)
        })
        .await
    }

    /// Imports one night.
    pub(super) fn import_night(&self, world: &World) {
        let file = world.file("sleep-2026-03-07.json", &records::fitbit());
        world.ok(&["import", "--user", &self.app.user_id, &file]);
    }

    /// Reads what changed after a cursor, with a new access token: the clock may have moved.
    pub(super) async fn changes(&self, server: &Server, cursor: &str) -> Vec<Value> {
        let tokens: Value = ask_refresh(server, &self.app, &self.refresh).await.json().await.expect("tokens");
        let path = format!("/api/v1/changes/{}?cursor={cursor}", self.app.user_id);
        let body = read_json(server, &text(&tokens, "access_token"), &path).await;
        body["data"].as_array().expect("data").clone()
    }
}
