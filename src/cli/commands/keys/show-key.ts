import type { KeyInfo } from '../../../membership/index.ts';

/** A verifying key as `--json` gives it. */
export interface ShownKey {
  readonly id: string;
  readonly origin: KeyInfo['origin'];
  readonly depth: number | null;
  readonly inputs: number;
  readonly fingerprint: string;
  readonly source: string;
  readonly built_in: boolean;
}

/** The members of a key, spelled as on the wire. */
export function keyJson(key: KeyInfo): ShownKey {
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
