//! Declares the flags of `halfseen study serve` and `halfseen study people`.

use super::on_study::OnStudy;
use clap::Args;
use halfseen_study::Role;
use std::net::SocketAddr;

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study people trial.hs --admit anna --role admin     prints her token, once
  halfseen study serve trial.hs                                forms on http://127.0.0.1:8710
  halfseen study serve trial.hs --listen 127.0.0.1:9000 --behind-proxy
  halfseen study serve trial.hs --openapi                      describes the JSON interface

Collectors enter answers in forms, which need no JavaScript; programs send JSON to /api/v1.
Everybody signs in by a token. The server speaks plain HTTP: across a network, let a proxy end
TLS before it. It ends on Ctrl-C or SIGTERM; what was stored stays.

The program has the server where it was built with it:
  cargo install --path crates/halfseen-cli --features serve")]
#[cfg_attr(not(feature = "serve"), allow(dead_code))] // refused as a whole
pub(crate) struct ServeArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// Address and port to listen on; port 0 is a free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8710")]
    pub(crate) listen: SocketAddr,
    /// A proxy is in front, ends TLS, and names clients in X-Forwarded-For
    #[arg(long)]
    pub(crate) behind_proxy: bool,
    /// Print the description of the JSON interface (OpenAPI 3.1), and serve nothing
    #[arg(long)]
    pub(crate) openapi: bool,
}

#[derive(Debug, Args)]
#[command(before_help = "Examples:
  halfseen study people trial.hs                                    who may use the server
  halfseen study people trial.hs --admit anna --role collector      prints her token, once
  halfseen study people trial.hs --dismiss anna

Roles: reader (status, models, exports), collector (draws asks, tells answers), steward (also
amends, withdraws, takes models and exports), admin (also admits people). The server stores only
the SHA-256 of a token: admit a person who lost it anew, and the old one ends.")]
pub(crate) struct PeopleArgs {
    #[command(flatten)]
    pub(crate) on: OnStudy,
    /// Admit somebody under this name, or give a new role and token
    #[arg(long, value_name = "NAME", requires = "role", conflicts_with = "dismiss")]
    pub(crate) admit: Option<String>,
    /// Role: reader, collector, steward or admin
    #[arg(long, value_name = "ROLE", requires = "admit")]
    pub(crate) role: Option<Role>,
    /// Take somebody's token away
    #[arg(long, value_name = "NAME")]
    pub(crate) dismiss: Option<String>,
}
