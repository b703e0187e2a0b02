//! Stands in until the library offers these.
use halfseen::session::{Answer, Session};
pub(crate) trait Shim {
    fn takes_observed(&self) -> bool {
        false
    }
    fn observe(
        &mut self,
        _: u64,
        _: &[(&str, Answer)],
        _: Option<&halfseen::data::Label>,
    ) -> halfseen::Result<()> {
        Ok(())
    }
    fn skip_to(&mut self, _: u64) -> halfseen::Result<()> {
        Ok(())
    }
    fn drawing(&self) -> halfseen::Result<Session>;
}
impl Shim for Session {
    fn drawing(&self) -> halfseen::Result<Session> {
        Session::from_json(&self.to_json()?)
    }
}
