use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    called: TOLERATE = called("a", "b");
    now: TOLERATE = now();
    before: TOLERATE = before("a");
    after: TOLERATE = after("a");
    all_before: TOLERATE = all_before("a", "b");
    in_order: TOLERATE = in_order("a", "b");
    branch_called: TOLERATE = branch_called("a", "b", "c");
    called_n: TOLERATE = called_n("a", 2);
    called_with: TOLERATE = called_with("a", "b");
    called_with_result: TOLERATE = called_with_result("a");
    within_steps: TOLERATE = within_steps("a", "b");
    instance_before: TOLERATE = instance_before("a", "b");
    count_before: TOLERATE = count_before(now("a"));
    matches: TOLERATE = matches(1);
    predicate: TOLERATE = predicate("f");
    eventually: TOLERATE = eventually(now("a"));
    always: TOLERATE = always(now("a"));
};

fn main() {}
