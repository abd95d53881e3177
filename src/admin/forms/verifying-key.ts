import type { KeyInfo } from '../../membership/index.ts';

/** Verifying key as `--json` prints it. */
export interface ShownVerifyingKey {
  readonly id: string;
  readonly origin: KeyInfo['origin'];
  readonly depth: number | null;
  readonly inputs: number;
  readonly fingerprint: string;
  readonly source: string;
  readonly built_in: boolean;
}

/** Returns the members of a verifying key, spelled as on the wire. */
export function verifyingKeyJson(key: KeyInfo): ShownVerifyingKey {
  return {
    id: key.keyId,
    origin: key.origin,
    depth: key.depth,
    inputs: key.inputCount,
    fingerprint: key.fingerprint,
    source: key.source,
    built_in: key.isBuiltIn,
  };
}
