//! The message about a word that means nothing: what was looked for, and what there is.

use std::{error::Error, fmt};

use super::base;

/// A word that means nothing of its kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    kind: &'static str,
    word: String,
    why: Why,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Why {
    /// Nothing is called that.
    Uncalled(Known),
    /// Nothing is called that, and as an expression it is found in nothing.
    Unmatched(Known),
    /// Nothing is called that, and it is no expression.
    Broken(String),
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Known {
    names: Vec<String>,
    /// Said where there are none.
    none: String,
}

impl Known {
    fn new(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Known { names: names.into_iter().map(Into::into).collect(), none: "none is known".into() }
    }
}

impl Unknown {
    /// Where only names count: nothing is called that.
    pub(crate) fn new(
        kind: &'static str,
        word: &str,
        known: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        Unknown { kind, word: word.into(), why: Why::Uncalled(Known::new(known)) }
    }

    /// Where expressions count too.
    pub(super) fn unmatched(kind: &'static str, word: &str, known: &[&str]) -> Self {
        let known = Known::new(known.iter().copied());
        Unknown { kind, word: word.into(), why: Why::Unmatched(known) }
    }

    /// A word that is neither a name nor an expression.
    pub(super) fn broken(kind: &'static str, word: &str, error: &regex::Error) -> Self {
        Unknown { kind, word: word.into(), why: Why::Broken(reason(word, error)) }
    }

    /// What to say where no name is known at all.
    pub(crate) fn where_none(mut self, hint: impl Into<String>) -> Self {
        if let Why::Uncalled(known) | Why::Unmatched(known) = &mut self.why {
            known.none = hint.into();
        }
        self
    }

    /// The known name that is most like it, with or without its variant; the first of the most alike.
    pub fn nearest(&self) -> Option<&str> {
        let (Why::Uncalled(known) | Why::Unmatched(known)) = &self.why else { return None };
        let likeness = |known: &&String| {
            let like = |known| strsim::normalized_damerau_levenshtein(&self.word, known);
            like(known).max(like(base(known)))
        };
        let names = known.names.iter().rev();
        names.max_by(|a, b| likeness(a).total_cmp(&likeness(b))).map(String::as_str)
    }
}

/// What is wrong with an expression, and where, in one line: the library's own message draws the place below the word.
fn reason(word: &str, error: &regex::Error) -> String {
    use regex_syntax::Error::{Parse, Translate};

    if let regex::Error::CompiledTooBig(limit) = error {
        return format!("it would take more than {limit} bytes");
    }
    let (place, reason) = match regex_syntax::parse(word) {
        Err(Parse(error)) => (error.span().start.offset, error.kind().to_string()),
        Err(Translate(error)) => (error.span().start.offset, error.kind().to_string()),
        // Nothing else is known to be refused.
        _ => return error.to_string().split_whitespace().collect::<Vec<_>>().join(" "),
    };
    let before = word.get(..place).unwrap_or_default();
    format!("at character {}: {reason}", before.chars().count() + 1)
}

/// As it was typed, backslashes too; only what would break the line is escaped.
fn quoted(word: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in word.chars() {
        match letter.is_control() {
            true => quoted.extend(letter.escape_default()),
            false => quoted.push(letter),
        }
    }
    quoted + "\""
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, word) = (self.kind, quoted(&self.word));
        let known = match &self.why {
            Why::Broken(reason) => {
                return write!(
                    f,
                    "no {kind} is called {word}, nor is it a regular expression: {reason}"
                );
            }
            Why::Uncalled(known) => {
                write!(f, "no {kind} is called {word}")?;
                known
            }
            Why::Unmatched(known) => {
                write!(f, "no {kind} is called or matches {word}")?;
                known
            }
        };
        match self.nearest() {
            Some(nearest) => write!(f, "; nearest: {nearest}; known: {}", known.names.join(", ")),
            None => write!(f, "; {}", known.none),
        }
    }
}

impl Error for Unknown {}
