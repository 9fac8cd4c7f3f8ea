//! Files are readable by their owner only, whatever the umask.

use crate::e2e::app::register;
use crate::e2e::polling::eventually;
use crate::e2e::server::Server;
use crate::e2e::world::{StoreKind, World};
use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

/// Returns the program with `umask 000`.
fn generous(command: &Command) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", "umask 000 && exec \"$0\" \"$@\""]).arg(command.get_program()).args(command.get_args());
    shell.current_dir(command.get_current_dir().expect("folder")).env_clear();
    let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    shell.envs(variables);
    shell
}

/// Lists everything in a folder with its mode, by name.
fn modes(folder: &Path) -> BTreeMap<String, u32> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("folder").filter_map(Result::ok) {
        // SQLite may have deleted the file meanwhile.
        let Ok(metadata) = entry.metadata() else { continue };
        let name = entry.file_name().to_string_lossy().into_owned();
        if metadata.is_dir() {
            found.extend(modes(&entry.path()));
        }
        found.insert(name, metadata.permissions().mode() & 0o777);
    }
    found
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn store_key_and_folder_are_private_to_their_owner() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let root = world.dir.path().join("new");
    std::fs::create_dir(&root).expect("folder");
    let command =
        world.command(&["demo", "--listen", "127.0.0.1:0", "--data-dir", "new/inner/data", "--json"]);
    let mut command = generous(&command);
    command.stdout(std::process::Stdio::null());
    let mut server = Server::spawn(command, &world.dir.path().join("demo.log"));
    eventually("the demo serves", async || {
        reqwest::get(format!("{}/readyz", server.base_url)).await.is_ok().then_some(())
    })
    .await;
    let found = modes(&root);
    for (name, mode) in [
        ("inner", 0o700),
        ("data", 0o700),
        ("restwell.db", 0o600),
        ("restwell.db-wal", 0o600),
        ("restwell.db-shm", 0o600),
        ("restwell.key", 0o600),
        ("password", 0o600),
    ] {
        assert_eq!(found.get(name), Some(&mode), "{name} of {found:?}");
    }
    assert_eq!(found.len(), 7, "{found:?}");
    assert_eq!(server.terminate(), Some(0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_export_file_is_private_to_its_owner() {
    let world = World::new(StoreKind::Sqlite).await.in_processes();
    let registration = register(&world);
    let folder = world.dir.path().join("exports");
    std::fs::create_dir(&folder).expect("folder");
    for format in ["ndjson", "zip"] {
        let file = folder.join(format);
        let file = file.to_string_lossy();
        let arguments = ["export", "--user", &registration.user_id, "--format", format, "--output", &file];
        let output = generous(&world.command(&arguments)).output().expect("restwell runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    let expected = BTreeMap::from([("ndjson".to_owned(), 0o600), ("zip".to_owned(), 0o600)]);
    assert_eq!(modes(&folder), expected);
}
