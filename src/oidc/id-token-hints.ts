import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import { isObject, parseJson } from '../json.ts';
import { ALGORITHM } from './keys/sealed-keys.ts';
import type { SigningKeys } from './keys/signing-keys.ts';

/** Claims of an ID token of this service, which may have expired. */
export interface HintedToken {
  readonly clientId: string;
  /** Canonical nullifier: `0x` and 64 lower-case hex digits. */
  readonly sub: string;
  /** The session of the token; absent without one. */
  readonly sid?: string;
}

/** Dependencies of `createIdTokenHints`. */
export interface IdTokenHintsParts {
  readonly keys: Pick<SigningKeys, 'verificationKey'>;
  readonly baseUrl: string;
}

/** Reads an ID token that a client sends back; undefined for anything that this service did not issue. */
export type ReadIdTokenHint = (token: string) => Promise<HintedToken | undefined>;

/** ID tokens of this service have about 1.2 kB; the limit bounds the work of decoding foreign input. */
const MAX_CHARACTERS = 8192;
const TYPE = 'JWT';

/**
 * Creates the reader of `id_token_hint` (spec/sign-in.md#hints): the signature is by a published key, retired ones
 * included, and the issuer is this service. Expiry is ignored (OpenID Connect Core 1.0, section 3.1.2.1).
 *
 * @returns A function that throws ServiceError `store.unreachable`
 */
export function createIdTokenHints({ keys, baseUrl }: IdTokenHintsParts): ReadIdTokenHint {
  return async (token) => {
    const kid = kidOf(token);
    const key = kid === undefined ? undefined : await keys.verificationKey(kid);
    if (key === undefined) return undefined;
    try {
      const { payload } = await compactVerify(token, key, { algorithms: [ALGORITHM] });
      return hintOf(parseJson(payload), baseUrl);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  };
}

function kidOf(token: string): string | undefined {
  if (token.length > MAX_CHARACTERS) return undefined;
  try {
    const { typ, alg, kid } = decodeProtectedHeader(token);
    return typ === TYPE && alg === ALGORITHM && typeof kid === 'string' ? kid : undefined;
  } catch {
    // every token of this service decodes
    return undefined;
  }
}

function hintOf(payload: unknown, baseUrl: string): HintedToken | undefined {
  if (!isObject(payload)) return undefined;
  const { iss, aud, sub, sid } = payload;
  if (iss !== baseUrl || typeof aud !== 'string' || typeof sub !== 'string') return undefined;
  return { clientId: aud, sub, ...(typeof sid === 'string' ? { sid } : {}) };
}
