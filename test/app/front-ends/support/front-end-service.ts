/** A service with several front ends in a process of its own, whose front ends can be recognized and made to fail. */
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Store } from '../../../../src/storage/store.ts';
import { ClusterLoad, type LoadTarget } from '../../../cluster/support/cluster-load.ts';
import { SingleNode } from '../../../cluster/support/single-node.ts';
import { headerOf, type RawResponse } from '../../../support/server/raw-client.ts';
import type { ServerProcess } from '../../../support/server/server-process.ts';
import type { TestClient } from '../../../support/signin/clients.ts';

const PRELOAD = fileURLToPath(new URL('plant.mjs', import.meta.url));

/** What ends a front end: an exception, a rejected promise, or `process.exit` in its thread. */
export const FAULTS = ['throw', 'exit', 'reject'] as const;
type Fault = (typeof FAULTS)[number];

/** One life of a front end. */
export interface FrontEndMark {
  /** From 1. */
  readonly index: number;
  /** Number of the front end and of its thread, which no other life has. */
  readonly life: string;
}

/** Returns the life of a front end that made an answer. */
export function frontEndOf(response: RawResponse): FrontEndMark {
  const life = headerOf(response, 'x-request-id')?.slice(0, 8) ?? '';
  return { index: Number(life.slice(0, 2)), life };
}

/** A service whose parts are those of `SingleNode`, with the records and settings of `ClusterLoad`. */
export class FrontEndService implements LoadTarget {
  readonly count: number;
  readonly node: SingleNode;
  /** The one address, once for each front end: each request is another connection. */
  readonly nodeUrls: readonly string[];
  readonly balancer: { readonly url: string };
  readonly port: number;
  readonly #orders: string;

  private constructor(count: number, node: SingleNode, orders: string) {
    this.count = count;
    this.node = node;
    this.balancer = node.balancer;
    this.nodeUrls = Array.from({ length: count }, () => node.balancer.url);
    this.port = Number(new URL(node.balancer.url).port);
    this.#orders = orders;
  }

  /** Makes the service without starting it. @param env - Further variables of its environment. */
  static async create(count: number, env: Readonly<Record<string, string>> = {}): Promise<FrontEndService> {
    const orders = mkdtempSync(join(tmpdir(), 'proofgate-orders-'));
    const node = await SingleNode.create({
      PROOFGATE_SERVER_FRONT_ENDS: String(count),
      PROOFGATE_ENGINE_WORKERS: String(count),
      NODE_OPTIONS: `--import=${PRELOAD}`,
      PLANTED_FOLDER: orders,
      ...env,
    });
    return new FrontEndService(count, node, orders);
  }

  /** Fills the store with what `ClusterLoad` needs; returns the client that signs in. */
  async prepare(): Promise<TestClient> {
    return this.withStore(async (store) => {
      await store.migrate();
      return ClusterLoad.prepare(store);
    });
  }

  get process(): ServerProcess {
    return this.node.process;
  }

  /** Lines of the log with an event, parsed. */
  events(event: string): Readonly<Record<string, unknown>>[] {
    return this.process
      .output()
      .split('\n')
      .filter((line) => line.includes(`"event":"${event}"`))
      .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>);
  }

  /** Last lines of the log that are not about requests. */
  history(): string {
    const lines = this.process.output().split('\n');
    return lines
      .filter((line) => !line.includes('"msg":"request"'))
      .slice(-30)
      .join('\n');
  }

  /** Makes the thread of a front end fail. */
  async fail(index: number, fault: Fault): Promise<void> {
    const socket = connect(join(this.#orders, `front-end-${index}`));
    await once(socket, 'connect');
    socket.on('error', () => undefined);
    socket.resume().write(fault);
    await once(socket, 'close');
  }

  /** Lets each start of a front end fail from now on. */
  keepFromStarting(index: number): void {
    writeFileSync(join(this.#orders, `unready-${index}`), '');
  }

  /** Lets starts of a front end succeed again. */
  letStart(index: number): void {
    rmSync(join(this.#orders, `unready-${index}`), { force: true });
  }

  /** Returns a metric, summed over the labels that are not given. */
  async metric(name: string, labels = ''): Promise<number> {
    const text = await (await fetch(`${this.process.adminUrl}/metrics`)).text();
    if (!text.includes(`# TYPE ${name} `)) throw new Error(`no metric ${name}`);
    const lines = text.split('\n').filter((line) => /^\S/.test(line) && line.split(/[{ ]/)[0] === name);
    const counted = lines.filter((line) => line.includes(labels));
    return counted.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    return this.node.withStore(work);
  }

  /** Stops the service in order. @throws Error with its output if the exit code is not 0 */
  async stop(): Promise<void> {
    const { code } = await this.process.end('SIGTERM');
    if (code !== 0) throw new Error(`expected the exit code 0, got ${code}:\n${this.history()}`);
  }

  async end(): Promise<void> {
    await this.node.end();
    rmSync(this.#orders, { recursive: true, force: true });
  }
}
