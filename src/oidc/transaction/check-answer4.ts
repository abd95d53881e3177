import { randomBytes } from 'node:crypto';
import { levelOfCredential, signinEnvironment } from '../../apps/signin-policy.ts';
import { OPEN_POLICY } from '../../config/apps/policy.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import { isServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../json.ts';
import type { Proofs4Outcome } from '../../membership/worldid4/proofs4.ts';
import { decodeWord } from '../../semaphore/words.ts';
import type { SeenPerson } from '../../storage/signin/people.ts';
import type { Bytes32, Evidence4, Level } from '../../storage/values.ts';
import { type Plan, planAfterMalformed } from '../worldid4/plan.ts';
import type { Ask } from '../worldid4/proof-request.ts';
import { type ReadResponse, readResponse } from '../worldid4/read-answer.ts';
import { isUnexpected } from './link-world-ids.ts';
import { policyOf } from './plan-sign-in.ts';
import { type FailureCode, type RefusalCode, ruleOfCode } from './reasons.ts';
import type { OpenTransaction, SigninWorldId4, TransactionParts } from './types.ts';

/** Outcome of an answer to a request of World ID 4.0. */
export type Outcome4 =
  | {
      readonly kind: 'accepted';
      readonly sub: Bytes32;
      readonly level: Level;
      readonly evidence: Evidence4;
      readonly person: SeenPerson;
      readonly beginning: { readonly clientId: string; readonly number: number } | undefined;
      /** Whether the session is a new one of a person who was known. */
      readonly isAdded: boolean;
    }
  /** Another request follows without the person; one for World ID 3.0 alone if there is no plan. */
  | { readonly kind: 'next'; readonly plan: Plan | undefined }
  /** The person may try again. The code is of the catalogue or of the wallet. */
  | { readonly kind: 'failed'; readonly code: string }
  | { readonly kind: 'refused'; readonly code: string }
  | { readonly kind: 'busy' };

/** A sign-in whose attempt asks for World ID 4.0. */
export type AskedTransaction = OpenTransaction & { readonly ask: Ask };

type Parts = Pick<TransactionParts, 'clients' | 'store' | 'now' | 'onFault'>;

/** Largest number of requests that replace a stale one. */
const MAX_STALE = 3;

/** Returns what follows when the wallet answers with an error code (spec/sign-in.md#wallet-error-codes). */
export async function followCode(
  code: string,
  transaction: AskedTransaction,
  worldId4: SigninWorldId4,
  parts: Pick<TransactionParts, 'clients'>,
): Promise<Outcome4> {
  const { ask, row } = transaction;
  const { isAgain, isStale, isAlarming } = ruleOfCode(code);
  const plan = code === 'malformed_request' ? planAfterMalformed(ask, worldId4.sessionForm) : undefined;
  if (plan !== undefined) return { kind: 'next', plan };
  if (code === 'world_id_4_not_available' && (await mayUse3(transaction, worldId4, parts))) {
    return { kind: 'next', plan: undefined };
  }
  if (isStale && row.renewals < MAX_STALE) return { kind: 'next', plan: ask };
  if (isAlarming) worldId4.onAlarm(code, row.clientId);
  return { kind: isAgain ? 'failed' : 'refused', code };
}

/** Returns what follows when a wallet proves World ID 3.0 although only 4.0 was asked for. */
export async function followUnasked3(
  transaction: AskedTransaction,
  worldId4: SigninWorldId4,
  parts: Pick<TransactionParts, 'clients'>,
): Promise<Outcome4> {
  if (await mayUse3(transaction, worldId4, parts)) return { kind: 'next', plan: undefined };
  return { kind: 'refused', code: 'policy.protocol_not_allowed' };
}

/** Whether a person may be asked for World ID 3.0 instead: a stranger, if the client accepts it. */
async function mayUse3(
  { row, request, ask }: AskedTransaction,
  worldId4: SigninWorldId4,
  { clients }: Pick<TransactionParts, 'clients'>,
): Promise<boolean> {
  const client = await clients.find(row.clientId);
  if (!client || row.accepted !== null || ask.takes3 || ask.kind === 'prove' || ask.beginning > 1)
    return false;
  const policy = policyOf(client, request, worldId4);
  return policy.code === undefined && policy.levels.length > 0;
}

/**
 * Checks the answer to a request of World ID 4.0 (spec/sign-in.md#proof-checks-of-world-id-40).
 *
 * @param address - Address of the client, as used for rate limits.
 * @throws ServiceError `store.unreachable`
 */
export async function checkAnswer4(
  transaction: AskedTransaction,
  sent: JsonObject,
  address: string,
  worldId4: SigninWorldId4,
  parts: Parts,
): Promise<Outcome4> {
  const { row, request, ask } = transaction;
  const { clientId } = row;
  // A removed client is refused when the sign-in ends.
  const client = (await parts.clients.find(clientId)) ?? { appId: clientId, policy: OPEN_POLICY };
  const allowed = policyOf(client, request, worldId4);
  if (allowed.code !== undefined) return refused(allowed.code);
  if (allowed.credentials.length === 0) return refused('policy.protocol_not_allowed');
  const response = readResponse(sent, ask, row.signal);
  if (response === undefined) return failed('transaction.answer_format');
  const { kind, proofs, sessionId } = response;
  const outcome = await checkOrFault(parts, () =>
    worldId4.check({
      environment: signinEnvironment(clientId),
      rpId: worldId4.rpId,
      policy: client.policy,
      kind,
      action: ask.action,
      nonce: ask.nonce,
      sessionId,
      proofs,
      source: { address, app: clientId },
    }),
  );
  if (outcome.kind === 'busy') return outcome;
  if (outcome.kind === 'false') return failed(failureOf(outcome.code));
  const strongest = allowed.credentials.find((one) =>
    proofs.some(({ identifier }) => identifier === one.identifier),
  );
  // The policy has changed since the request was made.
  if (strongest === undefined) return refused('policy.credential_not_allowed');
  if (ask.kind === 'create' && ask.binding === 'paired') {
    return { kind: 'next', plan: pairPlan(ask, response.sessionId) };
  }
  const sub = await worldId4.people.resolve(clientId, subOf(ask, response));
  if (isUnexpected(transaction, sub)) return refused('transaction.other_person');
  const known =
    ask.kind === 'prove' ? undefined : await worldId4.people.findBySub(clientId, sub, parts.now());
  const { identifier, issuerSchemaId } = strongest;
  return {
    kind: 'accepted',
    sub,
    level: levelOfCredential(identifier),
    evidence: { credential: identifier, issuer: issuerSchemaId, binding: ask.binding },
    person: seenPerson(transaction, response, sub, worldId4, parts.now()),
    beginning: ask.beginning === 1 ? undefined : { clientId, number: ask.beginning },
    isAdded: known !== undefined,
  };
}

/** Runs a check; one that cannot be made, for lack of the verifying key, is an internal error. */
async function checkOrFault(
  { onFault }: Pick<Parts, 'onFault'>,
  check: () => Promise<Proofs4Outcome>,
): Promise<Proofs4Outcome> {
  try {
    return await check();
  } catch (error) {
    if (!isServiceError(error, 'verify.worldid_key_missing')) throw error;
    onFault(error);
    return { kind: 'false', code: error.code };
  }
}

/** Plan of the second step: a proof of uniqueness for the session that the first one created. */
function pairPlan(ask: Ask, sessionId: string | undefined): Plan {
  const plan = { ...ask, kind: 'pair' } as const;
  return sessionId === undefined ? plan : { ...plan, sessionId };
}

/**
 * Returns the sub: the nullifier of a proof of uniqueness, that of the known person, or a random one below r where a
 * session is all there is.
 */
function subOf(ask: Ask, { nullifier }: ReadResponse): Bytes32 {
  if (ask.kind === 'bound' || ask.kind === 'pair') return Uint8Array.from(nullifier);
  const known = ask.sub === undefined ? undefined : decodeWord(ask.sub);
  if (known !== undefined) return Uint8Array.from(known);
  const random = Uint8Array.from(randomBytes(32));
  random[0] = 0;
  return random;
}

function seenPerson(
  { row, ask }: AskedTransaction,
  response: ReadResponse,
  sub: Bytes32,
  { rememberMs }: SigninWorldId4,
  at: number,
): SeenPerson {
  const { clientId, knownHash, createdAt } = row;
  const sessionText = ask.kind === 'pair' ? ask.sessionId : response.sessionId;
  const sessionId = Uint8Array.from(Buffer.from(sessionText?.slice('session_'.length) ?? '', 'hex'));
  const times = { createdAt: at, usedAt: at, expiresAt: at + rememberMs };
  const noPasskey = { credentialId: null, publicKey: null, signCount: null };
  return {
    session: { clientId, sessionId, sub, binding: ask.binding, ...times },
    isKnown: ask.kind === 'prove',
    beganAt: createdAt,
    pointer:
      knownHash === null
        ? undefined
        : { pointerHash: knownHash, clientId, sub, sessionId, kind: 'cookie', ...noPasskey, ...times },
  };
}

/** Returns the code of an attempt for that of a proof (spec/worldid4.md#items). */
function failureOf(code: ErrorCode): FailureCode {
  if (code === 'worldid_item.root_unknown') return 'transaction.root_unknown';
  if (code === 'worldid_item.root_too_old') return 'transaction.root_too_old';
  return OURS.has(code) ? 'transaction.check_failed' : 'transaction.proof_invalid';
}

/** Codes for what the service lacks. */
const OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'worldid_item.issuer_without_key',
  'worldid_item.oprf_key_missing',
  'verify.worldid_key_missing',
  'engine.key_unknown',
  'internal.unforeseen',
]);

const failed = (code: FailureCode): Outcome4 => ({ kind: 'failed', code });
const refused = (code: RefusalCode): Outcome4 => ({ kind: 'refused', code });
