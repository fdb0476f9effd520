//! What the guide shows is what is tested, line by line.

pub(crate) const GUIDE: &str = include_str!("../../GUIDE.md");

/// Each of them is a block of the guide, whole.
const WHOLE: [(&str, &str); 4] = [
    ("state.rs", include_str!("state.rs")),
    ("steps.rs", include_str!("steps.rs")),
    ("strategy.rs", include_str!("strategy.rs")),
    ("restore.rs", include_str!("restore.rs")),
];

/// The other blocks are parts of these.
const PARTS: [&str; 3] =
    [include_str!("mistakes.rs"), include_str!("../guide.rs"), include_str!("../guide_loom.rs")];

/// The Rust blocks of a page as a reader sees them. One that is compiled but not run is its own test.
fn blocks(guide: &str) -> Vec<String> {
    let fences = guide.split("\n```").skip(1).step_by(2);
    let rust =
        fences.filter_map(|fence| fence.split_once('\n').filter(|(info, _)| *info == "rust"));
    let shown = |line: &&str| !line.starts_with("# ") && *line != "#";
    rust.map(|(_, code)| code.lines().filter(shown).collect::<Vec<_>>().join("\n")).collect()
}

/// Lines without their indentation, blank ones left out.
fn plain(code: &str) -> String {
    let lines = code.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.flat_map(|line| [line, "\n"]).collect()
}

/// Where the guide and what is tested differ.
fn drift(guide: &str) -> Vec<String> {
    let blocks: Vec<String> = blocks(guide).iter().map(|block| plain(block)).collect();
    let missing = WHOLE.iter().filter(|(_, code)| !blocks.contains(&plain(code)));
    let missing = missing.map(|(file, _)| format!("no block of GUIDE.md is tests/guide/{file}"));
    let tested = |block: &&String| {
        let whole = WHOLE.iter().any(|(_, code)| plain(code) == **block);
        whole || PARTS.iter().any(|code| plain(code).contains(&**block))
    };
    let untested = blocks.iter().filter(|block| !tested(block));
    missing
        .chain(untested.map(|block| format!("GUIDE.md shows what is not tested:\n{block}")))
        .collect()
}

#[test]
fn the_guide_shows_what_is_tested() {
    let drift = drift(GUIDE);
    assert!(drift.is_empty(), "{}", drift.join("\n"));
}

#[test]
fn every_kind_of_drift_is_found() {
    let one_block =
        drift(&GUIDE.replacen("self.running.remove(place);", "self.running.clear();", 1));
    assert_eq!(one_block.len(), 2, "a file is missing, and a block is not tested: {one_block:?}");
    let a_part = drift(&GUIDE.replacen("(5, &[3])", "(5, &[4])", 1));
    assert_eq!(a_part.len(), 1, "{a_part:?}");
    let nothing = drift("");
    assert_eq!(nothing.len(), WHOLE.len(), "{nothing:?}");
}
