import { publicKeyText } from '../../refresh/keys/credential-keys.ts';
import type { IssuerKeyRow } from '../../storage/index.ts';
import { isoTime } from '../../text.ts';

/** Credential key as `--json` prints it: the members of a sign-in key, and its own; never a seed. */
export interface ShownCredentialKey {
  /** The compressed public key, 64 hex digits. */
  readonly kid: string;
  readonly use: 'credential';
  readonly state: IssuerKeyRow['status'];
  readonly created_at: string;
  /** A credential key signs from its registration on. */
  readonly activated_at: string;
  readonly retired_at: string | null;
  /** It never changes by itself. */
  readonly changes_at: null;
  /** Whether the store has its seed; the seed of a configured key is only in the configuration. */
  readonly sealed: boolean;
  readonly development: boolean;
  /** A u64 in decimal, as text: JSON parsers round numbers of this size. */
  readonly issuer_schema_id: string;
  readonly origin: IssuerKeyRow['origin'];
  /** Affine coordinates, decimal. */
  readonly pk: readonly [x: string, y: string];
}

/** Returns the members of a credential key. */
export function credentialKeyJson(row: IssuerKeyRow): ShownCredentialKey {
  const registeredAt = isoTime(row.registeredAt);
  return {
    kid: row.keyId,
    use: 'credential',
    state: row.status,
    created_at: registeredAt,
    activated_at: registeredAt,
    retired_at: row.retiredAt === null ? null : isoTime(row.retiredAt),
    changes_at: null,
    sealed: row.sealedSeed !== null,
    development: row.origin === 'development',
    issuer_schema_id: row.issuerSchemaId,
    origin: row.origin,
    pk: publicKeyText(row),
  };
}
