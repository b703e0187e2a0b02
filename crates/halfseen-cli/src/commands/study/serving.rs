//! Runs the server of a study.

use crate::args::serving::ServeArgs;
use crate::terminal::interrupt;
use crate::terminal::output::{print, remark};
use anyhow::Result;
use halfseen::Monitor;
use halfseen_serve::{OPENAPI, ServeOptions};
use halfseen_study::Study;
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
        print(OPENAPI)?;
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
    let options = ServeOptions { listen: args.listen, behind_proxy: args.behind_proxy };
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
    interrupt::stopping(PATIENCE, || halfseen_serve::serve(study, &options, ready, &UntilAsked))?;
    remark(args.on.quiet, "the server has ended; what was stored stays");
    Ok(ExitCode::SUCCESS)
}
