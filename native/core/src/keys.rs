//! Prepared verifying keys by handle, shared by all threads of the process: read on every batch,
//! written when a key is registered or released.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::groth16::{KeyError, PreparedKey};

struct Registry {
    next: u32,
    keys: BTreeMap<u32, Arc<PreparedKey>>,
}

static REGISTRY: RwLock<Registry> = RwLock::new(Registry {
    next: 1,
    keys: BTreeMap::new(),
});

// The map is whole after every operation, so a panic elsewhere in a holder leaves it usable.
fn read() -> RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Registry> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

/// Checks and prepares a key and returns its handle, which is never reused.
///
/// # Errors
/// Those of [`PreparedKey::from_bytes`].
///
/// # Panics
/// After 2^32 − 1 registrations.
pub fn register(bytes: &[u8]) -> Result<u32, KeyError> {
    let key = Arc::new(PreparedKey::from_bytes(bytes)?);
    let mut registry = write();
    let handle = registry.next;
    registry.next = handle
        .checked_add(1)
        .expect("fewer than 2^32 keys were registered");
    registry.keys.insert(handle, key);
    Ok(handle)
}

/// Returns the key of a handle, `None` if it was never registered or is released.
pub fn get(handle: u32) -> Option<Arc<PreparedKey>> {
    read().keys.get(&handle).cloned()
}

/// Releases a key; batches that hold it finish with it. Returns whether there was one.
pub fn release(handle: u32) -> bool {
    write().keys.remove(&handle).is_some()
}
