//! What can come of an operation: categories, exit codes, reasons, phases, warnings, and the facts of a failure.
//!
//! A leaf that every floor may use. It does not know how any of this is printed.

mod category;
mod failure;
mod ledger;
mod place;
mod warning;

pub use category::{Category, Signal};
pub use failure::{Evidence, Failure, RpcFacts};
pub use ledger::{Facts, Ledger, PhaseTime, Retry, ServerFacts};
pub use place::{Phase, Reason};
pub use warning::{Warning, WarningId};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_unique() {
        let mut names: Vec<_> = Category::ALL.iter().map(|c| c.name()).collect();
        let mut codes: Vec<_> = Category::ALL.iter().map(|c| c.exit_code()).collect();
        names.sort_unstable();
        codes.dedup();
        names.dedup();
        assert_eq!((names.len(), codes.len()), (Category::ALL.len(), Category::ALL.len()));
        for category in Category::ALL {
            assert_eq!(Category::from_name(category.name()), Some(category));
        }
    }

    #[test]
    fn several_failures_rank_as_documented() {
        use Category::*;
        let order = [Auth, Transport, Timeout, Protocol, RpcError, ToolError, InputRequired, CheckFailed];
        assert!(order.windows(2).all(|pair| pair[0].rank() < pair[1].rank()));
    }

    #[test]
    fn warning_ids_are_sorted_and_unique() {
        let ids: Vec<_> = WarningId::ALL.iter().map(|w| w.id()).collect();
        assert!(ids.windows(2).all(|pair| pair[0] < pair[1]), "{ids:?}");
    }
}
