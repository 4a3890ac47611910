//! [`Formula`] and the view of it as a tree.

use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;

use crate::node::Node;
use crate::text::{Name, Seq, Text};

/// The deepest nesting of operators that the parser reads and a policy accepts.
pub const MAX_DEPTH: usize = 1024;

/// How many quantifiers may be nested in each other: what judges them recurses, and its time grows
/// with each as the number of its entities.
pub const MAX_QUANTIFIERS: usize = 128;

/// A formula of first-order linear temporal logic over tool calls.
///
/// Prints as text, parses from text, and serialises as that string. Build one with
/// [`Formula::parse`](crate::Formula::parse), with the functions of [`build`](crate::build), or with
/// the `formula!` macro of the `agentltl` crate.
///
/// ```
/// use agentltl_core::{build::*, Formula};
/// let parsed: Formula = r#"before("a", "b") & !now("c")"#.parse()?;
/// assert_eq!(parsed, before("a", "b") & !now("c"));
/// assert_eq!(parsed.to_string(), r#"before("a", "b") & !now("c")"#);
/// # Ok::<(), agentltl_core::ParseError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Formula {
    // Postfix, never empty, exactly one root, no `&` directly under `&` nor `|` under `|`.
    nodes: Seq<Node>,
}

impl Formula {
    /// A formula laid out by the compiler. Not for use by hand: the table must be in postfix order
    /// with exactly one root, as `formula!` makes it.
    #[doc(hidden)]
    #[must_use]
    pub const fn from_static(nodes: &'static [Node]) -> Self {
        Formula {
            nodes: Seq::from_static(nodes),
        }
    }

    /// A formula from nodes in postfix order that the caller knows to be well formed.
    pub(crate) fn from_nodes(nodes: Vec<Node>) -> Self {
        debug_assert!(!nodes.is_empty());
        Formula {
            nodes: nodes.into(),
        }
    }

    pub(crate) fn into_nodes(self) -> Vec<Node> {
        self.nodes.into_vec()
    }

    /// The nodes in postfix order: operands before their operator, the root last.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The formula as a tree.
    #[must_use]
    pub fn tree(&self) -> Tree<'_> {
        Tree::new(&self.nodes)
    }

    /// How many operators are nested in each other at most; an atom has depth 1.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.nesting(|_| 1)
    }

    /// How many quantifiers are nested in each other at most.
    ///
    /// ```
    /// use agentltl_core::Formula;
    /// let formula = Formula::parse("forall v in [1]: G (exists w in [2]: true)")?;
    /// assert_eq!(formula.quantifier_depth(), 2);
    /// # Ok::<(), agentltl_core::ParseError>(())
    /// ```
    #[must_use]
    pub fn quantifier_depth(&self) -> usize {
        self.nesting(|node| usize::from(matches!(node, Node::Forall(..) | Node::Exists(..))))
    }

    fn nesting(&self, weight: impl Fn(&Node) -> usize) -> usize {
        let mut stack: Vec<usize> = Vec::new();
        for node in self.nodes() {
            let rest = stack.len() - node.arity();
            let depth = weight(node) + stack[rest..].iter().max().copied().unwrap_or(0);
            stack.truncate(rest);
            stack.push(depth);
        }
        stack.pop().unwrap_or(0)
    }

    /// The names of the tools the formula speaks of.
    #[must_use]
    pub fn tools(&self) -> BTreeSet<&Name> {
        let mut tools = BTreeSet::new();
        for node in self.nodes() {
            node.tools(&mut |tool| {
                tools.insert(tool);
            });
        }
        tools
    }

    /// A variable used where no quantifier binds it, if there is one.
    #[must_use]
    pub fn unbound_variable(&self) -> Option<&Text> {
        let tree = self.tree();
        let mut bound: Vec<&Text> = Vec::new();
        let mut todo = vec![Step::Enter(tree.root())];
        while let Some(step) = todo.pop() {
            match step {
                Step::Leave => {
                    bound.pop();
                }
                Step::Enter(id) => {
                    let mut free = None;
                    tree.node(id).variables(&mut |variable| {
                        if !bound.contains(&variable) {
                            free = free.or(Some(variable));
                        }
                    });
                    if free.is_some() {
                        return free;
                    }
                    if let Node::Forall(variable, _) | Node::Exists(variable, _) = tree.node(id) {
                        bound.push(variable);
                        todo.push(Step::Leave);
                    }
                    todo.extend(
                        tree.children(id)
                            .iter()
                            .rev()
                            .map(|child| Step::Enter(*child)),
                    );
                }
            }
        }
        None
    }
}

enum Step {
    Enter(NodeId),
    Leave,
}

impl fmt::Debug for Formula {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Formula({self})")
    }
}

/// The index of a node in [`Formula::nodes`].
pub type NodeId = usize;

/// A formula's nodes with their operands.
///
/// ```
/// use agentltl_core::{build::*, Node};
/// let formula = now("a") & !now("b");
/// let tree = formula.tree();
/// assert_eq!(tree.node(tree.root()), &Node::And(2));
/// let [a, not_b] = tree.children(tree.root()) else { unreachable!() };
/// assert_eq!(tree.node(*a), &Node::Now("a".into()));
/// assert_eq!(tree.extent(*not_b), 1..3);
/// ```
#[derive(Clone, Debug)]
pub struct Tree<'f> {
    nodes: &'f [Node],
    /// Where the node's subtree starts.
    first: Vec<u32>,
    /// Where the node's operands are listed in `operands`.
    listed: Vec<u32>,
    operands: Vec<NodeId>,
}

impl<'f> Tree<'f> {
    fn new(nodes: &'f [Node]) -> Self {
        let mut tree = Tree {
            nodes,
            first: Vec::with_capacity(nodes.len()),
            listed: Vec::with_capacity(nodes.len() + 1),
            operands: Vec::with_capacity(nodes.len()),
        };
        let mut stack: Vec<NodeId> = Vec::new();
        for (id, node) in nodes.iter().enumerate() {
            let rest = stack.len() - node.arity();
            let first = stack
                .get(rest)
                .map_or(id as u32, |operand| tree.first[*operand]);
            tree.first.push(first);
            tree.listed.push(tree.operands.len() as u32);
            tree.operands.extend(stack.drain(rest..));
            stack.push(id);
        }
        tree.listed.push(tree.operands.len() as u32);
        tree
    }

    /// The outermost operator.
    #[must_use]
    pub fn root(&self) -> NodeId {
        self.nodes.len() - 1
    }

    /// How many nodes there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty)] // a formula is never empty
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The node at an index.
    #[must_use]
    pub fn node(&self, id: NodeId) -> &'f Node {
        &self.nodes[id]
    }

    /// The node's operands, left to right.
    #[must_use]
    pub fn children(&self, id: NodeId) -> &[NodeId] {
        &self.operands[self.listed[id] as usize..self.listed[id + 1] as usize]
    }

    /// The indices of the node and everything below it.
    #[must_use]
    pub fn extent(&self, id: NodeId) -> Range<NodeId> {
        self.first[id] as usize..id + 1
    }

    /// The node and everything below it, as a formula of its own.
    #[must_use]
    pub fn subformula(&self, id: NodeId) -> Formula {
        Formula::from_nodes(self.nodes[self.extent(id)].to_vec())
    }
}
