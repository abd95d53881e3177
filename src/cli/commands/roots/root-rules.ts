import type { LoadedConfig } from '../../../config/index.ts';
import type { RootKeyRules } from '../../../membership/index.ts';
import type { Store } from '../../../storage/index.ts';

/** What adding roots must know of the keys in force. */
export function rootRules(loaded: LoadedConfig, store: Store): RootKeyRules {
  const { profile, verify } = loaded.config;
  return { store, profile, bindings: verify.keys };
}
