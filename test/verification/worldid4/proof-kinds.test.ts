// Rules: spec/worldid4.md#request, spec/worldid4.md#items, spec/worldid4.md#sessions and spec/worldid4.md#answers
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPEN_POLICY } from '../../../src/config/apps/policy.ts';
import { renderVerifyError } from '../../../src/http/errors/verify.ts';
import type { ErrorContext } from '../../../src/http/exchange/exchange-types.ts';
import type { Store } from '../../../src/storage/store.ts';
import { loadAddon } from '../../support/crypto/crypto-modules.ts';
import { useOneThreadCurves } from '../../support/crypto/one-thread-curves.ts';
import { referenceVerdict, snarkjsKey } from '../../support/crypto/reference-verdict.ts';
import { trapdoor } from '../../support/crypto/trapdoor.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import {
  actionElement,
  hex,
  item4,
  randomElement,
  type State4,
  type Statement4,
  sessionIdOf,
  signalElement,
  vectorState,
} from '../support/made-proofs4.ts';
import type { Fields } from '../support/vectors.ts';
import { APP_ID, createVerifierHarness } from '../support/verifier-harness.ts';
import { post } from '../support/verify-client.ts';
import { addApp, seedTrapdoor, WORLDID4_SETTINGS, word } from '../support/worldid4.ts';

const RP_ID = 'rp_9b9dbd4dfbafdd57';
/** An app that accepts a session proof once. */
const STRICT = { app_id: 'app_86b0badcb884bda428231a1b294c5880', rp_id: 'rp_b4c52f950444ea89' };
const ACTION = 'vote';
/** Scalar order: an input that is not below it would be a second spelling. */
const R = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const SESSION_BYTE = 0x02n << 248n;
const KINDS = ['uniqueness', 'session', 'bound'] as const;
type Kind = (typeof KINDS)[number];

/** A request of a kind, and the values of its proof. */
interface Made {
  readonly body: Fields;
  readonly statement: Statement4;
  readonly sessionId: string;
}

/** Makes a request with one true item; `shown` are values of the proof that the request does not repeat. */
function make(
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

function itemOf(state: State4, kind: Kind, statement: Statement4): Fields {
  const { nullifier, action } = statement;
  const names =
    kind === 'session' ? { session_nullifier: [hex(nullifier), hex(action)] } : { nullifier: hex(nullifier) };
  return { ...item4(state, statement), ...names };
}

function bodyOf(kind: Kind, { nonce }: Statement4, sessionId: string, responses: readonly Fields[]): Fields {
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

function withItem({ body }: Made, change: Fields): Fields {
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

const ROWS = WRONG.flatMap(({ kinds, ...row }) => kinds.map((kind) => ({ kind, ...row })));

interface Reply {
  readonly status: number;
  readonly body: Fields;
}

/** Describes the tables with a verifier. */
function describeTables(
  name: string,
  isAbsent: boolean,
  verifier: () => { readonly state: State4; send(body: Fields): Promise<Reply> },
): void {
  describe.skipIf(isAbsent)(`proofs of World ID 4.0 by kind, ${name}`, () => {
    it.each(ROWS)('$kind: $wrong', async ({ kind, body, answer }) => {
      const { state, send } = verifier();
      const reply = await send(body(state, kind));
      expect(reply.body).toMatchObject(answer(kind));
      expect(reply.status).toBe(400);
    });

    it.each(KINDS)('%s: two true items of one World ID', async (kind) => {
      const { state, send } = verifier();
      const { statement, sessionId } = make(state, kind);
      const responses = [1, 9303].map((issuer) => itemOf(state, kind, { ...statement, issuer }));
      const reply = await send(bodyOf(kind, statement, sessionId, responses));
      const results = [
        { identifier: 'proof_of_human', issuer_schema_id: 1, success: true },
        { identifier: 'passport', issuer_schema_id: 9303, success: true },
      ];
      expect(reply).toMatchObject({ status: 200, body: { results } });
    });

    it.each(KINDS)('%s: names the type that it has', async (kind) => {
      const { state, send } = verifier();
      const proof_type = kind === 'session' ? 'session' : 'uniqueness';
      expect((await send({ ...make(state, kind).body, proof_type })).status).toBe(200);
    });
  });
}

for (const backend of ['native', 'wasm']) {
  const isAbsent = backend === 'native' && loadAddon() === undefined;

  describe.skipIf(isAbsent)(`the service on ${backend}`, () => {
    const state = vectorState(RP_ID);
    let app: StartedApp;
    let store: Store;
    beforeAll(async () => {
      const settings = {
        ...WORLDID4_SETTINGS,
        'verify.worldid4.boundSessions': 'true',
        'engine.backend': backend,
      };
      app = await startApp({ settings });
      store = await app.openStore();
      const policy = { ...OPEN_POLICY, sessionProofReuse: false };
      await addApp(store, STRICT.app_id, STRICT.rp_id, Date.now(), policy);
      await seedTrapdoor(store, Date.now());
    });
    afterAll(async () => {
      await store?.close();
      await app?.stop();
    });
    const send = (body: Fields): Promise<Reply> => post(app.publicUrl, RP_ID, body);

    describeTables('over HTTP', isAbsent, () => ({ state, send }));

    it('answers a bound proof with nullifier and session, and with the new session on reuse', async () => {
      const first = make(state, 'bound');
      const { nullifier } = first.statement;
      const answer = (sessionId: string | undefined, message: string): Fields => ({
        success: true,
        ...(sessionId === undefined ? {} : { session_id: sessionId }),
        action: ACTION,
        nullifier: hex(nullifier),
        created_at: expect.any(String),
        environment: 'staging',
        protocol_version: '4.0',
        results: [
          { identifier: 'proof_of_human', issuer_schema_id: 1, success: true, nullifier: hex(nullifier) },
        ],
        message,
      });
      const NEW = 'Proof verified successfully';
      const REUSE = `${NEW} (nullifier reuse)`;
      const one = await send(first.body);
      expect(one).toMatchObject({ status: 200, body: answer(first.sessionId, NEW) });
      expect(Object.keys(one.body)).toEqual(Object.keys(answer('', '')));
      const second = make(state, 'bound', { nullifier });
      const two = await send(second.body);
      expect(two.body).toEqual({ ...answer(second.sessionId, REUSE), created_at: one.body.created_at });
      // An unbound proof of the same person for the same action is the same nullifier.
      const three = await send(make(state, 'uniqueness', { nullifier }).body);
      expect(three.body).toEqual({ ...answer(undefined, REUSE), created_at: one.body.created_at });
    });

    it('answers a session proof again with reused, and refuses it where the policy of the app says so', async () => {
      const { body, sessionId, statement } = make(state, 'session');
      const answer = {
        success: true,
        session_id: sessionId,
        environment: 'staging',
        protocol_version: '4.0',
        results: [
          {
            identifier: 'proof_of_human',
            issuer_schema_id: 1,
            sessionId,
            success: true,
            nullifier: hex(statement.nullifier),
          },
        ],
        message: 'Session proof verified successfully',
      };
      expect((await send(body)).body).toEqual(answer);
      expect((await send(body)).body).toEqual({ ...answer, reused: true });
      // Other points of the same statement are another proof, but not another use.
      const points = withItem(
        { body, sessionId, statement },
        { proof: itemOf(state, 'session', statement).proof },
      );
      expect((await send(points)).body).toEqual({ ...answer, reused: true });
      expect(
        (await send(make(state, 'session', { commitment: statement.commitment }).body)).body,
      ).not.toHaveProperty('reused');
      const many = make(state, 'session');
      const replies = await Promise.all(Array.from({ length: 8 }, () => send(many.body)));
      expect(replies.filter(({ body: { reused } }) => reused === undefined)).toHaveLength(1);
    });

    it('is refused again by an app whose policy says so', async () => {
      const { body } = make(vectorState(STRICT.rp_id), 'session');
      const ask = (): Promise<Reply> => post(app.publicUrl, STRICT.rp_id, body);
      expect((await ask()).status).toBe(200);
      expect(await ask()).toMatchObject({
        status: 400,
        body: {
          code: 'session_proof_reused',
          detail: 'This app does not accept a session proof again.',
          attribute: 'responses[0].session_nullifier',
        },
      });
      const [item] = body.responses as readonly [Fields];
      const late = { ...body, responses: [{ ...item, proof: ['x', '1', '1', '1', '1'] }, item] };
      expect((await post(app.publicUrl, STRICT.rp_id, late)).body).toMatchObject({
        code: 'session_proof_reused',
        attribute: 'responses[1].session_nullifier',
      });
    });
  });
}

describe('with the plain reference', () => {
  useOneThreadCurves('bn128');
  const state: State4 = {
    ...vectorState(RP_ID),
    rpId: 'rp_319b46aa7eae89bf',
  };
  let key: Record<string, unknown>;
  beforeAll(async () => {
    key = snarkjsKey((await trapdoor(15)).key);
  });

  const CONTEXT = { method: 'POST', params: {} } as unknown as ErrorContext;
  const CODES = { 3: 'proof.decompression', 7: 'input.range' } as const;
  const point = ({ x, y }: { readonly x: bigint; readonly y: bigint }) => ({
    x: word(hex(x)),
    y: word(hex(y)),
  });

  describeTables('by snarkjs', false, () => ({
    state,
    async send(body) {
      const { call, behaviour } = createVerifierHarness();
      behaviour.keyOf = () => 'trapdoor-15';
      behaviour.issuer = (_environment, id) => point(state.issuers[id] ?? { x: 0n, y: 0n });
      behaviour.oprfKey = () => point(state.oprf);
      behaviour.verdict = async ({ proof, inputs }) => {
        const verdict = await referenceVerdict(key, proof, inputs);
        if (verdict === 1) return { ok: true };
        const code = CODES[verdict as keyof typeof CODES];
        return code === undefined ? { ok: false } : { ok: false, code };
      };
      const outcome = await call({ ...body, environment: 'production' }, APP_ID);
      if (outcome.ok) return { status: 200, body: outcome.body as unknown as Fields };
      const { error, ...extra } = outcome;
      const answer = renderVerifyError(error, CONTEXT, extra);
      return { status: answer.status, body: JSON.parse(String(answer.body)) as Fields };
    },
  }));
});
