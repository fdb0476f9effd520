//! Every strategy crate is known wherever strategies are listed; what is missing names the file to edit.

use std::{fs, path::Path};

use harness::registry::{THRESHOLDS, snapshots};

/// The naive strategy that others are held against. It belongs to no crate and has no row.
const NAIVE: &str = "locked-set";

/// What a workspace says about its strategies.
#[derive(Clone)]
struct Tree {
    /// Folders named `strategy-*`.
    folders: Vec<String>,
    /// `harness/Cargo.toml`.
    manifest: String,
    /// `harness/src/registry.rs` and what is in the folder beside it.
    registry: String,
    /// `README.md`.
    readme: String,
    /// The names that the registry gives.
    names: Vec<String>,
}

impl Tree {
    /// What is missing, each with the file to edit.
    fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        let (picture, table) = (picture(&self.readme), table(&self.readme));
        for folder in &self.folders {
            let dependency = |line: &str| line.split(['=', '.', ' ']).next() == Some(folder);
            if !self.manifest.lines().any(dependency) {
                gaps.push(format!(
                    "harness/Cargo.toml: add the line  {folder} = {{ path = \"../{folder}\" }}"
                ));
            }
            if !self.registry.contains(&format!("{}::", folder.replace('-', "_"))) {
                gaps.push(format!(
                    "harness/src/registry.rs, or a file in registry/: give each strategy of {folder} a name"
                ));
            }
            if !picture.split_whitespace().any(|word| word == folder) {
                gaps.push(format!("README.md, the picture of \"The crates\": add {folder}"));
            }
            if !table.iter().any(|row| row.link == *folder) {
                gaps.push(format!("README.md, the table of strategies: add a row for {folder}"));
            }
        }
        for row in &table {
            if row.link.starts_with("strategy-") && !self.folders.contains(&row.link) {
                gaps.push(format!(
                    "README.md, the table of strategies: {:?} is no folder of the workspace",
                    row.link
                ));
            }
            for name in row.names.iter().filter(|name| !self.registers(name)) {
                gaps.push(format!(
                    "README.md, the table of strategies: {name:?} is not in harness/src/registry.rs"
                ));
            }
        }
        let shown = |name: &str| {
            table.iter().flat_map(|row| &row.names).any(|other| base(other) == base(name))
        };
        for name in self.names.iter().filter(|name| **name != NAIVE && !shown(name)) {
            gaps.push(format!(
                "README.md, the table of strategies: add a row for {name:?}, which the registry has"
            ));
        }
        gaps
    }

    /// `proc-array(…)` and `shared-cache(S)` stand for any variant.
    fn registers(&self, name: &str) -> bool {
        let any = name.ends_with("(…)") || name.ends_with("(S)");
        self.names.iter().any(|known| known == name || any && base(known) == base(name))
    }
}

/// A name without its variant.
fn base(name: &str) -> &str {
    name.split('(').next().unwrap_or(name)
}

/// The picture of the crates.
fn picture(readme: &str) -> &str {
    let section = readme.split("\n## The crates\n").nth(1).unwrap_or_default();
    section.split("```").nth(1).unwrap_or_default()
}

/// A row of the table of strategies.
struct Row {
    names: Vec<String>,
    /// The folder that the crate's cell links to.
    link: String,
}

fn table(readme: &str) -> Vec<Row> {
    let lines = readme.lines().skip_while(|line| !line.starts_with("| strategy | crate |")).skip(2);
    let rows = lines.take_while(|line| line.starts_with('|'));
    let cells = rows.map(|line| line.split('|').skip(1).take(2).collect::<Vec<_>>());
    let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect();
    let linked = |cell: &str| Some(cell.split_once("](")?.1.split_once(')')?.0.to_owned());
    let row = |cells: Vec<&str>| Row {
        names: cells.first().copied().map(quoted).unwrap_or_default(),
        link: cells.get(1).copied().and_then(linked).unwrap_or_default(),
    };
    cells.map(row).collect()
}

#[test]
fn every_crate_is_known_everywhere() {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let read = |file: &str| {
        fs::read_to_string(root.join(file)).unwrap_or_else(|why| panic!("{file}: {why}"))
    };
    let entries = |folder: &str| -> Vec<String> {
        let entries = fs::read_dir(root.join(folder)).expect("a folder of the workspace");
        let name =
            |entry: std::io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        entries.filter_map(name).collect()
    };
    let files = entries("harness/src/registry").into_iter().filter(|file| file.ends_with(".rs"));
    let registry: String =
        files.map(|file| read(&format!("harness/src/registry/{file}"))).collect();
    let mut folders = entries(".");
    folders.retain(|name| {
        name.starts_with("strategy-") && root.join(name).join("Cargo.toml").exists()
    });
    let tree = Tree {
        folders,
        manifest: read("harness/Cargo.toml"),
        registry: read("harness/src/registry.rs") + &registry,
        readme: read("README.md"),
        names: snapshots().iter().chain(THRESHOLDS).map(|&name| name.to_owned()).collect(),
    };
    let gaps = tree.gaps();
    assert!(gaps.is_empty(), "\n{}\n", gaps.join("\n"));
}

/// A workspace of two crates in which nothing is missing.
fn sound() -> Tree {
    let readme = "
## The crates

```text
  harness   the judge
    ├─► strategy-tree    a tree
    └─► strategy-ring    a ring
```

| strategy | crate | snapshot costs |
|---|---|---|
| `tree(plain)` | [strategy-tree](strategy-tree) | much |
| `ring(…)`, `band` | [strategy-ring](strategy-ring) | little |
| `off` | [snapshot-api](snapshot-api) | nothing |

| another | table |
|---|---|
| `stray` | [strategy-stray](strategy-stray) |
";
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    Tree {
        folders: owned(&["strategy-tree", "strategy-ring"]),
        manifest: "[dependencies]\nstrategy-tree = { path = \"../strategy-tree\" }\nstrategy-ring.workspace = true\n".into(),
        registry: "use strategy_tree::Tree;\nuse strategy_ring::{Band, Ring};\n".into(),
        readme: readme.into(),
        names: owned(&["locked-set", "tree(plain)", "tree(old)", "ring(a)", "ring(b)", "band", "off"]),
    }
}

/// One line is taken out of a sound tree, and just these gaps are found.
fn finds(change: impl FnOnce(&mut Tree), expected: &[&str]) {
    let mut tree = sound();
    change(&mut tree);
    let gaps = tree.gaps();
    assert_eq!(gaps.len(), expected.len(), "{gaps:?}");
    for (gap, expected) in gaps.iter().zip(expected) {
        assert!(gap.starts_with(expected), "{gap:?} should begin with {expected:?}");
    }
}

#[test]
fn a_sound_tree_has_no_gap() {
    finds(|_| {}, &[]);
}

#[test]
fn each_place_is_looked_at() {
    finds(
        |tree| tree.manifest = tree.manifest.replace("strategy-ring.workspace", "strategy-rings"),
        &["harness/Cargo.toml: add the line  strategy-ring = { path = \"../strategy-ring\" }"],
    );
    finds(
        |tree| tree.registry = tree.registry.replace("use strategy_ring::", "use strategy_rings::"),
        &["harness/src/registry.rs, or a file in registry/: give each strategy of strategy-ring"],
    );
    finds(
        |tree| tree.readme = tree.readme.replace("─► strategy-tree ", "─► strategy-trees "),
        &["README.md, the picture of \"The crates\": add strategy-tree"],
    );
    finds(
        |tree| tree.readme = tree.readme.replace("[strategy-tree](strategy-tree)", "tree"),
        &["README.md, the table of strategies: add a row for strategy-tree"],
    );
}

#[test]
fn a_crate_of_which_nothing_is_known() {
    finds(
        |tree| tree.folders.push("strategy-new".into()),
        &[
            "harness/Cargo.toml",
            "harness/src/registry.rs",
            "README.md, the picture",
            "README.md, the table",
        ],
    );
}

#[test]
fn the_table_and_the_registry_agree() {
    finds(
        |tree| tree.readme = tree.readme.replace("`tree(plain)`", "`tree(new)`"),
        &["README.md, the table of strategies: \"tree(new)\" is not in harness/src/registry.rs"],
    );
    finds(
        |tree| tree.readme = tree.readme.replace(", `band`", ""),
        &["README.md, the table of strategies: add a row for \"band\", which the registry has"],
    );
    finds(
        |tree| tree.names.retain(|name| name != "off"),
        &["README.md, the table of strategies: \"off\" is not in harness/src/registry.rs"],
    );
    finds(
        |tree| tree.folders.retain(|folder| folder != "strategy-ring"),
        &["README.md, the table of strategies: \"strategy-ring\" is no folder of the workspace"],
    );
}

#[test]
fn a_readme_without_picture_or_table() {
    let mut tree = sound();
    tree.readme.clear();
    let gaps = tree.gaps();
    assert_eq!(gaps.len(), 2 + 2 + tree.names.len() - 1, "{gaps:?}");
}
