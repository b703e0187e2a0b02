//! Checks the moments that come with examples.

use crate::data::Examples;
use crate::error::{ErrorKind, Result};
use crate::params::Centre;

/// Refuses moments that do not fit the examples' columns, and a given centre without declared
/// means.
pub fn check_moments(examples: &Examples<'_>, centre: Centre) -> Result<()> {
    let Some(moments) = examples.moments else { return Ok(()) };
    let columns = examples.columns();
    if examples.declared.moments || moments.square.len() != columns || moments.mean.len() != columns
    {
        moments.check(columns)?;
    }
    if centre == Centre::Given && examples.declared.moments && !examples.declared.means {
        let what = "the attributes' means, and only their second moments were declared; declare the means too, or use centre = running";
        return Err(ErrorKind::Needs { name: "centre", value: "given", what }.into());
    }
    Ok(())
}
