import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type BridgeIds, createBridgeIds } from '../../src/apps/index.ts';
import { keyConfig } from './support/key-config.ts';

const nodeWith = (fill: number): BridgeIds => createBridgeIds(keyConfig(fill));

describe('the ids of requests on the bridge', () => {
  const [node, otherNode, stranger] = [nodeWith(1), nodeWith(1), nodeWith(2)] as const;

  it('are different UUIDs of version 4', () => {
    const ids = Array.from({ length: 1000 }, () => node.create());
    for (const id of ids)
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids.map((id) => id.slice(0, 23))).size).toBe(ids.length);
  });

  it('are recognized by every node with the same master key, and by no other', () => {
    const id = node.create();
    expect([node, otherNode, stranger].map(({ isOwn }) => isOwn(id))).toEqual([true, true, false]);
  });

  it('are told from made-up ids and from changed ones', () => {
    for (let count = 0; count < 1000; count++) expect(node.isOwn(randomUUID())).toBe(false);
    const id = node.create();
    for (const [at, digit] of [...id].entries()) {
      if (digit === '-') continue;
      const other = digit === '0' ? '1' : '0';
      expect(node.isOwn(`${id.slice(0, at)}${other}${id.slice(at + 1)}`)).toBe(false);
    }
  });

  it.each(['', 'invite-code-0123456789abcdef', 'f'.repeat(64), 'F'.repeat(36), `${'0'.repeat(36)}\n`])(
    'have one form only: %j is none',
    (text) => {
      expect(node.isOwn(text)).toBe(false);
    },
  );
});
