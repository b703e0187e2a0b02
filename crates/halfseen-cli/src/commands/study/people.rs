//! Lists, admits and dismisses the people who may use the server of a study.

use super::{by, done};
use crate::args::serving::PeopleArgs;
use crate::terminal::format::counted;
use crate::terminal::output::{print, remark};
use anyhow::Result;
use halfseen_study::Study;
use std::process::ExitCode;

pub(super) fn run(args: &PeopleArgs) -> Result<ExitCode> {
    let mut study = Study::open(&args.on.study)?;
    if let (Some(name), Some(role)) = (&args.admit, args.role) {
        let token = study.admit(name, role, &by(&args.on))?;
        if args.on.json {
            let json = serde_json::json!({ "name": name, "role": role.name(), "token": token });
            print(&format!("{json:#}\n"))?;
        } else {
            print(&format!("{token}\n"))?;
        }
        remark(
            args.on.quiet || args.on.json,
            &format!("the token of {name}, {}; it is shown only now", role.name()),
        );
        return Ok(ExitCode::SUCCESS);
    }
    if let Some(name) = &args.dismiss {
        study.dismiss(name, &by(&args.on))?;
        let json = serde_json::json!({ "dismissed": name });
        return done(&args.on, &json, &format!("the token of {name} is taken back"));
    }
    let people = study.people()?;
    if args.on.json {
        print(&format!("{:#}\n", serde_json::to_value(&people)?))?;
        return Ok(ExitCode::SUCCESS);
    }
    for person in &people {
        print(&format!("{:<10} {}  {}\n", person.role.name(), person.since, person.name))?;
    }
    remark(
        args.on.quiet,
        &format!("{} may use the server", counted(people.len() as u64, "person", "people")),
    );
    Ok(ExitCode::SUCCESS)
}
