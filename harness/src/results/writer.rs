//! [`Writer`]: writes a file of results, whole each time.

use std::{
    collections::BTreeMap,
    fs, io,
    path::{Path, PathBuf},
};

use super::{FILE, Header, Row, Wrong, first_line::FirstLine};

/// The file in one folder, which is complete after each write.
#[derive(Clone, Debug)]
pub struct Writer {
    file: PathBuf,
    header: Header,
    about_loads: BTreeMap<String, String>,
}

impl Writer {
    /// Makes the folder. One that cannot be written is found out here, before anything is measured.
    ///
    /// `about_loads` says what each load does, by its name.
    ///
    /// # Errors
    ///
    /// The folder cannot be made, or files in it cannot be written.
    pub fn new(
        folder: &Path,
        header: Header,
        about_loads: BTreeMap<String, String>,
    ) -> io::Result<Self> {
        let writer = Writer { file: folder.join(FILE), header, about_loads };
        fs::create_dir_all(folder)
            .and_then(|()| fs::write(writer.beside(), ""))
            .and_then(|()| fs::remove_file(writer.beside()))
            .map_err(|error| writer.named(&error))?;
        Ok(writer)
    }

    /// The file.
    pub fn file(&self) -> &Path {
        &self.file
    }

    /// Empties the file, so that nobody takes what was there for what is being measured.
    ///
    /// # Errors
    ///
    /// It cannot be written.
    pub fn clear(&self) -> io::Result<()> {
        fs::write(&self.file, "").map_err(|error| self.named(&error))
    }

    /// Writes the header, these rows of so many rounds and the cells that have none in place of what was there.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn write(&self, rows: &[Row], wrong: &[Wrong], rounds_done: usize) -> io::Result<()> {
        let header = &Header { rounds_done, ..self.header.clone() };
        let mut text =
            serde_json::to_string(&FirstLine { header, about_loads: &self.about_loads, wrong })?;
        text.push('\n');
        for row in rows {
            text.push_str(&serde_json::to_string(row)?);
            text.push('\n');
        }
        // Beside it first: whoever stops the program finds the last round's file whole.
        fs::write(self.beside(), text)
            .and_then(|()| fs::rename(self.beside(), &self.file))
            .map_err(|error| self.named(&error))
    }

    fn beside(&self) -> PathBuf {
        self.file.with_extension("jsonl.new")
    }

    fn named(&self, error: &io::Error) -> io::Error {
        io::Error::new(error.kind(), format!("{}: {error}", self.file.display()))
    }
}
