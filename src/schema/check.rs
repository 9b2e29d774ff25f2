//! Checks a value against a schema, with limits on size, depth, time and regular expressions. Panics do not get out.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use jsonschema::{PatternOptions, Validator};
use serde::Deserialize as _;
use serde_json::Value;
use serde_json::value::RawValue;

use super::{Finding, SchemaDefect, findings, weight};
use crate::wire::json;

/// A larger schema is not compiled.
const LARGEST_SCHEMA: usize = 4 << 20;
/// A larger value is not checked.
const LARGEST_VALUE: usize = 64 << 20;
/// Up to this size every finding in a value is listed, beyond it the first one: the checker keeps all that it finds.
const LARGEST_LISTED: usize = 1 << 20;
/// Deeper schemas and values are not checked: the checker recurses. 500 levels of `properties` are 1001 containers.
const DEEPEST: usize = 1024;
/// The stack for those levels; pages that are not touched cost nothing.
const STACK: usize = 128 << 20;
/// References can multiply the work without end ("Implementations SHOULD apply limits": 2026-07-28 basic §JSON Schema Usage).
const LONGEST: Duration = Duration::from_secs(3);
/// So many findings are given.
const MOST_FINDINGS: usize = 50;
/// Steps back that a regular expression with look-around may take.
const BACKTRACKS: usize = 100_000;
/// The size of one compiled regular expression.
const PATTERN_SIZE: usize = 4 << 20;

/// Checks JSON text against a schema; no finding means that it fits.
///
/// Runs on a thread of its own and waits for it, three seconds at most. Formats are asserted where the dialect of the
/// schema says so. Numbers of any size are compared exactly.
///
/// # Errors
/// The schema cannot be used, or the value cannot be judged by it within the limits.
pub fn check(schema: &RawValue, instance: &str) -> Result<Vec<Finding>, SchemaDefect> {
    if instance.len() > LARGEST_VALUE {
        return Err(SchemaDefect::new("", "the value is too large to be checked"));
    }
    limits(schema)?;
    let (schema, instance) = (schema.get().to_owned(), instance.to_owned());
    bounded(LONGEST, move || {
        let mut schema = value(&schema).map_err(|why| SchemaDefect::new("", format!("cannot be read: {why}")))?;
        without_nulls(&mut schema);
        let value =
            value(&instance).map_err(|why| SchemaDefect::new("", format!("the value cannot be checked: {why}")))?;
        let validator = compile(&schema)?;
        Ok(find(&validator, &schema, &value, instance.len() <= LARGEST_LISTED))
    })?
}

/// Compiles a schema and forgets it.
pub(super) fn compiles(schema: &RawValue) -> Result<(), SchemaDefect> {
    limits(schema)?;
    let schema = schema.get().to_owned();
    bounded(LONGEST, move || {
        let mut schema = value(&schema).map_err(|why| SchemaDefect::new("", format!("cannot be read: {why}")))?;
        without_nulls(&mut schema);
        compile(&schema).map(drop)
    })?
}

/// Takes out keywords that are null, as serializers write those that are not there (LST-04). None of these may be null, and
/// where null is a value, it stays.
fn without_nulls(schema: &mut serde_json::Value) {
    const KEYWORDS: [&str; 12] = [
        "required",
        "properties",
        "items",
        "additionalProperties",
        "enum",
        "anyOf",
        "oneOf",
        "allOf",
        "$defs",
        "description",
        "title",
        "format",
    ];
    match schema {
        serde_json::Value::Object(members) => {
            members.retain(|name, value| !(value.is_null() && KEYWORDS.contains(&name.as_str())));
            members.values_mut().for_each(without_nulls);
        }
        serde_json::Value::Array(elements) => elements.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// Size and depth, before anything walks through the schema.
pub(super) fn limits(schema: &RawValue) -> Result<(), SchemaDefect> {
    if schema.get().len() > LARGEST_SCHEMA {
        return Err(SchemaDefect::new("", format!("is larger than {} MiB", LARGEST_SCHEMA >> 20)));
    }
    if json::scan(schema.get(), DEEPEST).is_err() {
        return Err(SchemaDefect::new("", format!("is nested deeper than {DEEPEST} levels")));
    }
    Ok(())
}

/// Reads JSON text to the depth that the checker can bear.
fn value(text: &str) -> Result<Value, String> {
    if json::scan(text, DEEPEST).is_err() {
        return Err(format!("nested deeper than {DEEPEST} levels"));
    }
    let mut deserializer = serde_json::Deserializer::from_str(text);
    // The scan has counted the levels.
    deserializer.disable_recursion_limit();
    let value = Value::deserialize(&mut deserializer).map_err(|error| error.to_string())?;
    deserializer.end().map_err(|error| error.to_string())?;
    Ok(value)
}

fn compile(schema: &Value) -> Result<Validator, SchemaDefect> {
    let patterns = PatternOptions::fancy_regex().backtrack_limit(BACKTRACKS).size_limit(PATTERN_SIZE);
    let options = jsonschema::options().offline().with_pattern_options(patterns);
    options.build(schema).map_err(|error| findings::defect(&error))
}

fn find(validator: &Validator, schema: &Value, value: &Value, list: bool) -> Vec<Finding> {
    if weight::is_heavy(schema) {
        let whole = Finding {
            pointer: String::new(),
            keyword: String::new(),
            schema_pointer: String::new(),
            message: "does not fit the schema, which is too large to say where".to_owned(),
        };
        return if validator.is_valid(value) { Vec::new() } else { vec![whole] };
    }
    if !list {
        let first = validator.validate(value).err();
        return first.map(|error| findings::finding(&error, schema)).into_iter().collect();
    }
    validator.iter_errors(value).take(MOST_FINDINGS).map(|error| findings::finding(&error, schema)).collect()
}

/// Runs `work` on a thread with a large stack and waits for it until `limit`.
///
/// A thread cannot be stopped from outside: one that is late goes on until the process ends, and its result is dropped.
fn bounded<T: Send + 'static>(limit: Duration, work: impl FnOnce() -> T + Send + 'static) -> Result<T, SchemaDefect> {
    let (sender, receiver) = mpsc::sync_channel(1);
    let started = thread::Builder::new().name("schema".to_owned()).stack_size(STACK).spawn(move || {
        // Nobody waits any more when the limit has passed.
        let _ = sender.send(work());
    });
    if let Err(error) = started {
        return Err(SchemaDefect::new("", format!("could not be checked: no thread: {error}")));
    }
    receiver.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => {
            SchemaDefect::new("", format!("could not be checked within {} seconds", limit.as_secs()))
        }
        RecvTimeoutError::Disconnected => SchemaDefect::new("", "could not be checked: the checker broke down"),
    })
}
