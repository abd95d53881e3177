import { answerCalls } from '../support/child.ts';
import { closedLoop, type LoopFigures } from '../support/window-counter.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';
import type { LoadPlan } from './plan.ts';
import { type RequestTemplate, verifyRequests } from './verify-requests.ts';

/** What the client counted beside the figures of the loop. */
export interface ClientFigures extends LoopFigures {
  /** Answers by status and kind: `200 new`, `200 reuse`, `503`, … */
  readonly answers: Readonly<Record<string, number>>;
  /** Whether the prepared requests were used up before the last window ended. */
  readonly isExhausted: boolean;
  /** Processor time of this process in seconds, as a share of the run's length. */
  readonly ownCpuShare: number;
}

/** Calls of the process that loads the server. */
export type ClientProcess = {
  prepare(argument: {
    template: RequestTemplate;
    count: number;
    proofs: number;
    first: number;
  }): Promise<{ bytes: number }>;
  run(argument: { port: number; connections: number; plan: LoadPlan }): Promise<ClientFigures>;
};

let requests: Uint8Array[] = [];

const handlers: ClientProcess = {
  async prepare({ template, count, proofs, first }) {
    requests = await verifyRequests(template, count, proofs, first);
    return { bytes: requests[0]?.length ?? 0 };
  },
  async run({ port, connections, plan }) {
    const open: HttpConnection[] = [];
    for (let i = 0; i < connections; i++) open.push(await openConnection('127.0.0.1', port));
    const idle = [...open];
    const answers: Record<string, number> = {};
    let isExhausted = false;
    const [began, cpu] = [performance.now(), process.cpuUsage()];
    const figures = await closedLoop(connections, plan, async (index) => {
      const request = requests[index];
      const connection = idle.pop();
      isExhausted ||= request === undefined;
      if (!request || !connection) return false;
      const { status, body } = await connection.send(request);
      const kind = status === 200 ? (body.includes('(nullifier reuse)') ? ' reuse' : ' new') : '';
      answers[`${status}${kind}`] = (answers[`${status}${kind}`] ?? 0) + 1;
      idle.push(connection);
      return true;
    });
    const used = process.cpuUsage(cpu);
    for (const connection of open) connection.close();
    requests = [];
    const ownCpuShare = (used.user + used.system) / 1000 / (performance.now() - began);
    return { ...figures, answers, isExhausted, ownCpuShare };
  },
};

answerCalls(handlers);
