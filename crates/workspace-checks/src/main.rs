//! Prints every broken workspace rule, one per line, and fails if there is any.

use std::path::Path;

fn main() -> anyhow::Result<()> {
    let findings = workspace_checks::check(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../.."))?;
    for finding in &findings {
        eprintln!("{finding}");
    }
    let count = findings.len();
    anyhow::ensure!(count == 0, "{count} broken; the table is {}", workspace_checks::table::PATH);
    println!("the workspace keeps its rules");
    Ok(())
}
