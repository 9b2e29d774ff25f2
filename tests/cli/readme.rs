//! What the README says about tables in code is what they hold.

use mcpcli::outcome::{Category, WarningId};

const README: &str = include_str!("../../README.md");

#[test]
fn every_warning_is_listed_with_its_meaning() {
    for warning in WarningId::ALL {
        let row = format!("| `{}` | {} |", warning.id(), warning.meaning());
        assert!(README.contains(&row), "the README lacks the row\n{row}");
    }
}

#[test]
fn every_category_is_listed_with_its_exit_code() {
    for category in Category::ALL {
        let row = format!("| {} | `{}` |", category.exit_code(), category.name());
        let both = row.replace("| 130 |", "| 130, 143 |");
        assert!(README.contains(&both), "the README lacks the row {both}");
    }
}
