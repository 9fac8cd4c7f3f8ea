//! Each rule is violated on purpose in a copy of the workspace, and the check must name the violation.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;
use workspace_checks::metadata::Workspace;
use workspace_checks::{Finding, check, table};

type Outcome = Result<(), Box<dyn Error>>;

fn real_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The manifests of the workspace, its table, and an empty file for everything that cargo would build.
struct Copy {
    folder: TempDir,
    /// Violations in the workspace itself, so that a real one does not fail all tests.
    before: Vec<Finding>,
}

impl Copy {
    fn new() -> Result<Self, Box<dyn Error>> {
        let folder = tempfile::tempdir()?;
        let mut copy = Self { folder, before: Vec::new() };
        let workspace = Workspace::read(&real_root())?;
        copy.take("Cargo.toml", &workspace)?;
        copy.take(table::PATH, &workspace)?;
        for package in &workspace.packages {
            copy.take(&workspace.relative(&package.manifest_path), &workspace)?;
            for target in &package.targets {
                copy.write(&workspace.relative(&target.src_path), "")?;
            }
        }
        copy.before = check(copy.root())?;
        Ok(copy)
    }

    fn root(&self) -> &Path {
        self.folder.path()
    }

    fn take(&self, path: &str, from: &Workspace) -> Outcome {
        let text = fs::read_to_string(from.root.join(path))?;
        self.write(path, &text)
    }

    fn write(&self, path: &str, text: &str) -> Outcome {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().ok_or("a file has a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    /// Adds a line below the heading of a manifest, or both at its end.
    fn add(&self, manifest: &str, heading: &str, line: &str) -> Outcome {
        let text = fs::read_to_string(self.root().join(manifest))?;
        let heading_line = format!("{heading}\n");
        let text = if text.contains(&heading_line) {
            text.replacen(&heading_line, &format!("{heading_line}{line}\n"), 1)
        } else {
            format!("{text}\n{heading_line}{line}\n")
        };
        self.write(manifest, &text)
    }

    fn replace(&self, path: &str, old: &str, new: &str) -> Outcome {
        let text = fs::read_to_string(self.root().join(path))?;
        assert!(text.contains(old), "{path} no longer holds what this test breaks: {old}");
        self.write(path, &text.replace(old, new))
    }

    /// Violations since the copy was created.
    fn findings(&self) -> Result<Vec<Finding>, Box<dyn Error>> {
        let mut findings = check(self.root())?;
        findings.retain(|finding| !self.before.contains(finding));
        Ok(findings)
    }

    /// Asserts that the only thing broken is at `place`.
    fn assert_broken_at(&self, place: &str) -> Outcome {
        let findings = self.findings()?;
        assert!(!findings.is_empty(), "nothing found, expected {place}");
        assert!(
            findings.iter().all(|finding| finding.place == place),
            "expected {place}, found {findings:#?}"
        );
        Ok(())
    }
}

#[test]
fn the_workspace_keeps_its_rules() -> Outcome {
    assert_eq!(check(&real_root())?, []);
    Ok(())
}

#[test]
fn a_dependency_that_the_table_does_not_allow_is_named() -> Outcome {
    for (name, heading, line, place) in [
        ("domain", "[dependencies]", "serde.workspace = true", "domain -> serde (normal)"),
        (
            "application",
            "[dependencies]",
            "http-adapter.workspace = true",
            "application -> http-adapter (normal)",
        ),
        (
            "postgres-adapter",
            "[dev-dependencies]",
            "sqlite-adapter.workspace = true",
            "postgres-adapter -> sqlite-adapter (dev)",
        ),
        ("http-adapter", "[build-dependencies]", "diesel.workspace = true", "http-adapter -> diesel (build)"),
        (
            "sqlite-adapter",
            "[build-dependencies]",
            "contract-tests.workspace = true",
            "sqlite-adapter -> contract-tests (build)",
        ),
    ] {
        let copy = Copy::new()?;
        copy.add(&format!("crates/{name}/Cargo.toml"), heading, line)?;
        copy.assert_broken_at(place)?;
    }
    Ok(())
}

#[test]
fn a_dependency_that_no_file_names_is_unused() -> Outcome {
    let copy = Copy::new()?;
    let (manifest, code) = ("crates/page-adapter/Cargo.toml", "crates/page-adapter/src/lib.rs");
    copy.add(manifest, "[dependencies]", "chrono-tz.workspace = true")?;
    for unused in ["// chrono_tz::Tz", "mod chrono_tz;", "my_chrono_tz::f();", "\"https://chrono_tz::x\""] {
        copy.write(code, unused)?;
        copy.assert_broken_at("page-adapter -> chrono-tz (normal)")?;
    }
    for used in ["use chrono_tz::Tz;", "fn zone() -> ::chrono_tz::Tz {}", "use chrono_tz as zones;"] {
        copy.write(code, used)?;
        assert_eq!(copy.findings()?, [], "{used}");
    }
    Ok(())
}

#[test]
fn an_owned_path_that_does_not_exist_is_named() -> Outcome {
    let copy = Copy::new()?;
    copy.write(
        ".github/CODEOWNERS",
        "* @restwell/all\n/crates/domain/ @restwell/domain\n/crates/gone/ @restwell/all\n",
    )?;
    let findings = copy.findings()?;
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].to_string(), ".github/CODEOWNERS: /crates/gone/ does not exist");
    Ok(())
}

#[test]
fn a_sensitive_folder_without_the_security_team_is_named() -> Outcome {
    let (folder, team) = ("crates/domain/src/passkey", "@restwell/security");
    for (lines, is_reviewed) in [
        ("* @restwell/all".to_owned(), false),
        (format!("* {team}"), true),
        (format!("/{folder}/ @restwell/domain {team}"), true),
        (format!("/{folder}/ {team}\n/crates/domain/ @restwell/domain"), false),
        (format!("/{folder} {team}\n/crates/server/ @restwell/server"), true),
        (format!("/{folder}/step.rs {team}"), false),
    ] {
        let copy = Copy::new()?;
        copy.write(&format!("{folder}/step.rs"), "")?;
        copy.write(".github/CODEOWNERS", &lines)?;
        if is_reviewed {
            assert_eq!(copy.findings()?, [], "{lines}");
        } else {
            copy.assert_broken_at(folder)?;
        }
    }
    Ok(())
}

#[test]
fn a_domain_that_draws_randomness_is_named() -> Outcome {
    let copy = Copy::new()?;
    copy.add("Cargo.toml", "[workspace.dependencies]", "getrandom = \"0.3\"")?;
    copy.add("crates/domain/Cargo.toml", "[dependencies]", "getrandom.workspace = true")?;
    copy.assert_broken_at("domain -> getrandom (normal)")
}

#[test]
fn a_domain_that_switches_the_clock_on_is_named() -> Outcome {
    let copy = Copy::new()?;
    let inherited = "chrono.workspace = true";
    let with_clock = "chrono = { workspace = true, features = [\"clock\"] }";
    copy.replace("crates/domain/Cargo.toml", inherited, with_clock)?;
    copy.assert_broken_at("domain -> chrono (normal)")
}

#[test]
fn a_crate_without_a_row_is_named() -> Outcome {
    let copy = Copy::new()?;
    let manifest = "[package]\nname = \"helper\"\nedition.workspace = true\n[lints]\nworkspace = true\n";
    copy.write("crates/helper/Cargo.toml", manifest)?;
    copy.write("crates/helper/src/lib.rs", "")?;
    copy.assert_broken_at("crates.helper")
}

#[test]
fn a_row_without_a_crate_is_named() -> Outcome {
    let copy = Copy::new()?;
    copy.add(table::PATH, "[crates.helper]", "uses = []")?;
    copy.assert_broken_at("crates.helper")
}

#[test]
fn a_crate_with_separate_lints_is_named() -> Outcome {
    let copy = Copy::new()?;
    let path = "crates/application/Cargo.toml";
    copy.replace(path, "[lints]\nworkspace = true\n", "[lints.clippy]\nall = \"allow\"\n")?;
    copy.assert_broken_at(path)
}

#[test]
fn a_version_outside_the_root_manifest_is_named() -> Outcome {
    let copy = Copy::new()?;
    let path = "crates/application/Cargo.toml";
    copy.replace(path, "thiserror.workspace = true", "thiserror = \"2\"")?;
    copy.assert_broken_at(path)
}

#[test]
fn a_file_over_the_limit_is_named_and_its_inline_tests_do_not_count() -> Outcome {
    let copy = Copy::new()?;
    let (code, tests) = ("// a line\n".repeat(400), "#[cfg(test)]\nmod tests {\n    // a line\n}\n");
    copy.write("crates/domain/src/long.rs", &format!("{code}{tests}"))?;
    copy.write("crates/domain/src/long/tests.rs", &code.repeat(2))?;
    assert_eq!(copy.findings()?, []);
    copy.write("crates/domain/src/long.rs", &format!("// one more\n{code}{tests}"))?;
    copy.assert_broken_at("crates/domain/src/long.rs")
}

#[test]
fn a_domain_that_waits_is_named_and_a_comment_about_it_is_not() -> Outcome {
    let copy = Copy::new()?;
    copy.write("crates/domain/src/slow.rs", "// never an async fn\n")?;
    assert_eq!(copy.findings()?, []);
    copy.write("crates/domain/src/slow.rs", "// never\npub async fn wait() {}\n")?;
    copy.assert_broken_at("crates/domain/src/slow.rs:2")
}

#[test]
fn a_handler_that_names_a_port_is_reported_and_a_test_module_is_not() -> Outcome {
    let copy = Copy::new()?;
    let import = "use application::ports::storage::SleepReader;\n";
    copy.write(
        "crates/http-adapter/src/nights.rs",
        &format!("#[cfg(test)]\nmod tests {{\n    {import}}}\n"),
    )?;
    copy.write("crates/http-adapter/src/nights/tests.rs", import)?;
    assert_eq!(copy.findings()?, []);
    copy.write("crates/http-adapter/src/nights.rs", &format!("//! Nights.\n{import}"))?;
    copy.assert_broken_at("crates/http-adapter/src/nights.rs:2")
}

#[test]
fn a_path_of_one_machine_is_named_and_a_route_is_not() -> Outcome {
    let copy = Copy::new()?;
    let folder = "home";
    copy.write("docs/page.md", &format!("See https://example.org/{folder}/page and ./{folder}/page.\n"))?;
    assert_eq!(copy.findings()?, []);
    copy.write("docs/page.md", &format!("Run it\nin /{folder}/someone/restwell.\n"))?;
    copy.assert_broken_at("docs/page.md:2")
}

#[test]
fn a_migration_without_a_twin_or_a_way_back_is_named() -> Outcome {
    let copy = Copy::new()?;
    for store in ["postgres", "sqlite"] {
        for step in ["up.sql", "down.sql"] {
            copy.write(&format!("migrations/{store}/0001_users/{step}"), "SELECT 1;\n")?;
        }
    }
    assert_eq!(copy.findings()?, []);
    copy.write("migrations/sqlite/0001_users/down.sql", "\n")?;
    copy.assert_broken_at("migrations/sqlite/0001_users")?;
    fs::remove_dir_all(copy.root().join("migrations/sqlite/0001_users"))?;
    copy.assert_broken_at("migrations/*/0001_users")
}

#[test]
fn a_wide_comment_and_a_word_that_the_glossary_replaces_are_named() -> Outcome {
    let copy = Copy::new()?;
    let table_path = copy.root().join(table::PATH);
    let table = fs::read_to_string(&table_path)?;
    let (before, unchecked) = table.split_once("unchecked = [").ok_or("a list of unchecked paths")?;
    let (_, after) = unchecked.split_once(']').ok_or("its end")?;
    fs::write(&table_path, format!("{before}unchecked = []{after}"))?;
    let wide = format!("// {}", "x".repeat(108));
    copy.write(
        "crates/domain/src/lib.rs",
        &format!("{wide}\n/// Tells the time.\nlet told = 1;\n// retold\n"),
    )?;
    copy.write("docs/page.md", "It is made ANEW.\n")?;
    let mut found: Vec<String> = check(copy.root())?
        .into_iter()
        .filter(|finding| !copy.before.contains(finding))
        .map(|finding| finding.to_string())
        .collect();
    found.sort();
    assert_eq!(
        found,
        [
            "crates/domain/src/lib.rs:1: a comment of 111 columns; at most 110",
            "crates/domain/src/lib.rs:2: `tells`: write reports, returns, exports, emits",
            "docs/page.md:1: `anew`: write again, new, fresh",
        ]
    );
    Ok(())
}
