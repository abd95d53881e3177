import { answerCalls } from '../../support/child.ts';
import type { Answer } from '../http/http-connection.ts';
import { type ConnectionFigures, overConnections } from '../http/over-connections.ts';
import type { LoadPlan } from '../plan.ts';
import { askRefresh, assertCredential } from './refresh-answers.ts';
import { benchHolder } from './refresh-holders.ts';
import { type PreparedRefresh, type RefreshKind, refreshRequests } from './refresh-requests.ts';

/** Figures of the client. */
export interface RefreshFigures extends ConnectionFigures {
  /** Whether the prepared requests were used up before the last window ended. */
  readonly isExhausted: boolean;
}

/** Calls of the process that loads the service. */
export type RefreshClientProcess = {
  ask(argument: { port: number; first: number }): Promise<void>;
  prepare(argument: { kind: RefreshKind; first: number; count: number }): Promise<{ bytes: number }>;
  /** Sends each prepared request once. Every answer must have a credential; the last ones are verified. */
  run(argument: { port: number; connections: number; plan: LoadPlan }): Promise<RefreshFigures>;
};

/** Number of credentials of a run that are verified after its end, in plain JavaScript. */
const VERIFIED = 4;

let kind: RefreshKind = 'without';
let requests: PreparedRefresh[] = [];

const handlers: RefreshClientProcess = {
  ask: ({ port, first }) => askRefresh(port, first),
  async prepare(argument) {
    kind = argument.kind;
    requests = await refreshRequests(kind, argument.first, argument.count);
    return { bytes: requests[0]?.pieces.reduce((sum, piece) => sum + piece.length, 0) ?? 0 };
  },
  async run({ port, connections, plan }) {
    let isExhausted = false;
    const last: { readonly index: number; readonly answer: Answer }[] = [];
    const figures = await overConnections({ port, connections, plan }, async (connection, at) => {
      const request = requests[at];
      isExhausted ||= request === undefined;
      if (request === undefined) return false;
      const answer = await connection.send(request.pieces);
      if (answer.status !== 200)
        throw new Error(`expected a credential, got ${answer.status} ${answer.body}`);
      last[at % VERIFIED] = { index: request.index, answer };
      return true;
    });
    for (const { index, answer } of last) assertCredential(answer, benchHolder(index), kind);
    requests = [];
    return { ...figures, isExhausted };
  },
};

answerCalls(handlers);
