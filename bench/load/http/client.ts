import { answerCalls } from '../../support/child.ts';
import { paced, paceOf } from '../paced.ts';
import type { LoadPlan } from '../plan.ts';
import type { HttpConnection } from './http-connection.ts';
import { type ConnectionFigures, openConnections, overOpen } from './over-connections.ts';
import {
  type Groth16Template,
  groth16Requests,
  type RequestTemplate,
  verifyRequests,
} from './verify-requests.ts';
import { type WorldId4Template, worldId4Requests } from './worldid4-requests.ts';

/** Figures of the client, in addition to those of the loop. */
export interface ClientFigures extends ConnectionFigures {
  /** Answers by status and kind: `200 new`, `200 reuse`, `200 valid` (of any circuit), `503`, … */
  readonly answers: Readonly<Record<string, number>>;
  /** Whether the prepared requests were used up before the last window ended. */
  readonly isExhausted: boolean;
}

/** Calls of the process that loads the server. */
export type ClientProcess = {
  prepare(argument: {
    template: RequestTemplate | WorldId4Template | Groth16Template;
    count: number;
    proofs: number;
    first: number;
  }): Promise<{ bytes: number }>;
  /** Opens the connections of the next run; each has carried one answer when this resolves. */
  connect(argument: { port: number; connections: number }): Promise<void>;
  /** Sends each prepared request once; with `isRepeating`, starts over after the last one. */
  run(argument: { plan: LoadPlan; isRepeating: boolean }): Promise<ClientFigures>;
  /**
   * Sends prepared requests at a fixed rate; the time of one counts from when it was due, so that it includes the wait for
   * a free connection. One window.
   */
  runPaced(argument: { plan: LoadPlan; perSecond: number }): Promise<ClientFigures>;
};

const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');

let requests: Uint8Array[] = [];
let open: HttpConnection[] = [];

type AnyTemplate = Parameters<ClientProcess['prepare']>[0]['template'];

function prepared(template: AnyTemplate, ...amount: [count: number, proofs: number, first: number]) {
  if ('kind' in template) return groth16Requests(template, ...amount);
  return 'issuer' in template ? worldId4Requests(template, ...amount) : verifyRequests(template, ...amount);
}

/** Adds an answer to the counts. */
function tally(answers: Record<string, number>, status: number, body: string): void {
  const kind = `${status}${status === 200 ? ` ${kindOf(body)}` : ''}`;
  answers[kind] = (answers[kind] ?? 0) + 1;
}

function kindOf(body: string): string {
  if (body.includes('(nullifier reuse)')) return 'reuse';
  if (body.includes('"valid":false')) return 'invalid';
  return body.includes('"valid":true') ? 'valid' : 'new';
}

const handlers: ClientProcess = {
  async prepare({ template, count, proofs, first }) {
    requests = await prepared(template, count, proofs, first);
    return { bytes: requests[0]?.length ?? 0 };
  },
  async connect({ port, connections }) {
    open = await openConnections(port, connections);
    for (const connection of open) await connection.send(HEALTH);
  },
  async run({ plan, isRepeating }) {
    const answers: Record<string, number> = {};
    let isExhausted = false;
    const figures = await overOpen(open, plan, async (connection, index) => {
      const request = requests[isRepeating ? index % requests.length : index];
      isExhausted ||= request === undefined;
      if (!request) return false;
      const { status, body } = await connection.send(request);
      tally(answers, status, body);
      return true;
    });
    requests = [];
    return { ...figures, answers, isExhausted };
  },
  async runPaced({ plan, perSecond }) {
    const pace = paceOf(perSecond, plan.warmUpMs, plan.windowMs * plan.windows);
    const answers: Record<string, number> = {};
    const idle = [...open];
    const waiting: ((connection: HttpConnection) => void)[] = [];
    const times: number[] = [];
    const cpu = process.cpuUsage();
    const began = performance.now();
    await paced(pace, async (index, isMeasured) => {
      const due = performance.now();
      const connection =
        idle.pop() ?? (await new Promise<HttpConnection>((resolve) => waiting.push(resolve)));
      const { status, body } = await connection.send(requests[index] as Uint8Array);
      const next = waiting.shift();
      if (next === undefined) idle.push(connection);
      else next(connection);
      tally(answers, status, body);
      if (isMeasured()) times.push(performance.now() - due);
    });
    const used = process.cpuUsage(cpu);
    const elapsedMs = performance.now() - began;
    for (const connection of open) connection.close();
    requests = [];
    times.sort((one, other) => one - other);
    const share = (part: number): number => times[Math.floor(part * (times.length - 1))] ?? 0;
    return {
      rates: [(times.length * 1000) / pace.measuredMs],
      completed: times.length,
      p50Ms: share(0.5),
      p99Ms: share(0.99),
      answers,
      isExhausted: false,
      ownCpuShare: (used.user + used.system) / 1000 / elapsedMs,
    };
  },
};

answerCalls(handlers);
