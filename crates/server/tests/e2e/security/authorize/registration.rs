//! Redirect URIs that an operator can register.

use crate::e2e::app::text;
use crate::e2e::world::World;

const DANGEROUS: [&str; 35] = [
    "https://app.example.org/cb#f",
    "https://app.example.org/cb#",
    "https://user@app.example.org/cb",
    "https://user:secret@app.example.org/cb",
    "https://@app.example.org/cb",
    "https://*.example.org/cb",
    "https://app.example.org/*",
    "*",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    "data:text/html,hello",
    "vbscript:x",
    "file:///etc/passwd",
    "blob:https://app.example.org/1",
    "ftp://app.example.org/cb",
    "http://app.example.org/cb",
    "http://127.0.0.1.evil.example/cb",
    "http://localhost.evil.example/cb",
    "http://192.0.2.7/cb",
    "http://0.0.0.0/cb",
    "/cb",
    "//app.example.org/cb",
    "app.example.org/cb",
    "https:app.example.org/cb",
    "https:///cb",
    "https://app.example.org\\evil/cb",
    "https://app.example.org/c b",
    "https://app.example.org/c\tb",
    "https://app.example.org/c\nb",
    "https://\u{430}pp.example.org/cb",
    "https://app.example.org/cb?code=1",
    "https://app.example.org/cb?x=1&state=2",
    "https://app.example.org/cb?iss=x",
    "https://app.example.org/cb?%65rror=x",
    "",
];

on_sqlite! {
    // T21
    async fn no_command_registers_a_dangerous_redirect_uri(world: World) {
        let good = "https://app.example.org/cb?tenant=1";
        let create = ["client", "create", "--name", "App", "--scope", "sleep", "--json", "--redirect-uri"];
        let app = text(&world.json(&[&create[..], &[good]].concat()), "client_id");
        for uri in DANGEROUS {
            let update = ["client", "update", &app, "--redirect-uri", uri];
            // A valid one beside it does not help.
            let beside = ["client", "update", &app, "--redirect-uri", good, "--redirect-uri", uri];
            for arguments in [&[&create[..], &[uri]].concat()[..], &update, &beside] {
                let output = world.run(arguments);
                let errors = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success() && output.stdout.is_empty(), "{uri:?} was registered");
                assert!(errors.contains("redirect URI") || errors.contains("--redirect-uri"), "{uri:?}: {errors}");
            }
        }
        // Nor is an app registered without any.
        assert!(!world.run(&["client", "create", "--name", "App", "--scope", "sleep"]).status.success());
        assert_eq!(world.ok(&["client", "list", "--json"]).lines().count(), 1);
        let shown = world.json(&["client", "show", &app, "--json"]);
        assert_eq!(shown["redirect_uris"], serde_json::json!([good]));
    }
}
