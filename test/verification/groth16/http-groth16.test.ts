// Rules: spec/verification.md#any-circuit
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { R } from '../../support/crypto/bn254.ts';
import { type StartedApp, startApp } from '../../support/server/start-app.ts';
import { pollUntil } from '../../support/until.ts';
import {
  ENTRY,
  INPUT_COUNTS,
  memberOf,
  postProofs,
  proofBytesOf,
  putTrapdoorKeys,
  snarkjsForm,
  trapdoorMember,
} from '../support/groth16.ts';
import { type Fields, vector } from '../support/vectors.ts';
import { expectError, expectHeaders, type VerifyReply } from '../support/verify-client.ts';

const KEY = 'semaphore-depth30';
const VALID = { valid: true };
const refused = (code: string) => ({ valid: false, code, message: expect.stringMatching(/./) });
/** A point of the twist outside the subgroup of order r (test/membership/keys/keys.test.ts). */
const OUTSIDE = [
  ['1', '0'],
  [
    String(0x2869111d5381f072f8e2728fdb825a51aadd70e52c9830e9ab4b871c0531f1bbn),
    String(0x0d1271953ed9ea0836846e70a1934187998c7f790cb4d7511b7f8da82de048a4n),
  ],
  ['1', '0'],
];

let app: StartedApp;

beforeAll(async () => {
  app = await startApp({ settings: { 'groth16.maxProofs': '16', 'groth16.bodyLimitBytes': '131072' } });
  const store = await app.openStore();
  await putTrapdoorKeys(store);
  await store.close();
});

afterAll(() => app.stop());

const post = (body: unknown, keyId = KEY, headers: Record<string, string> = {}): Promise<VerifyReply> =>
  postProofs(app.publicUrl, keyId, body, headers);

/** Returns the verdict of one proof. */
async function verdict(member: Fields, keyId = KEY): Promise<unknown> {
  const { status, body } = await post(member, keyId);
  expect(status).toBe(200);
  return body;
}

describe('POST /api/v1/groth16/{key_id}, verdicts', () => {
  it('answers a valid proof, with the headers of the interface, and does not remember it', async () => {
    const first = await post(memberOf());
    expect([first.status, first.body]).toEqual([200, VALID]);
    expectHeaders(first.headers);
    expect((await post(memberOf())).body).toEqual(VALID);
  });

  it('answers the forms of a proof alike: snarkjs, hex, compressed hex', async () => {
    const { proof, publicSignals } = memberOf();
    const compressed = `0x${ENTRY.proof_compressed.map((word) => word.slice(2)).join('')}`;
    const decimal = publicSignals.map((text) => String(BigInt(text)));
    for (const form of [proof, snarkjsForm(proofBytesOf(ENTRY)), compressed]) {
      expect(await verdict({ proof: form, publicSignals })).toEqual(VALID);
      expect(await verdict({ proof: form, publicSignals: decimal })).toEqual(VALID);
      expect(await verdict({ proof: form, publicSignals: [...decimal.slice(1), '1'] })).toMatchObject({
        valid: false,
      });
    }
  });

  it.each(INPUT_COUNTS)('checks proofs under an imported key of %d inputs', async (count) => {
    const keyId = `inputs-${count}`;
    expect(await verdict(trapdoorMember(count), keyId)).toEqual(VALID);
    expect(await verdict(trapdoorMember(count, true), keyId)).toEqual({
      valid: false,
      code: 'proof.false',
      message: 'The proof does not hold for these inputs',
    });
    const { proof, publicSignals } = trapdoorMember(count) as ReturnType<typeof memberOf>;
    expect(await verdict({ proof, publicSignals: [...publicSignals, '1'] }, keyId)).toEqual(
      refused('input.count'),
    );
  });

  it('does not check a proof under another key', async () => {
    expect(await verdict(memberOf(), 'semaphore-depth20')).toEqual(refused('proof.false'));
    expect(await verdict(memberOf(), 'inputs-1')).toEqual(refused('input.count'));
  });

  it('takes integers, and never reduces a signal', async () => {
    const { proof } = trapdoorMember(1);
    expect(await verdict({ proof, publicSignals: [1] }, 'inputs-1')).toEqual(VALID);
    for (const value of [R + 1n, R, (1n << 256n) - 1n, (1n << 256n) + 1n]) {
      for (const text of [String(value), ...(value < 1n << 256n ? [`0x${value.toString(16)}`] : [])]) {
        expect(await verdict({ proof, publicSignals: [text] }, 'inputs-1')).toEqual(refused('input.range'));
      }
    }
  });

  it.each<[string, string, Fields]>([
    ['a coordinate of p or more', 'proof.coordinate_range', { pi_a: [String(R * 2n), '2', '1'] }],
    ['A off its curve', 'proof.point_not_on_curve', { pi_a: ['1', '1', '1'] }],
    [
      'B off its curve',
      'proof.point_not_on_curve',
      {
        pi_b: [
          ['1', '0'],
          ['1', '0'],
          ['1', '0'],
        ],
      },
    ],
    ['C off its curve', 'proof.point_not_on_curve', { pi_c: ['1', '1', '1'] }],
    ['a coordinate of 2^256', 'proof.coordinate_range', { pi_a: [String(1n << 256n), '2', '1'] }],
    ['C at infinity', 'proof.false', { pi_c: ['0', '0', '1'] }],
    ['B outside the subgroup', 'proof.point_not_in_subgroup', { pi_b: OUTSIDE }],
    ['another A', 'proof.false', { pi_a: ['1', '2', '1'] }],
    ['a projective point', 'proof.form', { pi_a: ['1', '2', '2'] }],
  ])('refuses %s as %s', async (_, code, changes) => {
    const proof = { ...snarkjsForm(proofBytesOf(ENTRY)), ...changes };
    expect(await verdict({ ...memberOf(), proof })).toEqual(refused(code));
  });

  it('refuses hex that does not decompress', async () => {
    const proof = `0x${'f'.repeat(64)}${ENTRY.proof_compressed
      .map((word) => word.slice(2))
      .join('')
      .slice(64)}`;
    expect(await verdict({ ...memberOf(), proof })).toEqual(refused('proof.decompression'));
  });
});

describe('POST /api/v1/groth16/{key_id}, several proofs', () => {
  it('answers each in order, whatever the others are', async () => {
    const { proof, publicSignals } = memberOf();
    const proofs = [
      memberOf(),
      { proof: snarkjsForm(proofBytesOf(ENTRY)), publicSignals: [...publicSignals.slice(1), '1'] },
      null,
      { proof },
      { proof, publicSignals: publicSignals.slice(1) },
      { proof: { ...snarkjsForm(proofBytesOf(ENTRY)), pi_b: OUTSIDE }, publicSignals },
      { proof, publicSignals: [String(R), ...publicSignals.slice(1)] },
      { ...memberOf(), proof: '0x' },
      memberOf(vector(1)),
      memberOf(),
    ];
    const { status, headers, body } = await post({ proofs });
    expect(status).toBe(200);
    expectHeaders(headers);
    expect(body).toEqual({
      results: [
        VALID,
        refused('proof.false'),
        refused('proof.form'),
        refused('input.form'),
        refused('input.count'),
        refused('proof.point_not_in_subgroup'),
        refused('input.range'),
        refused('proof.form'),
        VALID,
        VALID,
      ],
    });
  });

  it('answers a list of one with a list', async () => {
    expect((await post({ proofs: [memberOf()] })).body).toEqual({ results: [VALID] });
  });

  it('counts proofs by verdict and requests by answer, and logs neither proof nor signal', async () => {
    const exposition = async (): Promise<string> => await (await fetch(`${app.adminUrl}/metrics`)).text();
    const countOf = async (series: RegExp): Promise<number> =>
      Number(series.exec(await exposition())?.[1] ?? 0);
    const proofs = /^proofgate_groth16_proofs_total\{code="ok",backend="\w+"\} (\d+)/m;
    const falses = /^proofgate_groth16_proofs_total\{code="proof\.false",backend="\w+"\} (\d+)/m;
    const requests = /^proofgate_groth16_requests_total\{status="200",code="ok"\} (\d+)/m;
    const before = await Promise.all([proofs, falses, requests].map(countOf));
    const falseMember = trapdoorMember(1, true);
    await post({ proofs: [trapdoorMember(1), falseMember, trapdoorMember(1)] }, 'inputs-1');
    const after = await Promise.all([proofs, falses, requests].map(countOf));
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([2, 1, 1]);
    const line = () => app.logLines('/api/v1/groth16/').find(({ items }) => items === 3);
    await pollUntil(() => line() !== undefined);
    expect(line()?.itemCodes).toBe('ok,proof.false');
    for (const number of (falseMember.proof as { pi_a: string[] }).pi_a.slice(0, 2)) {
      expect(app.log()).not.toContain(number);
    }
  });
});

describe('POST /api/v1/groth16/{key_id}, refusals', () => {
  const schema = (detail: string, attribute: string) => ({ code: 'validation_error', detail, attribute });
  const EITHER = 'expected proof and publicSignals, or proofs';

  it.each<[string, unknown, Fields]>([
    ['neither shape', {}, schema(EITHER, 'proof')],
    ['both shapes', { ...memberOf(), proofs: [memberOf()] }, schema(`${EITHER}, not both`, 'proofs')],
    ['a proof beside a list', { proof: null, proofs: [memberOf()] }, schema(`${EITHER}, not both`, 'proofs')],
    ['no signals', { proof: ENTRY.proof }, schema('publicSignals is required', 'publicSignals')],
    ['signals alone', { publicSignals: [] }, schema(EITHER, 'proof')],
    ['an empty list', { proofs: [] }, schema('At least one proof is required', 'proofs')],
    ['an object as list', { proofs: {} }, schema('proofs must be an array', 'proofs')],
    ['too many proofs', { proofs: Array(17).fill(0) }, schema('proofs must have at most 16 items', 'proofs')],
    ['null', null, schema('expected an object', '')],
    ['an array', [memberOf()], schema('expected an object', '')],
  ])('refuses a body with %s', async (_, body, expected) => {
    expectError(await post(body), 400, expected);
  });

  it('takes as many proofs as the setting says, malformed ones included', async () => {
    const { status, body } = await post({ proofs: Array(16).fill(0) });
    expect([status, (body.results as unknown[]).length]).toEqual([200, 16]);
  });

  it.each(['', '{', '[1', 'proof=1', '\xff'])('refuses the body %j as no JSON', async (text) => {
    expectError(await post(text), 400, { code: 'invalid_request', detail: 'Invalid JSON in request body' });
  });

  it('takes JSON of any content type', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect((await post(memberOf(), KEY, { 'content-type': type })).body).toEqual(VALID);
    }
  });

  it.each(['nope', 'Semaphore-Depth30', 'semaphore-depth30%00', `a${'b'.repeat(64)}`, '%2e%2e%2fx'])(
    'refuses the key id %s as unknown',
    async (keyId) => {
      const expected = { code: 'key_unknown', detail: 'No verifying key with this id is known.' };
      expectError(await post(memberOf(), keyId), 404, expected);
    },
  );

  it('finds a key that is imported while it serves', async () => {
    expect((await post(memberOf(), 'later')).status).toBe(404);
    const store = await app.openStore();
    const { key } = (await store.verifyingKeys.find('inputs-0')) ?? { key: new Uint8Array() };
    const fingerprint = (await store.verifyingKeys.find('inputs-0'))?.fingerprint ?? new Uint8Array();
    const more = { origin: 'imported', depth: null, source: '', createdAt: 0 } as const;
    await store.verifyingKeys.put({ keyId: 'later', key, fingerprint, ...more });
    await store.close();
    expect(await verdict(trapdoorMember(0), 'later')).toEqual(VALID);
  });

  it('refuses a body above the limit before it is read', async () => {
    const reply = await post(`"${'x'.repeat(131_073)}"`);
    const detail = 'Request body must not exceed 131072 bytes.';
    expectError(reply, 413, { code: 'payload_too_large', detail });
  });

  it.each(['GET', 'PUT', 'DELETE'])('refuses %s', async (method) => {
    const answer = await fetch(`${app.publicUrl}/api/v1/groth16/${KEY}`, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST, OPTIONS']);
    expect(await answer.json()).toMatchObject({ success: false, code: 'method_not_allowed' });
  });

  it('answers other paths below it in the body of the interface', async () => {
    for (const path of ['', `${KEY}/more`]) {
      const answer = await fetch(`${app.publicUrl}/api/v1/groth16/${path}`, { method: 'POST', body: '{}' });
      expect(await answer.json()).toMatchObject({ success: false, code: 'not_found', attribute: null });
    }
  });
});
