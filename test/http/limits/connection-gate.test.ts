// Rules: spec/operations.md#connections-and-memory
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionGate, type GateParts } from '../../../src/http/limits/connection-gate.ts';
import { LocalCount } from '../../../src/http/limits/gate.ts';

interface World {
  readonly gate: ConnectionGate;
  readonly events: string[];
  /** Connections by address, as the kernel counts them. */
  readonly peers: Map<string, number>;
  /** Simulated resources. */
  readonly can: { listen: boolean; descriptors: number };
  readonly counts: () => number;
  /** Opens connections from an address. Returns the number of refused ones. */
  open(address: string, count?: number): number;
  close(address: string, count?: number): void;
}

function worldOf(parts: Partial<GateParts> = {}): World {
  const events: string[] = [];
  const peers = new Map<string, number>();
  const can = { listen: true, descriptors: 100 };
  let counts = 0;
  const gate = new ConnectionGate({
    count: new LocalCount(),
    maxOpen: 40,
    maxOpenPerAddress: 5,
    stopListening: () => events.push('stop'),
    async startListening() {
      events.push(can.listen ? 'start' : 'cannot start');
      return can.listen;
    },
    async countPeers() {
      counts++;
      return peers;
    },
    hasDescriptors: (count) => count <= can.descriptors,
    observer: {
      paused: (reason, open) => events.push(`paused ${reason} ${open}`),
      resumed: () => events.push('resumed'),
      calmed: () => events.push('calmed'),
      refused: () => events.push('refused'),
    },
    now: () => performance.now(),
    ...parts,
  });
  const add = (address: string, count: number): void => {
    peers.set(address, (peers.get(address) ?? 0) + count);
  };
  return {
    gate,
    events,
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

describe('the gate, with too many connections', () => {
  it('stops listening once, and resumes when an eighth of them are closed', async () => {
    const { events, open, close } = worldOf();
    for (let n = 0; n < 40; n++) open(`address ${n}`);
    expect(events).toEqual(['stop', 'paused connections 40']);
    expect(open('late', 2)).toBe(2); // accepted in the same turn of the event loop
    await vi.advanceTimersByTimeAsync(5000);
    expect(events).toHaveLength(2);
    for (let n = 0; n < 5; n++) close(`address ${n}`);
    await vi.advanceTimersByTimeAsync(1000);
    expect(events.slice(2)).toEqual(['start', 'resumed']);
  });

  it('reports the end after ten seconds without a pause, however many pauses came before', async () => {
    const { events, open, close } = worldOf();
    for (let round = 0; round < 3; round++) {
      open('a', 40);
      close('a', 40);
      await vi.advanceTimersByTimeAsync(2000);
    }
    expect(events.filter((text) => text === 'calmed')).toEqual([]);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(events.filter((text) => text === 'calmed')).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events.filter((text) => text === 'calmed')).toHaveLength(1);
  });

  it('retries once a second when it cannot listen', async () => {
    const { events, can, open, close } = worldOf();
    open('a', 40);
    close('a', 40);
    can.listen = false;
    await vi.advanceTimersByTimeAsync(3000);
    can.listen = true;
    await vi.advanceTimersByTimeAsync(1000);
    expect(events.slice(2)).toEqual(['cannot start', 'cannot start', 'cannot start', 'start', 'resumed']);
  });

  it('does not reopen a closed listener', async () => {
    const { gate, events, open, close } = worldOf();
    open('a', 40);
    close('a', 40);
    gate.close();
    await vi.advanceTimersByTimeAsync(5000);
    expect(events).toEqual(['stop', 'paused connections 40']);
  });
});

describe('a process without free descriptors', () => {
  it('stops listening even with few open connections, and resumes when enough descriptors are free', async () => {
    const { events, can, open } = worldOf();
    open('a', 3);
    can.descriptors = 2;
    await vi.advanceTimersByTimeAsync(3000);
    expect(events).toEqual(['stop', 'paused descriptors 3']);
    can.descriptors = 8;
    await vi.advanceTimersByTimeAsync(3000);
    expect(events).toHaveLength(2);
    can.descriptors = 16;
    await vi.advanceTimersByTimeAsync(1000);
    expect(events.slice(2)).toEqual(['start', 'resumed']);
  });
});

describe('an address with too many connections', () => {
  it('gets no new ones while more than a quarter of all are open; other addresses do', async () => {
    const { gate, open } = worldOf();
    open('a', 10);
    await vi.advanceTimersByTimeAsync(0);
    expect(gate.isOverLimit('a')).toBe(true);
    expect(gate.isCrowded).toBe(false);
    expect(open('b', 3)).toBe(0);
    expect(gate.isCrowded).toBe(true);
    expect(open('a', 20)).toBe(20);
    expect(open('b', 3)).toBe(0);
    expect(gate.open).toBe(16);
  });

  it('is not looked up while few connections are open', async () => {
    const { counts, open } = worldOf();
    open('a', 9);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(counts()).toBe(0);
  });

  it('is unblocked a minute after it last had too many, however often it tries to connect', async () => {
    const { gate, open, close } = worldOf();
    open('a', 11);
    await vi.advanceTimersByTimeAsync(1000);
    close('a', 10);
    open('b', 5);
    open('c', 5);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(open('a')).toBe(1);
    expect(gate.isOverLimit('a')).toBe(true);
    await vi.advanceTimersByTimeAsync(12_000);
    expect(gate.isOverLimit('a')).toBe(false);
    expect(open('a')).toBe(0);
  });

  it('is looked up for at most a twentieth of the time', async () => {
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

describe('the gate of the main thread', () => {
  it('applies its bounds to the connections of the front ends when one reports, and names the addresses', async () => {
    const told: (readonly string[])[] = [];
    const count = new LocalCount();
    const { gate, events, peers } = worldOf({ count, onOverLimit: (keys) => told.push(keys) });
    peers.set('a', 9).set('b', 2);
    count.all = 11;
    gate.onReached();
    await vi.advanceTimersByTimeAsync(3000);
    expect(told).toEqual([['a']]);
    expect(events).toEqual([]);
    count.all = 40;
    gate.onReached();
    expect(events).toEqual(['stop', 'paused connections 40']);
    peers.clear();
    count.all = 0;
    await vi.advanceTimersByTimeAsync(62_000);
    expect(told).toEqual([['a'], []]);
    expect(events).toContain('resumed');
  });
});
