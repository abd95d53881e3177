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
import { hex, type State4, vectorState } from '../support/made-proofs4.ts';
import type { Fields } from '../support/vectors.ts';
import { APP_ID, createVerifierHarness } from '../support/verifier-harness.ts';
import { post } from '../support/verify-client.ts';
import { addApp, seedTrapdoor, WORLDID4_SETTINGS, word } from '../support/worldid4.ts';
import { ACTION, bodyOf, itemOf, KINDS, make, ROWS, withItem } from '../support/wrong-proofs4.ts';

const RP_ID = 'rp_9b9dbd4dfbafdd57';
/** An app that accepts a session proof once. */
const STRICT = { app_id: 'app_86b0badcb884bda428231a1b294c5880', rp_id: 'rp_b4c52f950444ea89' };

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
