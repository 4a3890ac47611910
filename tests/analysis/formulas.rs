//! Formulas alone, against all short runs.

use agentltl::{Trace, holds};
use proptest::prelude::*;

use super::{config, runs, small, some_calls};

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn witnesses_are_real_and_shortest(formula in small()) {
        let (met, broken) = (formula.witness(), formula.counterexample());
        let (Ok(met), Ok(broken)) = (met, broken) else { return Ok(()) };
        prop_assert_eq!(formula.is_satisfiable().unwrap(), met.is_some());
        prop_assert_eq!(formula.is_valid().unwrap(), broken.is_none());
        for (run, wanted) in [(&met, true), (&broken, false)] {
            if let Some(run) = run {
                prop_assert_eq!(holds(&formula, &Trace::from(run)).unwrap(), wanted, "{}: {}", formula, run);
            }
        }
        for run in runs(&some_calls(), 3) {
            let found = if holds(&formula, &run).unwrap() { &met } else { &broken };
            prop_assert!(found.as_ref().is_some_and(|found| found.len() <= run.len()), "{}: {:?}", formula, run);
        }
    }

    #[test]
    fn implication_is_that_of_all_runs(f in small(), g in small()) {
        let (Ok(implies), Ok(equivalent)) = (f.implies(&g), f.equivalent_to(&g)) else { return Ok(()) };
        let mut same = true;
        for run in runs(&some_calls(), 3) {
            let (f_holds, g_holds) = (holds(&f, &run).unwrap(), holds(&g, &run).unwrap());
            prop_assert!(!implies || !f_holds || g_holds, "{} implies {}, but not on {:?}", f, g, run);
            same &= f_holds == g_holds;
        }
        prop_assert!(!equivalent || same);
        // What is denied has a run that shows it.
        let both = f.clone() & !g.clone();
        prop_assert_eq!(both.is_satisfiable().unwrap(), !implies);
        if let Some(run) = both.witness().unwrap() {
            let run = Trace::from(&run);
            prop_assert!(holds(&f, &run).unwrap() && !holds(&g, &run).unwrap());
        }
    }
}
