// Rules: spec/verification.md#item-steps
import { beforeAll, describe, expect, it } from 'vitest';
import { type SharedApp, useSharedApp } from '../../support/signin/shared-service.ts';
import { bodyOf, type Fields, itemOf, vector } from '../support/vectors.ts';
import { post } from '../support/verify-client.ts';

const entry = vector(0);
const RP_ID = entry.rp_id ?? '';
const CALLERS = 40;

/** An entry of `results`. */
interface Result {
  readonly success: boolean;
  readonly nullifier?: string;
  readonly code?: string;
}

describe('nullifiers of failed items', () => {
  let app: SharedApp;
  beforeAll(async () => {
    // the development seed contains the app and the root of entry 0
    app = await useSharedApp();
  });

  async function resultsOf(
    ...changes: readonly Fields[]
  ): Promise<[status: number, results: readonly Result[]]> {
    const responses = changes.map((change) => itemOf(entry, change));
    const { status, body } = await post(app.publicUrl, RP_ID, bodyOf(entry, { responses }));
    return [status, body.results as readonly Result[]];
  }

  it('identify which of several orb items failed', async () => {
    const [status, results] = await resultsOf({ nullifier: '0x1' }, {}, { nullifier: '0x2' });
    expect(status).toBe(200);
    expect(results.map(({ success, nullifier }) => [success, nullifier])).toEqual([
      [false, '0x1'],
      [true, entry.nullifier_hash],
      [false, '0x2'],
    ]);
  });

  it('are returned as they were sent, for any failure of the item', async () => {
    const failures: readonly (readonly [code: string, change: Fields & { nullifier: string }])[] = [
      ['invalid_proof', { nullifier: '0xAbC' }],
      ['invalid_proof', { nullifier: '0abc' }],
      ['prover_error', { nullifier: `0x${'F'.repeat(64)}` }],
      ['invalid_format', { nullifier: `0x00${entry.nullifier_hash.slice(2)}` }],
      ['invalid_format', { nullifier: '1', proof: 'x' }],
      ['invalid_format', { nullifier: '2', merkle_root: 'zz' }],
      ['invalid_format', { nullifier: '3', signal_hash: `0x${'1'.repeat(65)}` }],
      ['invalid_merkle_root', { nullifier: '4', merkle_root: '0x123' }],
    ];
    const sent = failures.map(([code, { nullifier }]) => ({ success: false, code, nullifier }));
    const [status, results] = await resultsOf(...failures.map(([, change]) => change));
    expect(status).toBe(400);
    expect(results).toMatchObject(sent);
    const [mixedStatus, mixed] = await resultsOf(...failures.map(([, change]) => change), {});
    expect(mixedStatus).toBe(200);
    expect(mixed.slice(0, -1)).toMatchObject(sent);
  });

  it('are omitted when they exceed the maximum length of a text', async () => {
    const longest = 'a'.repeat(4096);
    const [, [kept, dropped]] = await resultsOf({ nullifier: longest }, { nullifier: `${longest}a` });
    expect(kept).toMatchObject({ code: 'invalid_format', nullifier: longest });
    expect(dropped).toMatchObject({ code: 'invalid_format', attribute: 'nullifier_hash' });
    expect(dropped).not.toHaveProperty('nullifier');
  });

  it('are those of their own request when many requests fail in parallel', async () => {
    const own = Array.from({ length: CALLERS }, (_, caller) => [`0x${caller + 1}a`, `0x${caller + 1}b`]);
    const answers = await Promise.all(
      own.map((pair) => resultsOf(...pair.map((nullifier) => ({ nullifier })))),
    );
    expect(answers.map(([, results]) => results.map(({ nullifier }) => nullifier))).toEqual(own);
    expect(answers.map(([status]) => status)).toEqual(own.map(() => 400));
  });

  it('are not logged', () => {
    expect(app.log()).toContain('"itemCodes":"item.nullifier_format"');
    expect(app.log()).not.toContain('a'.repeat(64));
    expect(app.log()).not.toContain(entry.nullifier_hash.slice(2));
  });
});
