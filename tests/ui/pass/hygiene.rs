//! The expansion needs nothing of what is in scope: shadowed names, other macros, generics.
#![deny(warnings, clippy::pedantic)]
#![allow(dead_code, non_camel_case_types)]

mod shadowed {
    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Vec;
    pub struct Box;
    pub struct String;
    pub struct str;
    pub struct usize;
    pub struct f64;
    pub struct Into;
    pub struct Policy;
    pub struct Severity;
    pub struct Formula;
    pub mod core {}
    pub mod std {}
    pub mod agentltl {}

    #[allow(unused_macros)]
    macro_rules! assert {
        ($($t:tt)*) => { compile_error!("shadowed") };
    }
    #[allow(unused_macros)]
    macro_rules! panic {
        ($($t:tt)*) => { compile_error!("shadowed") };
    }

    fn few(calls: &[::agentltl::ToolCall], _position: ::std::primitive::usize) -> bool {
        calls.len() < 3
    }

    const TOOL: &::std::primitive::str = "a";
    const WEIGHT: ::std::primitive::f64 = 2.0;

    pub static POLICY: ::agentltl::Policy = ::agentltl::constraints! {
        #![tools("a", "b", TOOL)]
        #![strict_runtime_safety]
        #[weight(WEIGHT)]
        order: ::agentltl::Severity::Ask = before(TOOL, "b") & predicate(few, runtime_safe=true);
    };
}

trait Tool {
    const NAME: &'static str;
    fn once() -> agentltl::Formula {
        agentltl::formula!(called_n(Self::NAME, <= 1))
    }
}

struct Deploy;
impl Tool for Deploy {
    const NAME: &'static str = "deploy";
}

fn generic<T: Tool>() -> agentltl::Policy {
    agentltl::constraints! {
        #![tools("a", T::NAME)]
        order: HARD_STOP = before("a", T::NAME);
    }
}

macro_rules! first {
    ($name:ident, $first:expr, $then:literal, $tool:ty, $path:path, $count:literal) => {
        agentltl::constraints! {
            $name: HARD_STOP = before($first, $then) & called_n($then, <= $count)
                & called_n(<$tool>::NAME, <= 1) & called_n($path, <= 1);
        }
    };
}

static IN_LAZY: std::sync::LazyLock<agentltl::Policy> = std::sync::LazyLock::new(|| {
    agentltl::constraints! { order: HARD_STOP = before("a", "b"); }
});

const IN_CONST: &str = "a";

const fn in_const_fn() -> agentltl::Policy {
    agentltl::constraints! { order: HARD_STOP = before(IN_CONST, "b"); }
}

async fn in_async() -> agentltl::Policy {
    agentltl::constraints! { order: HARD_STOP = before("a", "b"); }
}

fn main() {
    use agentltl::build::{before, called_n};
    use agentltl::Cmp;
    assert_eq!(shadowed::POLICY.constraints().len(), 1);
    assert_eq!(generic::<Deploy>().constraints()[0].formula(), &before("a", "deploy"));
    assert_eq!(Deploy::once(), called_n("deploy", Cmp::Le, 1));
    assert_eq!(IN_LAZY.constraints().len(), in_const_fn().constraints().len());
    let policy = first!(order, "a", "b", Deploy, Deploy::NAME, 2);
    assert_eq!(policy.constraints()[0].name(), "order");
    assert_eq!(
        policy.constraints()[0].formula(),
        &(before("a", "b")
            & called_n("b", Cmp::Le, 2)
            & called_n("deploy", Cmp::Le, 1)
            & called_n("deploy", Cmp::Le, 1))
    );
    drop(in_async());
    let empty = agentltl::constraints! {};
    assert!(empty.constraints().is_empty());
}
