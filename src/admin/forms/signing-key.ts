import type { KeyAge } from '../../oidc/keys/rotation.ts';
import type { SigningKeyRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';
import type { ShownCredentialKey } from './credential-key.ts';

/** Sign-in key as `--json` prints it: never a private part. */
export interface ShownSigningKey {
  readonly kid: string;
  readonly use: 'signin';
  readonly state: SigningKeyRow['state'];
  readonly created_at: string;
  readonly activated_at: string | null;
  readonly retired_at: string | null;
  /** When its state changes by itself: next rotation or removal of a retired key; null if rotation is off. */
  readonly changes_at: string | null;
  readonly sealed: boolean;
  readonly development: boolean;
}

/** Returns the members of a sign-in key; `age` is the age of the key at `now`. */
export function signingKeyJson(row: SigningKeyRow, age: KeyAge, now: number): ShownSigningKey {
  return {
    kid: row.kid,
    use: 'signin',
    state: row.state,
    created_at: isoTime(row.createdAt),
    activated_at: row.activatedAt === null ? null : isoTime(row.activatedAt),
    retired_at: row.retiredAt === null ? null : isoTime(row.retiredAt),
    changes_at: age.endsInSeconds === undefined ? null : isoTime(now + Math.round(age.endsInSeconds * 1000)),
    sealed: row.isSealed,
    development: row.isDevelopment,
  };
}

/** Key of either use. */
export type ShownKey = ShownSigningKey | ShownCredentialKey;
