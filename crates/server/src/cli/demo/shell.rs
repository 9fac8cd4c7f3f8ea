//! Quoting for shell commands.

use std::path::{Path, PathBuf};

/// Name of the installed program.
const NAME: &str = "restwell";

/// Quotes a text for a shell.
pub(super) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

/// Quotes a text unless it is a plain word in a shell.
pub(super) fn word(text: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "/._-+".contains(letter);
    if !text.is_empty() && text.chars().all(is_plain) { text.to_owned() } else { quoted(text) }
}

/// Returns how a shell finds the running program: by its name if `PATH` leads to it, else by its path.
pub(super) fn this_program() -> PathBuf {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    match std::env::current_exe() {
        Ok(path) => called(&path, std::env::split_paths(&folders)),
        // The system does not report the path of the program.
        Err(_) => PathBuf::from(NAME),
    }
}

fn called(program: &Path, folders: impl Iterator<Item = PathBuf>) -> PathBuf {
    let first = folders.map(|folder| folder.join(NAME)).find(|candidate| candidate.is_file());
    let is_this = first
        .and_then(|found| found.canonicalize().ok())
        .is_some_and(|found| program.canonicalize().is_ok_and(|program| program == found));
    if is_this { PathBuf::from(NAME) } else { program.to_path_buf() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_if_a_shell_would_split_it() {
        assert_eq!(word("/opt/restwell-1.0/restwell"), "/opt/restwell-1.0/restwell");
        assert_eq!(word("/opt/made up/restwell"), "'/opt/made up/restwell'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
    }

    #[test]
    fn the_name_is_used_if_it_leads_to_this_program_first() {
        let root = tempfile::tempdir().unwrap();
        let (mine, other, empty) =
            (root.path().join("mine"), root.path().join("other"), root.path().join("none"));
        for folder in [&mine, &other] {
            std::fs::create_dir(folder).unwrap();
            std::fs::write(folder.join(NAME), "").unwrap();
        }
        let program = mine.join(NAME);
        let on_path = |folders: &[&PathBuf]| called(&program, folders.iter().map(|folder| (*folder).clone()));
        assert_eq!(on_path(&[&empty, &mine, &other]), Path::new(NAME));
        assert_eq!(on_path(&[&other, &mine]), program);
        assert_eq!(on_path(&[&empty]), program);
    }
}
