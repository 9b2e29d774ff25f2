//! Starting the server program, and telling apart why it did not start.

use std::env;
use std::ffi::OsString;
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;

#[cfg(not(unix))]
use process_wrap::tokio::JobObject;
#[cfg(unix)]
use process_wrap::tokio::ProcessGroup;
use process_wrap::tokio::{ChildWrapper, CommandWrap, KillOnDrop};

use crate::transport::{SpawnCause, StdioEndpoint, TransportError};

/// Starts the program in a process group (a job on Windows) of its own, all three pipes ours.
///
/// Program and arguments go to the system as they are, without a shell. The environment is ours with the endpoint's
/// variables on top. A bare name is looked up in `PATH`, the child's if the endpoint sets one. A relative program with
/// a separator is meant from the endpoint's working directory, as `cd DIR && ./program` would take it.
pub(super) fn spawn(endpoint: &StdioEndpoint) -> Result<Box<dyn ChildWrapper>, TransportError> {
    let mut command = CommandWrap::with_new(program_for_system(endpoint), |command| {
        command.args(&endpoint.args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        for (name, value) in &endpoint.env {
            command.env(name, value.expose());
        }
        if let Some(cwd) = &endpoint.cwd {
            command.current_dir(cwd);
        }
    });
    command.wrap(KillOnDrop);
    #[cfg(unix)]
    command.wrap(ProcessGroup::leader());
    #[cfg(not(unix))]
    command.wrap(JobObject);
    let child = command.spawn().map_err(|error| failure(endpoint, &error))?;
    // On Unix the wrapper has done its work once the group exists: its `wait` waits for every process of the group that
    // is ours to reap, which as process 1 of a container are the grandchildren too, and so would hide the exit.
    Ok(if cfg!(unix) { child.into_inner() } else { child })
}

/// What the system is asked to start. Windows alone needs help: it searches relative programs in our directory instead
/// of the child's, and does not find the `.cmd` files that `npx` and the like are.
fn program_for_system(endpoint: &StdioEndpoint) -> PathBuf {
    let program = PathBuf::from(&endpoint.program);
    if cfg!(unix) {
        return program;
    }
    if !is_bare(&endpoint.program) {
        return match endpoint.cwd.as_deref().map(std::path::absolute) {
            Some(Ok(cwd)) => cwd.join(program),
            _ => program,
        };
    }
    with_extension(endpoint, &["exe", "cmd", "bat"]).unwrap_or(program)
}

fn with_extension(endpoint: &StdioEndpoint, extensions: &[&str]) -> Option<PathBuf> {
    let bare = Path::new(&endpoint.program).extension().is_none();
    let named = |path: PathBuf| extensions.iter().map(move |extension| path.with_extension(extension));
    candidates(endpoint).into_iter().filter(|_| bare).flat_map(named).find(|path| path.is_file())
}

fn is_bare(program: &str) -> bool {
    !program.contains(std::path::is_separator)
}

/// The places where the program can be, in the order of the search.
fn candidates(endpoint: &StdioEndpoint) -> Vec<PathBuf> {
    let base = endpoint.cwd.clone().unwrap_or_default();
    if !is_bare(&endpoint.program) {
        return vec![base.join(&endpoint.program)];
    }
    let own = endpoint.env.iter().rev().find(|(name, _)| name == "PATH").map(|(_, value)| value.expose().into());
    let path: OsString = own.or_else(|| env::var_os("PATH")).unwrap_or_default();
    env::split_paths(&path).map(|dir| base.join(dir).join(&endpoint.program)).collect()
}

/// The error of a program that did not start. The system has one word (`ENOENT`) for three of the causes, so the file
/// system is asked afterwards.
fn failure(endpoint: &StdioEndpoint, error: &io::Error) -> TransportError {
    let (cause, detail) = cause(endpoint, error);
    TransportError::Spawn {
        program: endpoint.program.clone(),
        cwd: endpoint.cwd.clone(),
        searched_path: is_bare(&endpoint.program),
        cause,
        detail,
    }
}

fn cause(endpoint: &StdioEndpoint, error: &io::Error) -> (SpawnCause, String) {
    if let Some(cwd) = &endpoint.cwd {
        match fs::metadata(cwd) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => return (SpawnCause::NoDirectory, format!("{} is not a directory", cwd.display())),
            Err(error) => return (SpawnCause::NoDirectory, format!("{}: {error}", cwd.display())),
        }
    }
    let bare = is_bare(&endpoint.program);
    let found: Vec<(PathBuf, Metadata)> =
        candidates(endpoint).into_iter().filter_map(|path| fs::metadata(&path).ok().map(|meta| (path, meta))).collect();
    // Directories in PATH that have the name of a program are not what anybody meant.
    let mut files = found.iter().filter(|(_, meta)| !bare || meta.is_file());
    let Some(first) = files.next() else {
        return (missing(error), not_found_words(endpoint, error));
    };
    let (path, meta) = files.chain([first]).find(|(_, meta)| is_executable(meta)).unwrap_or(first);
    if meta.is_dir() {
        return (SpawnCause::IsDirectory, error.to_string());
    }
    if !is_executable(meta) {
        return (SpawnCause::NotExecutable, format!("{}: {error}", path.display()));
    }
    not_run(path, error)
}

/// The cause when there is nothing at the place: usually that, unless the system says something of its own, such as
/// that there are too many processes or that the name holds a NUL.
fn missing(error: &io::Error) -> SpawnCause {
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied => {
            SpawnCause::NotFound
        }
        _ => SpawnCause::Other,
    }
}

fn not_found_words(endpoint: &StdioEndpoint, error: &io::Error) -> String {
    let here = endpoint.cwd.clone().unwrap_or_default().join(&endpoint.program);
    if is_bare(&endpoint.program) && !endpoint.program.is_empty() && here.is_file() {
        let program = &endpoint.program;
        return format!("{error}; the working directory has a file of that name, which would be ./{program}");
    }
    error.to_string()
}

/// The cause when an executable file was there and did not run.
fn not_run(path: &Path, error: &io::Error) -> (SpawnCause, String) {
    let interpreter = interpreter(path);
    let broken = |words: String| (SpawnCause::BadInterpreter, words);
    match (error.kind(), &interpreter) {
        (io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::PermissionDenied, Some(name))
            if !fs::metadata(name).is_ok_and(|meta| meta.is_file() && is_executable(&meta)) =>
        {
            // Quoted, since a stray carriage return is a usual cause.
            broken(format!("its first line asks for the interpreter {name:?}: {error}"))
        }
        // The loader of a dynamic program is its interpreter too.
        (io::ErrorKind::NotFound, _) => broken(error.to_string()),
        (io::ErrorKind::PermissionDenied, _) => (SpawnCause::NotExecutable, format!("{}: {error}", path.display())),
        _ if is_no_program(error) => broken(error.to_string()),
        _ => (SpawnCause::Other, error.to_string()),
    }
}

fn is_no_program(error: &io::Error) -> bool {
    #[cfg(unix)]
    let code = nix::errno::Errno::ENOEXEC as i32;
    // ERROR_BAD_EXE_FORMAT
    #[cfg(not(unix))]
    let code = 193;
    error.raw_os_error() == Some(code)
}

/// What the `#!` line of a script names.
fn interpreter(path: &Path) -> Option<String> {
    use std::io::Read;
    let mut head = Vec::new();
    fs::File::open(path).ok()?.take(256).read_to_end(&mut head).ok()?;
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = String::from_utf8_lossy(line);
    // The kernel ends the name at a blank or tab; a carriage return belongs to it.
    line.trim_start_matches([' ', '\t']).split([' ', '\t']).next().map(str::to_owned)
}

#[cfg(unix)]
fn is_executable(meta: &Metadata) -> bool {
    use std::os::unix::fs::PermissionsExt;
    meta.permissions().mode() & 0o111 != 0
}

#[cfg(not(unix))]
fn is_executable(_meta: &Metadata) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secret;

    #[test]
    fn extensions_are_tried_in_order_along_the_path() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("a")).unwrap();
        fs::create_dir(dir.path().join("b")).unwrap();
        fs::write(dir.path().join("b/npx.cmd"), "").unwrap();
        fs::write(dir.path().join("b/npx.exe"), "").unwrap();
        let path = env::join_paths([Path::new("a"), Path::new("b")]).unwrap();
        let endpoint = |program: &str| StdioEndpoint {
            program: program.to_owned(),
            args: Vec::new(),
            env: vec![("PATH".to_owned(), Secret::new(path.to_string_lossy()))],
            cwd: Some(dir.path().to_owned()),
        };
        assert_eq!(with_extension(&endpoint("npx"), &["cmd", "exe"]), Some(dir.path().join("b/npx.cmd")));
        assert_eq!(with_extension(&endpoint("npx.cmd"), &["cmd"]), None);
        assert_eq!(with_extension(&endpoint("node"), &["cmd"]), None);
    }
}
