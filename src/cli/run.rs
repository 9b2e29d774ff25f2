//! One command against one server: the runtime, the signals, the report, and the end of the conversation.

use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::memory::Cache;
use super::plan::Order;
use super::target::{self, Aim};
use super::values::Limit;
use super::words::ServerWords;
use super::{ask, demo, host, print_with, watch};
use crate::client::host::Asker;
use crate::client::{Deadline, Interrupt, Options, Target, Watched};
use crate::commands::{self, Command, Settings};
use crate::outcome::{Category, Failure, Ledger, Phase, Reason, Signal};
use crate::render::{Format, Live, Stream};
use crate::report::Report;
use crate::trace::Tracer;

/// So many notifications wait for their reader.
const WATCHED: usize = 64;

/// Everything that is known before the runtime starts.
struct Plan {
    command: Command,
    aim: Aim,
    options: Options,
    person: Option<Arc<ask::Person>>,
}

/// Runs the command; gives the exit code.
pub(super) fn run(order: Order) -> u8 {
    let started = Instant::now();
    let err = Stream::stderr(order.show.colour());
    let live = Arc::new(Live::new(err, order.show.quiet, order.show.verbose));
    let mut tracer = Tracer::new();
    if live.is_verbose() {
        let live = Arc::clone(&live);
        tracer.subscribe(move |entry| live.traced(entry));
    }
    let traced = match &order.connect.trace {
        Some(path) => tracer.write_to(path).map_err(|error| {
            Failure::usage(Reason::File, format!("--trace: cannot create {}: {error}", path.display()))
                .with_hint("give a file in a directory that exists and may be written to")
        }),
        None => Ok(()),
    };
    let tracer = Arc::new(tracer);
    let interrupt = Interrupt::default();
    let planned = traced.and_then(|()| plan(&order, started, &live, &tracer, &interrupt));
    match planned {
        Ok(plan) => with_runtime(&order, plan, &live, &tracer, &interrupt),
        Err(failure) => show(&order, Report::failed(order.name, failure), &tracer),
    }
}

fn plan(
    order: &Order,
    started: Instant,
    live: &Arc<Live>,
    tracer: &Arc<Tracer>,
    interrupt: &Interrupt,
) -> Result<Plan, Failure> {
    let connect = &order.connect;
    let (aim, configured) = target::aim(order, tracer)?;
    let command = order.command()?;
    let mut host = host::host(connect)?;
    let client_capabilities = host::capabilities(connect)?;
    // A question is put to a person only where one sits, and where no script was told what to answer.
    let somebody = io::stdin().is_terminal() && io::stderr().is_terminal() && order.show.format() != Format::Json;
    let mut person = None;
    if somebody && host.elicitation.is_empty() && client_capabilities.is_none() {
        let asked = person.insert(Arc::new(ask::Person::new(Arc::clone(live), order.show.colour())));
        host.asker = Some(Arc::clone(asked) as Arc<dyn Asker>);
    }
    let options = Options {
        net: order.net()?,
        protocol: order.protocol(),
        timeout: order.timeout(configured),
        deadline: connect.max_time.and_then(|Limit(limit)| limit).map(|limit| Deadline { at: started + limit, limit }),
        host,
        client_capabilities,
        max_pages: order.max_pages(),
        retries: connect.retry.unwrap_or(0),
        max_rounds: order.max_rounds(),
        log_level: connect.log_level.map(|level| level.name().to_owned()),
        tasks: order.uses_tasks(),
        // What listens on a port of its own choice is another server every time.
        memory: (!connect.no_cache && !matches!(aim, Aim::Demo(_)))
            .then(Cache::of_user)
            .flatten()
            .map(|cache| Arc::new(cache) as _),
        find_out: false,
        keep_notices: false,
        ephemeral: matches!(aim, Aim::Demo(_)),
        activity: watch::activity(watch::Audience { live: Arc::clone(live), tracer: Arc::clone(tracer) }),
        interrupt: interrupt.clone(),
    };
    Ok(Plan { command, aim, options, person })
}

fn with_runtime(order: &Order, plan: Plan, live: &Arc<Live>, tracer: &Arc<Tracer>, interrupt: &Interrupt) -> u8 {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            let message = format!("the runtime cannot be started: {error}");
            return show(
                order,
                Report::failed(order.name, Failure::new(Category::Internal, Phase::Resolve, message)),
                tracer,
            );
        }
    };
    let code = runtime.block_on(async {
        tokio::select! {
            code = converse(order, plan, live, tracer) => code,
            // The first signal ends everything in order; the second one ends it at once.
            signal = signals(interrupt) => at_once(order, signal, live, tracer),
        }
    });
    live.finish();
    // In order, everything is gone by now; at once, nothing may be left either.
    crate::transport::stdio::kill_all();
    // A person who is being asked keeps a thread busy; it is not waited for.
    runtime.shutdown_background();
    code
}

/// The end without ceremony: the outcome is told all the same, unless it was told before.
fn at_once(order: &Order, signal: Signal, live: &Live, tracer: &Tracer) -> u8 {
    live.finish();
    let category = Category::Interrupted(signal);
    if !super::was_shown() {
        let failure = Failure::new(category, Phase::Resolve, "ended at once by a second signal");
        show(order, Report::failed(order.name, failure), tracer);
    }
    category.exit_code()
}

async fn converse(order: &Order, plan: Plan, live: &Arc<Live>, tracer: &Arc<Tracer>) -> u8 {
    let Plan { command, aim, options, person } = plan;
    let (target, _demo) = match start(aim).await {
        Ok(started) => started,
        Err(failure) => return show(order, Report::failed(order.name, failure), tracer),
    };
    let end = End { interrupt: options.interrupt.clone(), deadline: options.deadline };
    let (watched, writer) = writer(&command, order, live, tracer);
    let mut settings = Settings { target, options, tracer: Arc::clone(tracer), ledger: Ledger::default(), watched };
    let patience = {
        let live = Arc::clone(live);
        tokio::spawn(async move {
            tokio::time::sleep(Live::PATIENCE).await;
            live.appear();
        })
    };
    let finished = commands::run(&command, &settings).await;
    settings.watched = None;
    if let Some(writer) = writer {
        // What it could not write by then has no reader.
        end.or_over(writer).await;
    }
    patience.abort();
    live.finish();
    if let Some(person) = person {
        person.leave();
    }
    // The result first, the end of the conversation afterwards: a server that is slow to leave delays nobody.
    let mut report = finished.report;
    // What is in the trace by now is the most of it; where it cannot be written, the outcome says so.
    if report.failures.is_empty()
        && let Err(error) = tracer.finish()
    {
        report.failures.push(untraced(&error));
    }
    let code = end.show(order, report, tracer).await;
    if let Some(client) = finished.client {
        client.close().await;
    }
    told(order, code, tracer)
}

/// What ends a command whose output nobody takes.
struct End {
    interrupt: Interrupt,
    deadline: Option<Deadline>,
}

impl End {
    /// How long output may take after a signal or the end of the time; a terminal takes it at once.
    const PATIENCE: Duration = Duration::from_secs(1);

    /// Waits for a thread that writes, but not longer than a reader who takes nothing may keep it.
    async fn or_over<T>(&self, writing: JoinHandle<T>) -> Option<T> {
        let over = async {
            let deadline = async {
                match self.deadline {
                    Some(deadline) => tokio::time::sleep_until(deadline.at.into()).await,
                    None => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = self.interrupt.wait() => {}
                () = deadline => {}
            }
            tokio::time::sleep(End::PATIENCE).await;
        };
        tokio::select! {
            biased;
            written = writing => written.ok(),
            () = over => None,
        }
    }

    /// Shows a report. A pipe that is full blocks who writes to it, and a signal must end the command all the same.
    async fn show(&self, order: &Order, report: Report, tracer: &Arc<Tracer>) -> u8 {
        let report = judged(order, report, tracer);
        let (code, show, tracer) = (report.exit_code(), order.show.clone(), Arc::clone(tracer));
        let writing = tokio::task::spawn_blocking(move || print_with(&report, &show, tracer.redactor()));
        if let Some(code) = self.or_over(writing).await {
            return code;
        }
        match self.interrupt.raised() {
            Some(signal) => Category::Interrupted(signal).exit_code(),
            None if code == 0 => Category::Timeout.exit_code(),
            None => code,
        }
    }
}

/// The thread that writes what `watch` sees.
fn writer(
    command: &Command,
    order: &Order,
    live: &Arc<Live>,
    tracer: &Arc<Tracer>,
) -> (Option<mpsc::Sender<Watched>>, Option<JoinHandle<()>>) {
    if !matches!(command, Command::Watch(_)) {
        return (None, None);
    }
    let (sender, receiver) = mpsc::channel(WATCHED);
    let (live, tracer, show, started) = (Arc::clone(live), Arc::clone(tracer), order.show.clone(), Instant::now());
    let writer = tokio::task::spawn_blocking(move || watch::write(receiver, &live, &tracer, &show, started));
    (Some(sender), Some(writer))
}

/// Starts what has to run for as long as the conversation lasts.
async fn start(aim: Aim) -> Result<(Target, Option<crate::demo::Server>), Failure> {
    match aim {
        Aim::Server(target) => Ok((target, None)),
        Aim::Demo(wanted) => demo::start(wanted).await.map(|(target, server)| (target, Some(server))),
    }
}

fn show(order: &Order, report: Report, tracer: &Tracer) -> u8 {
    print_with(&judged(order, report, tracer), &order.show, tracer.redactor())
}

fn judged(order: &Order, report: Report, tracer: &Tracer) -> Report {
    let words = ServerWords::of(&order.connect, &order.program, tracer.redactor());
    words.carried(report.judged(order.connect.strict, order.connect.expect))
}

/// The exit code once the trace file is complete, or is not.
fn told(order: &Order, code: u8, tracer: &Tracer) -> u8 {
    let Err(error) = tracer.finish() else { return code };
    let failure = untraced(&error);
    let view = crate::render::View {
        format: Format::Human,
        quiet: order.show.quiet,
        out: Stream::PLAIN,
        err: Stream::stderr(order.show.colour()),
        redactor: tracer.redactor(),
    };
    crate::render::complain(&failure, &view, &mut io::stderr());
    if code == 0 { Category::Usage.exit_code() } else { code }
}

fn untraced(error: &io::Error) -> Failure {
    Failure::usage(Reason::File, format!("the trace file could not be written: {error}"))
        .with_hint("is the disk full? give another file to --trace")
}

/// Raises the interrupt at the first signal and comes back at the second. A terminal that goes away (SIGHUP) and SIGQUIT
/// end a run like SIGTERM, so that no child outlives it.
#[cfg(unix)]
async fn signals(interrupt: &Interrupt) -> Signal {
    use tokio::signal::unix::{SignalKind, signal};
    let kinds = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup(), SignalKind::quit()];
    let [Ok(mut int), Ok(mut term), Ok(mut hup), Ok(mut quit)] = kinds.map(signal) else {
        // Without handlers the system's own rule holds: the process ends.
        return std::future::pending().await;
    };
    loop {
        let came = tokio::select! {
            _ = int.recv() => Signal::Int,
            _ = term.recv() => Signal::Term,
            _ = hup.recv() => Signal::Term,
            _ = quit.recv() => Signal::Term,
        };
        if interrupt.raised().is_some() {
            return came;
        }
        interrupt.raise(came);
    }
}

/// Raises the interrupt at the first Ctrl-C and comes back at the second.
#[cfg(not(unix))]
async fn signals(interrupt: &Interrupt) -> Signal {
    loop {
        if tokio::signal::ctrl_c().await.is_err() {
            return std::future::pending().await;
        }
        if interrupt.raised().is_some() {
            return Signal::Int;
        }
        interrupt.raise(Signal::Int);
    }
}
