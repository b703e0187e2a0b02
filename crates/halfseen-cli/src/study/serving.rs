//! Runs the server of a study, and admits the people who may use it.

use super::{by, done};
use crate::args::serving::{PeopleArgs, ServeArgs};
use crate::format::counted;
use crate::interrupt;
use crate::output::{print, remark};
use anyhow::Result;
use halfseen::Monitor;
use halfseen_study::{Options, Study, openapi};
use std::process::ExitCode;
use std::time::Duration;

/// Time for the answers that are under way.
const PATIENCE: Duration = Duration::from_secs(2);

/// Monitor that says stop once a signal has come.
struct UntilAsked;

impl Monitor for UntilAsked {
    fn should_stop(&self) -> bool {
        interrupt::asked()
    }
}

pub(super) fn serve(args: &ServeArgs) -> Result<ExitCode> {
    if args.openapi {
        print(&format!("{:#}\n", openapi()))?;
        return Ok(ExitCode::SUCCESS);
    }
    let study = &args.on.study;
    if Study::open(study)?.people()?.is_empty() {
        remark(
            args.on.quiet,
            &format!(
                "nobody may sign in yet: halfseen study people {} --admit NAME --role admin",
                study.display()
            ),
        );
    }
    if !args.listen.ip().is_loopback() && !args.behind_proxy {
        remark(
            args.on.quiet,
            "warning: tokens and values cross the network unencrypted; let a proxy end TLS before the server, and give --behind-proxy",
        );
    }
    let options = Options { listen: args.listen, behind_proxy: args.behind_proxy };
    let ready = |address| {
        if args.on.json {
            // Nothing else is printed; a reader that is gone does not matter to the server.
            let _ = print(&format!(
                "{}\n",
                serde_json::json!({ "address": format!("http://{address}") })
            ));
        } else {
            remark(
                args.on.quiet,
                &format!("{} is served on http://{address}; Ctrl-C ends it", study.display()),
            );
        }
    };
    interrupt::stopping(PATIENCE, || halfseen_study::serve(study, &options, ready, &UntilAsked))?;
    remark(args.on.quiet, "the server has ended; what was stored stays");
    Ok(ExitCode::SUCCESS)
}

pub(super) fn people(args: &PeopleArgs) -> Result<ExitCode> {
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
