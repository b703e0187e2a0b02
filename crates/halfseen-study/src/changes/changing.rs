//! Changes the schema of a study that runs: attributes that come later, and those that are asked no
//! more.

use crate::asking::setup::Setup;
use crate::database::sql::{all, cells};
use crate::error::{Error, Result};
use crate::schema::{Attribute, StudySchema, reason_of};
use crate::study::{By, Of, Study, note};
use halfseen::error::short;
use std::sync::Arc;

impl Study {
    /// Adds the attributes of a schema in CSV ([`StudySchema::from_csv`]), which later asks may name, and
    /// returns their names. Rows as the study has them already change nothing; one that was retired
    /// and is not any more is asked again.
    ///
    /// # Errors
    /// [`Error::Line`]; [`Error::Setup`] for a learner that takes a step for each answer, other rows
    /// of attributes that are there, none that is new, a schema that would not be consistent; an
    /// empty reason.
    pub fn add(&mut self, csv: &str, reason: &str, by: &By) -> Result<Vec<String>> {
        let why = reason_of(reason)?;
        self.write(|study| {
            let mut schema = study.setup.schema.clone();
            let given = StudySchema::from_csv(csv.as_bytes(), &schema.target.name)?;
            // A target that is a name only is none that differs.
            if given.target != schema.target
                && given.target != Attribute::number(&given.target.name)
            {
                return Err(Error::setup(format!(
                    "the target '{}' has another row in the study; it does not change",
                    short(&given.target.name)
                )));
            }
            let mut names = Vec::new();
            for new in &given.attributes {
                names.extend(entered(&mut schema, new)?.then(|| new.name.clone()));
            }
            if names.is_empty() {
                return Err(Error::setup(
                    "there is no attribute to add: the study has all of them",
                ));
            }
            study.change(schema.checked()?)?;
            for name in &names {
                let of = Of { attribute: Some(study.place(name)?), ..Of::default() };
                note(&mut *study.sql, by, "add", of, Some(why))?;
            }
            Ok(names)
        })
    }

    /// Retires an attribute: no later ask names it, and open asks want it no more, whose price is
    /// then paid back. Its values stay, and the learner keeps learning from them; a value that comes
    /// later counts as one that nobody asked for.
    ///
    /// # Errors
    /// [`Error::Unknown`]; [`Error::Setup`] for the target, an attribute that was retired already,
    /// a learner that takes a step for each answer, or where too few attributes are left to ask for;
    /// an empty reason.
    pub fn retire(&mut self, attribute: &str, reason: &str, by: &By) -> Result<()> {
        let why = reason_of(reason)?;
        self.write(|study| {
            let mut schema = study.setup.schema.clone();
            let Some(place) = schema.place(attribute)? else {
                return Err(Error::setup("the target cannot be retired: the study learns it"));
            };
            if std::mem::replace(&mut schema.attributes[place].retired, true) {
                return Err(Error::setup(format!("'{}' was retired already", short(attribute))));
            }
            study.change(schema)?;
            let place = place as i64;
            let of = Of { attribute: Some(place), ..Of::default() };
            note(&mut *study.sql, by, "retire", of, Some(why))?;
            study.want_no_more(place, by, why)
        })
    }

    /// Stores another schema, if the learner can go on with it.
    fn change(&mut self, schema: StudySchema) -> Result<()> {
        let setup = Setup { schema, ..(*self.setup).clone() };
        if !setup.asker()?.takes_observed() {
            return Err(Error::setup(format!(
                "{} takes a step for each answer over attributes that are fixed; a study whose attributes change needs a learner that keeps its reads, such as fiml",
                setup.learner
            )));
        }
        setup.asked().asker().map_err(|error| {
            Error::setup(format!("what is left to ask for does not suffice: {error}"))
        })?;
        let text = serde_json::to_string(&setup).map_err(|e| Error::setup(e.to_string()))?;
        self.sql.run("UPDATE study SET setup = $1, revision = revision + 1", cells![&*text])?;
        // It draws from the attributes of before.
        self.sql.run("DELETE FROM cache WHERE kind = 'drawing'", &[])?;
        (self.setup, self.revision, self.design) = (Arc::new(setup), self.revision + 1, None);
        Ok(())
    }

    /// Takes an attribute out of the open asks that were not told it.
    fn want_no_more(&mut self, place: i64, by: &By, why: &str) -> Result<()> {
        let open = "SELECT a.number, a.subject FROM ask a JOIN asked w ON w.ask = a.number AND w.attribute = $1
            WHERE a.state = 'open' AND NOT EXISTS (SELECT 1 FROM value v WHERE v.subject = a.subject AND v.attribute = $2)
            ORDER BY a.number";
        let asks = all(&mut *self.sql, open, cells![place, place], |row| (row.int(0), row.int(1)))?;
        for (ask, subject) in asks {
            let asked = self.asked_by(ask)?;
            let before = self.price_of(asked.iter().copied());
            let after = self.price_of(asked.iter().copied().filter(|at| *at != place));
            self.charge((after.0 - before.0, after.1 - before.1))?;
            self.sql
                .run("DELETE FROM asked WHERE ask = $1 AND attribute = $2", cells![ask, place])?;
            let (attribute, subject) = (Some(place), Some(subject));
            let of = Of { subject, attribute, ask: Some(ask), ..Of::default() };
            note(&mut *self.sql, by, "retire", of, Some(why))?;
            self.count_down(ask, 1)?;
        }
        Ok(())
    }
}

/// Enters an attribute; returns false if it is there already.
fn entered(schema: &mut StudySchema, new: &Attribute) -> Result<bool> {
    let Some(old) = schema.attributes.iter_mut().find(|old| old.name == new.name) else {
        if new.retired {
            return Err(Error::setup(format!(
                "'{}' is retired, and new in this study; leave its row out",
                short(&new.name)
            )));
        }
        schema.attributes.push(new.clone());
        return Ok(true);
    };
    if old == new {
        return Ok(false);
    }
    if old.retired && *old == (Attribute { retired: true, ..new.clone() }) {
        old.retired = false;
        return Ok(true);
    }
    Err(Error::setup(format!(
        "'{}' is in the study with another kind, unit, range, panel, price or choices, which do not change; write its row as before, or give it a new name",
        short(&new.name)
    )))
}
