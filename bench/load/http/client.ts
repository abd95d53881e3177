import { answerCalls } from '../../support/child.ts';
import type { LoadPlan } from '../plan.ts';
import type { HttpConnection } from './http-connection.ts';
import { type ConnectionFigures, openConnections, overOpen } from './over-connections.ts';
import { type RequestTemplate, verifyRequests } from './verify-requests.ts';

/** Figures of the client, in addition to those of the loop. */
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
  /** Opens the connections of the next run; each has carried one answer when this resolves. */
  connect(argument: { port: number; connections: number }): Promise<void>;
  /** Sends each prepared request once; with `isRepeating`, starts over after the last one. */
  run(argument: { plan: LoadPlan; isRepeating: boolean }): Promise<ClientFigures>;
};

const HEALTH = Buffer.from('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n');

let requests: Uint8Array[] = [];
let open: HttpConnection[] = [];

const handlers: ClientProcess = {
  async prepare({ template, count, proofs, first }) {
    requests = await verifyRequests(template, count, proofs, first);
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
      const kind = status === 200 ? (body.includes('(nullifier reuse)') ? ' reuse' : ' new') : '';
      answers[`${status}${kind}`] = (answers[`${status}${kind}`] ?? 0) + 1;
      return true;
    });
    requests = [];
    return { ...figures, answers, isExhausted };
  },
};

answerCalls(handlers);
