//! Many proofs under one key, by a random linear combination (src/docs/spec/engine.md#batch-verification;
//! the small exponents test of Bellare, Garay and Rabin, <https://eprint.iacr.org/1998/007>):
//!
//! ```text
//! Π e(rᵢAᵢ, Bᵢ) · e(−Σ rᵢCᵢ, δ) · e(−Σⱼ(Σᵢ rᵢxᵢⱼ)ICⱼ, γ) = (e(α,β) · e(IC₀,γ))^(Σ rᵢ)
//! ```
//!
//! If one member is false, its factor differs from 1 in a group of prime order r, and at most one of
//! the 2¹²⁸ values of its rᵢ hides that, whatever the others are. This holds because every point is
//! checked to be in its group of order r, and because the rᵢ are drawn after the batch is fixed.
//!
//! Steps of a batch:
//! 1. [`triage`] and [`decode`]: bytes to points, in lanes. A refused member does not enter the batch.
//! 2. [`randomisers`](super::randomisers), [`section`]: rᵢAᵢ, Σ rᵢCᵢ, Miller loops with one
//!    accumulator per lane. A member outside of G2 is removed, and its lanes are computed again.
//! 3. [`settle`]: one final exponentiation for all. Where the product is wrong, each lane has an
//!    equation of its own; the members of wrong lanes are checked by the equation of a single proof,
//!    one in each lane ([`equations`]).
//!
//! [`verify_each`], for a batch of which many members are expected to be false, takes step 1 and the
//! equations of single proofs only.
//!
//! The pair of A and B is 1 where one of them is at infinity, and C at infinity adds nothing to a sum:
//! lanes leave out such points and hold generators in their places.

mod convert;
#[cfg(test)]
mod cost_tests;
mod decode;
mod equations;
mod inputs;
mod section;
mod settle;
mod triage;

use crate::encoding::{PROOF_BYTES, WORD_BYTES};
use crate::field::{Backend, BaseLanes};

use super::key::{BatchLanes, MemberBytes, Prepared};
use super::lane_tables::LaneTables;
use super::randomisers::{Randomisers, SEED_BYTES};
use super::verify::check;
use super::{BatchError, PreparedKey, Verdict};

/// Members that are combined at most; beyond that the gain is under 2 % and memory grows on.
const MEMBERS_MAX: usize = 256;

/// Checks the members of a batch, each 256 + 32·n bytes: one [`Verdict`] number
/// each, in order. Every member gets the verdict of [`verify`](fn@super::verify), except that a false
/// member passes with probability 2⁻¹²⁸ over the seed.
///
/// `seed` is 32 fresh bytes of a cryptographic generator, drawn after the batch is fixed.
///
/// # Errors
/// `batch.length` when the bytes are not a whole number of members, `batch.seed` for a seed of another
/// length or all zero.
pub fn verify_batch(key: &PreparedKey, batch: &[u8], seed: &[u8]) -> Result<Vec<u8>, BatchError> {
    let members = split(key, batch)?;
    let seed = <&[u8; SEED_BYTES]>::try_from(seed)
        .ok()
        .filter(|seed| **seed != [0; SEED_BYTES])
        .ok_or(BatchError::Seed { found: seed.len() })?;
    Ok(check_members(key, &members, Some(Randomisers::new(seed))))
}

/// Checks the members of a batch without combining them: every member has its own equation, many of
/// them side by side. That costs more than [`verify_batch`] if all are valid, and less if many are not.
///
/// # Errors
/// `batch.length` when the bytes are not a whole number of members.
pub fn verify_each(key: &PreparedKey, batch: &[u8]) -> Result<Vec<u8>, BatchError> {
    let members = split(key, batch)?;
    Ok(check_members(key, &members, None))
}

fn split<'a>(key: &PreparedKey, batch: &'a [u8]) -> Result<Vec<MemberBytes<'a>>, BatchError> {
    let member = PROOF_BYTES + key.input_count() * WORD_BYTES;
    if !batch.len().is_multiple_of(member) {
        return Err(BatchError::Length {
            member,
            found: batch.len(),
        });
    }
    let members = batch.chunks_exact(member).map(|bytes| {
        bytes
            .split_first_chunk()
            .expect("a member is no shorter than a proof")
    });
    Ok(members.collect())
}

fn check_members(
    key: &PreparedKey,
    members: &[MemberBytes],
    mut randomisers: Option<Randomisers>,
) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(members.len());
    for part in members.chunks(MEMBERS_MAX) {
        let verdicts = key.checks.check_batch(part, randomisers.as_mut());
        bytes.extend(verdicts.into_iter().map(|verdict| verdict as u8));
    }
    bytes
}

/// Checks members, in lanes those that lanes can decide, and the others alone.
pub(super) fn check_batch<B: Backend>(
    key: &Prepared<B>,
    members: &[MemberBytes],
    randomisers: Option<&mut Randomisers>,
) -> Vec<Verdict> {
    let verdicts = key.lanes.verdicts(key, members, randomisers);
    verdicts
        .into_iter()
        .zip(members)
        .map(|(verdict, member)| verdict.unwrap_or_else(|| check(key, *member)))
        .collect()
}

impl<B: Backend, F: BaseLanes> BatchLanes<B> for LaneTables<F> {
    fn verdicts(
        &self,
        key: &Prepared<B>,
        members: &[MemberBytes],
        randomisers: Option<&mut Randomisers>,
    ) -> Vec<Option<Verdict>> {
        in_lanes(key, self, members, randomisers)
    }
}

fn in_lanes<B: Backend, F: BaseLanes>(
    key: &Prepared<B>,
    tables: &LaneTables<F>,
    batch: &[MemberBytes],
    randomisers: Option<&mut Randomisers>,
) -> Vec<Option<Verdict>> {
    let mut verdicts = vec![None; batch.len()];
    let least = tables.least;
    if batch.len() < least.combined.min(least.side_by_side).max(2) {
        return verdicts;
    }
    let members = decode::decode::<F>(batch, &mut verdicts);
    if !members.is_empty() {
        let inputs = members.iter().map(|member| batch[member.index].1).collect();
        let randomisers = randomisers
            .filter(|_| members.len() >= least.combined)
            .map_or_else(Vec::new, |stream| {
                members.iter().map(|_| stream.next()).collect()
            });
        let batch = section::Batch {
            key,
            tables,
            members,
            inputs,
            randomisers,
        };
        if !batch.randomisers.is_empty() {
            settle::settle(&batch, &mut verdicts);
        } else {
            let all: Vec<_> = (0..batch.members.len()).collect();
            equations::check_each(&batch, &all, |position, verdict| {
                verdicts[batch.members[position].index] = Some(verdict);
            });
        }
    }
    verdicts
}
