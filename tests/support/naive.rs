//! The table of DESIGN section 3, read aloud: one recursion per formula and position, no columns, no
//! index, no memory. What the library computes is compared with this.

use agentltl::{
    Args, Bound, Domain, Formula, Node, NodeId, Pattern, ToolCall, Tree, Value, Verdict, json_equal,
};
use serde_json::{Map, Value as Json};

use Verdict::{False, PFalse, PTrue, Pending, True};

/// Variables with their values, the innermost last.
type Bound1<'a> = Vec<(&'a str, Json)>;

pub struct Naive<'a> {
    pub tree: Tree<'a>,
    pub calls: &'a [ToolCall],
    pub finished: bool,
}

pub fn verdict(formula: &Formula, calls: &[ToolCall]) -> Verdict {
    let naive = Naive {
        tree: formula.tree(),
        calls,
        finished: false,
    };
    naive.at(naive.tree.root(), 0, &mut Vec::new())
}

pub fn holds(formula: &Formula, calls: &[ToolCall]) -> bool {
    let naive = Naive {
        tree: formula.tree(),
        calls,
        finished: true,
    };
    naive.at(naive.tree.root(), 0, &mut Vec::new()) == True
}

impl<'a> Naive<'a> {
    /// The verdict of a subformula at a position.
    pub fn at(&self, id: NodeId, i: usize, vars: &mut Bound1<'a>) -> Verdict {
        let n = self.calls.len();
        let node = self.tree.node(id);
        let kids = self.tree.children(id).to_vec();
        // What a finished run says where a running one is undecided.
        let open = |finished: Verdict| if self.finished { finished } else { Pending };
        if let Some(fact) = self.fact(node, vars) {
            return match self.finished {
                true if fact >= PTrue => True,
                true => False,
                false => fact,
            };
        }
        match node {
            Node::Now(tool) => match self.calls.get(i) {
                None => open(False),
                Some(call) => truth(call.tool_name == tool.as_str()),
            },
            Node::Matches(Pattern::Tools(tools, args)) => match self.calls.get(i) {
                None => open(False),
                Some(call) => truth(
                    tools.iter().any(|tool| tool.as_str() == call.tool_name)
                        && fits(args, call, vars),
                ),
            },
            Node::Not => !self.at(kids[0], i, vars),
            Node::And(_) => kids.iter().map(|kid| self.at(*kid, i, vars)).min().unwrap(),
            Node::Or(_) => kids.iter().map(|kid| self.at(*kid, i, vars)).max().unwrap(),
            Node::Implies => (!self.at(kids[0], i, vars)).max(self.at(kids[1], i, vars)),
            Node::Next if i + 1 >= n => open(False),
            Node::Next => self.at(kids[0], i + 1, vars),
            Node::At(k) if *k < 0 => False,
            Node::At(k) if *k as usize >= n => open(False),
            Node::At(k) => self.at(kids[0], *k as usize, vars),
            Node::Globally => (i..n)
                .map(|j| self.at(kids[0], j, vars))
                .fold(open(True), Verdict::min),
            Node::Eventually => (i..n)
                .map(|j| self.at(kids[0], j, vars))
                .fold(open(False), Verdict::max),
            Node::Until => self.until(&kids, i, open(False), vars, |v| v),
            Node::WeakUntil => self.until(&kids, i, open(True), vars, |v| v),
            // The dual of U: mirror the operands and the outcome.
            Node::Release => !self.until(&kids, i, open(False), vars, |v| !v),
            Node::Previous if i == 0 => False,
            Node::Previous if i > n => open(False),
            Node::Previous => self.at(kids[0], i - 1, vars),
            Node::Once if i >= n => open(False),
            Node::Once => (0..=i).map(|j| self.at(kids[0], j, vars)).max().unwrap(),
            Node::Historically if i >= n => open(True),
            Node::Historically => (0..=i).map(|j| self.at(kids[0], j, vars)).min().unwrap(),
            Node::Since if i >= n => open(False),
            Node::Since => (0..=i)
                .map(|j| {
                    let since = (j + 1..=i).map(|k| self.at(kids[0], k, vars)).min();
                    self.at(kids[1], j, vars).min(since.unwrap_or(True))
                })
                .max()
                .unwrap(),
            Node::CountBefore(bound) if i >= n => open(truth(bound.admits(0))),
            Node::CountBefore(bound) => {
                let verdicts: Vec<_> = (0..i).map(|j| self.at(kids[0], j, vars)).collect();
                let low = verdicts.iter().filter(|v| **v == True).count() as u64;
                let high = verdicts.iter().filter(|v| **v != False).count() as u64;
                let admitted = (low..=high).filter(|count| admits(*bound, *count)).count() as u64;
                match admitted {
                    0 => False,
                    all if all == high - low + 1 => True,
                    _ => Pending,
                }
            }
            Node::Forall(name, domain) => {
                let start = open(True);
                self.each(name.as_str(), domain, kids[0], i, vars)
                    .into_iter()
                    .fold(start, Verdict::min)
            }
            Node::Exists(name, domain) => {
                let start = if self.finished { False } else { PFalse };
                self.each(name.as_str(), domain, kids[0], i, vars)
                    .into_iter()
                    .fold(start, Verdict::max)
            }
            other => panic!("{other:?} has no plain reading"),
        }
    }

    /// max over k of min(g at k, f at i..k-1), max with min(f at i..n-1, tail).
    fn until(
        &self,
        kids: &[NodeId],
        i: usize,
        tail: Verdict,
        vars: &mut Bound1<'a>,
        view: fn(Verdict) -> Verdict,
    ) -> Verdict {
        let n = self.calls.len();
        let mut best = False;
        for k in i..n {
            let held = (i..k)
                .map(|j| view(self.at(kids[0], j, vars)))
                .min()
                .unwrap_or(True);
            best = best.max(view(self.at(kids[1], k, vars)).min(held));
        }
        let held = (i..n)
            .map(|j| view(self.at(kids[0], j, vars)))
            .min()
            .unwrap_or(True);
        best.max(held.min(tail))
    }

    fn each(
        &self,
        name: &'a str,
        domain: &'a Domain,
        body: NodeId,
        i: usize,
        vars: &mut Bound1<'a>,
    ) -> Vec<Verdict> {
        let found: Vec<Json> = match domain {
            Domain::Args(tool, key) => self
                .of(tool.as_str())
                .filter_map(|(_, call)| call.arguments.get(key.as_str()).cloned())
                .collect(),
            Domain::Results(tool, field) => self
                .of(tool.as_str())
                .filter_map(|(_, call)| call.result.clone())
                .filter_map(|result| match field {
                    None => Some(result),
                    Some(field) => result.as_object()?.get(field.as_str()).cloned(),
                })
                .collect(),
            Domain::Values(values) => values.iter().map(|value| json(value, vars)).collect(),
            other => panic!("{other:?} has no plain reading"),
        };
        let mut entities: Vec<Json> = Vec::new();
        for entity in found {
            if !entities.iter().any(|other| json_equal(other, &entity)) {
                entities.push(entity);
            }
        }
        entities
            .into_iter()
            .map(|entity| {
                vars.push((name, entity));
                let verdict = self.at(body, i, vars);
                vars.pop();
                verdict
            })
            .collect()
    }

    /// The calls of a tool with their positions.
    fn of<'s>(&'s self, tool: &'s str) -> impl Iterator<Item = (usize, &'a ToolCall)> + 's {
        self.calls
            .iter()
            .enumerate()
            .filter(move |(_, call)| call.tool_name == tool)
    }

    fn nth(&self, tool: &str, n: i64) -> Option<(usize, &'a ToolCall)> {
        if n < 1 {
            None
        } else {
            self.of(tool).nth(n as usize - 1)
        }
    }

    fn ordered(a: Option<(usize, &ToolCall)>, b: Option<(usize, &ToolCall)>) -> Verdict {
        match (a, b) {
            (_, None) => Pending,
            (None, Some(_)) => False,
            (Some((a, first)), Some((b, second))) => {
                let steps = match (first.step, second.step) {
                    (Some(x), Some(y)) => x < y,
                    _ => true,
                };
                truth(a < b && steps)
            }
        }
    }

    fn fact(&self, node: &Node, vars: &Bound1<'a>) -> Option<Verdict> {
        Some(match node {
            Node::True => True,
            Node::False => False,
            Node::Called(tool) => found(self.of(tool.as_str()).count()),
            Node::CalledWith(tool, args) => found(
                self.of(tool.as_str())
                    .filter(|(_, call)| fits(args, call, vars))
                    .count(),
            ),
            Node::CalledWithResult(tool, expected, args) => {
                let mut verdict = PFalse;
                for (_, call) in self
                    .of(tool.as_str())
                    .filter(|(_, call)| fits(args, call, vars))
                {
                    match &call.result {
                        None => verdict = verdict.max(Pending),
                        Some(result) if returned(&json(expected, vars), result) => {
                            return Some(True);
                        }
                        Some(_) => {}
                    }
                }
                verdict
            }
            Node::CalledN(tool, bound) => {
                let count = self.of(tool.as_str()).count() as u64;
                // Could it change? It does so next to the number if at all.
                let now = admits(*bound, count);
                let number = u64::try_from(bound.number).unwrap_or(0);
                let later = [number.saturating_sub(1), number, number.saturating_add(1)]
                    .into_iter()
                    .any(|later| later > count && admits(*bound, later) != now);
                match (now, later) {
                    (true, true) => PTrue,
                    (true, false) => True,
                    (false, true) => PFalse,
                    (false, false) => False,
                }
            }
            Node::Before(a, b) => Self::ordered(self.nth(a.as_str(), 1), self.nth(b.as_str(), 1)),
            Node::InstanceBefore(a, n, b, m) => {
                Self::ordered(self.nth(a.as_str(), *n), self.nth(b.as_str(), *m))
            }
            Node::After(a, b) => match (self.nth(a.as_str(), 1), self.nth(b.as_str(), 1)) {
                (None, _) => PFalse,
                (Some(_), None) => False,
                (Some((a, _)), Some((b, _))) => truth(a > b),
            },
            Node::AllBefore(tools, gate) => match self.nth(gate.as_str(), 1) {
                None => Pending,
                Some((gate, _)) => truth(tools.iter().all(|tool| {
                    self.nth(tool.as_str(), 1)
                        .is_some_and(|(first, _)| first < gate)
                })),
            },
            Node::InOrder(tools) => {
                let mut rest = tools.iter().peekable();
                let mut step = None;
                for call in self.calls {
                    let due = rest
                        .peek()
                        .is_some_and(|tool| tool.as_str() == call.tool_name);
                    let later = !matches!((step, call.step), (Some(x), Some(y)) if x >= y);
                    if due && later {
                        rest.next();
                        step = call.step;
                    }
                }
                if rest.peek().is_none() { True } else { Pending }
            }
            Node::BranchCalled { correct, wrong, .. } => {
                let came = |tool: &str| self.nth(tool, 1).is_some();
                match wrong {
                    Some(wrong) if came(wrong.as_str()) => False,
                    Some(_) if came(correct.as_str()) => PTrue,
                    None if came(correct.as_str()) => True,
                    _ => Pending,
                }
            }
            Node::WithinSteps(a, b, k) => {
                let (a, _) = match self.nth(a.as_str(), 1) {
                    None => return Some(Pending),
                    Some(found) => found,
                };
                match self.of(b.as_str()).find(|(b, _)| *b >= a) {
                    Some((b, _)) => truth((b - a) as i64 <= *k),
                    None if (self.calls.len() - a) as i64 <= *k => Pending,
                    None => False,
                }
            }
            _ => return None,
        })
    }
}

fn truth(value: bool) -> Verdict {
    if value { True } else { False }
}

fn found(count: usize) -> Verdict {
    if count > 0 { True } else { PFalse }
}

fn admits(bound: Bound, count: u64) -> bool {
    let count = i128::from(count);
    let number = i128::from(bound.number);
    match bound.cmp.as_str() {
        "==" => count == number,
        ">=" => count >= number,
        "<=" => count <= number,
        ">" => count > number,
        _ => count < number,
    }
}

fn fits(args: &Args, call: &ToolCall, vars: &Bound1<'_>) -> bool {
    args.iter().all(|(key, value)| {
        call.arguments
            .get(key.as_str())
            .is_some_and(|argument| json_equal(&json(value, vars), argument))
    })
}

fn returned(expected: &Json, result: &Json) -> bool {
    match (expected, result) {
        (Json::Object(fields), Json::Object(result)) => fields.iter().all(|(key, value)| {
            result
                .get(key)
                .is_some_and(|field| json_equal(value, field))
        }),
        _ => json_equal(expected, result),
    }
}

/// The value as JSON, with its variables replaced.
fn json(value: &Value, vars: &Bound1<'_>) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => match number.as_int().and_then(|int| i64::try_from(int).ok()) {
            Some(int) => Json::from(int),
            None => Json::from(number.as_f64()),
        },
        Value::Text(text) => Json::from(text.as_str()),
        Value::List(items) => Json::Array(items.iter().map(|item| json(item, vars)).collect()),
        Value::Object(fields) => Json::Object(
            fields
                .iter()
                .map(|(key, value)| (key.as_str().to_owned(), json(value, vars)))
                .collect::<Map<_, _>>(),
        ),
        Value::Var(name) => vars
            .iter()
            .rev()
            .find(|(other, _)| *other == name.as_str())
            .map_or_else(
                || panic!("?{name} is not bound"),
                |(_, value)| value.clone(),
            ),
    }
}
