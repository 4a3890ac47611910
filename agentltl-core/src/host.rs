//! Rust code that a formula refers to: predicates, quantifier domains and call patterns.
//!
//! The language knows such an item by its name alone. What it does is up to the crate that runs the
//! formula, which stores a value of its own type here and takes it out again by that type.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::text::Text;

/// A named item of Rust code inside a formula.
///
/// Two are equal if they have the same name and are the same object.
///
/// ```
/// use agentltl_core::Host;
/// use std::sync::Arc;
/// let host = Host::new("answer", Arc::new(42_u8));
/// assert_eq!(host.get::<u8>(), Some(&42));
/// assert_eq!(host.get::<i8>(), None);
/// assert_eq!(host, host.clone());
/// assert_ne!(host, Host::new("answer", Arc::new(42_u8)));
/// ```
#[derive(Clone)]
pub struct Host {
    name: Text,
    item: Item,
}

#[derive(Clone)]
enum Item {
    /// Known by its path only: inside the compiler.
    Path,
    Static(&'static (dyn Any + Send + Sync)),
    Shared(Arc<dyn Any + Send + Sync>),
}

impl Host {
    /// An item under the name it is printed with.
    pub fn new(name: impl Into<Text>, item: Arc<dyn Any + Send + Sync>) -> Self {
        Host {
            name: name.into(),
            item: Item::Shared(item),
        }
    }

    /// An item that is part of the program; usable in a `const` or `static`.
    #[must_use]
    pub const fn from_static(name: &'static str, item: &'static (dyn Any + Send + Sync)) -> Self {
        Host {
            name: Text::from_static(name),
            item: Item::Static(item),
        }
    }

    /// A Rust path that only rustc can resolve; only meaningful inside the compiler.
    pub fn path(path: impl Into<Text>) -> Self {
        Host {
            name: path.into(),
            item: Item::Path,
        }
    }

    /// The name, as the formula prints it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The item, if it is of that type.
    #[must_use]
    pub fn get<T: 'static>(&self) -> Option<&T> {
        match &self.item {
            Item::Path => None,
            Item::Static(item) => item.downcast_ref(),
            Item::Shared(item) => item.downcast_ref(),
        }
    }

    /// Does this stand for a Rust path that is not resolved yet?
    #[must_use]
    pub const fn is_path(&self) -> bool {
        matches!(self.item, Item::Path)
    }
}

impl PartialEq for Host {
    fn eq(&self, other: &Self) -> bool {
        let address = |item: &'_ (dyn Any + Send + Sync)| std::ptr::from_ref(item).cast::<()>();
        self.name == other.name
            && match (&self.item, &other.item) {
                (Item::Path, Item::Path) => true,
                (Item::Static(a), Item::Static(b)) => {
                    address(*a) == address(*b) && (**a).type_id() == (**b).type_id()
                }
                (Item::Shared(a), Item::Shared(b)) => {
                    std::ptr::addr_eq(Arc::as_ptr(a), Arc::as_ptr(b))
                        && (**a).type_id() == (**b).type_id()
                }
                _ => false,
            }
    }
}

impl Eq for Host {}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Host({})", self.name)
    }
}
