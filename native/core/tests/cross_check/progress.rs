//! How far a run has come, kept in a file so that it can be taken up where it was interrupted.

use std::fs::{read_to_string, rename, write};
use std::path::PathBuf;

use serde_json::{json, Value};

/// The state of a run and its findings.
#[derive(Default)]
pub struct Progress {
    file: Option<PathBuf>,
    /// Title of the run: names of the arithmetics, seed, range.
    pub title: String,
    /// The next case.
    pub next: u64,
    /// Seconds spent, over all interruptions.
    pub seconds: f64,
    /// Verdicts of single checks that were compared.
    pub singles: u64,
    /// Verdicts of members of batches that were compared.
    pub members: u64,
    /// Batches.
    pub batches: u64,
    /// Cases by the number of their verdict.
    pub verdicts: [u64; 7],
    /// The disagreements, one text each with all that reproduces it.
    pub disagreements: Vec<String>,
}

impl Progress {
    /// The progress in a file, or that of a run that begins at `from`.
    ///
    /// # Panics
    /// When the file is of another run.
    pub fn open(file: Option<PathBuf>, title: String, from: u64) -> Self {
        let fresh = Self {
            file,
            title,
            next: from,
            ..Self::default()
        };
        match fresh.file.as_ref().map(read_to_string) {
            Some(Ok(text)) => fresh.continued(&serde_json::from_str(&text).expect("JSON")),
            _ => fresh,
        }
    }

    fn continued(self, found: &Value) -> Self {
        assert_eq!(found["title"], self.title, "the file is of another run");
        let number = |value: &Value| value.as_u64().expect("a number");
        let texts = found["disagreements"].as_array().expect("an array");
        Self {
            next: number(&found["next"]),
            seconds: found["seconds"].as_f64().expect("a number"),
            singles: number(&found["singles"]),
            members: number(&found["members"]),
            batches: number(&found["batches"]),
            verdicts: core::array::from_fn(|i| number(&found["verdicts"][i])),
            disagreements: texts
                .iter()
                .map(|text| text.as_str().expect("a text").to_owned())
                .collect(),
            ..self
        }
    }

    /// Writes the file, if there is one, as a whole.
    pub fn keep(&self) {
        let Some(file) = &self.file else { return };
        let value = json!({
            "title": self.title,
            "next": self.next,
            "seconds": self.seconds,
            "singles": self.singles,
            "members": self.members,
            "batches": self.batches,
            "verdicts": self.verdicts,
            "disagreements": self.disagreements,
        });
        let beside = file.with_extension("new");
        write(&beside, format!("{value:#}\n")).expect("a writable folder");
        rename(&beside, file).expect("a writable folder");
    }

    /// One line for a reader.
    pub fn line(&self) -> String {
        format!(
            "{}: at {}, {} single verdicts, {} in {} batches, {} disagreements; cases by verdict {:?}",
            self.title,
            self.next,
            self.singles,
            self.members,
            self.batches,
            self.disagreements.len(),
            self.verdicts
        )
    }
}
