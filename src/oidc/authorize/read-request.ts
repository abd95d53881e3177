import { decodeJwt, type JWTPayload } from 'jose';
import {
  type Credential4,
  levelOfCredential,
  type SigninIssuers,
  signinPolicy,
} from '../../apps/signin-policy.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { ReadIdTokenHint } from '../id-token-hints.ts';
import { readUiLocales } from '../languages.ts';
import { hasWord, type Parameters, refuseRepeated } from '../parameters.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { IdentifiedClient } from './identify-client.ts';
import {
  type Freshness,
  readCodeChallenge,
  readDpopJkt,
  readFreshness,
  readHintedSub,
  readLoginHint,
  readNonce,
  readResponseMode,
  readResponseType,
  readScope,
} from './request-parameters.ts';

/**
 * Parameters that must not be sent twice (spec/sign-in.md#authorization-request); all others are ignored,
 * even if repeated.
 */
export const AUTHORIZE_PARAMETERS: readonly string[] = [
  'client_id',
  'redirect_uri',
  'response_type',
  'response_mode',
  'scope',
  'state',
  'nonce',
  'code_challenge',
  'code_challenge_method',
  'dpop_jkt',
  'prompt',
  'max_age',
  'acr_values',
  'display',
  'ui_locales',
  'claims_locales',
  'login_hint',
  'id_token_hint',
  'claims',
  'request',
  'request_uri',
  'registration',
];

/** Origin of a request: the browser, or the client itself (RFC 9126). */
export type RequestOrigin = 'direct' | 'pushed';

/** Dependencies of `readRequest`. */
export interface ReadRequestParts {
  readonly readHint: ReadIdTokenHint;
  /** Issuers of World ID 4.0; undefined while sign-in takes 3.0 alone. */
  readonly issuers: SigninIssuers | undefined;
}

/** A checked request, with the required freshness of the proof. */
export interface ReadRequest {
  readonly request: AuthorizationRequest;
  readonly freshness: Freshness;
}

/**
 * Runs the checks of spec/sign-in.md#checks-answered-to-the-app, in that order. Parameters that are not read
 * here are accepted and ignored.
 *
 * @throws ServiceError for the relying party; its row of the catalogue has the OAuth error
 */
export async function readRequest(
  parameters: Parameters,
  identified: IdentifiedClient,
  origin: RequestOrigin,
  { readHint, issuers }: ReadRequestParts,
): Promise<ReadRequest> {
  const { client, redirectUri } = identified;
  refuseRepeated(parameters, AUTHORIZE_PARAMETERS);
  if (origin === 'direct' && client.client.requirePushedAuthorizationRequests) {
    throw new ServiceError('authorize.push_required');
  }
  const responseType = readResponseType(parameters, identified);
  const responseMode = readResponseMode(parameters, responseType);
  refuseRequestObjects(parameters);
  const scope = readScope(parameters, responseType, client);
  const nonce = readNonce(parameters, responseType, client);
  const codeChallenge = readCodeChallenge(parameters, responseType, client);
  const dpopJkt = readDpopJkt(parameters, responseType);
  const freshness = readFreshness(parameters);
  const hintedSub = await readHintedSub(parameters, client.appId, readHint);
  const requiresOrb = readRequiresOrb(parameters, client, issuers);
  const loginHint = readLoginHint(parameters);
  const state = parameters.get('state');
  const language = readUiLocales(parameters.get('ui_locales'));
  const request = {
    clientId: client.appId,
    redirectUri,
    responseType,
    responseMode,
    scope,
    ...(state === undefined ? {} : { state }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(codeChallenge === undefined ? {} : { codeChallenge }),
    ...(dpopJkt === undefined ? {} : { dpopJkt }),
    requiresOrb,
    ...(hintedSub === undefined ? {} : { hintedSub }),
    ...(loginHint === undefined ? {} : { loginHint }),
    ...(language === undefined ? {} : { language }),
  };
  return { request, freshness };
}

/**
 * Whether only an orb proof is accepted, as the request or the policy of the app requires.
 *
 * @throws ServiceError `policy.environment_not_allowed`, `policy.protocol_not_allowed`, `policy.credential_not_allowed`
 */
function readRequiresOrb(
  parameters: Parameters,
  client: AppRow,
  issuers: SigninIssuers | undefined,
): boolean {
  const acrValues = parameters.get('acr_values');
  const isRequested = hasWord(acrValues, 'orb') && !hasWord(acrValues, 'device');
  const policy = signinPolicy(client, issuers, isRequested);
  if (policy.code !== undefined) throw new ServiceError(policy.code);
  const isWeaker = ({ identifier }: Credential4): boolean => levelOfCredential(identifier) !== 'orb';
  return !policy.levels.includes('device') && !policy.credentials.some(isWeaker);
}

const REFUSALS = [
  ['request', 'authorize.request_not_supported'],
  ['request_uri', 'authorize.request_uri_not_supported'],
  ['registration', 'authorize.registration_not_supported'],
] as const;

/**
 * Refuses the parameters that this service does not support and must not silently ignore
 * (spec/sign-in.md#checks-answered-to-the-app, request-object).
 *
 * @throws ServiceError `authorize.request_not_supported`, `authorize.request_uri_not_supported`,
 *   `authorize.registration_not_supported`
 */
function refuseRequestObjects(parameters: Parameters): void {
  for (const [path, code] of REFUSALS) {
    if (parameters.get(path) !== undefined) throw new ServiceError(code, undefined, { path });
  }
}

/** Members of a refused request object that decide how its refusal is delivered. */
interface RefusedObject {
  readonly responseMode?: string;
  readonly state?: string;
}

/** Longest `state` that is read from a refused request object, in UTF-16 code units. */
const MAX_STATE_LENGTH = 4096;
// JSON can contain an unpaired surrogate; a URL cannot.
const UNPAIRED_SURROGATE = /\p{Surrogate}/u;

/**
 * Reads `response_mode` and `state` of the payload of `request`, without verifying it, for the delivery of
 * `request_not_supported` alone (spec/sign-in.md#mode-of-an-error-response). A payload that cannot be decoded has
 * neither.
 */
export function readRefusedObject(parameters: Parameters): RefusedObject {
  const { response_mode: responseMode, state } = payloadOf(parameters.get('request') ?? '');
  return {
    ...(typeof responseMode === 'string' ? { responseMode } : {}),
    ...(isState(state) ? { state } : {}),
  };
}

function payloadOf(jwt: string): JWTPayload {
  try {
    return decodeJwt(jwt);
  } catch {
    return {};
  }
}

function isState(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= MAX_STATE_LENGTH &&
    !UNPAIRED_SURROGATE.test(value)
  );
}
