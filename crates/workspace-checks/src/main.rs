//! Prints every broken rule of the workspace's shape, one a line, and fails when there is one.

use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    match workspace_checks::check(&root) {
        Ok(findings) if findings.is_empty() => {
            println!("the workspace keeps its rules");
            ExitCode::SUCCESS
        }
        Ok(findings) => {
            for finding in &findings {
                eprintln!("{finding}");
            }
            eprintln!(
                "{} broken; the table is crates/workspace-checks/dependency-table.toml",
                findings.len()
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
