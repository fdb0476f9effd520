//! [`Grid`]: a table that can be printed for a terminal and as Markdown, with the same cells.

use comfy_table::{CellAlignment, Table, presets};

/// A table of text: first columns of words, then columns of numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Grid {
    /// Said above it.
    pub caption: Option<String>,
    /// Names of the columns.
    pub header: Vec<String>,
    /// How many columns, from the left, are words.
    pub words: usize,
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line of a [`Grid`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// One cell for each column.
    Cells(Vec<String>),
    /// Says what the lines below it are.
    Heading(&'static str),
}

impl Grid {
    /// For a terminal: columns apart by blanks.
    pub fn text(&self) -> String {
        self.with_caption(self.table(plain).load_preset(presets::NOTHING).trim_fmt())
    }

    /// As Markdown, numbers to the right.
    pub fn markdown(&self) -> String {
        let mut table = self.table(|cell| escaped(&plain(cell)));
        let table = table.load_preset(presets::ASCII_MARKDOWN).to_string();
        let aligned = table.lines().enumerate().map(|(number, line)| match number {
            1 => self.aligned(line),
            _ => line.to_owned(),
        });
        self.with_caption(aligned.collect::<Vec<_>>().join("\n"))
    }

    fn table(&self, cell: impl Fn(&str) -> String) -> Table {
        let mut table = Table::new();
        table.set_header(self.header.iter().map(|name| cell(name)));
        for line in &self.lines {
            match line {
                Line::Cells(cells) => table.add_row(cells.iter().map(|text| cell(text))),
                Line::Heading(says) => table.add_row([cell(says)]),
            };
        }
        for column in table.column_iter_mut().skip(self.words) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        table
    }

    /// The line between header and lines, with a colon at the end of each column of numbers.
    fn aligned(&self, line: &str) -> String {
        let place = |(place, part): (usize, &str)| match part.strip_suffix('-') {
            // Before the first bar there is no column.
            Some(dashes) if place > self.words => format!("{dashes}:"),
            _ => part.to_owned(),
        };
        line.split('|').enumerate().map(place).collect::<Vec<_>>().join("|")
    }

    fn with_caption(&self, table: String) -> String {
        match &self.caption {
            Some(caption) => format!("{caption}\n\n{table}"),
            None => table,
        }
    }
}

/// A file's name for a strategy may hold anything; a table has one line for each.
pub(super) fn plain(cell: &str) -> String {
    cell.chars().map(|letter| if letter.is_control() { ' ' } else { letter }).collect()
}

/// Nothing in it means something to Markdown. An underline within a word does not.
pub(super) fn escaped(cell: &str) -> String {
    let (mut text, mut before) = (String::new(), ' ');
    let mut letters = cell.chars().peekable();
    while let Some(letter) = letters.next() {
        let after = letters.peek().copied().unwrap_or(' ');
        let within = before.is_alphanumeric() && after.is_alphanumeric();
        if r"\|`*<>[]".contains(letter) || (letter == '_' && !within) {
            text.push('\\');
        }
        text.push(letter);
        before = letter;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn grid(name: &str) -> Grid {
        Grid {
            caption: None,
            header: ["snapshot", "off", "p99 ns"].map(String::from).to_vec(),
            words: 1,
            lines: vec![
                Line::Cells([name, "1.02~", "9"].map(String::from).to_vec()),
                Line::Heading("off the shelf:"),
                Line::Cells(["btree", "10.00", "100"].map(String::from).to_vec()),
            ],
        }
    }

    #[test]
    fn a_terminal_and_markdown_have_the_same_cells() {
        let text = [
            " snapshot          off  p99 ns",
            " csn(rising)     1.02~       9",
            " off the shelf:",
            " btree           10.00     100",
        ];
        assert_eq!(grid("csn(rising)").text(), text.join("\n"));
        let markdown = [
            "| snapshot       |   off | p99 ns |",
            "|----------------|------:|-------:|",
            "| csn(rising)    | 1.02~ |      9 |",
            "| off the shelf: |       |        |",
            "| btree          | 10.00 |    100 |",
        ];
        assert_eq!(grid("csn(rising)").markdown(), markdown.join("\n"));
        let captioned = Grid { caption: Some("Which:".into()), ..grid("csn(rising)") };
        assert_eq!(captioned.text(), format!("Which:\n\n{}", text.join("\n")));
        assert_eq!(captioned.markdown(), format!("Which:\n\n{}", markdown.join("\n")));
    }

    #[test]
    fn names_break_no_table() {
        let markdown = grid("a|b\n<i>*_`[").markdown();
        assert_eq!(markdown.lines().nth(2), Some(r"| a\|b \<i\>\*\_\`\[ | 1.02~ |      9 |"));
        assert_eq!(markdown.lines().count(), 5);
        assert_eq!(grid("a\nb\u{1b}[31m").text().lines().count(), 4);
    }
}
