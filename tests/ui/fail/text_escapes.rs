use agentltl::{Policy, constraints};

static POLICY: Policy = constraints! {
    rule: TOLERATE = "called(\"\u{e9}\\n\") & \
            befor(\"a\", \"b\")";
};

fn main() {}
