import { createHash, randomBytes } from 'node:crypto';
import { type Credential4, type SigninPolicy, signinEnvironment } from '../../apps/signin-policy.ts';
import type { JsonObject } from '../../json.ts';
import { hashSignal } from '../../semaphore/hashes.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Attempt, AttemptMessage } from '../../storage/signin/transactions.ts';
import { VERSION } from '../../version.ts';
import type { AuthorizationRequest } from '../types.ts';
import type { Plan } from '../worldid4/plan.ts';
import { type ProofRequest, proofRequestOf } from '../worldid4/proof-request.ts';
import { policyOf } from './plan-sign-in.ts';
import type { OpenTransaction, SigninWorldId4, TransactionConfig, TransactionParts } from './types.ts';
import { seal } from './wallet-messages.ts';

/** Longest time for an answer to a request of World ID 4.0: nodes accept it for five minutes from its signature. */
const MAX_WINDOW4_SECONDS = 240;

/** Input of `newAttempt`. */
export interface AttemptInput {
  readonly txn: string;
  /** 1 for the first. */
  readonly attempt: number;
  readonly request: AuthorizationRequest;
  readonly client: Pick<AppRow, 'appId' | 'name' | 'policy'>;
  /** Whether the nonce is the signal (spec/sign-in.md#signal). */
  readonly isNonceSignal: boolean;
  /** Number of attempts so far, this one included, that the service began by itself. */
  readonly renewals: number;
  /** What to ask of World ID 4.0; undefined to ask for 3.0 alone. */
  readonly plan: Plan | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** End of the sign-in, in milliseconds since the epoch. */
  readonly expiresAt: number;
}

/** An attempt, and its message for this service's own bridge. */
export interface PlacedAttempt {
  readonly attempt: Attempt;
  readonly message: AttemptMessage | undefined;
}

/**
 * Creates an attempt with a fresh signal and key, and places its request on the bridge
 * (spec/sign-in.md#request-plaintext).
 */
export async function newAttempt(
  input: AttemptInput,
  { bridge, config, worldId4 }: Pick<TransactionParts, 'bridge' | 'config' | 'worldId4'>,
): Promise<PlacedAttempt> {
  const { attempt, plan, renewals, at, expiresAt } = input;
  const signal = signalOf(input);
  const aesKey = Uint8Array.from(randomBytes(32));
  const policy = policyOf(input.client, input.request, worldId4);
  // The policy may have changed since the attempt before; one that accepts nothing is refused by the end of the sign-in.
  const credentials = policy.code === undefined ? policy.credentials : [];
  const asked =
    credentials.length === 0
      ? undefined
      : plan && worldId4 && requestOf({ ...input, plan }, signal, credentials, worldId4);
  const plaintext = asked
    ? plaintext4Of(input, signal, policy, asked, config)
    : plaintextOf(input, signal, policy);
  const { bridgeId, message } = await bridge.place(seal(aesKey, plaintext));
  const { proofWindowSeconds } = config.signin;
  const seconds = asked ? Math.min(proofWindowSeconds, MAX_WINDOW4_SECONDS) : proofWindowSeconds;
  const windowEndsAt = Math.min(at + seconds * 1000, expiresAt);
  const ask = asked ? JSON.stringify(asked.ask) : null;
  return { attempt: { attempt, signal, aesKey, bridgeId, windowEndsAt, ask, renewals }, message };
}

/**
 * Returns the signal of an attempt. That of a proof of uniqueness for a session is a hash of a secret and the session, so
 * that nobody proves it without this request.
 */
function signalOf({ plan, request, isNonceSignal }: AttemptInput): string {
  const secret = randomBytes(32);
  if (plan?.kind === 'pair') {
    const hash = createHash('sha256')
      .update(secret)
      .update(plan.sessionId ?? '')
      .digest();
    return `siwi:${hash.toString('base64url')}`;
  }
  const nonce = isNonceSignal ? request.nonce : undefined;
  return nonce ?? `siwi:${secret.toString('base64url')}`;
}

function requestOf(
  { plan, client }: AttemptInput & { readonly plan: Plan },
  signal: string,
  credentials: readonly Credential4[],
  { rpId, sign }: SigninWorldId4,
): ProofRequest {
  return proofRequestOf({ plan, clientId: client.appId, rpId, credentials, signal }, sign);
}

/** Whether the signal of an attempt is the nonce. A nonce cannot equal a random signal by chance. */
export function isNonceSignal({ row, request }: OpenTransaction): boolean {
  return row.signal === request.nonce;
}

/**
 * Builds the request in the format of IDKit 2.x. Its description helps the person to detect a QR code relayed from
 * another site.
 */
function plaintextOf(input: AttemptInput, signal: string, policy: SigninPolicy): JsonObject {
  const isOrbOnly = takesOrbOnly(input, policy);
  return {
    app_id: input.request.clientId,
    action_description: descriptionOf(input),
    action: '',
    signal: toHex(hashSignal(signal)),
    credential_types: isOrbOnly ? ['orb'] : ['orb', 'device'],
    verification_level: isOrbOnly ? 'orb' : 'device',
  };
}

/**
 * Builds the request in the format of IDKit 4. Where World ID 3.0 is accepted too, its members are those of a request for
 * it alone: an action would change the nullifiers of World ID 3.0, and with them every `sub`.
 */
function plaintext4Of(
  input: AttemptInput,
  signal: string,
  policy: SigninPolicy,
  { ask, json }: ProofRequest,
  { baseUrl }: Pick<TransactionConfig, 'baseUrl'>,
): JsonObject {
  const { clientId } = input.request;
  return {
    app_id: clientId,
    package_name: 'proofgate',
    package_version: VERSION,
    action: ask.takes3 ? '' : ask.action,
    action_description: descriptionOf(input),
    signal: toHex(hashSignal(signal)),
    verification_level: ask.takes3 && takesOrbOnly(input, policy) ? 'orb' : 'device',
    proof_request: json,
    allow_legacy_proofs: ask.takes3,
    require_user_presence: false,
    environment: signinEnvironment(clientId),
    return_to_url: pageUrl(baseUrl, input.txn),
  };
}

/** Returns the address of the page of a sign-in, to which a wallet on the same device returns. */
export function pageUrl(baseUrl: string, txn: string): string {
  return `${baseUrl}/authorize/${txn}`;
}

function takesOrbOnly({ request }: AttemptInput, policy: SigninPolicy): boolean {
  return request.requiresOrb || (policy.code === undefined && !policy.levels.includes('device'));
}

function descriptionOf({ request, client }: AttemptInput): string {
  return `Sign in to ${client.name} (${redirectHost(request.redirectUri)})`;
}

/**
 * Returns the displayed part of a redirect URI: its host, or a private scheme, behind which what looks like a host is the
 * choice of the app.
 */
export function redirectHost(redirectUri: string): string {
  const { host, protocol } = new URL(redirectUri);
  return protocol === 'https:' || protocol === 'http:' ? host : protocol.replace(/:$/, '');
}
