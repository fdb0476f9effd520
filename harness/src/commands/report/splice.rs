//! Puts text between two marker lines of a file, and touches nothing else of it.
//!
//! ```text
//!  # My engine                                     │ kept
//!  <!-- results: begin page-scan -->               │
//!  …                                               │ replaced
//!  <!-- results: end page-scan -->                 │ kept
//!  …                                               │
//! ```
//!
//! A marker is a line of its own, from its first letter on, outside of blocks of code: there it is shown to readers. Whatever is
//! not clear about the markers is refused: text that was swallowed by mistake is gone.

use std::{
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
};

use crate::results::ResultsError;

/// The file's text.
///
/// # Errors
///
/// It cannot be read, or is no text.
pub(super) fn read(file: &Path) -> Result<String, ResultsError> {
    let bytes = fs::read(file).map_err(|error| ResultsError::whole(file, error.to_string()))?;
    String::from_utf8(bytes).map_err(|_| ResultsError::whole(file, "expected text in UTF-8"))
}

/// Writes the whole file beside it first: whoever reads it meanwhile finds one or the other.
///
/// # Errors
///
/// It cannot be written.
pub(super) fn replace(file: &Path, text: &str) -> io::Result<()> {
    let write = || {
        // A link stays one, and a file keeps who may read it.
        let target = file.canonicalize()?;
        let mut beside = target.clone().into_os_string();
        beside.push(".new");
        let beside = PathBuf::from(beside);
        fs::write(&beside, text)
            .and_then(|()| fs::set_permissions(&beside, fs::metadata(&target)?.permissions()))
            .and_then(|()| fs::rename(&beside, &target))
            .inspect_err(|_| {
                // What failed is told; that this is left behind is the least of it.
                let _ = fs::remove_file(&beside);
            })
    };
    write().map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", file.display())))
}

/// `text` with `content`, which ends with a line's end, between the markers of this name.
///
/// # Errors
///
/// A marker is missing, is there twice, or does not stand where it should; `file` is named.
pub(super) fn spliced(
    file: &Path,
    text: &str,
    name: Option<&str>,
    content: &str,
) -> Result<String, ResultsError> {
    let markers = markers(text);
    let at = |marker: &Marker<'_>, says: String| {
        ResultsError::at(file, marker.number, text[marker.bytes.clone()].as_bytes(), says)
    };
    let the = |verb: Verb| {
        let mut found = markers.iter().filter(|marker| (marker.verb, marker.name) == (verb, name));
        let shown = shown(verb, name);
        match (found.next(), found.next()) {
            (Some(marker), None) => Ok(marker),
            (Some(first), Some(second)) => {
                let says =
                    format!("expected one {shown}, not a second one after line {}", first.number);
                Err(at(second, says))
            }
            (None, _) => {
                let says =
                    format!("expected a line {shown}, and there is none{}", others(&markers));
                Err(ResultsError::whole(file, says))
            }
        }
    };
    let (begin, end) = (the(Verb::Begin)?, the(Verb::End)?);
    if end.number < begin.number {
        let says = format!(
            "expected {} before this, not in line {}",
            shown(Verb::Begin, name),
            begin.number
        );
        return Err(at(end, says));
    }
    let within = |marker: &&Marker<'_>| (begin.number + 1..end.number).contains(&marker.number);
    if let Some(other) = markers.iter().find(within) {
        let says = format!("expected {} before another marker", shown(Verb::End, name));
        return Err(at(other, says));
    }
    let line_end = if text[begin.bytes.clone()].ends_with("\r\n") { "\r\n" } else { "\n" };
    let content = format!("\n{content}\n").replace('\n', line_end);
    Ok([&text[..begin.bytes.end], &content, &text[end.bytes.start..]].concat())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verb {
    Begin,
    End,
}

struct Marker<'a> {
    verb: Verb,
    name: Option<&'a str>,
    /// Its line, from 1.
    number: usize,
    /// With the line's end.
    bytes: Range<usize>,
}

fn markers(text: &str) -> Vec<Marker<'_>> {
    let (mut markers, mut start, mut fence) = (Vec::new(), 0, None);
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let bytes = start..start + line.len();
        start = bytes.end;
        fence = match (fence, fence_of(line)) {
            (None, opening) => opening.map(|(fence, _)| fence),
            // A block ends with the fence alone, of the same letter and no shorter.
            (Some((letter, length)), Some(((closing, long), true)))
                if letter == closing && long >= length =>
            {
                None
            }
            (open, _) => open,
        };
        if let Some((verb, name)) = marker(line).filter(|_| fence.is_none()) {
            markers.push(Marker { verb, name, number, bytes });
        }
    }
    markers
}

/// The letter and the length of the fence of a block of code, and whether nothing else is in its line.
fn fence_of(line: &str) -> Option<((char, usize), bool)> {
    let line = line.trim();
    let letter = line.chars().next().filter(|letter| "`~".contains(*letter))?;
    let rest = line.trim_start_matches(letter);
    let length = line.len() - rest.len();
    (length >= 3).then_some(((letter, length), rest.is_empty()))
}

fn marker(line: &str) -> Option<(Verb, Option<&str>)> {
    let inner = line.trim_end().strip_prefix("<!-- results: ")?.strip_suffix(" -->")?;
    let (verb, name) = match inner.split_once(' ') {
        Some((verb, name)) => (verb, Some(name)),
        None => (inner, None),
    };
    match verb {
        "begin" => Some((Verb::Begin, name)),
        "end" => Some((Verb::End, name)),
        _ => None,
    }
}

fn shown(verb: Verb, name: Option<&str>) -> String {
    let verb = if verb == Verb::Begin { "begin" } else { "end" };
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    format!("<!-- results: {verb}{name} -->")
}

/// What there is instead.
fn others(markers: &[Marker<'_>]) -> String {
    let there: Vec<String> = markers
        .iter()
        .map(|marker| format!("{} in line {}", shown(marker.verb, marker.name), marker.number))
        .collect();
    match there.is_empty() {
        true => String::new(),
        false => format!("; there are {}", there.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(text: &str, name: Option<&str>) -> Result<String, String> {
        spliced(Path::new("f.md"), text, name, "new\n").map_err(|error| error.to_string())
    }

    #[test]
    fn what_stands_between_is_replaced() {
        let text =
            "# Mine\n<!-- results: begin -->\nold\n\n```\nolder\n```\n<!-- results: end -->\nrest";
        let new = "# Mine\n<!-- results: begin -->\n\nnew\n\n<!-- results: end -->\nrest";
        assert_eq!(put(text, None).as_deref(), Ok(new));
        assert_eq!(put(new, None).as_deref(), Ok(new), "once more is the same");
        let empty = "<!-- results: begin -->\r\n<!-- results: end -->";
        let ends = "<!-- results: begin -->\r\n\r\nnew\r\n\r\n<!-- results: end -->";
        assert_eq!(put(empty, None).as_deref(), Ok(ends));
    }

    #[test]
    fn each_place_has_its_name() {
        let place = |name: &str, content: &str| {
            format!("<!-- results: begin{name} -->\n{content}\n<!-- results: end{name} -->\n")
        };
        let of = |a: &str, b: &str, c: &str| {
            [place("", a), place(" scan", b), place(" two", c)].concat()
        };
        let old = of("1", "2", "3");
        assert_eq!(put(&old, Some("scan")), Ok(of("1", "\nnew\n", "3")));
        assert_eq!(put(&old, None), Ok(of("\nnew\n", "2", "3")));
    }

    #[test]
    fn what_readers_are_shown_is_no_marker() {
        let shown = "```md\n<!-- results: begin -->\n~~~\n````x\n<!-- results: end -->\n```\n~~~~\n~~~\n\
                     <!-- results: end -->\n~~~~\n  <!-- results: begin -->\n";
        let place = "<!-- results: begin -->\n<!-- results: end -->\n";
        let new = "<!-- results: begin -->\n\nnew\n\n<!-- results: end -->\n";
        assert_eq!(put(&format!("{shown}{place}"), None), Ok(format!("{shown}{new}")));
        assert!(put(shown, None).is_err());
    }

    #[test]
    fn unclear_markers_are_refused() {
        let (begin, end) = ("<!-- results: begin -->\n", "<!-- results: end -->\n");
        let other = "<!-- results: begin b -->\n";
        for (lines, says) in [
            (&["text\n"][..], "f.md: expected a line <!-- results: begin -->, and there is none"),
            (
                &["x\n", other, end],
                "f.md: expected a line <!-- results: begin -->, and there is none; there are <!-- results: begin b --> in \
                 line 2, <!-- results: end --> in line 3",
            ),
            (
                &[begin, "x\n"],
                "f.md: expected a line <!-- results: end -->, and there is none; there are",
            ),
            (
                &[begin, end, begin],
                "f.md:3: expected one <!-- results: begin -->, not a second one after line 1\n  | <!-- results: begin -->",
            ),
            (
                &[begin, end, "x\n", end],
                "f.md:4: expected one <!-- results: end -->, not a second one after line 2",
            ),
            (
                &[end, "x\n", begin],
                "f.md:1: expected <!-- results: begin --> before this, not in line 3",
            ),
            (&[begin, other, end], "f.md:2: expected <!-- results: end --> before another marker"),
        ] {
            let told = put(&lines.concat(), None).expect_err("the markers are unclear");
            assert!(told.starts_with(says), "{told}\nexpected {says:?}");
        }
    }
}
