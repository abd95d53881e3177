import { describe, expect, it } from 'vitest';
import type { Backend } from '../../../src/engine/backends/backend.ts';
import { Claims } from '../../../src/engine/dispatch/claims.ts';
import { Performer } from '../../../src/engine/worker/performer.ts';
import type { CallTask, Claim } from '../../../src/engine/worker/task.ts';

const backend = {
  kind: 'native',
  instance: 0,
  functions: { poseidon: (inputs: Uint8Array) => inputs },
  renew: () => Promise.resolve(),
} as unknown as Backend;

const task = (claim: Claim): CallTask => ({
  kind: 'call',
  call: 'poseidon',
  items: [Uint8Array.of(5)],
  claim,
});

describe('claims on tasks', () => {
  it('tells which thread began a task', async () => {
    const claims = new Claims();
    const claim = claims.issue() as Claim;
    const worker = new Performer(backend, new Int32Array(claims.buffer), 42);
    expect(await worker.perform(task(claim))).toMatchObject({ kind: 'done' });
    expect(claims.revoke(claim)).toBe(42);
  });

  it('keeps a thread from beginning a task that was taken back, also when its cell serves another', async () => {
    const claims = new Claims();
    const worker = new Performer(backend, new Int32Array(claims.buffer), 42);
    const old = claims.issue() as Claim;
    expect(claims.revoke(old)).toBeUndefined();
    expect(await worker.perform(task(old))).toEqual({ kind: 'revoked' });
    claims.giveBack(old);
    const next = claims.issue() as Claim;
    expect(next.ticket).toBe(old.ticket);
    expect(await worker.perform(task(old))).toEqual({ kind: 'revoked' });
    expect(await worker.perform(task(next))).toMatchObject({ kind: 'done' });
  });

  it('gives no claim when every cell is in use', () => {
    const claims = new Claims();
    const issued = Array.from({ length: 1024 }, () => claims.issue() as Claim);
    expect(new Set(issued.map(({ ticket }) => ticket)).size).toBe(1024);
    expect(claims.issue()).toBeUndefined();
    claims.giveBack(issued[7] as Claim);
    expect(claims.issue()?.ticket).toBe(issued[7]?.ticket);
  });
});
