//! The checks under a prepared key, for the functions that do not know its back-end.

use crate::field::{in_default_float_mode, Backend};

use super::batch::check_batch;
use super::key::{Checks, MemberBytes, Prepared};
use super::randomisers::Randomisers;
use super::verify::check;
use super::Verdict;

impl<B: Backend> Checks for Prepared<B> {
    fn input_count(&self) -> usize {
        self.input_count
    }

    fn table_bytes(&self) -> usize {
        self.inputs.size()
    }

    fn check_one(&self, member: MemberBytes) -> Verdict {
        in_default_float_mode(|| check(self, member))
    }

    fn check_batch(
        &self,
        members: &[MemberBytes],
        randomisers: Option<&mut Randomisers>,
    ) -> Vec<Verdict> {
        in_default_float_mode(|| check_batch(self, members, randomisers))
    }
}
