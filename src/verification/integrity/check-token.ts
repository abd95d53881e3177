import type { KeyObject } from 'node:crypto';
import { errors, type JWTHeaderParameters, type JWTPayload, jwtVerify } from 'jose';
import { isServiceError } from '../../errors/service-error.ts';
import { isObject } from '../../json.ts';
import { type AttestationKeys, type KeySet, p256Key } from './attestation-keys.ts';
import { type IntegrityBundle, type IntegrityCause, integrityRefusal } from './integrity-bundle.ts';

/** Expected claims of the token of a bundle. */
export interface TokenRules {
  /** The claim `iss`. */
  readonly issuer: string;
  /** The claim `aud`: the rp_id of the relying party. */
  readonly rpId: string;
  readonly keys: AttestationKeys;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

const ALGORITHM = 'ES256';
const PLATFORMS = { apple_app_attest: 'ios', android_keystore: 'android' } as const;

/**
 * Checks the token (RFC 7519) in which the issuer states that a device is genuine.
 *
 * @returns The key of the device.
 * @throws ServiceError `verify.integrity_failed`
 */
export async function checkToken(
  { jwt, signature_format: format }: Pick<IntegrityBundle, 'jwt' | 'signature_format'>,
  rules: TokenRules,
): Promise<KeyObject> {
  const { pass, platform, cnf } = await claimsOf(jwt, rules);
  if (pass !== true) throw integrityRefusal('device_failed');
  if (platform !== PLATFORMS[format]) throw integrityRefusal('platform');
  const key = p256Key(isObject(cnf) ? cnf.jwk : undefined);
  if (key === undefined) throw integrityRefusal('device_key');
  return key;
}

/** Verifies a token under the cached keys; if they fail, the issuer may have others by now. */
async function claimsOf(jwt: string, rules: TokenRules): Promise<JWTPayload> {
  const known = await rules.keys.current();
  try {
    return await verifyUnder(known, jwt, rules);
  } catch (fault) {
    const isOfKeys =
      isServiceError(fault) && ['key_unknown', 'token_signature'].includes(fault.details.rule ?? '');
    const newer = isOfKeys ? await rules.keys.newerThan(known) : undefined;
    if (newer === undefined) throw fault;
    return verifyUnder(newer, jwt, rules);
  }
}

async function verifyUnder(
  keys: KeySet,
  jwt: string,
  { issuer, rpId, now }: TokenRules,
): Promise<JWTPayload> {
  const keyOf = ({ kid }: JWTHeaderParameters): KeyObject => {
    if (typeof kid !== 'string' || kid === '') throw integrityRefusal('token_form');
    const key = keys.get(kid);
    if (key === undefined) throw integrityRefusal('key_unknown');
    return key;
  };
  try {
    const { payload } = await jwtVerify(jwt, keyOf, {
      algorithms: [ALGORITHM],
      issuer,
      audience: rpId,
      requiredClaims: ['exp'],
      currentDate: new Date(now),
    });
    return payload;
  } catch (fault) {
    throw fault instanceof errors.JOSEError ? integrityRefusal(causeOf(fault), fault) : fault;
  }
}

const CAUSES: Readonly<Record<string, IntegrityCause>> = {
  iss: 'token_issuer',
  aud: 'token_audience',
};

function causeOf(fault: errors.JOSEError): IntegrityCause {
  if (fault instanceof errors.JWTExpired) return 'token_expired';
  if (fault instanceof errors.JWTClaimValidationFailed) return CAUSES[fault.claim] ?? 'token_claims';
  if (fault instanceof errors.JOSEAlgNotAllowed) return 'token_algorithm';
  return fault instanceof errors.JWSSignatureVerificationFailed ? 'token_signature' : 'token_form';
}
