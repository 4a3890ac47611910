//! What is said through `tracing`.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use agentltl::build::*;
use agentltl::{EnforcerBuilder, Severity};
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

use crate::{builder, call, rule};

/// Keeps each event's level and fields.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<(Level, String)>>>);

struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!("{field}={value:?} "));
    }
}

impl Subscriber for Seen {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn event(&self, event: &Event<'_>) {
        let mut text = Text(String::new());
        event.record(&mut text);
        self.0
            .lock()
            .unwrap()
            .push((*event.metadata().level(), text.0));
    }
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

fn said(work: impl FnOnce()) -> Vec<(Level, String)> {
    let seen = Seen::default();
    tracing::subscriber::with_default(seen.clone(), work);
    std::mem::take(&mut *seen.0.lock().unwrap())
}

#[test]
fn a_mismatch_is_a_warning_where_it_is_no_error() {
    let rules = || -> EnforcerBuilder {
        builder([
            rule("inert", Severity::HardStop, eventually(called("a"))),
            rule("fine", Severity::HardStop, before("a", "b")),
            rule("open", Severity::Ask, called("a")),
            rule("final", Severity::Ask, called("a")).on_final_answer(),
            rule("softened", Severity::Ask, called("a")),
        ])
        .severity("softened", Severity::Tolerate)
    };
    let said = said(|| {
        assert!(rules().build().is_ok());
        assert!(rules().strict_runtime_safety(true).build().is_err());
    });
    let levels: Vec<_> = said.iter().map(|(level, _)| *level).collect();
    assert_eq!(levels, [Level::WARN, Level::WARN], "{said:?}");
    assert!(
        said[0]
            .1
            .contains("`inert` is INERT with severity HARD_STOP"),
        "{said:?}"
    );
    assert!(
        said[1].1.contains("`open` is UNSAFE with severity ASK"),
        "{said:?}"
    );
}

#[test]
fn a_tolerated_violation_is_a_warning() {
    let mut e = builder([rule("t", Severity::Tolerate, globally(!now("x")))])
        .build()
        .unwrap();
    let said = said(|| assert!(e.check(call("x")).allowed()));
    assert_eq!(said.len(), 1);
    assert_eq!(said[0].0, Level::WARN);
    assert!(
        said[0]
            .1
            .contains("severity=\"TOLERATE\" tool=\"x\" step=1"),
        "{said:?}"
    );
}
