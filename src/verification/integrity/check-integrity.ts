import { createHash, type KeyObject } from 'node:crypto';
import type { Config } from '../../config/settings/types.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../json.ts';
import type { Metrics } from '../../observability/metrics/metrics.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { UseStore } from '../../storage/uses.ts';
import type { Bytes32, Environment } from '../../storage/values.ts';
import { type AttestationKeys, createAttestationKeys, loadKeySet } from './attestation-keys.ts';
import { checkToken } from './check-token.ts';
import { isSignedBy, readSignature } from './device-signature.ts';
import { type IntegrityBundle, integrityRefusal } from './integrity-bundle.ts';
import { type AttestedRequest, attestedBytes, isSelfCheck, responsesHash } from './integrity-digest.ts';

/** A request that fits the schema of its version, its integrity bundle included. */
export interface IntegrityRequest extends Pick<AttestedRequest, 'protocol' | 'kind'> {
  readonly environment: Environment;
  readonly items: readonly { readonly identifier: string; readonly issuerSchemaId?: string }[];
  /** The parsed body if it has an `integrity_bundle`. */
  readonly bundledBody: JsonObject | undefined;
}

/** Dependencies and settings of `createIntegrityCheck`. */
export interface IntegrityParts {
  readonly attestation: Config['verify']['worldid4']['attestation'];
  readonly uses: UseStore;
  readonly metrics: Pick<Metrics, 'verifyIntegrityTotal'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the error if the keys of an issuer cannot be read; at most one per environment and 10 s. */
  readonly onKeysUnreadable: (environment: Environment, cause: unknown) => void;
}

/**
 * Checks the integrity bundle of a request (spec/worldid4.md#integrity-bundle).
 *
 * @param app - The registered app of the relying party.
 * @returns A promise if there is a bundle; it resolves when the use of the bundle is recorded durably.
 * @throws ServiceError `verify.integrity_required`, and by the promise `verify.integrity_failed`, `store.unreachable`
 */
export type IntegrityCheck = (
  request: IntegrityRequest,
  app: Pick<AppRow, 'rpId'>,
) => Promise<void> | undefined;

const MAX_AGE_SECONDS = 300;
/** Longer than a bundle is accepted, so that none outlives the record of its use. */
const USE_RETENTION_MS = 2 * MAX_AGE_SECONDS * 1000;

/** Creates the check. Keys of the issuers are read when the first token needs them. */
export function createIntegrityCheck({
  attestation,
  uses,
  metrics,
  now,
  onKeysUnreadable,
}: IntegrityParts): IntegrityCheck {
  const keysFor = (environment: Environment): AttestationKeys =>
    createAttestationKeys(
      () => loadKeySet(attestation[environment]),
      now,
      (cause) => onKeysUnreadable(environment, cause),
    );
  const keysOf = { production: keysFor('production'), staging: keysFor('staging') };

  async function check(request: BundledRequest, rpId: string): Promise<void> {
    const { bundle, environment } = request;
    const time = now();
    checkAge(bundle.timestamp, time);
    if (bundle.version === 2 && request.protocol === '3.0') throw integrityRefusal('version_of_protocol');
    const attested = attestedBytes(request, bundle.version, bundle.timestamp);
    const signature = readSignature(bundle);
    const { issuer } = attestation[environment];
    const key = await checkToken(bundle, { issuer, rpId, keys: keysOf[environment], now: time });
    if (!(await isSignedBy(key, signature, attested))) throw integrityRefusal('device_signature');
    const isClaimed = await uses.claim({
      hash: useHash(rpId, key, attested),
      bound: responsesHash(request),
      expiresAt: time + USE_RETENTION_MS,
    });
    if (!isClaimed) throw integrityRefusal('used_before');
  }

  return (request, { rpId }) => {
    const { environment } = request;
    const count = (result: string): void => metrics.verifyIntegrityTotal.at(environment, result).add();
    const bundled = bundledRequest(request);
    if (needsVersion2(request) && bundled?.bundle.version !== 2) {
      count('bundle_required');
      throw integrityRefusal('bundle_required');
    }
    if (bundled === undefined) {
      count('absent');
      return undefined;
    }
    return check(bundled, rpId).then(
      () => count('valid'),
      (fault: unknown) => {
        count((isServiceError(fault) && fault.details.rule) || 'error');
        throw fault;
      },
    );
  };
}

interface BundledRequest extends AttestedRequest {
  readonly environment: Environment;
  readonly bundle: IntegrityBundle;
}

/** Reads a body that fits the schema, which makes these casts safe. */
function bundledRequest({
  protocol,
  kind,
  environment,
  bundledBody,
}: IntegrityRequest): BundledRequest | undefined {
  if (bundledBody === undefined) return undefined;
  return {
    protocol,
    kind,
    environment,
    nonce: bundledBody.nonce as string,
    responses: bundledBody.responses as readonly JsonObject[],
    bundle: bundledBody.integrity_bundle as IntegrityBundle,
  };
}

function needsVersion2({ protocol, items }: IntegrityRequest): boolean {
  return protocol === '4.0' && items.some(({ issuerSchemaId }) => isSelfCheck(issuerSchemaId));
}

function checkAge(timestamp: number, now: number): void {
  const ageSeconds = Math.floor(now / 1000) - timestamp;
  if (ageSeconds < 0) throw integrityRefusal('timestamp_in_future');
  if (ageSeconds > MAX_AGE_SECONDS) throw integrityRefusal('timestamp_too_old');
}

/** Returns the hash under which the use of a bundle is recorded: the same for every encoding of signature and token. */
function useHash(rpId: string, key: KeyObject, attested: Uint8Array): Bytes32 {
  return createHash('sha256')
    .update(attested)
    .update(key.export({ type: 'spki', format: 'der' }))
    .update(rpId)
    .digest();
}
