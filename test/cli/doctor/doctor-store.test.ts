// Rules: spec/operations.md#command-line
import { expect, it } from 'vitest';
import { checkHealth } from '../../../src/cli/doctor/checks/store.ts';
import type { StoreHealth } from '../../../src/storage/drivers/driver.ts';

const DURABILITY = { text: 'fsync=off', faults: ['fsync=off: a crash loses writes'] };
const SOUND: StoreHealth = { isReachable: true, isWritable: true, durability: DURABILITY };
const LATE: StoreHealth = {
  isReachable: false,
  isWritable: false,
  reason: 'no answer within 700 ms',
  durability: DURABILITY,
};

async function linesAfter(...probes: readonly StoreHealth[]): Promise<string[]> {
  const left = [...probes];
  const results = await checkHealth({ probe: async () => left.shift() ?? LATE });
  return results.map(({ name, status, detail }) => `${status} ${name} ${detail}`);
}

it('repeats a late probe of the store once', async () => {
  expect((await linesAfter(LATE, SOUND))[0]).toBe('ok store reachable and writable');
  expect((await linesAfter(LATE, LATE, SOUND))[0]).toBe('fail store no answer within 700 ms');
});

it('reports settings that lose writes even if the probes fail', async () => {
  expect((await linesAfter(LATE, LATE))[1]).toBe('fail durability fsync=off: a crash loses writes');
});
