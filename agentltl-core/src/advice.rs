//! What to say where a formula and a severity do not go together: the class, the part of the formula
//! that makes it so, what would happen at run time, and the way out.

use crate::build;
use crate::classify::{Reach, RuntimeSafety};
use crate::formula::{Formula, NodeId, Tree};
use crate::node::{Bound, Cmp, Node, Pattern};
use crate::severity::Severity;
use crate::text::Name;
use crate::verdict::Verdict;

/// Why a class and a severity do not go together.
pub(crate) struct Advice {
    /// The message; one text for the compiler and the program.
    pub(crate) message: String,
    /// The smallest part of the formula that makes it so; the first of several.
    pub(crate) responsible: NodeId,
}

/// The advice for a mismatch.
pub(crate) fn mismatch(
    name: &str,
    formula: &Formula,
    class: RuntimeSafety,
    severity: Severity,
) -> Advice {
    let (tree, reach) = (formula.tree(), formula.reach());
    let inert = class == RuntimeSafety::Inert;
    let responsible = responsible(&tree, &reach, inert);
    let parts: Vec<_> = responsible
        .iter()
        .take(3)
        .map(|id| format!("`{}`", clip(&tree.subformula(*id).to_string())))
        .collect();
    let more = if responsible.len() > parts.len() {
        " and more"
    } else {
        ""
    };
    let parts = format!("{}{more}", parts.join(", "));
    let why = if inert {
        format!("{parts} cannot fail before the run ends, so no call would ever be refused")
    } else {
        format!(
            "{parts} can be unmet and still be met later, and until then {}",
            meanwhile(severity)
        )
    };
    let rewrite = rewrite(formula, &tree, &responsible, severity)
        .map_or_else(String::new, |rewrite| format!(", or write `{rewrite}`"));
    Advice {
        message: format!(
            "constraint `{name}` is {class} with severity {severity}: {why}; judge it when the agent \
             finishes (`applies_to_final_answer`), use BLOCK_AND_WARN or TOLERATE{rewrite}"
        ),
        responsible: responsible.first().copied().unwrap_or(tree.root()),
    }
}

/// What a severity makes of a call while an obligation is open.
fn meanwhile(severity: Severity) -> &'static str {
    match severity {
        Severity::HardStop => "any call that does not meet it stops the run",
        Severity::PersistentBlock => "every call that does not meet it is refused",
        Severity::Ask => "a human is asked about every call that does not meet it",
        Severity::SoftBlock => {
            "every call that does not meet it is refused, up to the limit of attempts"
        }
        Severity::BlockAndWarn | Severity::Tolerate => "it counts as violated",
    }
}

/// A formula in a message, which need not be complete.
fn clip(text: &str) -> String {
    const LONGEST: usize = 120;
    match text.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

/// The smallest parts that make the formula UNSAFE or INERT, left to right.
fn responsible(tree: &Tree<'_>, reach: &[Reach], inert: bool) -> Vec<NodeId> {
    // A part with whether it stands under a negation, which mirrors what makes it so.
    let mut todo = vec![(tree.root(), false)];
    let mut found = Vec::new();
    let fits = |id: NodeId, negated: bool| {
        let mirrored = |verdict: Verdict| if negated { !verdict } else { verdict };
        let has = |verdict| reach[id].verdicts.contains(mirrored(verdict));
        if inert {
            !has(Verdict::False) && !has(Verdict::PFalse)
        } else {
            has(Verdict::PFalse)
        }
    };
    while let Some((id, negated)) = todo.pop() {
        let own = match tree.node(id) {
            // Over an empty domain it is unmet whatever its operand is.
            Node::Exists(..) => !inert && !negated,
            // These keep their operand from failing (or, negated, from holding).
            Node::Eventually => inert && !negated,
            Node::Globally | Node::Forall(..) => inert && negated,
            _ => false,
        };
        let before = todo.len();
        if !own {
            for (i, operand) in tree.children(id).iter().enumerate().rev() {
                let flips = match tree.node(id) {
                    Node::Not => true,
                    Node::Implies => i == 0,
                    Node::CountBefore(_) => continue,
                    _ => false,
                };
                if fits(*operand, negated != flips) {
                    todo.push((*operand, negated != flips));
                }
            }
        }
        if todo.len() == before {
            found.push(id);
        }
    }
    found
}

/// A formula near this one that goes with the severity, if there is one to be found.
fn rewrite(
    formula: &Formula,
    tree: &Tree<'_>,
    responsible: &[NodeId],
    severity: Severity,
) -> Option<Formula> {
    // With more to be said in one line nobody would read it.
    const LARGEST: usize = 64;
    if tree.len() > LARGEST {
        return None;
    }
    let mut parents = vec![None; tree.len()];
    for id in 0..tree.len() {
        for child in tree.children(id) {
            parents[*child] = Some(id);
        }
    }
    // Who writes `called` for `now` does so throughout.
    let all: Vec<_> = (0..tree.len()).collect();
    type Attempt<'a> = &'a dyn Fn(NodeId) -> Option<(NodeId, Formula)>;
    let attempts: [(&[NodeId], Attempt<'_>); 3] = [
        (responsible, &|id| timed(tree, &parents, id)),
        (&all, &|id| local(tree, &parents, id)),
        (responsible, &|id| Some((id, bounded(formula, tree, id)?))),
    ];
    attempts.into_iter().find_map(|(ids, attempt)| {
        let mut parts: Vec<_> = ids.iter().filter_map(|id| attempt(*id)).collect();
        parts.sort_by_key(|(id, _)| *id);
        parts.dedup_by_key(|(id, _)| *id);
        let candidate = replace(tree, &parts)?;
        let class = candidate.runtime_safety();
        (class != RuntimeSafety::Ambiguous && class.is_compatible_with(severity))
            .then_some(candidate)
    })
}

/// `a -> F b` and `called(a) -> called(b)`: b soon after a.
fn timed(tree: &Tree<'_>, parents: &[Option<NodeId>], id: NodeId) -> Option<(NodeId, Formula)> {
    const SOON: i64 = 10;
    let parent = parents[id]?;
    let (Node::Implies, [left, right]) = (tree.node(parent), tree.children(parent)) else {
        return None;
    };
    if *right != id {
        return None;
    }
    let (Node::Called(a) | Node::Now(a)) = tree.node(*left) else {
        return None;
    };
    let b = awaited(tree, id)?;
    Some((parent, build::within_steps(a.clone(), b.clone(), SOON)))
}

/// The tool in `called(t)`, `F called(t)` and `F now(t)`.
fn awaited<'f>(tree: &Tree<'f>, id: NodeId) -> Option<&'f Name> {
    match (tree.node(id), tree.children(id)) {
        (Node::Called(tool), _) => Some(tool),
        (Node::Eventually, [inner]) => match tree.node(*inner) {
            Node::Called(tool) | Node::Now(tool) => Some(tool),
            _ => None,
        },
        _ => None,
    }
}

/// `called` under a temporal operator: there `now` is most likely meant.
fn local(tree: &Tree<'_>, parents: &[Option<NodeId>], id: NodeId) -> Option<(NodeId, Formula)> {
    let part = match tree.node(id) {
        Node::Called(tool) => build::now(tool.clone()),
        Node::CalledWith(tool, args) => build::matches([tool.clone()], args.clone()),
        _ => return None,
    };
    std::iter::successors(parents[id], |id| parents[*id])
        .any(|id| {
            matches!(
                tree.node(id),
                Node::Globally | Node::Until | Node::WeakUntil | Node::Release | Node::Since
            )
        })
        .then_some((id, part))
}

/// The atom with its obligation tied to a call that has to wait for it.
fn bounded(formula: &Formula, tree: &Tree<'_>, id: NodeId) -> Option<Formula> {
    // A tool that the formula names besides, else one for the reader to fill in.
    let gate = |tool: &Name| {
        let other = formula.tools().into_iter().find(|other| *other != tool);
        other
            .cloned()
            .unwrap_or_else(|| Name::from("the tool that must wait for it"))
    };
    Some(match tree.node(id) {
        Node::After(a, b) => build::before(b.clone(), a.clone()),
        Node::CalledN(tool, Bound { cmp, number }) => match cmp {
            Cmp::Eq => build::called_n(tool.clone(), Cmp::Le, *number),
            Cmp::Ge => build::instance_before(tool.clone(), *number, gate(tool), 1),
            Cmp::Gt => {
                build::instance_before(tool.clone(), number.checked_add(1)?.max(1), gate(tool), 1)
            }
            Cmp::Le | Cmp::Lt => return None,
        },
        Node::CalledWith(tool, args) => build::globally(
            build::now(tool.clone()) >> build::matches([tool.clone()], args.clone()),
        ),
        Node::BranchCalled {
            correct,
            wrong: None,
            context,
        } => build::branch_called_when(
            correct.clone(),
            Some(Name::from("the wrong tool")),
            context.clone(),
        ),
        Node::InOrder(tools) => Formula::all(tools.windows(2).filter_map(|pair| match pair {
            [a, b] => Some(build::before(a.clone(), b.clone())),
            _ => None,
        })),
        Node::Eventually => match tree.children(id).first().map(|inner| tree.node(*inner)) {
            Some(Node::Called(tool) | Node::Now(tool)) => build::before(tool.clone(), gate(tool)),
            Some(Node::Matches(Pattern::Tools(tools, args))) => match tools.as_slice() {
                [tool] => build::globally(
                    build::now(tool.clone()) >> build::matches([tool.clone()], args.clone()),
                ),
                _ => return None,
            },
            _ => return None,
        },
        Node::Called(tool) => build::before(tool.clone(), gate(tool)),
        _ => return None,
    })
}

/// The formula with these parts in place of those at the nodes, which come in order.
fn replace(tree: &Tree<'_>, parts: &[(NodeId, Formula)]) -> Option<Formula> {
    if let [(id, part)] = parts
        && *id == tree.root()
    {
        return Some(part.clone());
    }
    let whole = |part: &Formula| !matches!(part.nodes().last(), Some(Node::And(_) | Node::Or(_)));
    // A chain under a chain would have to melt into it.
    if parts.is_empty() || !parts.iter().all(|(_, part)| whole(part)) {
        return None;
    }
    let mut nodes: Vec<Node> = Vec::new();
    let mut next = 0;
    for (id, part) in parts {
        let extent = tree.extent(*id);
        if extent.start < next {
            return None;
        }
        nodes.extend((next..extent.start).map(|id| tree.node(id).clone()));
        nodes.extend_from_slice(part.nodes());
        next = extent.end;
    }
    nodes.extend((next..tree.len()).map(|id| tree.node(id).clone()));
    Some(Formula::from_nodes(nodes))
}
