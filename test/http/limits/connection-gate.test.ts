import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionGate, type GateParts } from '../../../src/http/limits/connection-gate.ts';

interface World {
  readonly gate: ConnectionGate;
  readonly told: string[];
  /** Connections by address, as the kernel counts them. */
  readonly peers: Map<string, number>;
  /** What the surroundings allow. */
  readonly can: { listen: boolean; descriptors: number };
  readonly counts: () => number;
  /** Opens connections of an address; gives how many were refused. */
  open(address: string, count?: number): number;
  close(address: string, count?: number): void;
}

function worldOf(parts: Partial<GateParts> = {}): World {
  const told: string[] = [];
  const peers = new Map<string, number>();
  const can = { listen: true, descriptors: 100 };
  let counts = 0;
  const gate = new ConnectionGate({
    most: 40,
    mostPerAddress: 5,
    stopListening: () => told.push('stop'),
    async startListening() {
      told.push(can.listen ? 'start' : 'cannot start');
      return can.listen;
    },
    async countPeers() {
      counts++;
      return peers;
    },
    hasDescriptors: (count) => count <= can.descriptors,
    observer: {
      paused: (reason, open) => told.push(`paused ${reason} ${open}`),
      resumed: () => told.push('resumed'),
      calmed: () => told.push('calmed'),
      refused: () => told.push('refused'),
    },
    now: () => performance.now(),
    ...parts,
  });
  const add = (address: string, count: number): void => {
    peers.set(address, (peers.get(address) ?? 0) + count);
  };
  return {
    gate,
    told,
    peers,
    can,
    counts: () => counts,
    open(address, count = 1) {
      let refused = 0;
      for (let n = 0; n < count; n++) {
        add(address, 1);
        gate.opened(
          () => address,
          () => {
            refused++;
            add(address, -1);
            gate.closed();
          },
        );
      }
      return refused;
    },
    close(address, count = 1) {
      add(address, -count);
      for (let n = 0; n < count; n++) gate.closed();
    },
  };
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
});

afterEach(() => {
  vi.useRealTimers();
});

describe('too many connections', () => {
  it('end listening once, which begins again when an eighth of them are gone', async () => {
    const { told, open, close } = worldOf();
    for (let n = 0; n < 40; n++) open(`address ${n}`);
    expect(told).toEqual(['stop', 'paused connections 40']);
    open('late', 2); // what was accepted in the same turn
    await vi.advanceTimersByTimeAsync(5000);
    expect(told).toHaveLength(2);
    for (let n = 0; n < 7; n++) close(`address ${n}`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.slice(2)).toEqual(['start', 'resumed']);
  });

  it('are over when ten seconds went by without a pause, however often listening ended before', async () => {
    const { told, open, close } = worldOf();
    for (let round = 0; round < 3; round++) {
      open('a', 40);
      close('a', 40);
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(told.filter((text) => text === 'calmed')).toEqual([]);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(told.filter((text) => text === 'calmed')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(told.filter((text) => text === 'calmed')).toHaveLength(1);
  });

  it('that cannot listen again try once a second', async () => {
    const { told, can, open, close } = worldOf();
    open('a', 40);
    close('a', 40);
    can.listen = false;
    await vi.advanceTimersByTimeAsync(3000);
    can.listen = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.slice(2)).toEqual(['cannot start', 'cannot start', 'cannot start', 'start', 'resumed']);
  });

  it('do not make a closed listener listen again', async () => {
    const { gate, told, open, close } = worldOf();
    open('a', 40);
    close('a', 40);
    gate.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(told).toEqual(['stop', 'paused connections 40']);
  });
});

describe('a process without free descriptors', () => {
  it('ends listening though few connections are open, and begins again when there are some to spare', async () => {
    const { told, can, open } = worldOf();
    open('a', 3);
    can.descriptors = 2;
    await vi.advanceTimersByTimeAsync(3000);
    expect(told).toEqual(['stop', 'paused descriptors 3']);
    can.descriptors = 8;
    await vi.advanceTimersByTimeAsync(3000);
    expect(told).toHaveLength(2);
    can.descriptors = 16;
    await vi.advanceTimersByTimeAsync(1000);
    expect(told.slice(2)).toEqual(['start', 'resumed']);
  });
});

describe('an address with too many connections', () => {
  it('gets no new ones while more than a quarter are open; others do', async () => {
    const { gate, open } = worldOf();
    open('a', 10);
    await vi.advanceTimersByTimeAsync(0);
    expect(gate.isGreedy('a')).toBe(true);
    expect(gate.isCrowded).toBe(false);
    expect(open('b', 3)).toBe(0);
    expect(gate.isCrowded).toBe(true);
    expect(open('a', 20)).toBe(20);
    expect(open('b', 3)).toBe(0);
    expect(gate.open).toBe(16);
  });

  it('is not asked for while few are open', async () => {
    const { counts, open } = worldOf();
    open('a', 9);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(counts()).toBe(0);
  });

  it('is forgotten a minute after it last had too many, however often it tries to open one', async () => {
    const { gate, open, close } = worldOf();
    open('a', 11);
    await vi.advanceTimersByTimeAsync(1000);
    close('a', 10);
    open('b', 5);
    open('c', 5);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(open('a')).toBe(1);
    expect(gate.isGreedy('a')).toBe(true);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(gate.isGreedy('a')).toBe(false);
    expect(open('a')).toBe(0);
  });

  it('is looked for at most a twentieth of the time', async () => {
    const world = worldOf({
      async countPeers() {
        counted++;
        vi.advanceTimersByTime(500);
        return new Map();
      },
    });
    let counted = 0;
    world.open('a', 20);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(counted).toBeGreaterThan(1);
    expect(counted).toBeLessThanOrEqual(7);
  });
});
