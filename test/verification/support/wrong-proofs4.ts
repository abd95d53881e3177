/** Requests of World ID 4.0 of each kind with true proofs, and what can be wrong with them. */
import {
  actionElement,
  hex,
  item4,
  randomElement,
  type State4,
  type Statement4,
  sessionIdOf,
  signalElement,
} from './made-proofs4.ts';
import type { Fields } from './vectors.ts';

/** Action of every request that has one. */
export const ACTION = 'vote';
/** Scalar order: an input that is not below it would be a second spelling. */
const R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const SESSION_BYTE = 0x02n << 248n;
/** Kinds of proofs. */
export const KINDS = ['uniqueness', 'session', 'bound'] as const;
/** Kind of the proofs of a request. */
export type Kind = (typeof KINDS)[number];

/** A request of a kind, and the values of its proof. */
export interface Made {
  readonly body: Fields;
  readonly statement: Statement4;
  readonly sessionId: string;
}

/** Makes a request with one true item; `shown` are values of the proof that the request does not repeat. */
export function make(
  state: State4,
  kind: Kind,
  change: Partial<Statement4> = {},
  shown: Partial<Statement4> = {},
): Made {
  const commitment = kind === 'uniqueness' ? 0n : randomElement();
  const statement: Statement4 = {
    nullifier: randomElement(),
    action: kind === 'session' ? SESSION_BYTE + (randomElement() >> 8n) : actionElement(ACTION),
    nonce: randomElement(),
    issuer: 1,
    signalHash: signalElement('yes'),
    expiresAtMin: 4_102_444_800,
    commitment,
    ...change,
  };
  const sessionId = sessionIdOf(statement.commitment);
  const body = bodyOf(kind, statement, sessionId, [itemOf(state, kind, { ...statement, ...shown })]);
  return { body, statement, sessionId };
}

/** Makes the item of a statement. */
export function itemOf(state: State4, kind: Kind, statement: Statement4): Fields {
  const { nullifier, action } = statement;
  const names =
    kind === 'session' ? { session_nullifier: [hex(nullifier), hex(action)] } : { nullifier: hex(nullifier) };
  return { ...item4(state, statement), ...names };
}

/** Makes the body of a request. */
export function bodyOf(
  kind: Kind,
  { nonce }: Statement4,
  sessionId: string,
  responses: readonly Fields[],
): Fields {
  return {
    protocol_version: '4.0',
    nonce: hex(nonce),
    environment: 'staging',
    ...(kind === 'session' ? {} : { action: ACTION }),
    ...(kind === 'uniqueness' ? {} : { session_id: sessionId }),
    ...(kind === 'bound' ? { proof_type: 'uniqueness' } : {}),
    responses,
  };
}

/** Returns the body of a request with changes of its items. */
export function withItem({ body }: Made, change: Fields): Fields {
  return {
    ...body,
    responses: (body.responses as readonly Fields[]).map((item) => ({ ...item, ...change })),
  };
}

const FALSE = { code: 'invalid_proof', detail: 'The proof is invalid.' };
const failed = (result: Fields): Fields => ({
  success: false,
  code: 'all_verifications_failed',
  results: [result],
});
const schema = (detail: string, attribute: string): Fields => ({
  code: 'validation_error',
  detail,
  attribute,
});
const NO_ACTION = schema('action is required for uniqueness proofs', 'action');
const BAD_ID = {
  code: 'verification_error',
  detail: 'Invalid session ID: expected format session_<128 hex characters>',
};
const ID_INVALID = { code: 'verification_failed', detail: 'The session id is invalid.' };

/** What is wrong, for which kinds, and the answer of status 400. */
interface Wrong {
  readonly wrong: string;
  readonly kinds: readonly Kind[];
  readonly body: (state: State4, kind: Kind) => Fields;
  readonly answer: (kind: Kind) => Fields;
}

const WITH_SESSION: readonly Kind[] = ['session', 'bound'];
const WITH_ACTION: readonly Kind[] = ['uniqueness', 'bound'];

const WRONG: readonly Wrong[] = [
  {
    wrong: 'commitment 0',
    kinds: WITH_SESSION,
    body: (state, kind) => make(state, kind, { commitment: 0n }).body,
    answer: () => failed(ID_INVALID),
  },
  {
    wrong: 'a commitment in a proof that the request has no session for',
    kinds: ['uniqueness'],
    body: (state, kind) => make(state, kind, {}, { commitment: randomElement() }).body,
    answer: () => failed(FALSE),
  },
  {
    wrong: 'no commitment in the proof',
    kinds: WITH_SESSION,
    body: (state, kind) => make(state, kind, {}, { commitment: 0n }).body,
    answer: () => failed(FALSE),
  },
  {
    wrong: 'the commitment of another session',
    kinds: WITH_SESSION,
    body: (state, kind) => ({ ...make(state, kind).body, session_id: sessionIdOf(randomElement()) }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'a commitment + r',
    kinds: WITH_SESSION,
    body: (state, kind) => {
      const made = make(state, kind);
      return { ...made.body, session_id: sessionIdOf(made.statement.commitment + R) };
    },
    answer: () => failed({ code: 'invalid_public_input', detail: 'A public input value is out of range.' }),
  },
  {
    wrong: 'a short session id',
    kinds: WITH_SESSION,
    body: (state, kind) => ({ ...make(state, kind).body, session_id: 'session_12' }),
    answer: () => failed(BAD_ID),
  },
  {
    wrong: 'a commitment without the rest of its session id',
    kinds: ['bound'],
    body: (state, kind) => {
      const made = make(state, kind);
      return { ...made.body, session_id: hex(made.statement.commitment) };
    },
    answer: () => failed(BAD_ID),
  },
  {
    wrong: 'an OPRF seed of another domain',
    kinds: ['bound'],
    body: (state, kind) => {
      const made = make(state, kind);
      return { ...made.body, session_id: sessionIdOf(made.statement.commitment, 0x02) };
    },
    answer: () => failed(ID_INVALID),
  },
  {
    wrong: 'an action with the top byte of another kind',
    kinds: KINDS,
    body: (state, kind) =>
      kind === 'session'
        ? make(state, kind, { action: actionElement(ACTION) }).body
        : make(state, kind, {}, { action: SESSION_BYTE + (actionElement(ACTION) >> 8n) }).body,
    answer: (kind) =>
      failed(kind === 'session' ? { code: 'verification_failed', detail: 'The action is invalid.' } : FALSE),
  },
  {
    wrong: 'another action',
    kinds: KINDS,
    body: (state, kind) => {
      const made = make(state, kind);
      if (kind !== 'session') return { ...made.body, action: 'veto' };
      const { nullifier, action } = made.statement;
      return withItem(made, { session_nullifier: [hex(nullifier), hex(action + 1n)] });
    },
    answer: () => failed(FALSE),
  },
  {
    wrong: 'another nullifier',
    kinds: KINDS,
    body: (state, kind) => {
      const made = make(state, kind);
      const other = hex(randomElement());
      const words = [other, hex(made.statement.action)];
      return withItem(made, kind === 'session' ? { session_nullifier: words } : { nullifier: other });
    },
    answer: () => failed(FALSE),
  },
  {
    wrong: 'another nonce',
    kinds: KINDS,
    body: (state, kind) => ({ ...make(state, kind).body, nonce: '0x1' }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'another signal',
    kinds: KINDS,
    body: (state, kind) => withItem(make(state, kind), { signal_hash: hex(signalElement('no')) }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'no signal',
    kinds: KINDS,
    body: (state, kind) => withItem(make(state, kind), { signal_hash: undefined }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'another issuer',
    kinds: KINDS,
    body: (state, kind) => withItem(make(state, kind), { issuer_schema_id: 9303, identifier: 'passport' }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'items with unequal nullifiers, each true',
    kinds: KINDS,
    body: (state, kind) => {
      const { statement, sessionId } = make(state, kind);
      const other = { ...statement, nullifier: randomElement(), issuer: 9303 };
      return bodyOf(kind, statement, sessionId, [itemOf(state, kind, statement), itemOf(state, kind, other)]);
    },
    answer: () => ({ code: 'nullifiers_differ', attribute: 'responses[1]' }),
  },
  {
    wrong: 'items with one nullifier and unequal actions, each true',
    kinds: ['session'],
    body: (state, kind) => {
      const { statement, sessionId } = make(state, kind);
      const other = { ...statement, action: statement.action + 1n, issuer: 9303 };
      return bodyOf(kind, statement, sessionId, [itemOf(state, kind, statement), itemOf(state, kind, other)]);
    },
    answer: () => ({ code: 'nullifiers_differ', attribute: 'responses[1]' }),
  },
  {
    wrong: 'no action',
    kinds: WITH_ACTION,
    body: (state, kind) => ({ ...make(state, kind).body, action: undefined }),
    answer: () => NO_ACTION,
  },
  {
    wrong: 'an empty action',
    kinds: WITH_ACTION,
    body: (state, kind) => ({ ...make(state, kind).body, action: '' }),
    answer: () => NO_ACTION,
  },
  {
    wrong: 'an action',
    kinds: ['session'],
    body: (state, kind) => ({ ...make(state, kind).body, action: ACTION }),
    answer: () => schema('action field must not be present for session proofs', 'action'),
  },
  {
    wrong: 'the action without the type',
    kinds: ['bound'],
    body: (state, kind) => ({ ...make(state, kind).body, proof_type: undefined }),
    answer: () => schema('action field must not be present for session proofs', 'action'),
  },
  {
    wrong: 'neither action nor type, as IDKit returns it',
    kinds: ['bound'],
    body: (state, kind) => ({ ...make(state, kind).body, action: undefined, proof_type: undefined }),
    answer: () => schema('session_nullifier is required for session proofs', 'responses[0]'),
  },
  {
    wrong: 'the type of a session without one',
    kinds: ['uniqueness'],
    body: (state, kind) => ({ ...make(state, kind).body, proof_type: 'session' }),
    answer: () => schema('session_id is required for session proofs', 'session_id'),
  },
  {
    wrong: 'an unknown type',
    kinds: KINDS,
    body: (state, kind) => ({ ...make(state, kind).body, proof_type: 'create_session' }),
    answer: () => schema('proof_type must be one of the following values: uniqueness, session', 'proof_type'),
  },
  {
    wrong: 'the type null',
    kinds: KINDS,
    body: (state, kind) => ({ ...make(state, kind).body, proof_type: null }),
    answer: () => schema('proof_type cannot be null', 'proof_type'),
  },
  {
    wrong: 'the proof of a session, shown as a bound one',
    kinds: ['session'],
    body: (state, kind) => {
      const made = make(state, kind);
      const body = withItem(made, { nullifier: hex(made.statement.nullifier) });
      return { ...body, action: ACTION, proof_type: 'uniqueness' };
    },
    answer: () => failed(FALSE),
  },
  {
    wrong: 'shown as the proof of a session',
    kinds: ['bound'],
    body: (state, kind) => {
      const made = make(state, kind);
      const { nullifier } = made.statement;
      const action = SESSION_BYTE + (actionElement(ACTION) >> 8n);
      const body = withItem(made, { session_nullifier: [hex(nullifier), hex(action)] });
      return { ...body, action: undefined, proof_type: 'session' };
    },
    answer: () => failed(FALSE),
  },
  {
    wrong: 'shown without its session',
    kinds: ['bound'],
    body: (state, kind) => ({ ...make(state, kind).body, session_id: undefined }),
    answer: () => failed(FALSE),
  },
  {
    wrong: 'an empty session id',
    kinds: ['bound'],
    body: (state, kind) => ({ ...make(state, kind).body, session_id: '' }),
    answer: () => failed(FALSE),
  },
];

/** Every fault with each kind that can have it. */
export const ROWS: readonly (Omit<Wrong, 'kinds'> & { readonly kind: Kind })[] = WRONG.flatMap(
  ({ kinds, ...row }) => kinds.map((kind) => ({ kind, ...row })),
);
