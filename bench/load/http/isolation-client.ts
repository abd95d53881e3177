import { answerCalls } from '../../support/child.ts';
import { type Pace, paced } from '../paced.ts';
import { type HttpConnection, openConnection } from './http-connection.ts';
import { type RequestTemplate, verifyRequests } from './verify-requests.ts';

/** One client address; `isBad` if it sends false proofs. */
export interface Source {
  readonly address: string;
  readonly isBad: boolean;
}

/** Figures of a source. */
export interface SourceFigures {
  /** Correct answers per second in the measured time. */
  readonly rate: number;
  /** Number of other answers by status. */
  readonly others: Readonly<Record<string, number>>;
  /** Requests that were due while all connections of the source were busy. */
  readonly unsent: number;
}

/** Calls of the process that sends at a pace from several addresses. */
export type IsolationClient = {
  run(argument: {
    port: number;
    template: RequestTemplate;
    sources: readonly Source[];
    /** Number of the first proof; each source uses `pace.count` proofs. */
    first: number;
    connections: number;
    pace: Pace;
  }): Promise<SourceFigures[]>;
};

const isCorrect = (source: Source, status: number, body: string): boolean =>
  source.isBad
    ? status === 400 && body.includes('"invalid_proof"')
    : status === 200 && !body.includes('(nullifier reuse)');

async function runSource(
  source: Source,
  requests: readonly Uint8Array[],
  idle: HttpConnection[],
  pace: Pace,
): Promise<SourceFigures> {
  const others: Record<string, number> = {};
  let [correct, unsent] = [0, 0];
  await paced(pace, async (index, isMeasured) => {
    const connection = idle.pop();
    if (!connection) {
      unsent += 1;
      return;
    }
    const { status, body } = await connection.send(requests[index] as Uint8Array);
    idle.push(connection);
    if (!isCorrect(source, status, body)) others[status] = (others[status] ?? 0) + 1;
    else if (isMeasured()) correct += 1;
  });
  return { rate: (1000 * correct) / pace.measuredMs, others, unsent };
}

const handlers: IsolationClient = {
  async run({ port, template, sources, first, connections, pace }) {
    const [lists, open]: [Uint8Array[][], HttpConnection[][]] = [[], []];
    for (const [index, { address, isBad }] of sources.entries()) {
      lists.push(await verifyRequests(template, pace.count, 1, first + index * pace.count, isBad));
      const own: HttpConnection[] = [];
      for (let i = 0; i < connections; i++) own.push(await openConnection('127.0.0.1', port, address));
      open.push(own);
    }
    try {
      return await Promise.all(
        sources.map((source, index) =>
          runSource(source, lists[index] as Uint8Array[], [...(open[index] as HttpConnection[])], pace),
        ),
      );
    } finally {
      for (const connection of open.flat()) connection.close();
    }
  },
};

answerCalls(handlers);
