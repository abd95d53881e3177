import type { JsonObject } from '../../json.ts';
import type { RequestKind, WalletKind } from '../../pages.ts';
import { type AccountSecret, accountNullifier, accountSession } from '../../semaphore/development-account.ts';
import {
  type Proof4Input,
  type ProofCheck4,
  proveWorldId4,
  type Request4Item,
  randomSessionAction,
  randomSessionSeed,
  sessionIdFrom,
  VALIDITY_MS,
} from './prove.ts';
import {
  type CredentialRequest,
  type ProofRequest,
  readProofRequest,
  satisfy,
  WalletRefusal,
} from './read-proof-request.ts';
import { ENVIRONMENT, findTrapdoorRoot, type StateTables } from './seed.ts';

/** The account of a person in World ID 4.0. */
export interface Account4 {
  readonly secret: AccountSecret;
  /** Time when the credentials were issued, in milliseconds since the epoch. */
  readonly issuedAt: number;
  /** Identifiers of credentials that the person does not have; of others, one of every issuer whose key is in `staging`. */
  readonly lacks?: readonly string[];
}

/** Dependencies of an answer. */
export interface AnswerParts {
  readonly tables: StateTables;
  /** Must have the key trapdoor-15. */
  readonly engine: ProofCheck4;
  readonly wallet: WalletKind;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** One proof of an answer. */
interface AnswerItem {
  readonly identifier: string;
  readonly issuer_schema_id: number;
  /** Five words in hex, without 0x. */
  readonly proof: string;
  readonly expires_at_min: number;
  readonly nullifier?: string;
  readonly session_nullifier?: string;
}

/** Answer of a wallet to a World ID 4.0 request, before it is encrypted. */
export interface WalletAnswer4 {
  readonly proof_response: {
    readonly id: string;
    readonly version: 1;
    readonly session_id?: string;
    readonly responses: readonly AnswerItem[];
  };
  readonly user_presence_completed?: true;
}

/** An answer, and what it is about. */
export interface Answered4 {
  readonly answer: WalletAnswer4;
  readonly kind: RequestKind;
  readonly rpId: string;
  /** Nullifier of a uniqueness answer, `nil_` and 64 hex digits, for the replay guard; undefined for sessions. */
  readonly nullifier: string | undefined;
}

/** Environments of requests that the state of `staging` can answer; `verify.sandbox` reads the second as the first. */
const ENVIRONMENTS: readonly unknown[] = [ENVIRONMENT, 'sandbox'];
/** Its answers need a score and an integrity bundle, which a device signs. */
const SELFIE_ISSUER = 11;
/** Limits of OPRF nodes. */
const MAX_CLOCK_OFFSET_SECONDS = 300;
const MAX_LIFE_SECONDS = 1800;

/**
 * Answers the World ID 4.0 request in the plaintext of a bridge as the wallet of a person, with proofs under trapdoor-15.
 *
 * Nullifiers and sessions depend on the account, the relying party and the action or the session alone, so that they are
 * those of the same person each time. Nothing is remembered: the replay guard is the caller's.
 *
 * @param plaintext - Has the member `proof_request`.
 * @throws WalletRefusal for a request that a wallet refuses
 */
export async function answerProofRequest(
  plaintext: JsonObject,
  account: Account4,
  parts: AnswerParts,
): Promise<Answered4> {
  const request = readProofRequest(plaintext.proof_request, parts.wallet);
  const { rpId, kind } = request;
  if (!ENVIRONMENTS.includes(plaintext.environment)) {
    throw new WalletRefusal('invalid_network', `environment: expected ${ENVIRONMENT}`);
  }
  checkTimes(request, Math.floor(parts.now / 1000));
  await requireState(parts.tables, rpId);
  const credentials = await chooseCredentials(request, account, parts);
  const purpose = purposeOf(request, account);
  const items: AnswerItem[] = [];
  for (const credential of credentials) {
    const input = { ...inputOf(credential, request), ...purpose };
    const { responses } = await proveWorldId4(input, parts.tables, parts.engine, parts.now);
    items.push(...responses.map((item) => itemOf(item, credential)));
  }
  const sessionId = 'sessionId' in purpose.purpose ? purpose.purpose.sessionId : undefined;
  const answer: WalletAnswer4 = {
    proof_response: {
      id: request.id,
      version: 1,
      ...(sessionId === undefined ? {} : { session_id: sessionId }),
      responses: items,
    },
    ...(plaintext.require_user_presence === true ? { user_presence_completed: true } : {}),
  };
  return { answer, kind, rpId, nullifier: items[0]?.nullifier };
}

function checkTimes({ createdAt, expiresAt }: ProofRequest, now: number): void {
  const rules = [
    [createdAt > expiresAt, 'invalid_timestamp', 'the request expires before it was made'],
    [now > expiresAt, 'rp_signature_expired', 'the request has expired'],
    [now - createdAt > MAX_CLOCK_OFFSET_SECONDS, 'timestamp_too_old', 'the request is older than 5 minutes'],
    [
      createdAt - now > MAX_CLOCK_OFFSET_SECONDS,
      'timestamp_too_far_in_future',
      'the request is of more than 5 minutes from now',
    ],
    [expiresAt - createdAt > MAX_LIFE_SECONDS, 'generic_error', 'the request lives longer than 30 minutes'],
  ] as const;
  const broken = rules.find(([isBroken]) => isBroken);
  if (broken !== undefined) throw new WalletRefusal(broken[1], broken[2]);
}

async function requireState({ roots, worldId4Keys }: StateTables, rpId: string): Promise<void> {
  if ((await findTrapdoorRoot(roots)) === undefined) {
    const text = `${ENVIRONMENT} has no state of World ID 4.0; \`proofgate dev worldid4 seed\` adds it`;
    throw new WalletRefusal('world_id_4_not_available', text);
  }
  if ((await worldId4Keys.findOprfKey(ENVIRONMENT, rpId)) === undefined) {
    const text = `${ENVIRONMENT} has no OPRF key of ${rpId}; \`proofgate dev worldid4 seed\` adds those of all apps`;
    throw new WalletRefusal('unknown_rp', text);
  }
}

async function chooseCredentials(
  { credentials, constraint }: ProofRequest,
  { issuedAt, lacks = [] }: Account4,
  { tables, now }: AnswerParts,
): Promise<readonly CredentialRequest[]> {
  const held = new Set<string>();
  for (const { identifier, issuerSchemaId, expiresAtMin, genesisIssuedAtMin = 0 } of credentials) {
    const isOfIssuer = (await tables.worldId4Keys.findIssuer(ENVIRONMENT, `${issuerSchemaId}`)) !== undefined;
    const isInTime = expiresAtMin * 1000 <= now + VALIDITY_MS && genesisIssuedAtMin * 1000 <= issuedAt;
    const isLacking = lacks.includes(identifier) || issuerSchemaId === SELFIE_ISSUER;
    if (isOfIssuer && isInTime && !isLacking) held.add(identifier);
  }
  const all = { all: credentials.map(({ identifier }) => identifier) };
  const chosen = satisfy(constraint ?? all, (identifier) => held.has(identifier));
  if (chosen !== undefined) return credentials.filter(({ identifier }) => chosen.includes(identifier));
  const text = `the person has ${held.size === 0 ? 'none' : `only ${[...held].join(', ')}`} of the requested credentials`;
  throw new WalletRefusal('credential_unavailable', text);
}

function inputOf(
  credential: CredentialRequest,
  { rpId, nonce }: ProofRequest,
): Omit<Proof4Input, 'purpose' | 'nullifier' | 'provenAction'> {
  const { identifier, issuerSchemaId, signal, expiresAtMin, genesisIssuedAtMin } = credential;
  return {
    app: { rpId },
    issuerSchemaId: `${issuerSchemaId}`,
    identifier,
    nonce,
    expiresAtMin,
    ...(signal === undefined ? {} : { signal }),
    ...(genesisIssuedAtMin === undefined ? {} : { genesisIssuedAtMin }),
  };
}

/** Returns what all proofs of an answer share: honest ones have one nullifier and one session. */
function purposeOf(
  { rpId, kind, action, sessionId }: ProofRequest,
  { secret }: Account4,
): Pick<Proof4Input, 'purpose' | 'nullifier' | 'provenAction'> {
  const provenAction = action ?? randomSessionAction();
  const proven = { provenAction, nullifier: accountNullifier(secret, rpId, provenAction) };
  // The text of an action is not in a proof; an app may send another one, for World ID 3.0.
  const purpose = { action: '' };
  if (kind === 'uniqueness') return { ...proven, purpose };
  const session = sessionId === undefined ? newSession(secret, rpId) : ownSession(sessionId, secret, rpId);
  return { ...proven, purpose: { ...(kind === 'bound' ? purpose : {}), sessionId: session } };
}

function newSession(secret: AccountSecret, rpId: string): string {
  const seed = randomSessionSeed();
  return sessionIdFrom(accountSession(secret, rpId, seed), seed);
}

/** @throws WalletRefusal for a session of another account or relying party */
function ownSession(sessionId: string, secret: AccountSecret, rpId: string): string {
  const seed = Buffer.from(sessionId.slice(-64), 'hex');
  if (sessionIdFrom(accountSession(secret, rpId, seed), seed) === sessionId) return sessionId;
  // IDKit has no code for it.
  throw new WalletRefusal('generic_error', 'the session is of another person or relying party');
}

function itemOf(
  made: Request4Item,
  { identifier, issuerSchemaId, expiresAtMin }: CredentialRequest,
): AnswerItem {
  const { nullifier, session_nullifier: ofSession, proof } = made;
  const digits = (words: readonly string[]): string => words.map((word) => word.slice(2)).join('');
  return {
    identifier,
    issuer_schema_id: issuerSchemaId,
    proof: digits(proof),
    expires_at_min: expiresAtMin,
    ...(nullifier === undefined ? {} : { nullifier: `nil_${digits([nullifier])}` }),
    ...(ofSession === undefined ? {} : { session_nullifier: `snil_${digits(ofSession)}` }),
  };
}
