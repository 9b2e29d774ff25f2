//! The child process and its group: waiting for its exit, the shutdown ladder, and whatever it leaves behind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use process_wrap::tokio::ChildWrapper;
use tokio::time::{sleep, timeout};

use super::state::{Exit, SETTLE, State};

/// How long a child may take to exit once its stdin is closed, and once more after SIGTERM.
const PATIENCE: Duration = Duration::from_secs(1);

/// How long what a child left behind may take to exit after SIGTERM.
const PATIENCE_LEFT_BEHIND: Duration = Duration::from_millis(500);

/// How long processes that are exiting anyway may take.
const GRACE: Duration = Duration::from_millis(20);

/// How long a killed child may take to be gone: only a process that hangs in the kernel takes longer.
const PATIENCE_KILLED: Duration = Duration::from_millis(300);

/// The groups that live. When the process has to end at once, no destructor is sure to run; this is what is left to kill.
#[cfg(unix)]
static ALIVE: Mutex<Vec<nix::unistd::Pid>> = Mutex::new(Vec::new());

/// Kills every process group that was started and not seen to its end.
pub fn kill_all() {
    #[cfg(unix)]
    for id in ALIVE.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
        let _nobody_left = nix::sys::signal::killpg(id, nix::sys::signal::Signal::SIGKILL).is_err();
    }
}

/// The process group of a child.
#[derive(Debug)]
pub(super) struct Group {
    #[cfg(unix)]
    id: nix::unistd::Pid,
}

#[cfg(unix)]
impl Group {
    /// The group that a child leads.
    pub(super) fn led_by(pid: u32) -> Option<Group> {
        // Zero would be our own group.
        let id = i32::try_from(pid).ok().filter(|id| *id > 0).map(nix::unistd::Pid::from_raw)?;
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).push(id);
        Some(Group { id })
    }

    /// Nothing of it is left, or nothing can be done about it any more.
    pub(super) fn over(&self) {
        ALIVE.lock().unwrap_or_else(PoisonError::into_inner).retain(|id| *id != self.id);
    }

    /// Kills the whole group.
    pub(super) fn kill(&self) {
        self.send(nix::sys::signal::Signal::SIGKILL);
    }

    fn terminate(&self) {
        self.send(nix::sys::signal::Signal::SIGTERM);
    }

    fn send(&self, signal: nix::sys::signal::Signal) {
        // It fails when nobody is left, which is what is wanted, or when a member runs as another user, which nothing
        // can be done about; `is_alive` finds both out.
        let _nobody_left = nix::sys::signal::killpg(self.id, signal).is_err();
    }

    pub(super) fn is_alive(&self) -> bool {
        nix::sys::signal::killpg(self.id, None) != Err(nix::errno::Errno::ESRCH) && !self.is_all_dead()
    }

    /// Whether only dead members are left, which their parent has not yet asked about. In a container the parent is
    /// often a process 1 that does so late or never; waiting for it would make every close slow.
    fn is_all_dead(&self) -> bool {
        let Ok(processes) = std::fs::read_dir("/proc") else { return false };
        let mut dead = false;
        for process in processes.flatten() {
            let Ok(stat) = std::fs::read_to_string(process.path().join("stat")) else { continue };
            // PID (NAME) STATE PARENT GROUP …, where NAME can hold anything.
            let mut fields = stat.rsplit(')').next().unwrap_or_default().split_ascii_whitespace();
            let (state, group) = (fields.next(), fields.nth(1));
            if group.and_then(|group| group.parse().ok()) == Some(self.id.as_raw()) {
                if !matches!(state, Some("Z" | "X")) {
                    return false;
                }
                dead = true;
            }
        }
        dead
    }
}

/// Without process groups the job object does it: it ends all its processes when the child is dropped.
#[cfg(not(unix))]
impl Group {
    pub(super) fn led_by(_pid: u32) -> Option<Group> {
        Some(Group {})
    }

    pub(super) fn over(&self) {}

    pub(super) fn kill(&self) {}

    fn is_alive(&self) -> bool {
        false
    }
}

/// Sees a child through: waits for its exit or for the wish to close, and cleans up after it.
pub(super) async fn supervise(mut child: Box<dyn ChildWrapper>, group: Arc<Group>, state: Arc<State>) {
    let _gone = state.gone.clone().drop_guard();
    let exit = tokio::select! {
        exit = exit_of(child.as_mut()) => exit,
        () = state.closing.cancelled() => ladder(child.as_mut(), &group, &state).await,
    };
    state.tracer.note(match exit {
        Some(Exit { status: Some(status), .. }) => format!("the server process exited with status {status}"),
        Some(Exit { signal: Some(signal), .. }) => {
            format!("the server process was ended by {}", crate::transport::signal_name(signal))
        }
        _ => "how the server process ended is not known".to_owned(),
    });
    state.set_exit(exit.unwrap_or_default());
    let drained = async {
        state.stdout_over.cancelled().await;
        state.stderr_over.cancelled().await;
    };
    // Not drained in time means that somebody still holds the pipes, or that the messages are not wanted yet.
    let _drained_in_time = timeout(SETTLE, drained).await.is_ok();
    sweep(&group, &state).await;
    group.over();
}

/// Waits for the child alone, whatever its children do.
#[cfg(unix)]
async fn exit_of(child: &mut dyn ChildWrapper) -> Option<Exit> {
    child.wait().await.ok().map(Exit::from)
}

/// Waits for the child alone. The job object's own `wait` would wait for all its processes.
#[cfg(not(unix))]
async fn exit_of(child: &mut dyn ChildWrapper) -> Option<Exit> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(Exit::from(status)),
            Ok(None) => sleep(GRACE).await,
            Err(_) => return None,
        }
    }
}

/// The shutdown ladder (basic/lifecycle §Shutdown, stdio, all versions): close stdin, wait, SIGTERM, wait, SIGKILL; the
/// signals go to the whole group, since the program is often a launcher. Stdin is closed by its writer, which hears
/// of the closing too.
async fn ladder(child: &mut dyn ChildWrapper, group: &Group, state: &State) -> Option<Exit> {
    let tracer = &state.tracer;
    tracer.note("closing the stdin of the server process");
    if let Ok(exit) = timeout(PATIENCE, exit_of(child)).await {
        return exit;
    }
    #[cfg(unix)]
    {
        tracer.note("the server process did not exit when its stdin was closed: SIGTERM to its group");
        group.terminate();
        if let Ok(exit) = timeout(PATIENCE, exit_of(child)).await {
            return exit;
        }
        tracer.note("the server process did not exit on SIGTERM: SIGKILL to its group");
        group.kill();
    }
    #[cfg(not(unix))]
    {
        let _ = group;
        tracer.note("the server process did not exit when its stdin was closed: ending its job");
        if let Err(error) = child.start_kill() {
            tracer.note(format!("ending the job failed: {error}"));
        }
    }
    match timeout(PATIENCE_KILLED, exit_of(child)).await {
        Ok(exit) => exit,
        Err(_) => {
            tracer.note("the server process is still there after it was killed; it is left to the system");
            None
        }
    }
}

/// Ends what is left of the group once the child is gone, such as the `node` that an `npx` had started.
async fn sweep(group: &Group, state: &State) {
    if is_empty_within(group, GRACE).await {
        return;
    }
    #[cfg(unix)]
    {
        state.tracer.note("the server process left others of its group behind: SIGTERM to them");
        group.terminate();
        if !is_empty_within(group, PATIENCE_LEFT_BEHIND).await {
            state.tracer.note("some of them did not exit on SIGTERM: SIGKILL to them");
            group.kill();
        }
    }
    #[cfg(not(unix))]
    let _ = state;
}

async fn is_empty_within(group: &Group, patience: Duration) -> bool {
    let empty = async {
        while group.is_alive() {
            sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(patience, empty).await.is_ok()
}
