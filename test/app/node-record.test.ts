// Rules: spec/operations.md#many-nodes
import { describe, expect, it } from 'vitest';
import { identifyNode, joinNodes, type NodeRecord } from '../../src/app/parts/node-record.ts';
import type { NodeRow } from '../../src/storage/nodes.ts';

const START = 1_800_000_000_000;
const keyOf = (byte: number): string => Buffer.alloc(32, byte).toString('base64');

/** Nodes that share a store in memory; the store's clock is that of the test. */
function makeNodes(onTime: () => void = () => undefined) {
  const rows = new Map<string, NodeRow>();
  const warnings: string[] = [];
  const nodes = {
    report: async (row: NodeRow) => {
      rows.set(row.nodeId, row);
    },
    list: async () => [...rows.values()],
    remove: async (nodeId: string) => {
      rows.delete(nodeId);
    },
    time: async () => {
      onTime();
      return START;
    },
  };
  const join = (
    keys: { masterKey: string; masterKeyPrevious?: string },
    options: { secretHmacKey?: string; now?: number | (() => number) } = {},
  ): Promise<NodeRecord> => {
    const { secretHmacKey = keyOf(9), now: given = START } = options;
    const now = typeof given === 'number' ? () => given : given;
    const config = { profile: 'production', dataDir: '/nowhere', keys, apps: { secretHmacKey } };
    return joinNodes({
      node: identifyNode(now()),
      config: config as unknown as Parameters<typeof joinNodes>[0]['config'],
      nodes,
      log: { warn: (message: string) => warnings.push(message) },
      now,
    });
  };
  return { rows, warnings, join };
}

describe('the nodes of a store', () => {
  it('are recorded with name, version and time from their start until they stop', async () => {
    const { rows, join } = makeNodes();
    const first = await join({ masterKey: keyOf(1) });
    await join({ masterKey: keyOf(1) });
    expect(rows.size).toBe(2);
    expect([...rows.values()][0]).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
      startedAt: START,
      seenAt: START,
    });
    await first.stop();
    expect(rows.size).toBe(1);
  });

  it.each([
    ['keys.masterKey', { masterKey: keyOf(2) }, {}],
    ['apps.secretHmacKey', { masterKey: keyOf(1) }, { secretHmacKey: keyOf(8) }],
  ])('refuse one with another %s', async (setting, keys, options) => {
    const { rows, join } = makeNodes();
    await join({ masterKey: keyOf(1) });
    const [nodeId = ''] = rows.keys();
    const refused = join(keys, options);
    await expect(refused).rejects.toMatchObject({ code: 'node.keys_differ', details: { path: setting } });
    await expect(refused).rejects.toThrow(nodeId);
    expect(rows.size).toBe(1);
  });

  it('take one whose former key is theirs, and one with any keys when they are gone', async () => {
    const { rows, join } = makeNodes();
    await join({ masterKey: keyOf(1) });
    await join({ masterKey: keyOf(2), masterKeyPrevious: keyOf(1) });
    expect(rows.size).toBe(2);
    await join({ masterKey: keyOf(3) }, { secretHmacKey: keyOf(7), now: START + 30_000 });
    expect(rows.size).toBe(3);
  });

  it.each([
    [0, false, true],
    [1000, false, true],
    [1001, true, true],
    [-5000, true, true],
    [30_000, true, true],
    [30_001, true, false],
    [-30_001, true, false],
  ])('with a clock that is %i ms ahead: warning %s, ready %s', async (offset, isWarned, isReady) => {
    const { warnings, join } = makeNodes();
    const node = await join({ masterKey: keyOf(1) }, { now: START + offset });
    expect(warnings).toHaveLength(isWarned ? 1 : 0);
    if (isReady) expect(node.health.clock()).toBe(`${offset} ms ahead of the store`);
    else expect(() => node.health.clock()).toThrow(`${offset} ms ahead`);
  });

  it.each([
    [0, false],
    [1000, false],
    [1001, true],
  ])('with a clock that is %i ms ahead when a call of 4 s begins: warning %s', async (offset, isWarned) => {
    let clock = START + offset;
    const { warnings, join } = makeNodes(() => {
      clock += 4000;
    });
    await join({ masterKey: keyOf(1) }, { now: () => clock });
    expect(warnings).toHaveLength(isWarned ? 1 : 0);
  });
});
