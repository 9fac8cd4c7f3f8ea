//! Prints every broken workspace rule, one per line, and fails if there is any.

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
