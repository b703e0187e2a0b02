//! Knows who looks at a page.

use halfseen_study::{Person, Right};
use hmac_sha256::Hash;
use maud::{Markup, html};

/// Secret of the sign-in that a request belongs to.
#[derive(Debug, Clone)]
pub(super) struct Secret(String);

impl Secret {
    pub(super) fn new(text: &str) -> Secret {
        Secret(text.to_owned())
    }

    pub(super) fn text(&self) -> &str {
        &self.0
    }

    /// Returns what every form of this sign-in carries, so that no other site can send one.
    pub(super) fn form_token(&self) -> String {
        let hash = Hash::hash(format!("form of {}", self.0).as_bytes());
        hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// Person who is signed in, and the sign-in.
#[derive(Debug, Clone)]
pub(super) struct Viewer {
    pub(super) person: Person,
    pub(super) secret: Secret,
}

impl Viewer {
    pub(super) fn may(&self, right: Right) -> bool {
        self.person.role.may(right)
    }

    /// Returns the hidden field without which no form is taken.
    pub(super) fn token(&self) -> Markup {
        html! { input type="hidden" name="form" value=(self.secret.form_token()); }
    }
}
