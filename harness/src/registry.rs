//! Which strategies there are. Adding one is one line here, and one in the manifest.

use std::fmt;

use snapshot_api::Standby;

use crate::locked_set::LockedSet;

/// Does something with a strategy whose type is known where it is called: no dynamic dispatch on any path.
pub trait StandbyVisitor {
    /// What comes out.
    type Output;

    /// Called with the strategy's type and the set-up that belongs to its name.
    fn visit<S: Standby + 'static>(self, config: S::Config) -> Self::Output;
}

macro_rules! standbys {
    ($($name:literal => $strategy:ty = $config:expr;)*) => {
        /// The names of all strategies that can play a standby.
        pub const STANDBYS: &[&str] = &[$($name),*];

        /// Calls `visitor` with the strategy of this name.
        ///
        /// # Errors
        ///
        /// Nothing has this name.
        pub fn visit_standby<V: StandbyVisitor>(name: &str, visitor: V) -> Result<V::Output, UnknownStrategy> {
            match name {
                $($name => Ok(visitor.visit::<$strategy>($config)),)*
                _ => Err(UnknownStrategy { name: name.into() }),
            }
        }
    };
}

// The name on the command line, which is the one in the strategy's facts => its type = its set-up.
standbys! {
    "locked-set" => LockedSet = ();
}

/// No strategy has this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownStrategy {
    /// The name that was asked for.
    pub name: String,
}

impl UnknownStrategy {
    /// The known name that is most like it.
    pub fn nearest(&self) -> Option<&'static str> {
        let likeness = |known: &&&str| strsim::normalized_damerau_levenshtein(&self.name, known);
        STANDBYS.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b))).copied()
    }
}

impl fmt::Display for UnknownStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no strategy {:?} can play a standby", self.name)?;
        if let Some(nearest) = self.nearest() {
            write!(f, "; did you mean {nearest:?}?")?;
        }
        write!(f, " Known: {}", STANDBYS.join(", "))
    }
}

impl std::error::Error for UnknownStrategy {}

/// Checks a name without doing anything.
///
/// # Errors
///
/// Nothing has this name.
pub fn known(name: &str) -> Result<&'static str, UnknownStrategy> {
    STANDBYS
        .iter()
        .find(|known| **known == name)
        .copied()
        .ok_or_else(|| UnknownStrategy { name: name.into() })
}
