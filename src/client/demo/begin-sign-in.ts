import type { DemoConfig } from '../../pages.ts';
import { challengeOf, randomText } from './texts.ts';

/** Options of a sign-in at the demo. */
export interface Choices {
  readonly responseType: string;
  /** Empty for the default of the response type. */
  readonly responseMode: string;
  readonly scope: string;
  /** Empty for any level. */
  readonly acrValues: string;
  /** Client id of the app for the chosen binding of World ID 4.0. */
  readonly clientId: string;
}

/** One value of an option. */
export interface Choice {
  readonly value: string;
  readonly label: string;
  readonly detail?: string;
}

/** Response types (spec/sign-in.md#response-types), the most common one first. */
export const RESPONSE_TYPES: readonly Choice[] = [
  {
    value: 'code',
    label: 'code',
    detail: 'What most apps use: a code comes back and is exchanged for tokens, with PKCE.',
  },
  { value: 'id_token', label: 'id_token', detail: 'The ID token comes back through the browser, no more.' },
  { value: 'id_token token', label: 'id_token token', detail: 'ID token and access token come back.' },
  { value: 'code id_token', label: 'code id_token', detail: 'An ID token at once, and a code for more.' },
  { value: 'code token', label: 'code token', detail: 'An access token at once, and a code for more.' },
  { value: 'code id_token token', label: 'code id_token token', detail: 'All three at once.' },
];

/** Response modes. */
export const RESPONSE_MODES: readonly Choice[] = [
  { value: '', label: 'default of the response type' },
  { value: 'query', label: 'query: behind ? in the address (code only)' },
  { value: 'fragment', label: 'fragment: behind # in the address' },
  { value: 'form_post', label: 'form_post: in a form that the browser posts' },
];

/** Scopes that the app can request. */
export const SCOPES: readonly Choice[] = [
  { value: 'openid', label: 'openid: an identifier for this app' },
  { value: 'openid email', label: 'openid email: and an address' },
  { value: 'openid profile', label: 'openid profile: and names' },
  { value: 'openid email profile', label: 'openid email profile: and both' },
];

/** Levels of proof that the app can accept. */
export const LEVELS: readonly Choice[] = [
  { value: '', label: 'orb or device' },
  { value: 'orb', label: 'orb only' },
];

/** Bindings of World ID 4.0 (spec/sign-in.md#bindings). */
export const BINDING_CHOICES: readonly Choice[] = [
  { value: 'bound', label: 'bound: one proof of one person, bound to a session' },
  { value: 'paired', label: 'paired: a session, then a proof of one person' },
  { value: 'session', label: 'session: the same person again, who may have many' },
];

/** Values that the demo must remember while the person is on the sign-in page. */
export interface PendingSignIn {
  readonly clientId: string;
  readonly state: string;
  readonly nonce: string;
  /** PKCE verifier; absent if the response type has no code. */
  readonly verifier?: string;
  readonly responseType: string;
}

/**
 * The part of `sessionStorage` that is used. It belongs to one tab, so that tabs do not interfere with each
 * other.
 */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const PREFIX = 'proofgate.demo.';

/** Stores a sign-in under its state. */
export function rememberSignIn(storage: TabStorage, pending: PendingSignIn): void {
  storage.setItem(`${PREFIX}${pending.state}`, JSON.stringify(pending));
}

/**
 * Takes the sign-in that was stored under a state. A second call fails, so that a replayed answer is not used.
 *
 * @returns undefined if this tab began no such sign-in, or its answer was already read.
 */
export function takeSignIn(storage: TabStorage, state: string): PendingSignIn | undefined {
  const key = `${PREFIX}${state}`;
  const text = storage.getItem(key);
  storage.removeItem(key);
  return text === null ? undefined : (JSON.parse(text) as PendingSignIn);
}

/** A sign-in that is about to begin. */
export interface BegunSignIn {
  readonly pending: PendingSignIn;
  /** URL to navigate to: the authorization endpoint with the request. */
  readonly url: string;
}

/** Builds the authorization request for the choices, with fresh state, nonce and, for a code, verifier. */
export async function beginSignIn(
  { redirectUri, urls }: Pick<DemoConfig, 'redirectUri' | 'urls'>,
  { responseType, responseMode, scope, acrValues, clientId }: Choices,
): Promise<BegunSignIn> {
  const state = randomText();
  const nonce = randomText();
  const verifier = responseType.split(' ').includes('code') ? randomText() : undefined;
  const parameters = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: responseType,
    ...(responseMode === '' ? {} : { response_mode: responseMode }),
    scope,
    ...(acrValues === '' ? {} : { acr_values: acrValues }),
    state,
    nonce,
    ...(verifier === undefined
      ? {}
      : { code_challenge: await challengeOf(verifier), code_challenge_method: 'S256' }),
  });
  const pending = { clientId, state, nonce, responseType, ...(verifier === undefined ? {} : { verifier }) };
  return { pending, url: `${urls.authorize}?${parameters}` };
}
