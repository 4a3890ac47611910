//! The report on a mismatch, over random formulas.
#![allow(clippy::unwrap_used)]

use agentltl::testing::formulas;
use agentltl::{ClassificationReport, Formula, Severity};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    #[test]
    fn names_a_part_and_recommends_what_compiles(formula in formulas()) {
        let severity = Severity::PersistentBlock;
        let report = ClassificationReport::new("rule", &formula, severity, false);
        prop_assert_eq!(report.message.is_none(), report.compatible);
        prop_assert_eq!(report.responsible.is_none(), report.compatible);
        if let (Some(message), Some(id)) = (report.message, report.responsible) {
            let part: String = formula.tree().subformula(id).to_string();
            let shown: String = part.chars().take(120).collect();
            prop_assert!(message.contains(&shown), "{} does not name {}", message, part);
            if let Some((_, rewrite)) = message.split_once("or TOLERATE, or write `") {
                let rewrite = Formula::parse(rewrite.strip_suffix('`').unwrap()).unwrap();
                prop_assert!(rewrite.runtime_safety().is_compatible_with(severity), "{}", message);
            }
        }
        let last = ClassificationReport::new("rule", &formula, severity, true);
        prop_assert!(last.compatible && last.message.is_none());
    }
}
