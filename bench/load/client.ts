import { answerCalls } from '../support/child.ts';
import { type ConnectionFigures, overConnections } from './over-connections.ts';
import type { LoadPlan } from './plan.ts';
import { type RequestTemplate, verifyRequests } from './verify-requests.ts';

/** What the client counted beside the figures of the loop. */
export interface ClientFigures extends ConnectionFigures {
  /** Answers by status and kind: `200 new`, `200 reuse`, `503`, … */
  readonly answers: Readonly<Record<string, number>>;
  /** Whether the prepared requests were used up before the last window ended. */
  readonly isExhausted: boolean;
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
    const answers: Record<string, number> = {};
    let isExhausted = false;
    const figures = await overConnections({ port, connections, plan }, async (connection, index) => {
      const request = requests[index];
      isExhausted ||= request === undefined;
      if (!request) return false;
      const { status, body } = await connection.send(request);
      const kind = status === 200 ? (body.includes('(nullifier reuse)') ? ' reuse' : ' new') : '';
      answers[`${status}${kind}`] = (answers[`${status}${kind}`] ?? 0) + 1;
      return true;
    });
    requests = [];
    return { ...figures, answers, isExhausted };
  },
};

answerCalls(handlers);
