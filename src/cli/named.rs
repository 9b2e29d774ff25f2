//! stub
use super::plan::Order;
use super::target::{Aim, ConfiguredTimeout};
use crate::outcome::{Failure, Reason};
use crate::trace::Redactor;
pub(super) fn server(_o: &Order, n: &str, _r: &Redactor) -> Result<(Aim, ConfiguredTimeout), Failure> {
    Err(Failure::usage(Reason::UnknownName, format!("no server {n}")))
}
pub(super) fn only(_o: &Order, _r: &Redactor) -> Result<(Aim, ConfiguredTimeout), Failure> {
    Err(Failure::usage(Reason::CommandLine, "no server was named"))
}
