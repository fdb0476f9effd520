//! Names on the command line: what a word means among the names that there are.
//!
//! ```text
//!          a known name, or all of it but its variant? ──► these     csn: csn, csn(rising)
//!  word ──┤                                                          csn(rising): itself
//!          no: a regular expression ──► all in which it is found     ^csn|list: also linked-list
//! ```
//!
//! A name wins over the expression that it is as well: `csn(rising)` would be found nowhere, and `mutex` in `mutex-os` too. An
//! expression may be found anywhere in a name, in upper and lower case as it stands; `^csn$` is how to mean one of several
//! variants that has no parentheses. A word that means nothing is an error, never an empty choice: a typing error must not look
//! like a strategy that has no results.

use regex::Regex;

pub use unknown::Unknown;

mod unknown;

/// Those of `known` that the words mean, in the order of the words, each once; all of them where there is no word.
///
/// # Errors
///
/// The first word that means none of them.
///
/// ```
/// use harness::names::chosen;
///
/// let chosen = |words: &[&str]| {
///     let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
///     chosen("strategy", &words, &["bitmap", "csn", "csn(rising)", "shared-cache(csn)"])
/// };
/// assert_eq!(chosen(&[])?.len(), 4);
/// assert_eq!(chosen(&["csn"])?, ["csn", "csn(rising)"]);
/// assert_eq!(chosen(&["csn(rising)", "^b"])?, ["csn(rising)", "bitmap"]);
/// assert_eq!(chosen(&["cache|map"])?, ["bitmap", "shared-cache(csn)"]);
/// assert_eq!(
///     chosen(&["bitmup"]).unwrap_err().to_string(),
///     "no strategy is called or matches \"bitmup\"; nearest: bitmap; \
///      known: bitmap, csn, csn(rising), shared-cache(csn)"
/// );
/// # Ok::<(), harness::names::Unknown>(())
/// ```
pub fn chosen<'k>(
    kind: &'static str,
    words: &[String],
    known: &[&'k str],
) -> Result<Vec<&'k str>, Unknown> {
    chosen_here(kind, words, known, &[])
}

/// The same where there are more names `elsewhere`: a word that is one of those means it, and no other one in which it is found.
///
/// # Errors
///
/// The first word that means none of `known`.
pub fn chosen_here<'k>(
    kind: &'static str,
    words: &[String],
    known: &[&'k str],
    elsewhere: &[&str],
) -> Result<Vec<&'k str>, Unknown> {
    if words.is_empty() {
        return Ok(known.to_vec());
    }
    let mut chosen: Vec<&str> = Vec::new();
    for word in words {
        let meaning = Meaning::of(word, known.iter().chain(elsewhere))
            .map_err(|error| Unknown::broken(kind, word, &error))?;
        let mut found = known.iter().filter(|name| meaning.is(name)).peekable();
        if found.peek().is_none() {
            return Err(Unknown::unmatched(kind, word, known));
        }
        for name in found {
            if !chosen.contains(name) {
                chosen.push(name);
            }
        }
    }
    Ok(chosen)
}

/// What a word means.
enum Meaning<'w> {
    /// It is a name, with or without its variant.
    Name(&'w str),
    /// All names in which this is found.
    Pattern(Regex),
    /// It is empty: as an expression it would be found in every name, but who typed it had a variable that was not set.
    Nothing,
}

impl<'w> Meaning<'w> {
    fn of<'k>(
        word: &'w str,
        mut names: impl Iterator<Item = &'k &'k str>,
    ) -> Result<Self, regex::Error> {
        match word {
            "" => Ok(Meaning::Nothing),
            _ if names.any(|name| is_name(word, name)) => Ok(Meaning::Name(word)),
            _ => Regex::new(word).map(Meaning::Pattern),
        }
    }

    fn is(&self, name: &str) -> bool {
        match self {
            Meaning::Name(word) => is_name(word, name),
            Meaning::Pattern(pattern) => pattern.is_match(name),
            Meaning::Nothing => false,
        }
    }
}

fn is_name(word: &str, name: &str) -> bool {
    word == name || word == base(name)
}

/// A name without its variant.
pub(crate) fn base(name: &str) -> &str {
    name.split_once('(').map_or(name, |(base, _)| base)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &[&str] = &[
        "boolean-array(original)",
        "boolean-array(15.2)",
        "linked-list",
        "skip-offsets",
        "csn",
        "csn(rising)",
        "shared-cache(csn(rising))",
        "mutex-os",
        "mutex",
    ];

    fn choose(words: &[&str]) -> Result<Vec<&'static str>, Unknown> {
        let words: Vec<String> = words.iter().map(|&word| word.into()).collect();
        chosen("strategy", &words, KNOWN)
    }

    fn found(words: &[&str]) -> Vec<&'static str> {
        choose(words).unwrap_or_else(|error| panic!("{error}"))
    }

    fn message(word: &str) -> String {
        choose(&[word]).expect_err(word).to_string()
    }

    #[test]
    fn a_name_wins_over_the_expression_that_it_is_as_well() {
        assert_eq!(found(&["csn(rising)"]), ["csn(rising)"]);
        assert_eq!(found(&["shared-cache(csn(rising))"]), ["shared-cache(csn(rising))"]);
        assert_eq!(found(&["mutex"]), ["mutex"]);
        assert_eq!(found(&["boolean-array(15.2)"]), ["boolean-array(15.2)"]);
    }

    #[test]
    fn a_name_without_its_variant_means_all_of_them() {
        assert_eq!(found(&["boolean-array"]), ["boolean-array(original)", "boolean-array(15.2)"]);
        assert_eq!(found(&["csn"]), ["csn", "csn(rising)"]);
        assert_eq!(found(&["shared-cache"]), ["shared-cache(csn(rising))"]);
    }

    #[test]
    fn any_other_word_is_an_expression_found_anywhere() {
        assert_eq!(found(&["^boolean"]), ["boolean-array(original)", "boolean-array(15.2)"]);
        assert_eq!(found(&["(list|offsets)"]), ["linked-list", "skip-offsets"]);
        assert_eq!(
            found(&[".*csn.*"]),
            ["csn", "csn(rising)", "shared-cache(csn(rising))"],
            "anchors are the word's own"
        );
        assert_eq!(found(&["^csn$"]), ["csn"]);
        assert_eq!(found(&["mute"]), ["mutex-os", "mutex"]);
        assert_eq!(found(&[r"15\.\d"]), ["boolean-array(15.2)"]);
        assert_eq!(found(&["(?i)CSN$"]), ["csn"]);
        assert!(choose(&["CSN$"]).is_err(), "case counts");
    }

    #[test]
    fn the_words_order_counts_and_each_name_comes_once() {
        assert_eq!(found(&[]), KNOWN);
        assert_eq!(
            found(&["mutex", "list", "mutex", "mute", "linked-list"]),
            ["mutex", "linked-list", "mutex-os"]
        );
    }

    #[test]
    fn what_is_found_nowhere_is_told_with_the_nearest() {
        let known = KNOWN.join(", ");
        for (word, nearest) in [
            ("boolan-array", "boolean-array(original)"),
            ("boolean-array(15.3)", "boolean-array(15.2)"),
            ("mutexx", "mutex"),
            ("^linkd-list$", "linked-list"),
        ] {
            assert_eq!(
                message(word),
                format!(
                    "no strategy is called or matches \"{word}\"; nearest: {nearest}; known: {known}"
                )
            );
        }
        assert!(choose(&["csn", "boolan-array"]).is_err(), "one good word is not enough");
        assert!(message(r"\bno").starts_with("no strategy is called or matches \"\\bno\"; "));
        assert!(message("").starts_with("no strategy is called or matches \"\"; "));
    }

    #[test]
    fn broken_expressions_are_told_in_one_line_with_their_place() {
        for (word, reason) in [
            ("(", "at character 1: unclosed group"),
            ("*", "at character 1: repetition operator missing expression"),
            ("[a", "at character 1: unclosed character class"),
            ("csn(rising", "at character 4: unclosed group"),
            ("ü|\\q", "at character 3: unrecognized escape sequence"),
            ("a\n(", "at character 3: unclosed group"),
            (r"\p{Nothing}", "at character 1: Unicode property not found"),
        ] {
            let shown = word.replace('\n', "\\n");
            assert_eq!(
                message(word),
                format!(
                    "no strategy is called \"{shown}\", nor is it a regular expression: {reason}"
                )
            );
        }
        assert!(
            message("((a{1000}){1000}){1000}").ends_with("would take more than 10485760 bytes")
        );
    }

    #[test]
    fn a_name_from_elsewhere_is_no_expression() {
        let here = |word: &str, elsewhere: &[&str]| {
            chosen_here("strategy", &[word.into()], &["mutex-os", "shared-cache(csn)"], elsewhere)
        };
        assert_eq!(here("mutex", &[]).expect("an expression"), ["mutex-os"]);
        assert!(here("mutex", &["mutex"]).is_err());
        assert!(here("csn", &["csn(rising)"]).is_err());
        assert_eq!(here("csn|mutex", &["csn", "mutex"]).expect("an expression").len(), 2);
    }
}
