//! `completions` and `man`: made from the grammar, for packagers.

use std::path::Path;

use clap_complete::Shell;
use serde_json::value::RawValue;

use super::grammar::grammar;
use crate::outcome::{Category, Failure, Phase, Reason};
use crate::report::{Body, Report};

/// `completions SHELL`
pub(super) fn completions(shell: Shell) -> Report {
    text("completions", script(shell))
}

/// A completion script.
fn script(shell: Shell) -> String {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut grammar(), "mcpcli", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

fn text(command: &'static str, text: String) -> Report {
    let json = serde_json::value::to_raw_value(&text).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Report::local(command, Body::Text { text, json })
}

/// `man`, or all pages with `--dir`.
pub(super) fn man(dir: Option<&Path>) -> Result<Report, Failure> {
    let Some(dir) = dir else {
        let page = page(grammar()).map_err(|error| broken(&error))?;
        return Ok(text("man", page));
    };
    let unwritable = |path: &Path, error: &std::io::Error| {
        Failure::usage(Reason::File, format!("--dir: cannot write {}: {error}", path.display()))
    };
    std::fs::create_dir_all(dir).map_err(|error| unwritable(dir, &error))?;
    let mut root = grammar();
    root.build();
    let mut written = Vec::new();
    let pages = std::iter::once(root.clone()).chain(root.get_subcommands().cloned());
    for command in pages {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        let path = dir.join(format!("{name}.1"));
        let page = page(command.name(name)).map_err(|error| broken(&error))?;
        std::fs::write(&path, page).map_err(|error| unwritable(&path, &error))?;
        written.push(path.display().to_string());
    }
    let json = serde_json::value::to_raw_value(&written).unwrap_or_else(|_| RawValue::NULL.to_owned());
    Ok(Report::local("man", Body::Text { text: written.join("\n"), json }))
}

fn page(command: clap::Command) -> std::io::Result<String> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page)?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn broken(error: &std::io::Error) -> Failure {
    Failure::new(Category::Internal, Phase::Resolve, format!("the page cannot be made: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [(Shell, &str); 5] = [
        (Shell::Bash, "mcpcli.bash"),
        (Shell::Zsh, "_mcpcli"),
        (Shell::Fish, "mcpcli.fish"),
        (Shell::PowerShell, "_mcpcli.ps1"),
        (Shell::Elvish, "mcpcli.elv"),
    ];

    /// `MCPCLI_BLESS=1 cargo test --lib completions_are_up_to_date` writes them anew.
    #[test]
    fn completions_are_up_to_date() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("completions");
        let bless = std::env::var_os("MCPCLI_BLESS").is_some();
        let mut stale = Vec::new();
        for (shell, name) in FILES {
            let path = dir.join(name);
            if bless {
                std::fs::create_dir_all(&dir).unwrap();
                std::fs::write(&path, script(shell)).unwrap();
            }
            if std::fs::read_to_string(&path).ok() != Some(script(shell)) {
                stale.push(name);
            }
        }
        assert!(stale.is_empty(), "stale in completions/: {stale:?}; MCPCLI_BLESS=1 writes them anew");
    }

    #[test]
    fn every_command_has_a_page() {
        let dir = tempfile::tempdir().unwrap();
        man(Some(dir.path())).unwrap();
        for command in grammar().get_subcommands() {
            let page = std::fs::read_to_string(dir.path().join(format!("mcpcli-{}.1", command.get_name()))).unwrap();
            assert!(page.contains(".SH SYNOPSIS"), "{}", command.get_name());
        }
        assert!(std::fs::read_to_string(dir.path().join("mcpcli.1")).unwrap().contains("timeout"));
    }
}
