//! [`Catalogue`]: the strategies that a program offers, by name.

use std::{borrow::Cow, error::Error, fmt};

use super::{strategy::BoxedStrategy, threshold::BoxedThreshold};
use crate::{Restore, RestoreError, ThresholdStrategy, Xid};

/// The strategies that a program lets its users choose from, by name. The contract knows none; the program fills it.
///
/// A name is what the program says it is; the one in the strategy's [facts](crate::Facts::name) is a good one. A name that
/// is offered again means what was offered last. The [module's page](super) has an example.
#[derive(Debug, Default)]
pub struct Catalogue {
    strategies: Shelf<Restorer>,
    thresholds: Shelf<Maker>,
}

type Name = Cow<'static, str>;
type Restorer = Box<dyn Fn(Xid, &[Xid]) -> Result<BoxedStrategy, RestoreError> + Send + Sync>;
type Maker = Box<dyn Fn() -> BoxedThreshold + Send + Sync>;

impl Catalogue {
    /// Nothing to choose from.
    pub fn new() -> Self {
        Self::default()
    }

    /// Offers a snapshot strategy, set up like this.
    pub fn offer<S: Restore + 'static>(
        &mut self,
        name: impl Into<Name>,
        config: S::Config,
    ) -> &mut Self {
        let restorer: Restorer = Box::new(move |latest_completed, running| {
            S::restore(&config, latest_completed, running).map(BoxedStrategy::new)
        });
        self.strategies.put(name.into(), restorer);
        self
    }

    /// Offers a threshold strategy, by what makes a new one.
    pub fn offer_threshold<T: ThresholdStrategy + 'static>(
        &mut self,
        name: impl Into<Name>,
        new: impl Fn() -> T + Send + Sync + 'static,
    ) -> &mut Self {
        self.thresholds.put(name.into(), Box::new(move || Box::new(new())));
        self
    }

    /// The snapshot strategy of this name, in a known state: as [`Restore::restore`] says.
    ///
    /// # Errors
    ///
    /// [`Unavailable::Unknown`] where nothing was offered under this name, [`Unavailable::Restore`] where the strategy
    /// refuses the state.
    pub fn strategy(
        &self,
        name: &str,
        latest_completed: Xid,
        running: &[Xid],
    ) -> Result<BoxedStrategy, Unavailable> {
        let restorer = self.strategies.find("snapshot strategy", name)?;
        Ok(restorer(latest_completed, running)?)
    }

    /// A new threshold of this name.
    ///
    /// # Errors
    ///
    /// Nothing was offered under this name.
    pub fn threshold(&self, name: &str) -> Result<BoxedThreshold, UnknownName> {
        Ok(self.thresholds.find("threshold strategy", name)?())
    }

    /// The names of the snapshot strategies, in the order in which they were offered.
    pub fn strategies(&self) -> impl Iterator<Item = &str> {
        self.strategies.names()
    }

    /// The names of the threshold strategies, in the order in which they were offered.
    pub fn thresholds(&self) -> impl Iterator<Item = &str> {
        self.thresholds.names()
    }
}

/// Things by name, few of them.
struct Shelf<T>(Vec<(Name, T)>);

impl<T> Shelf<T> {
    fn put(&mut self, name: Name, thing: T) {
        match self.0.iter_mut().find(|(other, _)| *other == name) {
            Some(place) => place.1 = thing,
            None => self.0.push((name, thing)),
        }
    }

    fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    fn find(&self, kind: &'static str, name: &str) -> Result<&T, UnknownName> {
        let found = self.0.iter().find(|(known, _)| known == name);
        found.map(|(_, thing)| thing).ok_or_else(|| UnknownName {
            kind,
            name: name.into(),
            known: self.names().map(str::to_owned).collect(),
        })
    }
}

impl<T> Default for Shelf<T> {
    fn default() -> Self {
        Shelf(Vec::new())
    }
}

impl<T> fmt::Debug for Shelf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.names()).finish()
    }
}

/// A catalogue has nothing of this name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownName {
    /// What was asked for: `"snapshot strategy"` or `"threshold strategy"`.
    pub kind: &'static str,
    /// The name that was asked for.
    pub name: String,
    /// The names that there are, in the order in which they were offered.
    pub known: Vec<String>,
}

impl fmt::Display for UnknownName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = if self.known.is_empty() { "none".into() } else { self.known.join(", ") };
        write!(f, "no {} is called {:?}; known: {known}", self.kind, self.name)
    }
}

impl Error for UnknownName {}

/// Why a catalogue gave no strategy.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Unavailable {
    /// Nothing has this name.
    Unknown(UnknownName),
    /// The strategy of this name refuses the state that it should start from.
    Restore(RestoreError),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unavailable::Unknown(unknown) => fmt::Display::fmt(unknown, f),
            Unavailable::Restore(refused) => fmt::Display::fmt(refused, f),
        }
    }
}

impl Error for Unavailable {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        // Both say all in their own words.
        match self {
            Unavailable::Unknown(_) => None,
            Unavailable::Restore(refused) => refused.source(),
        }
    }
}

impl From<UnknownName> for Unavailable {
    fn from(unknown: UnknownName) -> Self {
        Unavailable::Unknown(unknown)
    }
}

impl From<RestoreError> for Unavailable {
    fn from(refused: RestoreError) -> Self {
        Unavailable::Restore(refused)
    }
}
