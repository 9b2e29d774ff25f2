//! A bug in mcpcli: told as such, in its category, with one document where one was asked for.

use std::panic::{self, PanicHookInfo};
use std::sync::{Mutex, PoisonError};

use super::options::Show;
use super::print;
use crate::outcome::{Category, Failure, Phase};
use crate::report::Report;

/// Where the last panic was, in words.
static PLACE: Mutex<Option<String>> = Mutex::new(None);

/// Runs `work`; a panic in it becomes a report of the category `internal`. Gives the exit code.
pub(super) fn guarded(json: bool, work: impl FnOnce() -> u8 + panic::UnwindSafe) -> u8 {
    panic::set_hook(Box::new(note));
    match panic::catch_unwind(work) {
        Ok(code) => code,
        Err(_) => {
            crate::transport::stdio::kill_all();
            let place = PLACE.lock().unwrap_or_else(PoisonError::into_inner).take();
            print(&Report::failed("", failure(place)), &Show { json, ..Show::default() })
        }
    }
}

/// Remembers the place and a message that is a literal of the source. A formatted one may hold what must not be shown.
fn note(info: &PanicHookInfo<'_>) {
    let place = info.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
    let words = info.payload().downcast_ref::<&'static str>().map(|text| format!(": {text}")).unwrap_or_default();
    *PLACE.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{place}{words}"));
}

fn failure(place: Option<String>) -> Failure {
    let place = place.unwrap_or_else(|| "an unknown place".to_owned());
    let message = format!("mcpcli {} panicked at {place}", env!("CARGO_PKG_VERSION"));
    Failure::new(Category::Internal, Phase::Resolve, message)
        .with_hint("this is a bug in mcpcli, not in the server: please report it with the command that you ran")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_internal_and_asks_for_a_report() {
        let failure = failure(Some("src/x.rs:1:2: oh no".to_owned()));
        assert_eq!(failure.category, Category::Internal);
        assert!(failure.message.contains("src/x.rs:1:2: oh no") && failure.hint.unwrap().contains("report"));
    }
}
