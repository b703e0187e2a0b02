//! Counts failed sign-ins, so that nobody can try tokens without end.

use super::failure::Failure;
use axum::http::StatusCode;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Failed attempts of one address within [`WINDOW`] after which it is not listened to.
const FAILURES: u32 = 10;
const WINDOW: Duration = Duration::from_secs(60);
/// Most addresses that are counted at once.
const ADDRESSES: usize = 10_000;

/// Failed sign-ins, by address.
#[derive(Debug, Default)]
pub(super) struct Attempts(Mutex<HashMap<IpAddr, (Instant, u32)>>);

impl Attempts {
    /// Refuses an address that failed too often within the last minute.
    pub(super) fn check(&self, address: IpAddr) -> Result<(), Failure> {
        let attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match attempts.get(&address) {
            Some((since, failed)) if *failed >= FAILURES && since.elapsed() < WINDOW => {
                Err(Failure::new(
                    StatusCode::TOO_MANY_REQUESTS,
                    "too many attempts to sign in failed; wait a minute",
                ))
            }
            _ => Ok(()),
        }
    }

    pub(super) fn count(&self, address: IpAddr) {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if attempts.len() >= ADDRESSES {
            attempts.retain(|_, (since, _)| since.elapsed() < WINDOW);
        }
        let entry = attempts.entry(address).or_insert((Instant::now(), 0));
        if entry.0.elapsed() >= WINDOW {
            *entry = (Instant::now(), 0);
        }
        entry.1 = entry.1.saturating_add(1);
    }
}
