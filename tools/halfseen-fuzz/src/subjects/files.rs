//! Reads damaged tables, fits them, and predicts them by models of the table as it was.

use super::{Subject, corpus, fit, learners, one_line, predict, table};
use crate::mutate::damage;
use anyhow::Result;
use fastrand::Rng;
use halfseen::Learner;
use halfseen::data::Table;
use halfseen::model::Model;
use halfseen_io::read_data;
use tempfile::TempDir;

pub(super) struct Files {
    /// Name and bytes of every table.
    tables: Vec<(String, Vec<u8>)>,
    models: Vec<Model>,
    learners: Vec<Box<dyn Learner>>,
    folder: TempDir,
}

impl Files {
    pub(super) fn new() -> Result<Files> {
        let mut tables = corpus()?;
        tables.retain(|(name, _)| name.starts_with("table") || name.starts_with("odd"));
        let (table, learners) = (table()?, learners()?);
        let models = learners.iter().filter_map(|learner| fit(&**learner, &table, "price").ok());
        Ok(Files { tables, models: models.collect(), learners, folder: tempfile::tempdir()? })
    }

    fn use_table(&self, table: &Table, random: &mut Rng) -> Result<bool, String> {
        let taken = predict(&self.models[random.usize(..self.models.len())], table)?;
        // A fit takes as long as reading dozens of files.
        if random.u8(..32) == 0 && table.columns().len() < 40 && table.rows() < 200 {
            let learner = &self.learners[random.usize(..self.learners.len())];
            let target = table.columns()[random.usize(..table.columns().len())].name.clone();
            match fit(&**learner, table, &target) {
                Ok(model) => {
                    predict(&model, table)?;
                }
                Err(error) => one_line(&error)?,
            }
        }
        Ok(taken)
    }
}

impl Subject for Files {
    fn input(&self, random: &mut Rng) -> Vec<u8> {
        let (_, bytes) = &self.tables[random.usize(..self.tables.len())];
        let others: Vec<&[u8]> = self.tables.iter().map(|(_, bytes)| &bytes[..]).collect();
        damage(bytes, &others, random)
    }

    fn run(&mut self, input: &[u8], random: &mut Rng) -> Result<bool, String> {
        let path = self.folder.path().join("table");
        std::fs::write(&path, input).map_err(|e| e.to_string())?;
        match read_data(&path) {
            Ok(table) => self.use_table(&table, random),
            Err(error) => one_line(&error).map(|()| false),
        }
    }
}
