import { isObject, type JsonObject } from '../../json.ts';
import type { RequestKind, WalletErrorCode, WalletKind } from '../../pages.ts';
import { decodeWord, isBelowScalarOrder } from '../../semaphore/words.ts';
import type { Bytes32 } from '../../storage/values.ts';

/** A request that a wallet does not prove: `errorCode` is for the relying party, the message for the person. */
export class WalletRefusal extends Error {
  override readonly name = 'WalletRefusal';
  readonly errorCode: WalletErrorCode;

  constructor(errorCode: WalletErrorCode, reason: string) {
    super(reason);
    this.errorCode = errorCode;
  }
}

/** A requested credential. */
export interface CredentialRequest {
  readonly identifier: string;
  readonly issuerSchemaId: number;
  /** Bytes that the proof binds, before they are hashed. */
  readonly signal: Uint8Array | undefined;
  /** Seconds since the epoch. */
  readonly expiresAtMin: number;
  /** Seconds since the epoch. */
  readonly genesisIssuedAtMin: number | undefined;
}

/** Credentials that satisfy a request: one of a list, all of it, or every one that the person has and at least one. */
export type Constraint = string | { readonly [kind in ConstraintKind]?: readonly Constraint[] };

const CONSTRAINT_KINDS = ['any', 'all', 'enumerate'] as const;
type ConstraintKind = (typeof CONSTRAINT_KINDS)[number];

/** A World ID 4.0 request in its canonical form. */
export interface ProofRequest {
  readonly id: string;
  readonly kind: RequestKind;
  /** `rp_` and 16 hex digits. */
  readonly rpId: string;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
  readonly nonce: Bytes32;
  /** Hash of the action; undefined in sessions. */
  readonly action: Bytes32 | undefined;
  /** Session to prove; undefined for other kinds. */
  readonly sessionId: string | undefined;
  readonly credentials: readonly CredentialRequest[];
  /** If undefined, all credentials are required. */
  readonly constraint: Constraint | undefined;
}

type Form = readonly [type: string, session: 'none' | 'create' | 'id', kind: RequestKind];

const COMMON_FORMS: readonly Form[] = [
  ['uniqueness', 'none', 'uniqueness'],
  ['session', 'id', 'prove-session'],
];
/** Values of `proof_type` and `session_id` that a kind of wallet knows. */
const FORMS: Readonly<Record<WalletKind, readonly Form[]>> = {
  new: [...COMMON_FORMS, ['session', 'create', 'create-session'], ['uniqueness', 'create', 'bound']],
  old: [...COMMON_FORMS, ['create_session', 'none', 'create-session']],
};
/** Members that an old wallet knows; it refuses others. */
const REQUEST_MEMBERS: readonly string[] = [
  'id',
  'version',
  'proof_type',
  'created_at',
  'expires_at',
  'rp_id',
  'oprf_key_id',
  'session_id',
  'action',
  'signature',
  'nonce',
  'proof_requests',
  'constraints',
];
const ITEM_MEMBERS: readonly string[] = [
  'identifier',
  'issuer_schema_id',
  'signal',
  'genesis_issued_at_min',
  'expires_at_min',
];
const ELEMENT = /^0x[0-9a-f]{64}$/;
const HEX_BYTES = /^0x(?:[0-9a-fA-F]{2})*$/;
const RP_ID = /^rp_[0-9a-f]{16}$/;
const SIGNATURE = /^0x[0-9a-fA-F]{130}$/;
const SESSION_ID = /^session_([0-9a-fA-F]{64})(01[0-9a-fA-F]{62})$/;
const VERSION = 1;
const MAX_ID_LENGTH = 256;
const MAX_CREDENTIALS = 16;
const MAX_SIGNAL_LENGTH = 65_536;
const MAX_NODES = 12;
const MAX_DEPTH = 2;

function malformed(member: string, expected: string): WalletRefusal {
  return new WalletRefusal('malformed_request', `${member}: expected ${expected}`);
}

/**
 * Reads the member `proof_request` of a request as a kind of wallet does. The signature is not checked: in development no
 * signer is registered for a relying party.
 *
 * @throws WalletRefusal `malformed_request`
 */
export function readProofRequest(value: unknown, wallet: WalletKind): ProofRequest {
  if (!isObject(value)) throw malformed('proof_request', 'an object');
  if (wallet === 'old') refuseUnknown(value);
  if (value.version !== VERSION) throw malformed('version', `${VERSION}`);
  const rpId = text(value, 'rp_id', RP_ID, 'rp_ and 16 hex digits');
  const keyId = text(value, 'oprf_key_id', /^0x[0-9a-f]{1,64}$/, 'hex digits');
  if (BigInt(keyId) !== BigInt(`0x${rpId.slice('rp_'.length)}`)) {
    throw malformed('oprf_key_id', 'the number of rp_id');
  }
  text(value, 'signature', SIGNATURE, '65 bytes in hex');
  const kind = kindOf(value, wallet);
  const createdAt = integer(value, 'created_at');
  const credentials = credentialsOf(value.proof_requests, createdAt);
  return {
    id: text(value, 'id', new RegExp(`^.{1,${MAX_ID_LENGTH}}$`, 's'), 'a text'),
    kind,
    rpId,
    createdAt,
    expiresAt: integer(value, 'expires_at'),
    nonce: element(value, 'nonce'),
    action: actionOf(value, kind),
    sessionId: kind === 'prove-session' ? sessionIdOf(value) : undefined,
    credentials,
    constraint: constraintOf(value.constraints, credentials),
  };
}

function refuseUnknown(request: JsonObject): void {
  const refuse = (member: string, value: JsonObject, known: readonly string[]): void => {
    const unknown = Object.keys(value).find((name) => !known.includes(name));
    if (unknown !== undefined) {
      throw malformed(member, `no member ${JSON.stringify(unknown.slice(0, MAX_ID_LENGTH))}`);
    }
  };
  refuse('proof_request', request, REQUEST_MEMBERS);
  const items = Array.isArray(request.proof_requests) ? request.proof_requests : [];
  for (const item of items.filter(isObject)) refuse('proof_requests', item, ITEM_MEMBERS);
}

function kindOf({ proof_type, session_id }: JsonObject, wallet: WalletKind): RequestKind {
  const type = proof_type ?? 'uniqueness';
  const session =
    (session_id ?? undefined) === undefined ? 'none' : session_id === 'create' ? 'create' : 'id';
  const form = FORMS[wallet].find((each) => each[0] === type && each[1] === session);
  if (form !== undefined) return form[2];
  throw malformed('proof_type, session_id', 'the form of a uniqueness or of a session request');
}

function actionOf(request: JsonObject, kind: RequestKind): Bytes32 | undefined {
  if (kind === 'uniqueness' || kind === 'bound') {
    const action = element(request, 'action');
    if (action[0] === 0) return action;
    throw malformed('action', 'the first byte 0');
  }
  if (request.action === undefined || request.action === null) return undefined;
  throw malformed('action', 'none in a session request');
}

function sessionIdOf(request: JsonObject): string {
  const form = 'session_ and 128 hex digits of two field elements, the second with the first byte 1';
  const id = text(request, 'session_id', SESSION_ID, form).toLowerCase();
  const [, ...halves] = SESSION_ID.exec(id) ?? [];
  if (halves.every((half) => isElement(decodeWord(half)))) return id;
  throw malformed('session_id', form);
}

function credentialsOf(items: unknown, createdAt: number): CredentialRequest[] {
  if (!Array.isArray(items) || items.length === 0 || items.length > MAX_CREDENTIALS) {
    throw malformed('proof_requests', `1 to ${MAX_CREDENTIALS} items`);
  }
  const credentials = items.map((item: unknown): CredentialRequest => {
    if (!isObject(item)) throw malformed('proof_requests', 'objects');
    return {
      identifier: text(item, 'identifier', /^.{1,64}$/, 'a text'),
      issuerSchemaId: integer(item, 'issuer_schema_id'),
      signal: signalOf(item),
      // Without a bound the credential must be valid when the request is made.
      expiresAtMin: optionalInteger(item, 'expires_at_min') ?? createdAt,
      genesisIssuedAtMin: optionalInteger(item, 'genesis_issued_at_min'),
    };
  });
  for (const member of ['issuerSchemaId', 'identifier'] as const) {
    if (new Set(credentials.map((each) => each[member])).size !== credentials.length) {
      throw malformed('proof_requests', 'different issuers and identifiers');
    }
  }
  return credentials;
}

function signalOf(item: JsonObject): Uint8Array | undefined {
  if (item.signal === undefined || item.signal === null) return undefined;
  const signal = text(item, 'signal', HEX_BYTES, 'bytes in hex');
  if (signal.length > MAX_SIGNAL_LENGTH) throw malformed('signal', `at most ${MAX_SIGNAL_LENGTH} digits`);
  return Buffer.from(signal.slice(2), 'hex');
}

function constraintOf(value: unknown, credentials: readonly CredentialRequest[]): Constraint | undefined {
  if (value === undefined || value === null) return undefined;
  const known = new Set(credentials.map(({ identifier }) => identifier));
  let nodes = 0;
  const read = (node: unknown, depth: number): Constraint => {
    nodes += 1;
    if (nodes > MAX_NODES) throw malformed('constraints', `at most ${MAX_NODES} nodes`);
    if (typeof node === 'string' && depth > 0) {
      if (known.has(node)) return node;
      throw malformed('constraints', 'identifiers of proof_requests');
    }
    const [[kind, children] = [], ...more] = isObject(node) ? Object.entries(node) : [];
    const name = CONSTRAINT_KINDS.find((each) => each === kind);
    if (name === undefined || more.length > 0 || !Array.isArray(children) || children.length === 0) {
      throw malformed('constraints', 'an object of any, all or enumerate');
    }
    if (depth === MAX_DEPTH) throw malformed('constraints', `a depth of at most ${MAX_DEPTH}`);
    return { [name]: children.map((child: unknown) => read(child, depth + 1)) };
  };
  return read(value, 0);
}

/**
 * Returns the identifiers of the credentials that satisfy a constraint; undefined if the person has too few.
 *
 * @param has - Whether the person has the credential.
 */
export function satisfy(
  constraint: Constraint,
  has: (identifier: string) => boolean,
): readonly string[] | undefined {
  if (typeof constraint === 'string') return has(constraint) ? [constraint] : undefined;
  const [[kind, children] = ['all', []]] = Object.entries(constraint);
  const found = children.map((child) => satisfy(child, has));
  const satisfied = found.filter((each) => each !== undefined);
  if (satisfied.length === 0 || (kind === 'all' && satisfied.length < found.length)) return undefined;
  return kind === 'any' ? satisfied[0] : satisfied.flat();
}

function text(from: JsonObject, member: string, form: RegExp, expected: string): string {
  const value = from[member];
  if (typeof value === 'string' && form.test(value)) return value;
  throw malformed(member, expected);
}

function integer(from: JsonObject, member: string): number {
  const value = from[member];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw malformed(member, 'an integer of at least 0');
}

function optionalInteger(from: JsonObject, member: string): number | undefined {
  return from[member] === undefined || from[member] === null ? undefined : integer(from, member);
}

function element(from: JsonObject, member: string): Bytes32 {
  const expected = '0x and 64 lower-case hex digits of a field element';
  const word = decodeWord(text(from, member, ELEMENT, expected));
  if (isElement(word)) return word;
  throw malformed(member, expected);
}

function isElement(word: Uint8Array | undefined): word is Uint8Array {
  return word !== undefined && isBelowScalarOrder(word);
}
