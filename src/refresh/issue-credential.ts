/**
 * Issuance (spec/refresh.md#issuance): signs a credential outside of any transaction, then binds, counts and records it
 * in one, and signs again if the stored genesis differs or the id is taken.
 */
import { randomBytes } from 'node:crypto';
import type { Config } from '../config/settings/types.ts';
import { parseValidity } from '../config/values/validity.ts';
import {
  type CredentialFields,
  claimOfPackage,
  claimOfRefresh,
  credentialJson,
} from '../credential/credential.ts';
import { hashCredential } from '../credential/hash.ts';
import type { Engine } from '../engine/engine.ts';
import { ServiceError } from '../errors/service-error.ts';
import { numberOf } from '../semaphore/words.ts';
import type { BindingRow, Issuance, IssuanceLimit, IssuanceStore } from '../storage/refresh/issuance.ts';
import type { ClaimSource, IssuedCredentialRow } from '../storage/refresh/issued-credential.ts';
import type { Bytes32 } from '../storage/values.ts';
import type { CredentialKeys } from './keys/credential-keys.ts';
import type { CheckedPackage } from './package/check-package.ts';
import { createLimitedRefusal, type Holder, type LimitedRefusal, type Measure } from './types.ts';

/** Dependencies of `createIssuer`. */
export interface IssuerParts {
  readonly engine: Engine;
  readonly keys: Pick<CredentialKeys, 'sign'>;
  readonly issuance: Pick<IssuanceStore, 'issue'>;
  readonly config: Pick<Config, 'refresh' | 'rateLimits'>;
  /** Draws an id, a u64 as 8 bytes, big-endian; from a CSPRNG by default. */
  readonly drawId?: () => Uint8Array;
  /**
   * Refusals of holders whose window is full; shared with other checks of the same holders. Default: a new instance.
   */
  readonly limited?: LimitedRefusal;
}

/** A credential to issue, after all checks before issuance have passed. */
export interface IssueInput {
  readonly holder: Holder;
  /** Milliseconds since the epoch, read once for the request. */
  readonly now: number;
  /** The binding, as read before; undefined for a first refresh. */
  readonly binding: Pick<BindingRow, 'genesisIssuedAt'> | undefined;
  /** Absent for a refresh without a package. */
  readonly package: CheckedPackage | undefined;
  readonly encryptedUserId: string | undefined;
  /** Fires when the client no longer waits: nothing is written then, except that a commit in progress completes. */
  readonly signal: Pick<AbortSignal, 'aborted'>;
  readonly measure: Measure;
}

/** Issues credentials. */
export interface Issuer {
  /** Maximum credentials of a holder within a window. */
  readonly limit: IssuanceLimit;
  /**
   * Signs, binds, counts and records a credential; durable when it resolves (spec/refresh.md#issuance).
   *
   * @returns Standard base64 of the credential's JSON.
   * @throws ServiceError `refresh.limited`, `refresh.no_enrolment`, `refresh.sub_mismatch`,
   *   `refresh.signature_fault`, `issuer_key.*`, `engine.*`, `store.*`; `engine.cancelled` if the client no
   *   longer waits
   */
  issue(input: IssueInput): Promise<string>;
}

const ZERO: Bytes32 = new Uint8Array(32);
const CLAIMS = 16;
const MAX_REDRAWS = 3;

interface Claim {
  readonly value: Bytes32;
  readonly source: ClaimSource;
}

interface Signed {
  readonly json: string;
  readonly row: IssuedCredentialRow;
}

/** Creates the issuer of the configured schema. */
export function createIssuer(parts: IssuerParts): Issuer {
  const { engine, keys, issuance, config, drawId = drawCredentialId } = parts;
  const limited = parts.limited ?? createLimitedRefusal();
  const { issuerSchemaId, validity, keepEncryptedUserId } = config.refresh;
  const { refreshPerIdComm, refreshWindowSeconds } = config.rateLimits;
  const limit = { credentials: refreshPerIdComm, windowMs: refreshWindowSeconds * 1000 };

  async function claimOf({ holder, now, package: custody }: IssueInput): Promise<Claim> {
    if (custody !== undefined)
      return { value: await claimOfPackage(engine, custody.manifest), source: 'pcp' };
    return { value: await claimOfRefresh(engine, holder, secondsOf(now)), source: 'refresh' };
  }

  async function sign(
    input: IssueInput,
    claim: Claim,
    id: Uint8Array,
    genesisIssuedAt: number,
  ): Promise<Signed> {
    const { holder, now, package: custody, encryptedUserId } = input;
    const fields: CredentialFields = {
      id: numberOf(id),
      issuerSchemaId: BigInt(issuerSchemaId),
      sub: holder.sub,
      genesisIssuedAt: secondsOf(genesisIssuedAt),
      expiresAt: expiryOf(validity, secondsOf(now)),
      claims: [claim.value, ...Array.from({ length: CLAIMS - 1 }, () => ZERO)],
      associatedDataHash: ZERO,
    };
    const credentialHash = await hashCredential(engine, fields);
    const { signature, keyId, pk } = await keys.sign(credentialHash);
    const row: IssuedCredentialRow = {
      issuerSchemaId,
      credentialId: id,
      idComm: holder.idComm,
      sub: holder.sub,
      genesisIssuedAt,
      issuedAt: now,
      expiresAt: fields.expiresAt * 1000,
      claim0: claim.value,
      claimSource: claim.source,
      manifestSha256: custody?.manifestSha256 ?? null,
      operatorId: custody?.operatorId ?? null,
      credentialHash,
      signature,
      keyId,
      encryptedUserId: keepEncryptedUserId ? (encryptedUserId ?? null) : null,
    };
    return { json: credentialJson(fields, signature, pk), row };
  }

  function refusalOf(
    issued: Exclude<Issuance, { outcome: 'issued' }>,
    { holder, now }: IssueInput,
  ): ServiceError {
    switch (issued.outcome) {
      case 'limited':
        return limited(holder.idComm, issued.retryAt, now);
      case 'no_enrolment':
        return new ServiceError('refresh.no_enrolment');
      case 'sub_mismatch':
        return new ServiceError('refresh.sub_mismatch');
      case 'id_taken':
        return new ServiceError('internal.unforeseen', `${MAX_REDRAWS + 1} random ids were taken`);
      case 'other_genesis':
        return new ServiceError(
          'internal.unforeseen',
          'expected the genesis of a binding to stay, but it changed',
        );
    }
  }

  return {
    limit,
    async issue(input) {
      const { measure, now, signal } = input;
      throwIfAborted(signal);
      const claim = await measure('signMs', () => claimOf(input));
      let genesisIssuedAt = input.binding?.genesisIssuedAt ?? secondsOf(now) * 1000;
      let id = drawId();
      let redraws = 0;
      let hasSignedAgain = false;
      for (;;) {
        const signed = await measure('signMs', () => sign(input, claim, id, genesisIssuedAt));
        throwIfAborted(signal);
        const issued = await measure('commitMs', () => issuance.issue(signed.row, limit));
        if (issued.outcome === 'issued') return Buffer.from(signed.json).toString('base64');
        if (issued.outcome === 'other_genesis' && !hasSignedAgain) {
          // another first refresh of the holder was faster; its genesis is used
          hasSignedAgain = true;
          genesisIssuedAt = issued.genesisIssuedAt;
        } else if (issued.outcome === 'id_taken' && redraws < MAX_REDRAWS) {
          redraws++;
          id = drawId();
        } else throw refusalOf(issued, input);
      }
    },
  };
}

function throwIfAborted(signal: Pick<AbortSignal, 'aborted'>): void {
  if (signal.aborted) throw new ServiceError('engine.cancelled', 'the client no longer waits');
}

function secondsOf(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}

const ID_BYTES = 8;

/**
 * Draws a random u64, 8 bytes big-endian: a counter would reveal how many credentials exist
 * (spec/credential.md#credential-object, id).
 */
function drawCredentialId(): Uint8Array {
  return Uint8Array.from(randomBytes(ID_BYTES));
}

/**
 * Returns the expiry of a credential, by the calendar in UTC (spec/credential.md#validity): years and months keep the
 * day and time of day; a day missing in the month becomes its last day.
 *
 * @param validity - `P<n>Y`, `P<n>M`, `P<n>D` or `PT<n>S`, as in `refresh.validity`.
 * @param unixSeconds - Time of issuance, whole seconds.
 * @returns Unix seconds.
 */
export function expiryOf(validity: string, unixSeconds: number): number {
  const parsed = parseValidity(validity);
  if (parsed === undefined) throw new RangeError(`expected a validity like P1Y, got ${validity}`);
  const { count, unit } = parsed;
  if (unit === 'S') return unixSeconds + count;
  if (unit === 'D') return unixSeconds + 86_400 * count;
  const date = new Date(unixSeconds * 1000);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() + (unit === 'Y' ? 12 * count : count));
  // The day overflowed into the next month; day 0 is the last day of the previous one.
  if (date.getUTCDate() !== day) date.setUTCDate(0);
  return date.getTime() / 1000;
}
