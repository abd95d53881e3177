import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { onTestFinished } from 'vitest';
import type { Order, Report } from './thread-messages.ts';

/** A thread that runs `front-end-thread.ts`. */
export interface FrontEndThread {
  /** Gives orders, which the thread follows in one turn of its event loop. */
  tell(...orders: readonly Order[]): void;
  /** Gives an order, and returns the member of the next report that has it. */
  ask<K extends keyof Report>(order: Order, member: K): Promise<NonNullable<Report[K]>>;
  terminate(): Promise<number>;
  /** Resolves when all that the thread posted has been received and it has ended. */
  readonly closed: Promise<void>;
}

// Node 20 runs no TypeScript.
const PROGRAM = `
import { tsImport } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))};
await tsImport(${JSON.stringify(new URL('./front-end-thread.ts', import.meta.url).href)}, ${JSON.stringify(import.meta.url)});
`;

/** Starts a thread; `onReport` is called for each of its reports. */
export async function startFrontEnd(onReport: (report: Report) => void): Promise<FrontEndThread> {
  const { port1: port, port2 } = new MessageChannel();
  const program = new URL(`data:text/javascript,${encodeURIComponent(PROGRAM)}`);
  const worker = new Worker(program, { workerData: { port: port2 }, transferList: [port2], execArgv: [] });
  onTestFinished(async () => void (await worker.terminate()));
  // A planted fault.
  worker.on('error', () => undefined);
  const started = reportWith(port, 'started');
  port.on('message', onReport);
  const closed = once(port, 'close').then(() => undefined);
  await started;
  return {
    tell: (...orders) => port.postMessage(orders),
    async ask(order, member) {
      const answer = reportWith(port, member);
      port.postMessage([order]);
      return answer;
    },
    terminate: () => worker.terminate(),
    closed,
  };
}

function reportWith<K extends keyof Report>(port: MessagePort, member: K): Promise<NonNullable<Report[K]>> {
  return new Promise((resolve) => {
    const listen = ({ [member]: value }: Report): void => {
      if (value === undefined || value === null) return;
      port.off('message', listen);
      resolve(value);
    };
    port.on('message', listen);
  });
}
