//! `agentltl fmt`: policy files in one style, comments kept.

use std::fs;
use std::io::Write;

use agentltl::{Formula, Policy};
use toml_edit::{DocumentMut, Item, RawString, Table, TableLike, Value};

use crate::Outcome;
use crate::args::Fmt;
use crate::error::Failure;
use crate::policy::{Kind, PolicyText, one_of_several};
use crate::screen::{Plain, Screen};

pub(crate) fn run(options: &Fmt, screen: &mut Screen) -> Result<Outcome, Failure> {
    let mut outcome = Outcome::Met;
    for path in &options.policies {
        let Some((text, policy)) = one_of_several(path, screen)? else {
            outcome = Outcome::BadInput;
            continue;
        };
        let formatted = formatted(&text, &policy)?;
        let name = Plain(&text.name);
        if text.name == "-" && !options.check {
            screen.out().write_all(formatted.as_bytes())?;
        } else if formatted != text.text {
            if options.check {
                writeln!(screen.out(), "{name}: would be formatted")?;
                outcome = outcome.max(Outcome::NotMet);
            } else {
                fs::write(path, formatted)
                    .map_err(|error| Failure::Write(text.name.clone(), error))?;
                writeln!(screen.out(), "{name}: formatted")?;
            }
        }
    }
    Ok(outcome)
}

/// The text in one style; it says the same.
fn formatted(text: &PolicyText, policy: &Policy) -> Result<String, Failure> {
    let formatted = match text.kind {
        Kind::Json => policy.to_json().trim_end().to_owned() + "\n",
        Kind::Toml => {
            toml(&text.text).map_err(|error| Failure::Input(format!("{}: {error}", text.name)))?
        }
    };
    let again = PolicyText {
        name: text.name.clone(),
        kind: text.kind,
        text: formatted,
    };
    // A formatter that changes what a file says is worse than none.
    match again.parse() {
        Ok(same) if same == *policy => Ok(again.text),
        _ => Err(Failure::Input(format!(
            "{}: formatting would change what it says; nothing is written",
            text.name
        ))),
    }
}

fn toml(text: &str) -> Result<String, toml_edit::TomlError> {
    let mut document: DocumentMut = text.replace("\r\n", "\n").parse()?;
    keys(document.as_table_mut());
    let mut is_first = document.as_table().iter().all(|(_, item)| !item.is_value());
    for name in ["constraint", "constraints"] {
        if let Some(rules) = document
            .get_mut(name)
            .and_then(Item::as_array_of_tables_mut)
        {
            for rule in rules.iter_mut() {
                table(rule, is_first);
                is_first = false;
            }
        } else if let Some(rules) = document.get_mut(name).and_then(Item::as_array_mut) {
            for rule in rules.iter_mut().filter_map(Value::as_inline_table_mut) {
                formula(rule);
            }
        }
    }
    let trailing = tidy(document.trailing().as_str().unwrap_or_default(), true);
    document.set_trailing(trailing);
    let mut text = document.to_string().trim_start_matches('\n').to_owned();
    text.truncate(text.trim_end().len());
    text.push('\n');
    Ok(text)
}

fn table(rule: &mut Table, is_first: bool) {
    let before = rule.decor().prefix().and_then(RawString::as_str);
    let mut prefix = tidy(before.unwrap_or_default(), false);
    // A blank line before each rule, and its comments with it.
    let comments = prefix.trim_start_matches('\n').to_owned();
    if !is_first || prefix.starts_with('\n') {
        prefix = format!("\n{comments}");
    }
    rule.decor_mut().set_prefix(prefix);
    let place = |key: &str| Policy::__RULE_KEYS.iter().position(|known| *known == key);
    rule.sort_values_by(|a, _, b, _| place(a.get()).cmp(&place(b.get())));
    formula(rule);
    keys(rule);
}

/// `key = value`, each on a line of its own, without blank lines inside a rule.
fn keys(table: &mut Table) {
    let mut is_first = true;
    for (mut key, item) in table.iter_mut() {
        let Some(value) = item.as_value_mut() else {
            continue;
        };
        let before = key
            .leaf_decor()
            .prefix()
            .and_then(RawString::as_str)
            .unwrap_or_default();
        let prefix = tidy(before, false);
        let prefix = if is_first {
            prefix
        } else {
            prefix.trim_start_matches('\n').to_owned()
        };
        is_first = false;
        key.leaf_decor_mut().set_prefix(prefix);
        key.leaf_decor_mut().set_suffix(" ");
        let comment = value.decor().suffix().and_then(RawString::as_str);
        let comment = comment.unwrap_or_default().trim().to_owned();
        let suffix = if comment.is_empty() {
            comment
        } else {
            format!("  {comment}")
        };
        value.decor_mut().set_prefix(" ");
        value.decor_mut().set_suffix(suffix);
    }
}

/// The formula as it is printed, in quotes that need no escapes.
fn formula(rule: &mut dyn TableLike) {
    let Some(item) = rule.get_mut("formula") else {
        return;
    };
    let Some(formula) = item
        .as_str()
        .and_then(|text| Formula::parse(text).ok())
        .map(|formula| formula.to_string())
    else {
        return;
    };
    let quoted = if formula.contains(['\'', '\n']) || formula.chars().any(char::is_control) {
        None
    } else {
        format!("'{formula}'").parse::<Value>().ok()
    };
    if let Some(value) = item.as_value_mut() {
        let decor = value.decor().clone();
        *value = quoted.unwrap_or_else(|| Value::from(formula));
        *value.decor_mut() = decor;
    }
}

/// Comments without blanks around them and at most one blank line between them.
fn tidy(text: &str, is_end: bool) -> String {
    let mut out = String::new();
    let mut blank = false;
    for line in text.split_inclusive('\n') {
        let line = line.trim();
        if line.is_empty() {
            blank = true;
            continue;
        }
        if blank {
            out.push('\n');
        }
        blank = false;
        out.push_str(line);
        out.push('\n');
    }
    if blank && !is_end && text.ends_with('\n') {
        out.push('\n');
    }
    out
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::toml;

    #[test]
    fn one_style_and_every_comment() {
        let messy = r#"
# About the policy.

default_severity   = "ASK" # for all


#   The first rule.
[[constraint]]
weight=2.0
  formula = "(before(\"a\",\"b\"))&&(!now('c'))".replace # broken on purpose below
"#;
        assert!(toml(messy).is_err());
        let messy = r#"
# About the policy.

default_severity   = "ASK" # for all


#   The first rule.
[[constraint]]
weight=2.0

  # Why.
  formula = "(before(\"a\",\"b\"))  &&  (!now(\"c\"))"     # how
name = "x"
[[constraint]]
name = "y"
formula = 'eventually("it")'
# The end.
"#;
        let tidy = r##"# About the policy.

default_severity = "ASK"  # for all

#   The first rule.
[[constraint]]
name = "x"
# Why.
formula = 'before("a", "b") & !now("c")'  # how
weight = 2.0

[[constraint]]
name = "y"
formula = 'F called("it")'
# The end.
"##;
        assert_eq!(toml(messy).unwrap(), tidy);
        assert_eq!(toml(tidy).unwrap(), tidy);
    }
}
