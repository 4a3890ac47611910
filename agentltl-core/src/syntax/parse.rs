//! The parser: operator precedence with an explicit stack, which writes the formula in postfix order
//! as it goes. Nothing in it recurses, so no text can overflow the stack.

use std::collections::HashMap;
use std::ops::Range;
use std::str::FromStr;

use super::cursor::Cursor;
use super::lexer::{Kind, Token};
use super::words::{self, Call};
use super::{NoHost, ParseError, Resolve};
use crate::formula::{Formula, MAX_DEPTH, MAX_QUANTIFIERS};
use crate::node::{Bound, Node};
use crate::text::Text;

/// A formula and where its nodes stand in the text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Parsed {
    /// The formula.
    pub formula: Formula,
    /// For each node, by its index in [`Formula::nodes`], the byte range of the whole subformula.
    pub spans: Vec<Range<usize>>,
}

/// The most nodes a parsed formula has: a bound on what a text can make the program do.
pub const MAX_NODES: usize = 1 << 20;

/// Reads a formula, asking `host` what the Rust paths in it stand for.
///
/// The formula nests at most [`MAX_DEPTH`] operators and has at most [`MAX_NODES`] nodes; no more than
/// [`MAX_DEPTH`] parentheses may be open at a time, at most [`MAX_QUANTIFIERS`] quantifiers stand in
/// each other, and values nest at most 128 levels.
///
/// ```
/// use agentltl_core::{NoHost, parse_with};
/// let text = r#"called("a") & !now("b")"#;
/// let parsed = parse_with(text, &mut NoHost)?;
/// let places: Vec<_> = parsed.spans.iter().map(|span| &text[span.clone()]).collect();
/// assert_eq!(places, [r#"called("a")"#, r#"now("b")"#, r#"!now("b")"#, text]);
/// # Ok::<(), agentltl_core::ParseError>(())
/// ```
///
/// # Errors
/// The first place where the text is not a formula.
pub fn parse_with(text: &str, host: &mut dyn Resolve) -> Result<Parsed, ParseError> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        host,
        scope: Scope::default(),
        nodes: Vec::new(),
        spans: Vec::new(),
        frames: Vec::new(),
        parens: 0,
    };
    parser.run()?;
    Ok(Parsed {
        formula: Formula::from_nodes(parser.nodes),
        spans: parser.spans,
    })
}

impl Formula {
    /// Reads a formula in which no Rust path stands.
    ///
    /// # Errors
    /// The first place where the text is not a formula.
    pub fn parse(text: &str) -> Result<Formula, ParseError> {
        parse_with(text, &mut NoHost).map(|parsed| parsed.formula)
    }
}

impl FromStr for Formula {
    type Err = ParseError;
    fn from_str(text: &str) -> Result<Self, ParseError> {
        Formula::parse(text)
    }
}

/// What ends a formula that stands in no bracket.
const END: &str = "the end of the formula";

pub(super) struct Parser<'t, 'h> {
    pub(super) cursor: Cursor<'t>,
    pub(super) host: &'h mut dyn Resolve,
    pub(super) scope: Scope,
    nodes: Vec<Node>,
    spans: Vec<Range<usize>>,
    /// What is open: each waits for the formula being read.
    frames: Vec<Frame>,
    parens: usize,
}

/// A formula that has been read: its root is the last node written.
struct Operand {
    /// Its bytes, its own parentheses included.
    range: Range<usize>,
    depth: usize,
}

struct Frame {
    open: Open,
    /// Where the construct starts.
    start: usize,
    /// The deepest operand read so far.
    depth: usize,
    /// How many operators are open, this one included.
    level: usize,
    /// The `&` or `|` that an operand of the same kind melts into, through parentheses.
    melts: Option<Chain>,
}

enum Open {
    Paren,
    At(i64),
    CountBefore,
    Quantifier(Node, Text),
    Prefix(Node),
    /// U, W, R, S.
    Infix(Node),
    Implies,
    Chain(Chain, u32),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chain {
    And,
    Or,
}

impl Chain {
    fn node(self, operands: u32) -> Node {
        match self {
            Chain::And => Node::And(operands),
            Chain::Or => Node::Or(operands),
        }
    }
}

impl Parser<'_, '_> {
    fn run(&mut self) -> Result<(), ParseError> {
        loop {
            let Some(atom) = self.operand()? else {
                continue;
            };
            if self.operator(atom)? {
                return Ok(());
            }
        }
    }

    /// Reads what a formula can start with: an atom, or an opening, after which another must come.
    fn operand(&mut self) -> Result<Option<Operand>, ParseError> {
        let token = self.cursor.token();
        match token.kind {
            Kind::Bang => {
                self.cursor.advance();
                self.open(Open::Prefix(Node::Not), token)?;
            }
            Kind::OpenParen => {
                if self.parens == MAX_DEPTH {
                    return Err(ParseError::new(
                        token.start..token.end,
                        format!("more than {MAX_DEPTH} parentheses are open here"),
                    ));
                }
                self.parens += 1;
                self.cursor.advance();
                self.open(Open::Paren, token)?;
            }
            Kind::At => {
                self.cursor.advance();
                let position = self.cursor.int("a position")?;
                self.cursor
                    .expect(Kind::OpenParen, "`(`")
                    .map_err(|error| error.with_help("a position is used so: @0(now(\"a\"))"))?;
                self.open(Open::At(position), token)?;
            }
            Kind::Word => return self.word(token),
            _ => return Err(self.no_formula()),
        }
        Ok(None)
    }

    fn word(&mut self, token: Token) -> Result<Option<Operand>, ParseError> {
        let word = self.cursor.slice(token);
        let universal = self.cursor.at_word("forall");
        if universal || self.cursor.at_word("exists") {
            if !self.may_quantify() {
                return Err(ParseError::new(
                    token.start..token.end,
                    "a quantifier inside an operand needs parentheses",
                )
                .with_help(format!("write `({word} .. in .. : ..)`")));
            }
            let open = |frame: &&Frame| matches!(frame.open, Open::Quantifier(..));
            if self.frames.iter().filter(open).count() == MAX_QUANTIFIERS {
                return Err(ParseError::new(
                    token.start..token.end,
                    format!(
                        "at most {MAX_QUANTIFIERS} quantifiers may be nested; here is one more"
                    ),
                ));
            }
            self.cursor.advance();
            let (node, variable) = self.quantifier(universal)?;
            self.scope.enter(variable.clone());
            self.open(Open::Quantifier(node, variable), token)?;
        } else if let Some(node) = words::prefix(word) {
            self.cursor.advance();
            self.open(Open::Prefix(node), token)?;
        } else if self.cursor.at_word("true") || self.cursor.at_word("false") {
            let node = if self.cursor.at_word("true") {
                Node::True
            } else {
                Node::False
            };
            self.cursor.advance();
            return self.atom(node, token.start).map(Some);
        } else if let Some((call, name)) = Call::from_word(word) {
            return self
                .call(call, name)
                .map_err(|error| error.with_help(call.signature()));
        } else {
            return Err(self.no_formula());
        }
        Ok(None)
    }

    /// A name with its arguments; `count_before` stays open for its formula.
    fn call(&mut self, call: Call, name: &str) -> Result<Option<Operand>, ParseError> {
        let token = self.cursor.advance();
        self.cursor
            .expect(Kind::OpenParen, &format!("`(` after `{name}`"))?;
        if call == Call::CountBefore {
            self.open(Open::CountBefore, token)?;
            return Ok(None);
        }
        let node = self.arguments(call)?;
        self.cursor.expect(Kind::CloseParen, "`)`")?;
        let operand = self.atom(node, token.start)?;
        let sugar = match call {
            Call::Eventually => Node::Eventually,
            Call::Always => Node::Globally,
            _ => return Ok(Some(operand)),
        };
        self.check_depth(self.level() + 2, operand.range.clone())?;
        self.write(sugar, operand.range, 2).map(Some)
    }

    /// Takes what has been read as far as it goes, and opens the operator that follows; true at the
    /// end of the text.
    fn operator(&mut self, mut operand: Operand) -> Result<bool, ParseError> {
        // Each round closes a frame that binds tighter than what follows, or opens one and leaves.
        loop {
            let infix = self.cursor.word().and_then(words::infix);
            if let Some(node) = infix {
                let token = self.cursor.advance();
                self.open_after(Open::Infix(node), operand, token)?;
                return Ok(false);
            }
            operand = self.close_unary(operand)?;
            let mut token = self.cursor.token();
            if token.kind == Kind::Amp {
                self.cursor.advance();
                self.chain(Chain::And, operand, token)?;
                return Ok(false);
            }
            operand = self.close_chain(Chain::And, operand)?;
            if token.kind == Kind::Pipe {
                self.cursor.advance();
                self.chain(Chain::Or, operand, token)?;
                return Ok(false);
            }
            operand = self.close_chain(Chain::Or, operand)?;
            if token.kind == Kind::Arrow {
                token = self.cursor.advance();
                self.open_after(Open::Implies, operand, token)?;
                return Ok(false);
            }
            operand = self.close_implications(operand)?;
            match self.close_bracket(operand)? {
                Some(closed) => operand = closed,
                None => return Ok(true),
            }
        }
    }

    /// After a whole `formula`: closes the quantifiers it is the body of and the bracket it stands
    /// in; `None` at the end of the text.
    fn close_bracket(&mut self, mut operand: Operand) -> Result<Option<Operand>, ParseError> {
        loop {
            let Some(frame) = self.frames.pop() else {
                if self.cursor.at(Kind::End) {
                    return Ok(None);
                }
                return Err(self.no_operator(END));
            };
            let node = match frame.open {
                Open::Quantifier(node, variable) => {
                    self.scope.leave(&variable);
                    let range = frame.start..operand.range.end;
                    operand = self.write(node, range, operand.depth + 1)?;
                    continue;
                }
                Open::CountBefore => Some(Node::CountBefore(self.bound_of_count()?)),
                Open::At(position) => Some(Node::At(position)),
                _ => None,
            };
            if !self.cursor.at(Kind::CloseParen) {
                return Err(match node {
                    Some(Node::CountBefore(_)) => self.cursor.unexpected("`)`"),
                    _ => self.no_operator("`)`"),
                });
            }
            let range = frame.start..self.cursor.advance().end;
            return match node {
                Some(node) => self.write(node, range, operand.depth + 1).map(Some),
                None => {
                    self.parens -= 1;
                    operand.range = range;
                    Ok(Some(operand))
                }
            };
        }
    }

    fn bound_of_count(&mut self) -> Result<Bound, ParseError> {
        if !self.cursor.at(Kind::Comma) {
            return Err(self
                .no_operator("`,` and a bound")
                .with_help(Call::CountBefore.signature()));
        }
        self.cursor.advance();
        self.bound()
            .map_err(|error| error.with_help(Call::CountBefore.signature()))
    }

    /// Closes the operators that take this operand alone.
    fn close_unary(&mut self, mut operand: Operand) -> Result<Operand, ParseError> {
        while let Some(frame) = self
            .frames
            .pop_if(|frame| matches!(frame.open, Open::Prefix(_) | Open::Infix(_)))
        {
            if let Open::Prefix(node) | Open::Infix(node) = frame.open {
                let range = frame.start..operand.range.end;
                operand = self.write(node, range, 1 + frame.depth.max(operand.depth))?;
            }
        }
        Ok(operand)
    }

    fn close_implications(&mut self, mut operand: Operand) -> Result<Operand, ParseError> {
        while let Some(frame) = self
            .frames
            .pop_if(|frame| matches!(frame.open, Open::Implies))
        {
            let range = frame.start..operand.range.end;
            operand = self.write(Node::Implies, range, 1 + frame.depth.max(operand.depth))?;
        }
        Ok(operand)
    }

    /// Adds the operand to the chain that is open, or opens one with it.
    fn chain(&mut self, chain: Chain, operand: Operand, token: Token) -> Result<(), ParseError> {
        let (operand, more) = self.melt(chain, operand);
        match self.frames.last_mut() {
            Some(Frame {
                open: Open::Chain(open, operands),
                depth,
                level,
                ..
            }) if *open == chain => {
                let level = *level + operand.depth;
                *operands += more;
                *depth = operand.depth.max(*depth);
                self.check_depth(level, token.start..token.end)
            }
            _ => self.open_after(Open::Chain(chain, more), operand, token),
        }
    }

    fn close_chain(&mut self, chain: Chain, operand: Operand) -> Result<Operand, ParseError> {
        let frame = self
            .frames
            .pop_if(|frame| matches!(frame.open, Open::Chain(open, _) if open == chain));
        let Some(Frame {
            open: Open::Chain(_, operands),
            start,
            depth,
            ..
        }) = frame
        else {
            return Ok(operand);
        };
        let (operand, more) = self.melt(chain, operand);
        let range = start..operand.range.end;
        self.write(
            chain.node(operands + more),
            range,
            1 + depth.max(operand.depth),
        )
    }

    /// Takes the root off an operand that is a chain of the same kind: both are associative. Returns
    /// the deepest of its operands as its depth, and how many there are.
    fn melt(&mut self, chain: Chain, mut operand: Operand) -> (Operand, u32) {
        let operands = match (chain, self.nodes.last()) {
            (Chain::And, Some(Node::And(n))) | (Chain::Or, Some(Node::Or(n))) => *n,
            _ => return (operand, 1),
        };
        self.nodes.pop();
        self.spans.pop();
        operand.depth -= 1;
        (operand, operands)
    }

    /// Opens a construct that starts here.
    fn open(&mut self, open: Open, token: Token) -> Result<(), ParseError> {
        let nothing = Operand {
            range: token.start..token.end,
            depth: 0,
        };
        self.open_after(open, nothing, token)
    }

    /// Opens an operator whose first operand has been read.
    fn open_after(&mut self, open: Open, first: Operand, token: Token) -> Result<(), ParseError> {
        let outer = self.frames.last().and_then(|frame| frame.melts);
        let (counts, melts) = match open {
            Open::Paren => (false, outer),
            Open::Chain(chain, _) => (outer != Some(chain), Some(chain)),
            _ => (true, None),
        };
        let level = self.level() + usize::from(counts);
        // At least an atom is still to come.
        self.check_depth(level + first.depth.max(1), token.start..token.end)?;
        self.frames.push(Frame {
            open,
            start: first.range.start,
            depth: first.depth,
            level,
            melts,
        });
        Ok(())
    }

    fn level(&self) -> usize {
        self.frames.last().map_or(0, |frame| frame.level)
    }

    fn check_depth(&self, depth: usize, place: Range<usize>) -> Result<(), ParseError> {
        if depth > MAX_DEPTH {
            return Err(ParseError::new(
                place,
                format!("a formula nests at most {MAX_DEPTH} operators; here it gets deeper"),
            ));
        }
        Ok(())
    }

    fn atom(&mut self, node: Node, start: usize) -> Result<Operand, ParseError> {
        self.write(node, start..self.cursor.last_end(), 1)
    }

    fn write(
        &mut self,
        node: Node,
        range: Range<usize>,
        depth: usize,
    ) -> Result<Operand, ParseError> {
        debug_assert!(depth <= MAX_DEPTH);
        if self.nodes.len() == MAX_NODES {
            return Err(ParseError::new(
                range,
                format!("a formula has at most {MAX_NODES} atoms and operators; here are more"),
            ));
        }
        self.nodes.push(node);
        self.spans.push(range.clone());
        Ok(Operand { range, depth })
    }

    /// May a quantifier stand here? Its body extends as far right as it can, so not in an operand.
    fn may_quantify(&self) -> bool {
        self.frames.last().is_none_or(|frame| {
            matches!(
                frame.open,
                Open::Paren | Open::At(_) | Open::CountBefore | Open::Quantifier(..)
            )
        })
    }

    fn no_formula(&self) -> ParseError {
        let error = self.cursor.unexpected("a formula");
        match self.cursor.word().and_then(words::instead_of_formula) {
            Some(help) => error.with_help(help),
            None => error,
        }
    }

    fn no_operator(&self, or: &str) -> ParseError {
        let error = self.cursor.unexpected(&format!("an operator or {or}"));
        let help = match self.cursor.token().kind {
            Kind::Word => self.cursor.word().and_then(words::instead_of_operator),
            Kind::OpenParen | Kind::Bang | Kind::At => Some(words::JOIN.to_owned()),
            Kind::CloseParen if or == END => {
                Some("there is no `(` that this `)` closes".to_owned())
            }
            Kind::Compare(_) => Some("counts are compared so: called_n(\"a\", <= 2)".to_owned()),
            _ => None,
        };
        match help {
            Some(help) => error.with_help(help),
            None => error,
        }
    }
}

/// The variables that are bound here.
#[derive(Default)]
pub(super) struct Scope {
    /// How many open quantifiers bind the name.
    bound: HashMap<Text, usize>,
}

impl Scope {
    fn enter(&mut self, variable: Text) {
        *self.bound.entry(variable).or_default() += 1;
    }

    fn leave(&mut self, variable: &Text) {
        if let Some(count) = self.bound.get_mut(variable) {
            *count -= 1;
            if *count == 0 {
                self.bound.remove(variable);
            }
        }
    }

    pub(super) fn binds(&self, variable: &str) -> bool {
        self.bound.contains_key(variable)
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &Text> {
        self.bound.keys()
    }
}
