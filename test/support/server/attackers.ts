/**
 * Clients on many loopback addresses: attackers that reconnect when they are cut off, and undisturbed
 * clients.
 */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { RawClient } from './raw-client.ts';

/** Opens a connection from the given loopback address. */
export async function openFrom(port: number, localAddress: string): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, noDelay: true });
  await once(socket, 'connect');
  return new RawClient(socket);
}

/** Connections that each send bytes and are reopened when they end. */
export interface Attackers {
  /** Number of answers by their first line. */
  readonly answers: ReadonlyMap<string, number>;
  stop(): void;
}

/** Parameters of an attack. */
export interface AttackPlan {
  readonly port: number;
  /** Number of simultaneous connections. */
  readonly connections: number;
  /** Local address of each connection. */
  readonly addressOf: (index: number) => string;
  /** Sent when a connection opens. */
  readonly opening: string;
  /** Sent repeatedly after that. */
  readonly drip?: string;
  /** Maximum number of opened connections, including replacements. */
  readonly mostOpened: number;
}

const DRIP_MS = 50;

/** Starts an attack and waits until every connection has opened or failed. */
export async function attack(plan: AttackPlan): Promise<Attackers> {
  const { port, connections, addressOf, opening, drip, mostOpened } = plan;
  const sockets = new Set<Socket>();
  const answers = new Map<string, number>();
  let opened = 0;
  let isOver = false;
  const openOne = (index: number): Promise<unknown> => {
    if (isOver || opened >= mostOpened) return Promise.resolve();
    opened++;
    const socket = connect({ port, host: '127.0.0.1', localAddress: addressOf(index), noDelay: true });
    sockets.add(socket);
    socket.on('data', (chunk: Buffer) => {
      const line = chunk.toString('latin1').split('\r\n', 1)[0] ?? '';
      answers.set(line, (answers.get(line) ?? 0) + 1);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      setImmediate(() => void openOne(index));
    });
    return new Promise((resolve) => {
      socket.on('connect', () => socket.write(opening, resolve));
      socket.on('close', resolve);
    });
  };
  const timer = setInterval(() => {
    if (drip === undefined) return;
    // What is written before the connection opens would precede the opening.
    for (const socket of sockets) if (!socket.connecting) socket.write(drip);
  }, DRIP_MS);
  await Promise.all(Array.from({ length: connections }, (_, index) => openOne(index)));
  return {
    answers,
    stop() {
      isOver = true;
      clearInterval(timer);
      for (const socket of sockets) socket.destroy();
    },
  };
}
