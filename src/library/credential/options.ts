import { byteCount, isBytes } from '../../bytes.ts';
import { parseFieldElement } from '../../credential/credential.ts';
import { SCALAR_ORDER, wordOf } from '../../semaphore/words.ts';
import { ProofgateError } from '../facade/proofgate-error.ts';
import { type IssuerKey, issuerKeysOf, isU64 } from './issuer-keys.ts';

/** Validated options of a check. */
export interface Rules {
  readonly keys: readonly IssuerKey[];
  /** Whole Unix seconds. */
  readonly now: bigint;
  readonly issuerSchemaId: bigint | undefined;
  readonly minGenesisIssuedAt: bigint | undefined;
  readonly claim: ClaimRule | undefined;
}

/** Required commitment in claims[0]: to a package, or to a refresh without one. Elements are 32 bytes, big-endian. */
export type ClaimRule =
  | { readonly hashesJson: Uint8Array }
  | { readonly idComm: Uint8Array; readonly issuedAt: bigint; readonly sub: Uint8Array | undefined };

// Limit of a refresh (spec/refresh.md#form-parts).
const MAX_MANIFEST_BYTES = 65_536;

type Members = Readonly<Record<string, unknown>>;

/**
 * Reads and copies the options of a check, since the check waits for the core.
 *
 * @throws ProofgateError `credential.option`, `credential.issuer_keys`
 */
export function rulesOf(options: unknown): Rules {
  const { issuerKeys, now, issuerSchemaId, minGenesisIssuedAt, claim } = membersOf('options', options);
  return {
    keys: issuerKeysOf(issuerKeys),
    now: secondsOf(now ?? new Date()),
    issuerSchemaId: optional(issuerSchemaId, (value) => u64Of('issuerSchemaId', value)),
    minGenesisIssuedAt: optional(minGenesisIssuedAt, (value) => u64Of('minGenesisIssuedAt', value)),
    claim: optional(claim, claimOf),
  };
}

function optional<T>(value: unknown, read: (value: unknown) => T): T | undefined {
  return value === undefined ? undefined : read(value);
}

function membersOf(name: string, value: unknown): Members {
  if (typeof value === 'object' && value !== null) return value as Members;
  throw refusal(name, 'expected an object');
}

function secondsOf(now: unknown): bigint {
  const milliseconds = now instanceof Date ? Date.prototype.getTime.call(now) : Number.NaN;
  if (Number.isNaN(milliseconds)) throw refusal('now', 'expected a valid Date');
  return BigInt(Math.floor(milliseconds / 1000));
}

function u64Of(name: string, value: unknown): bigint {
  if (isU64(value)) return BigInt(value);
  throw refusal(name, 'expected a whole number below 2^64, as a bigint or a safe integer');
}

function claimOf(value: unknown): ClaimRule {
  const { hashesJson, idComm, issuedAt, sub } = membersOf('claim', value);
  if (hashesJson === undefined) {
    return {
      idComm: elementOf('claim.idComm', idComm),
      issuedAt: u64Of('claim.issuedAt', issuedAt),
      sub: optional(sub, (element) => elementOf('claim.sub', element)),
    };
  }
  const count = isBytes(hashesJson) ? byteCount(hashesJson) : 0;
  if (count === 0 || count > MAX_MANIFEST_BYTES)
    throw refusal('claim.hashesJson', `expected the bytes of hashes.json, at most ${MAX_MANIFEST_BYTES}`);
  return { hashesJson: new Uint8Array(hashesJson as Uint8Array) };
}

function elementOf(name: string, value: unknown): Uint8Array {
  const word =
    typeof value === 'string'
      ? parseFieldElement(value)
      : typeof value === 'bigint' && value >= 0n && value < SCALAR_ORDER
        ? wordOf(value)
        : undefined;
  if (word === undefined)
    throw refusal(name, 'expected 0x and 1 to 64 hex digits or a bigint, below the order of the field');
  return word;
}

function refusal(name: string, rule: string): ProofgateError {
  return new ProofgateError('credential.option', `${name}: ${rule}`);
}
