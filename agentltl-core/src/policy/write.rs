//! Policies as text, to be read again.

use std::fmt::Write as _;

use super::Policy;

impl Policy {
    /// The policy in TOML, with its formulas as text: what [`Policy::from_toml`] reads. Rust code in
    /// it is written by name, and read where that name is registered.
    ///
    /// ```
    /// use agentltl_core::{build::*, Constraint, Policy, Severity};
    /// let policy = Policy::new([Constraint::new("order", before("a", "b"))
    ///     .with_severity(Severity::Ask)
    ///     .with_repair("Call \"a\" first.")])?;
    /// assert_eq!(
    ///     policy.to_toml(),
    ///     r#"default_severity = "HARD_STOP"
    ///
    /// [[constraint]]
    /// name = "order"
    /// formula = 'before("a", "b")'
    /// severity = "ASK"
    /// repair = 'Call "a" first.'
    /// "#,
    /// );
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    #[must_use]
    pub fn to_toml(&self) -> String {
        let mut out = String::new();
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(out, "{key} = {value}");
        };
        line("default_severity", &quoted(self.default_severity.as_str()));
        if self.strict {
            line("strict_runtime_safety", "true");
        }
        if !self.tools.is_empty() {
            let tools: Vec<String> = self
                .tools
                .iter()
                .map(|tool| quoted(tool.as_str()))
                .collect();
            line("tools", &format!("[{}]", tools.join(", ")));
        }
        for rule in self.constraints() {
            out.push_str("\n[[constraint]]\n");
            let mut line = |key: &str, value: &str| {
                let _ = writeln!(out, "{key} = {value}");
            };
            line("name", &quoted(rule.name()));
            line("formula", &quoted(&rule.formula().to_string()));
            if let Some(severity) = rule.severity() {
                line("severity", &quoted(severity.as_str()));
            }
            if rule.weight() != 1.0 {
                line("weight", &format!("{:?}", rule.weight()));
            }
            for (key, text) in [
                ("description", rule.description()),
                ("repair", rule.repair()),
            ] {
                if !text.is_empty() {
                    line(key, &quoted(text));
                }
            }
            if rule.applies_to_final_answer() {
                line("applies_to_final_answer", "true");
            }
        }
        out
    }

    /// The policy in JSON, with its formulas as text: what [`Policy::from_json`] reads. Rust code in
    /// it is written by name, and read where that name is registered.
    ///
    /// ```
    /// use agentltl_core::{build::*, Constraint, Policy};
    /// let policy = Policy::new([Constraint::new("order", before("a", "b"))])?;
    /// assert_eq!(Policy::from_json(&policy.to_json())?, policy);
    /// # Ok::<(), agentltl_core::PolicyError>(())
    /// ```
    #[cfg(feature = "json")]
    #[must_use]
    pub fn to_json(&self) -> String {
        // Strings, numbers and lists under string keys: writing them cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default()
    }
}

/// A TOML string: as it is between single quotes where that spares escapes, else with escapes.
fn quoted(text: &str) -> String {
    let plain = |c: char| !c.is_control() && c != '\'';
    if text.contains(['"', '\\']) && text.chars().all(plain) {
        return format!("'{text}'");
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
