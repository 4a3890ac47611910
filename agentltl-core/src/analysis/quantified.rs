//! Rules over the values of an argument. A formula tells values apart only by whether they equal each
//! other and those it names: so one that it does not name stands for all of those.

use super::NotAnalysed;
use super::alphabet::Alphabet;
use super::free::is_free_of_code;
use super::search::Goal;
use super::table::{Budget, Table};
use super::tables::{Kind, Tables};
use super::view::World;
use crate::formula::Formula;
use crate::node::{Domain, Node, Pattern};
use crate::text::{Name, Text};
use crate::value::{Args, Value};

/// So many values are tried at most.
const MAX_VALUES: usize = 4;

/// Is the formula one `forall x in args(..)` that holds on each finished run and refuses no call,
/// whatever the value? `None` where that cannot be told.
pub(super) fn never_fails(
    formula: &Formula,
    budget: &mut Budget,
) -> Result<Option<bool>, NotAnalysed> {
    let Some((Node::Forall(variable, Domain::Args(tool, key)), body)) =
        formula.nodes().split_last()
    else {
        return Ok(None);
    };
    if !is_free_of_code(&Formula::from_nodes(body.to_vec())) {
        return Ok(None);
    }
    let Some(mut values) = named_values(body, variable) else {
        return Ok(None);
    };
    let mut other = String::from("any other value");
    while values.contains(&Value::from(other.as_str())) {
        other.push('!');
    }
    values.push(Value::from(other.as_str()));
    if values.len() > MAX_VALUES {
        return Ok(None);
    }
    for value in values {
        // If there is such a call, what is said of its value holds.
        let mut nodes = vec![Node::CalledWith(
            tool.clone(),
            Args::new([(key.clone(), value.clone())]),
        )];
        nodes.extend(body.iter().map(|node| bound(node, variable, &value)));
        nodes.push(Node::Implies);
        if fails(&Formula::from_nodes(nodes), budget)? {
            return Ok(Some(false));
        }
    }
    Ok(Some(true))
}

/// Is there a finished run on which the formula does not hold, or a run on which it is FALSE or PFALSE?
fn fails(formula: &Formula, budget: &mut Budget) -> Result<bool, NotAnalysed> {
    let mut tables = Tables::default();
    let finished = tables.add(formula, Kind::Finished)?;
    let enforcing = tables.add(formula, Kind::Enforcing)?;
    let tools: Vec<Name> = formula.tools().into_iter().cloned().collect();
    // Where fewer tools are listed less can fail.
    let alphabet = Alphabet::new(&mut tables, tools, false)?;
    let mut world = World { tables, alphabet };
    let broken = Goal {
        table: finished,
        holds: false,
        // No call has the value.
        empty: Some(true),
    };
    if world.find(&[broken], false, budget)?.is_some() {
        return Ok(true);
    }
    let machine = world.tables.machine(enforcing);
    let mut state = Table::START;
    while state < machine.states() {
        for letter in 0..machine.letters() {
            let step = machine.step(state, letter, budget)?;
            if step.verdict.is_none_or(|verdict| verdict.refuses()) {
                return Ok(true);
            }
        }
        state += 1;
    }
    Ok(false)
}

/// The values of arguments that the nodes name; `None` where the variable is not just compared with
/// arguments.
fn named_values(nodes: &[Node], variable: &Text) -> Option<Vec<Value>> {
    let mut named = Vec::new();
    for node in nodes {
        if let Node::CalledWithResult(_, result, _) = node
            && mentions(result, variable)
        {
            return None;
        }
        for (_, value) in args_of(node).into_iter().flat_map(Args::iter) {
            match value {
                Value::Var(name) if name == variable => {}
                value if mentions(value, variable) => return None,
                value if named.contains(value) => {}
                value => named.push(value.clone()),
            }
        }
    }
    Some(named)
}

fn mentions(value: &Value, variable: &Text) -> bool {
    let mut found = false;
    value.variables(&mut |name| found |= name == variable);
    found
}

fn args_of(node: &Node) -> Option<&Args> {
    match node {
        Node::CalledWith(_, args)
        | Node::CalledWithResult(_, _, args)
        | Node::Matches(Pattern::Tools(_, args)) => Some(args),
        _ => None,
    }
}

/// The node with a value in the place of the variable.
fn bound(node: &Node, variable: &Text, value: &Value) -> Node {
    let bind = |args: &Args| {
        Args::new(args.iter().map(|(key, given)| match given {
            Value::Var(name) if name == variable => (key.clone(), value.clone()),
            given => (key.clone(), given.clone()),
        }))
    };
    match node {
        Node::CalledWith(tool, args) => Node::CalledWith(tool.clone(), bind(args)),
        Node::CalledWithResult(tool, result, args) => {
            Node::CalledWithResult(tool.clone(), result.clone(), bind(args))
        }
        Node::Matches(Pattern::Tools(tools, args)) => {
            Node::Matches(Pattern::Tools(tools.clone(), bind(args)))
        }
        other => other.clone(),
    }
}
