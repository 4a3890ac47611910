//! Formulas as the compiler lays them out: one string, taken apart when the program first needs it.
//!
//! The compiler takes seconds over a table of ten thousand Rust expressions, and no time over a
//! string literal. Nothing is parsed in the program: the string lists the nodes in postfix order,
//! written and read by the one table below, and the texts in it are borrowed from the literal.

mod policy;

use crate::formula::{Formula, NodeId};
use crate::host::Host;
use crate::node::{Bound, Cmp, Domain, Node, Pattern};
use crate::text::{Name, Seq, Text};
use crate::value::{Args, Number, Value};

pub(crate) use policy::Rules;
pub use policy::{PackedPolicy, PackedRule, Part};

/// What a macro lays into the program: the string, and the Rust items it refers to by number.
#[derive(Clone, Copy, Debug)]
pub struct Packed {
    /// What a [`Writer`] wrote.
    pub text: &'static str,
    /// The constants that name tools.
    pub names: &'static [&'static str],
    /// The predicates and domains.
    pub hosts: &'static [Host],
}

impl Packed {
    /// The formula; `None` unless a [`Writer`] wrote it for these items.
    #[must_use]
    pub fn formula(&self) -> Option<Formula> {
        Reader::new(self).formula()
    }
}

/// A Rust item in a formula.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// The path of a constant that names a tool.
    Name(&'a str),
    /// The path of a predicate or domain.
    Host(&'a str),
}

/// Writes the string of a [`Packed`].
pub struct Writer<'a> {
    out: String,
    node: NodeId,
    number_of: &'a mut dyn FnMut(NodeId, Item<'_>) -> usize,
}

impl<'a> Writer<'a> {
    /// A writer that asks for the number of each Rust item, node by node in postfix order and within
    /// a node in the order of its fields.
    pub fn new(number_of: &'a mut dyn FnMut(NodeId, Item<'_>) -> usize) -> Self {
        Writer {
            out: String::new(),
            node: 0,
            number_of,
        }
    }

    /// Writes a formula.
    pub fn formula(&mut self, formula: &Formula) {
        self.number(formula.nodes().len());
        for (id, node) in formula.nodes().iter().enumerate() {
            self.node = id;
            node.write(self);
        }
    }

    /// Writes a text.
    pub fn text(&mut self, text: &str) {
        self.number(text.len());
        self.out.push_str(text);
    }

    /// Writes a number.
    pub fn number(&mut self, number: impl std::fmt::Display) {
        self.out.push_str(&number.to_string());
        self.out.push(';');
    }

    /// Writes a character that tells what follows.
    pub fn tag(&mut self, tag: char) {
        self.out.push(tag);
    }

    /// What was written.
    #[must_use]
    pub fn finish(self) -> String {
        self.out
    }

    fn item(&mut self, item: Item<'_>) {
        let number = (self.number_of)(self.node, item);
        self.number(number);
    }
}

/// Reads what a [`Writer`] wrote. `None` is a string that it did not write.
pub(crate) struct Reader<'a> {
    rest: &'static str,
    items: &'a Packed,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(items: &'a Packed) -> Self {
        Reader {
            rest: items.text,
            items,
        }
    }

    pub(crate) fn formula(&mut self) -> Option<Formula> {
        let count: usize = self.number()?;
        let mut nodes = Vec::new();
        // A formula is postfix with one root; anything else would be out of bounds everywhere.
        let mut open = 0_usize;
        for _ in 0..count {
            let node = Node::read(self)?;
            if matches!(node, Node::And(0 | 1) | Node::Or(0 | 1)) {
                return None;
            }
            open = open.checked_sub(node.arity())? + 1;
            nodes.push(node);
        }
        (open == 1).then(|| Formula::from_nodes(nodes))
    }

    pub(crate) fn text(&mut self) -> Option<&'static str> {
        let len: usize = self.number()?;
        let (text, rest) = self.rest.split_at_checked(len)?;
        self.rest = rest;
        Some(text)
    }

    pub(crate) fn number<N: std::str::FromStr>(&mut self) -> Option<N> {
        let (number, rest) = self.rest.split_once(';')?;
        self.rest = rest;
        number.parse().ok()
    }

    pub(crate) fn tag(&mut self) -> Option<char> {
        let tag = self.rest.chars().next()?;
        self.rest = &self.rest[tag.len_utf8()..];
        Some(tag)
    }
}

/// A part of a node.
trait Field: Sized {
    fn write(&self, to: &mut Writer<'_>);
    fn read(from: &mut Reader<'_>) -> Option<Self>;
}

/// Both directions of an enum from one table: a character for each variant, and its fields.
macro_rules! variants {
    ($enum:ident: $($tag:literal $variant:ident $(($($field:ident),*))? $({$($named:ident),*})?;)*) => {
        impl Field for $enum {
            fn write(&self, to: &mut Writer<'_>) {
                match self {
                    $($enum::$variant $(($($field),*))? $({$($named),*})? => {
                        to.tag($tag);
                        $($($field.write(to);)*)?
                        $($($named.write(to);)*)?
                    })*
                }
            }

            fn read(from: &mut Reader<'_>) -> Option<Self> {
                match from.tag()? {
                    $($tag => {
                        $($(let $field = Field::read(from)?;)*)?
                        $($(let $named = Field::read(from)?;)*)?
                        Some($enum::$variant $(($($field),*))? $({$($named),*})?)
                    })*
                    _ => None,
                }
            }
        }
    };
}

variants! { Node:
    't' True;
    'f' False;
    'c' Called(tool);
    'n' Now(tool);
    'b' Before(a, b);
    'a' After(a, b);
    'A' AllBefore(tools, gate);
    'i' InOrder(tools);
    'B' BranchCalled { correct, wrong, context };
    'N' CalledN(tool, bound);
    'w' CalledWith(tool, args);
    'r' CalledWithResult(tool, result, args);
    'W' WithinSteps(a, b, steps);
    'I' InstanceBefore(a, n, b, m);
    'm' Matches(pattern);
    'p' Predicate { function, runtime_safe };
    '!' Not;
    '&' And(operands);
    '|' Or(operands);
    '>' Implies;
    'X' Next;
    '@' At(position);
    'G' Globally;
    'F' Eventually;
    'U' Until;
    'V' WeakUntil;
    'R' Release;
    'Y' Previous;
    'O' Once;
    'H' Historically;
    'S' Since;
    'C' CountBefore(bound);
    '*' Forall(variable, domain);
    '+' Exists(variable, domain);
}

variants! { Domain:
    'a' Args(tool, key);
    'r' Results(tool, field);
    'v' Values(values);
    'h' Host(host);
}

variants! { Pattern:
    't' Tools(tools, args);
    'h' Host { pattern, maybe };
}

variants! { Cmp:
    '=' Eq;
    'g' Ge;
    'l' Le;
    '>' Gt;
    '<' Lt;
}

variants! { Value:
    'n' Null;
    'b' Bool(value);
    '#' Number(number);
    's' Text(text);
    'l' List(items);
    'o' Object(fields);
    '?' Var(name);
}

impl Field for Name {
    fn write(&self, to: &mut Writer<'_>) {
        if self.is_path() {
            to.tag('$');
            to.item(Item::Name(self.as_str()));
        } else {
            to.tag('"');
            to.text(self.as_str());
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let name = match from.tag()? {
            '$' => {
                let number: usize = from.number()?;
                from.items.names.get(number)?
            }
            _ => from.text()?,
        };
        Some(Name::from_static(name))
    }
}

impl Field for Host {
    fn write(&self, to: &mut Writer<'_>) {
        to.item(Item::Host(self.name()));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let number: usize = from.number()?;
        from.items.hosts.get(number).cloned()
    }
}

impl Field for Text {
    fn write(&self, to: &mut Writer<'_>) {
        to.text(self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.text().map(Text::from_static)
    }
}

impl Field for i64 {
    fn write(&self, to: &mut Writer<'_>) {
        to.number(self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.number()
    }
}

impl Field for u32 {
    fn write(&self, to: &mut Writer<'_>) {
        to.number(self);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        from.number()
    }
}

impl Field for bool {
    fn write(&self, to: &mut Writer<'_>) {
        to.tag(if *self { 'y' } else { 'n' });
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(from.tag()? == 'y')
    }
}

impl Field for Number {
    fn write(&self, to: &mut Writer<'_>) {
        match self.as_int() {
            Some(int) => {
                to.tag('i');
                to.number(int);
            }
            // Its bits: no digit can get lost.
            None => {
                to.tag('f');
                to.number(self.as_f64().to_bits());
            }
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.tag()? {
            'i' => from.number().map(Number::int),
            _ => Number::float(f64::from_bits(from.number()?)),
        }
    }
}

impl Field for Bound {
    fn write(&self, to: &mut Writer<'_>) {
        self.cmp.write(to);
        self.number.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some(Bound {
            cmp: Field::read(from)?,
            number: Field::read(from)?,
        })
    }
}

impl Field for Args {
    fn write(&self, to: &mut Writer<'_>) {
        to.number(self.iter().len());
        for (key, value) in self.iter() {
            key.write(to);
            value.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let pairs: Seq<(Text, Value)> = Field::read(from)?;
        Some(Args::new(pairs.into_vec()))
    }
}

impl<T: Field> Field for Option<T> {
    fn write(&self, to: &mut Writer<'_>) {
        to.tag(if self.is_some() { 'y' } else { 'n' });
        if let Some(field) = self {
            field.write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        match from.tag()? {
            'y' => T::read(from).map(Some),
            _ => Some(None),
        }
    }
}

impl<A: Field, B: Field> Field for (A, B) {
    fn write(&self, to: &mut Writer<'_>) {
        self.0.write(to);
        self.1.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        Some((A::read(from)?, B::read(from)?))
    }
}

impl<T: Field> Field for Seq<T> {
    fn write(&self, to: &mut Writer<'_>) {
        to.number(self.len());
        self.iter().for_each(|item| item.write(to));
    }

    fn read(from: &mut Reader<'_>) -> Option<Self> {
        let len: usize = from.number()?;
        (0..len)
            .map(|_| T::read(from))
            .collect::<Option<Vec<T>>>()
            .map(Seq::from)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::build;

    fn packed(formula: &Formula) -> Packed {
        let mut number_of = |_, _: Item<'_>| 0;
        let mut writer = Writer::new(&mut number_of);
        writer.formula(formula);
        Packed {
            // A test may leak what the compiler would put into the program.
            text: Box::leak(writer.finish().into_boxed_str()),
            names: &["the tool"],
            hosts: &[],
        }
    }

    #[test]
    fn reads_what_it_wrote() {
        for text in [
            "true | false",
            r#"called("a;1;\"é") & now("") & before("a", "b") & after("a", "b")"#,
            r#"all_before(["a", "b"], "c") -> in_order(["a"])"#,
            r#"branch_called("a", "b", context="c") & branch_called("a")"#,
            r#"called_n("a", == -1) | called_n("a", < 9223372036854775807) | called_n("a", >= 0)"#,
            r#"called_with("a", x=1, y=-2.5e-300, z=[true, null, {k: "v"}], n=12345678901234567890)"#,
            r#"forall x in args("a", "x"): called_with_result("b", ?x, y=[?x])"#,
            r#"within_steps("a", "b", 3) U instance_before("a"[1], "b"[2])"#,
            r#"matches(["a", "b"], x=1) W matches("a") R X @-3(Y O H G F !now("a"))"#,
            r#"count_before(now("a") S now("b"), > 3)"#,
            r#"exists x in results("a"): forall y in results("a", "f"): exists z in [?x, 1]: true"#,
        ] {
            let formula = Formula::parse(text).unwrap();
            assert_eq!(
                packed(&formula).formula().as_ref(),
                Some(&formula),
                "{text}"
            );
        }
        let path = build::called(Name::path("A::B"));
        assert_eq!(packed(&path).formula(), Some(build::called("the tool")));
    }

    /// Whatever is cut off or changed, reading ends without a panic.
    #[test]
    fn another_text_is_refused() {
        let formula = Formula::parse(r#"before("é", "b") & !now("c")"#).unwrap();
        let whole = packed(&formula);
        for (at, _) in whole.text.char_indices() {
            let cut = Packed {
                text: &whole.text[..at],
                ..whole
            };
            assert_eq!(cut.formula(), None);
        }
        for text in ["1;!", "2;tt", "0;", "1;q", "1;n$1;", "1;n\"99;x", "1;&0;"] {
            let read = Packed { text, ..whole }.formula();
            assert!(read.is_none(), "{text}: {read:?}");
        }
    }
}
