//! The signing keys of the process, by handle: shared by all worker threads of the addon.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

use crate::eddsa::SigningKey;

/// Handles are never reused, so that a released one cannot name another key.
struct Registry {
    next_handle: u32,
    keys: BTreeMap<u32, Arc<SigningKey>>,
}

static REGISTRY: RwLock<Registry> = RwLock::new(Registry {
    next_handle: 1,
    keys: BTreeMap::new(),
});

/// Registers a key and returns its handle.
///
/// # Panics
/// After 2³² − 1 registrations.
pub fn register(key: SigningKey) -> u32 {
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    let handle = registry.next_handle;
    registry.next_handle = handle
        .checked_add(1)
        .expect("fewer than 2^32 keys were registered");
    registry.keys.insert(handle, Arc::new(key));
    handle
}

/// Returns the key of a handle, unless it was released.
pub fn get(handle: u32) -> Option<Arc<SigningKey>> {
    let registry = REGISTRY.read().unwrap_or_else(PoisonError::into_inner);
    registry.keys.get(&handle).cloned()
}

/// Releases a key, which is wiped when its last use ends. Returns whether the handle was known.
pub fn release(handle: u32) -> bool {
    let mut registry = REGISTRY.write().unwrap_or_else(PoisonError::into_inner);
    registry.keys.remove(&handle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_released_handle_is_unknown_and_never_reused() {
        let key = |byte| SigningKey::from_seed(&mut [byte; 32]);
        let (first, second) = (register(key(1)), register(key(2)));
        assert_ne!(first, second);
        let held = get(first).expect("registered");
        assert_eq!(held.public_key(), key(1).public_key());
        assert!(release(first));
        assert!(get(first).is_none());
        assert!(!release(first));
        assert!(held.sign_many(&[0; 32]).is_ok(), "a use that began may end");
        assert_ne!(register(key(3)), first);
        assert!(get(second).is_some());
    }
}
