import type { SigninEndpoints } from '../../contenders/signin-contender.ts';
import { answerCalls } from '../../support/child.ts';
import { type HttpConnection, openConnection } from '../http/http-connection.ts';
import { type ConnectionFigures, overConnections } from '../http/over-connections.ts';
import type { LoadPlan } from '../plan.ts';
import { askProvider, type SigninAnswers } from './signin-answers.ts';
import { signIn } from './signin-flow.ts';
import { tokenRequest, userinfoRequest } from './signin-requests.ts';
import { createLoadWallet, type LoadWallet } from './signin-wallet.ts';

/** Provider, connections and times of one run. */
interface Load {
  readonly endpoints: SigninEndpoints;
  readonly connections: number;
  readonly plan: LoadPlan;
}

/** Figures of the client. */
export interface SigninFigures extends ConnectionFigures {
  /** Whether the prepared codes were used up before the last window ended. */
  readonly isExhausted: boolean;
}

/** Calls of the process that loads the providers. */
export type SigninClientProcess = {
  ask(argument: { endpoints: SigninEndpoints; codes: readonly string[] }): Promise<SigninAnswers>;
  /** Exchanges codes for access tokens. */
  exchange(argument: { endpoints: SigninEndpoints; codes: readonly string[] }): Promise<string[]>;
  /** Exchanges each code once. */
  runToken(argument: Load & { codes: readonly string[] }): Promise<SigninFigures>;
  /** Requests user information with the tokens in turn, repeatedly. */
  runUserinfo(argument: Load & { tokens: readonly string[] }): Promise<SigninFigures>;
  runFlow(argument: Load): Promise<SigninFigures>;
};

const wallets = new Map<string, LoadWallet>();

async function walletFor({ hasWallet, clientId }: SigninEndpoints): Promise<LoadWallet | undefined> {
  if (!hasWallet) return undefined;
  const wallet = wallets.get(clientId) ?? (await createLoadWallet(clientId));
  wallets.set(clientId, wallet);
  return wallet;
}

async function expectOk(connection: HttpConnection, request: Uint8Array): Promise<string> {
  const { status, body } = await connection.send(request);
  if (status !== 200) throw new Error(`expected 200, got ${status} ${body.slice(0, 300)}`);
  return body;
}

const handlers: SigninClientProcess = {
  ask: ({ endpoints, codes }) => askProvider(endpoints, codes),
  async exchange({ endpoints, codes }) {
    const connection = await openConnection('127.0.0.1', endpoints.port);
    const tokens: string[] = [];
    for (const code of codes) {
      const body = await expectOk(connection, tokenRequest(endpoints, code));
      tokens.push((JSON.parse(body) as { access_token: string }).access_token);
    }
    connection.close();
    return tokens;
  },
  async runToken({ endpoints, codes, connections, plan }) {
    const requests = codes.map((code) => tokenRequest(endpoints, code));
    let isExhausted = false;
    const figures = await overConnections(
      { port: endpoints.port, connections, plan },
      async (connection, index) => {
        const request = requests[index];
        isExhausted ||= request === undefined;
        if (request) await expectOk(connection, request);
        return request !== undefined;
      },
    );
    return { ...figures, isExhausted };
  },
  async runUserinfo({ endpoints, tokens, connections, plan }) {
    const requests = tokens.map((token) => userinfoRequest(endpoints, token));
    const figures = await overConnections(
      { port: endpoints.port, connections, plan },
      async (connection, index) => {
        await expectOk(connection, requests[index % requests.length] as Uint8Array);
        return true;
      },
    );
    return { ...figures, isExhausted: false };
  },
  async runFlow({ endpoints, connections, plan }) {
    const wallet = await walletFor(endpoints);
    const figures = await overConnections(
      { port: endpoints.port, connections, plan },
      async (connection, index) => {
        await signIn(endpoints, connection, wallet, index);
        return true;
      },
    );
    return { ...figures, isExhausted: false };
  },
};

answerCalls(handlers);
