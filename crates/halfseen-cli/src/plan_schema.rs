//! Takes the attributes, panels and prices of a plan from the schema of a study.

use crate::args::PlanArgs;
use crate::failure::usage_error;
use crate::format::{counted, significant};
use crate::plan_costs::Declared;
use crate::study::schema_of;
use anyhow::Result;
use halfseen::error::list;
use halfseen::prepare::Group;
use halfseen_study::{Attribute, Kind, Schema};
use serde_json::{Value, json};
use std::path::Path;

/// Schema of a study, as a plan sees it.
pub(crate) struct PlanSchema {
    schema: Schema,
    place: String,
}

impl PlanSchema {
    pub(crate) fn read(path: &Path, args: &PlanArgs) -> Result<PlanSchema> {
        let mut schema = schema_of(path, args.target.as_deref().unwrap_or_default(), &[])?;
        schema.attributes.retain(|attribute| !attribute.retired);
        let found = PlanSchema { schema, place: path.display().to_string() };
        if found.read_attributes().next().is_none() {
            return usage_error(format!(
                "{}: all attributes are known of every subject, so that nothing is to be read or planned",
                found.place
            ));
        }
        if args.moments.is_some() && !found.declared().panels.is_empty() {
            return usage_error(format!(
                "--moments: they are of columns that are read one by one, and {} has panels or categories, which are read together; leave --moments out",
                found.place
            ));
        }
        Ok(found)
    }

    /// Returns the attributes that are to be read.
    fn read_attributes(&self) -> impl Iterator<Item = &Attribute> {
        self.schema.attributes.iter().filter(|attribute| !attribute.known)
    }

    /// Returns the columns that are to be read, by the panel or attribute that gives them.
    fn reads(&self) -> Vec<Group> {
        let mut reads: Vec<Group> = Vec::new();
        for attribute in self.read_attributes() {
            let name = attribute.panel.as_ref().unwrap_or(&attribute.name);
            let columns = attribute.columns();
            match reads.iter_mut().find(|read| read.name == *name) {
                Some(read) => read.columns.extend(columns),
                None => reads.push(Group { name: name.clone(), columns }),
            }
        }
        reads
    }

    /// Returns what --dims, --panel and --prices would say.
    pub(crate) fn declared(&self) -> Declared {
        let reads = self.reads();
        Declared {
            dims: reads.iter().map(|read| read.columns.len() as u64).sum(),
            panels: reads.into_iter().filter(|read| read.columns.len() > 1).collect(),
            prices: Some(self.schema.prices()),
            place: self.place.clone(),
        }
    }

    /// Returns the attributes that a study would not scale by a range.
    fn without_range(&self) -> Vec<String> {
        let is_free = |a: &&Attribute| {
            !matches!(a.kind, Kind::Category(_)) && (a.low.is_none() || a.high.is_none())
        };
        self.schema.attributes.iter().filter(is_free).map(|a| a.name.clone()).collect()
    }

    /// Returns the number of attributes that are known of every subject.
    fn known(&self) -> usize {
        self.schema.attributes.len() - self.read_attributes().count()
    }

    /// Explains what was taken from the schema, in a few sentences.
    pub(crate) fn text(&self) -> String {
        let columns = self.declared().dims;
        let mut text = format!(
            "\nSchema {}: {} to read, by {}; a category is a column for each choice, all read together.\n",
            self.place,
            counted(columns, "column", "columns"),
            counted(self.reads().len() as u64, "read", "reads")
        );
        if self.known() > 0 {
            text.push_str(&format!(
                "Not counted, since known of every subject and free: {}.\n",
                counted(self.known() as u64, "attribute", "attributes")
            ));
        }
        let free = self.without_range();
        text.push_str(&if free.is_empty() {
            format!(
                "|x_i| <= 1 holds for values within their ranges (low, high), by which a study scales attributes; |x|_2 is then at most {} (--norm).\n",
                significant((columns as f64).sqrt())
            )
        } else {
            format!(
                "|x_i| <= 1 is not sure to hold, since there is no range (low, high) of {}; a study then scales all attributes by its reads, and the bounds hold only if you give ranges.\n",
                list(&free)
            )
        });
        text
    }

    pub(crate) fn as_json(&self) -> Value {
        json!({
            "columns": self.declared().dims, "reads": self.reads().len(), "known": self.known(),
            "without_range": self.without_range(),
        })
    }
}
