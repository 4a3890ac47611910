//! Strings and lists that are either part of the program or shared: what lets a formula live in a
//! plain `static` and yet be built at run time.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// An immutable string: `&'static str` from the compiler, or a shared allocation.
///
/// Equality, order and hash are those of the string, wherever it is stored.
///
/// ```
/// use agentltl_core::Text;
/// const HERE: Text = Text::from_static("deploy");
/// assert_eq!(HERE, Text::from(String::from("deploy")));
/// assert_eq!(HERE.len(), 6);
/// ```
#[derive(Clone)]
pub struct Text(Repr);

#[derive(Clone)]
enum Repr {
    Static(&'static str),
    Shared(Arc<str>),
}

impl Text {
    /// A string that is part of the program; usable in a `const` or `static`.
    #[must_use]
    pub const fn from_static(text: &'static str) -> Self {
        Text(Repr::Static(text))
    }

    /// The string itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Repr::Static(text) => text,
            Repr::Shared(text) => text,
        }
    }
}

impl Deref for Text {
    type Target = str;
    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for Text {
    fn as_ref(&self) -> &str {
        self
    }
}

impl Borrow<str> for Text {
    fn borrow(&self) -> &str {
        self
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Text(Repr::Shared(text.into()))
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Text(Repr::Shared(text.into()))
    }
}

impl From<&String> for Text {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl Default for Text {
    fn default() -> Self {
        Text::from_static("")
    }
}

impl PartialEq for Text {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text {}

impl PartialEq<str> for Text {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == other
    }
}

impl PartialEq<&str> for Text {
    fn eq(&self, other: &&str) -> bool {
        self.as_str() == *other
    }
}

impl PartialOrd for Text {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl Hash for Text {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.as_str(), f)
    }
}

/// A tool's name as a formula holds it.
///
/// Inside the compiler a name may still be the path of a Rust constant, whose value only rustc will
/// know: [`Name::path`]. In a running program every name is a value.
///
/// ```
/// use agentltl_core::Name;
/// assert_eq!(Name::from("deploy").as_str(), "deploy");
/// assert_ne!(Name::from("deploy"), Name::path("deploy"));
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name {
    text: Text,
    path: bool,
}

impl Name {
    /// A name that is part of the program; usable in a `const` or `static`.
    #[must_use]
    pub const fn from_static(name: &'static str) -> Self {
        Name {
            text: Text::from_static(name),
            path: false,
        }
    }

    /// The path of a Rust constant that holds the name; only meaningful inside the compiler.
    #[must_use]
    pub fn path(path: impl Into<Text>) -> Self {
        Name {
            text: path.into(),
            path: true,
        }
    }

    /// The name, or the path where [`Name::is_path`].
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Does this stand for a Rust constant rather than for the text itself?
    #[must_use]
    pub const fn is_path(&self) -> bool {
        self.path
    }
}

impl<T: Into<Text>> From<T> for Name {
    fn from(text: T) -> Self {
        Name {
            text: text.into(),
            path: false,
        }
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path {
            f.write_str(&self.text)
        } else {
            fmt::Debug::fmt(&self.text, f)
        }
    }
}

/// An immutable list: a `&'static` slice from the compiler, or a shared allocation.
///
/// ```
/// use agentltl_core::Seq;
/// const TWO: Seq<u8> = Seq::from_static(&[1, 2]);
/// assert_eq!(TWO, Seq::from(vec![1, 2]));
/// ```
pub struct Seq<T: 'static>(SeqRepr<T>);

enum SeqRepr<T: 'static> {
    Static(&'static [T]),
    // A Vec inside, so that a sole owner can grow it in place.
    Shared(Arc<Vec<T>>),
}

impl<T> Seq<T> {
    /// A list that is part of the program; usable in a `const` or `static`.
    #[must_use]
    pub const fn from_static(items: &'static [T]) -> Self {
        Seq(SeqRepr::Static(items))
    }

    /// The items.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match &self.0 {
            SeqRepr::Static(items) => items,
            SeqRepr::Shared(items) => items,
        }
    }
}

impl<T: Clone> Seq<T> {
    /// The items as an owned vector; free of copies for a sole owner.
    #[must_use]
    pub fn into_vec(self) -> Vec<T> {
        match self.0 {
            SeqRepr::Static(items) => items.to_vec(),
            SeqRepr::Shared(items) => Arc::unwrap_or_clone(items),
        }
    }
}

impl<T> Clone for Seq<T> {
    fn clone(&self) -> Self {
        Seq(match &self.0 {
            SeqRepr::Static(items) => SeqRepr::Static(items),
            SeqRepr::Shared(items) => SeqRepr::Shared(Arc::clone(items)),
        })
    }
}

impl<T> Deref for Seq<T> {
    type Target = [T];
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T> From<Vec<T>> for Seq<T> {
    fn from(items: Vec<T>) -> Self {
        Seq(SeqRepr::Shared(Arc::new(items)))
    }
}

impl<T> FromIterator<T> for Seq<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        items.into_iter().collect::<Vec<_>>().into()
    }
}

impl<T> Default for Seq<T> {
    fn default() -> Self {
        Seq::from_static(&[])
    }
}

impl<T: PartialEq> PartialEq for Seq<T> {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<T: Eq> Eq for Seq<T> {}

impl<T: Hash> Hash for Seq<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_slice().hash(state);
    }
}

impl<T: fmt::Debug> fmt::Debug for Seq<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_slice(), f)
    }
}
