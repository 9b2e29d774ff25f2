//! Every fault of the demo server, over every transport it applies to, gives the outcome that the table promises.

use mcpcli::demo::{FAULTS, Fault, Transport};
use mcpcli::outcome::Category;

use crate::envelope;
use crate::support::Sandbox;

fn transport_name(transport: Transport) -> &'static str {
    match transport {
        Transport::Http => "http",
        Transport::Sse => "sse",
        Transport::Stdio => "stdio",
    }
}

/// One run of `call echo` against one fault, and what is wrong with its outcome.
fn walk(name: &str, transport: Transport) -> Vec<String> {
    let row = Fault::from_name(name).expect("a fault of the table has a name").row();
    let phase = row.phase_over(transport);
    let transport = transport_name(transport);
    let server = format!("demo:{name}");
    let sandbox = Sandbox::new();
    let call = ["call", "echo", "--arg", "message=hi"];
    let mut args = vec!["-s", &server, "--transport", transport, "--timeout", "1500ms", "--json"];
    args.extend(call);
    let run = sandbox.mcpcli(&args).run();
    let reason = row.reason.map(|reason| reason.name());
    let mut problems = run.category_problems(row.category.name(), reason, i32::from(row.category.exit_code()));
    match run.try_json() {
        Ok(document) => {
            problems.extend(envelope::problems(&document));
            if row.category != Category::Ok && document["phase"] != phase {
                problems.push(format!("phase {} instead of {phase}", document["phase"]));
            }
            if document["server"]["transport"] != transport {
                problems.push(format!("transport {} instead of {transport}", document["server"]["transport"]));
            }
        }
        Err(error) => problems.push(error),
    }
    problems.extend(human_problems(&sandbox, &args, row.category));
    if !problems.is_empty() {
        problems.push(run.describe());
    }
    problems.into_iter().map(|problem| format!("{name} over {transport}: {problem}")).collect()
}

/// R1 and R3 in the human view: stdout holds nothing of a failure, stderr says category, phase and a hint.
fn human_problems(sandbox: &Sandbox, args: &[&str], category: Category) -> Vec<String> {
    let args: Vec<&str> = args.iter().copied().filter(|arg| *arg != "--json").collect();
    let run = sandbox.mcpcli(&args).run();
    let mut problems = Vec::new();
    if run.status != Some(i32::from(category.exit_code())) {
        problems.push(format!("the human view exits with {:?}", run.status));
    }
    if category == Category::Ok {
        if run.stdout_text() != "hi" {
            problems.push(format!("stdout is {:?}", run.stdout_text()));
        }
        return problems;
    }
    if !run.stdout.is_empty() {
        problems.push(format!("stdout holds {:?}", run.stdout_text()));
    }
    let hint = matches!(category, Category::ToolError) || run.stderr.contains("hint");
    if !run.stderr.contains(category.heading()) || !hint {
        problems.push(format!("stderr lacks the heading or the hint:\n{}", run.stderr));
    }
    if run.stderr.contains('\x1b') {
        problems.push("stderr holds escape sequences although it is no terminal".to_owned());
    }
    problems
}

#[test]
fn each_fault_gives_the_outcome_it_promises() {
    let mut problems = Vec::new();
    std::thread::scope(|scope| {
        let handles: Vec<_> = FAULTS
            .iter()
            .flat_map(|row| row.transports.iter().map(move |transport| (row.name, *transport)))
            .map(|(name, transport)| scope.spawn(move || walk(name, transport)))
            .collect();
        for handle in handles {
            problems.extend(handle.join().expect("a walk does not panic"));
        }
    });
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn the_table_is_printed_with_the_promised_outcomes() {
    let sandbox = Sandbox::new();
    let run = sandbox.mcpcli(&["demo", "--list-faults"]).run();
    run.assert_exit(0);
    for row in FAULTS {
        let line = run.stdout_text().lines().find(|line| line.contains(row.name)).map(str::to_owned);
        assert!(line.is_some_and(|line| line.contains(row.category.name())), "{} in {}", row.name, run.stdout_text());
    }
    let run = sandbox.mcpcli(&["demo", "--list-faults", "--json"]).run();
    let document = run.json();
    assert!(envelope::problems(&document).is_empty());
}
