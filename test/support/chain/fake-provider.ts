import type { IncomingMessage, ServerResponse } from 'node:http';
import { serveLocally } from '../server/local-server.ts';
import type { Behaviour } from './behaviours.ts';
import type { RpcBackend } from './scripted-chain.ts';

/** A call as it arrived. */
export interface ReceivedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
  readonly headers: IncomingMessage['headers'];
}

/** Sends an answer that is none, or not in the right way. */
export type BrokenAnswer = (response: ServerResponse, call: ReceivedCall) => void;

/** A JSON-RPC provider over HTTP whose behaviour a test can change at any time. */
export interface FakeProvider {
  readonly url: string;
  /** Calls so far. */
  readonly calls: readonly ReceivedCall[];
  /** Alters what the chain answers; undefined for an honest provider. */
  behaviour: Behaviour | undefined;
  /** Takes the place of answers; undefined for whole ones. */
  broken: BrokenAnswer | undefined;
  close(): Promise<void>;
}

/** Starts a provider on a free port of the loopback interface, in front of a scripted chain or of anvil. */
export async function startFakeProvider(
  backend: RpcBackend,
  { behaviour, broken }: Partial<Pick<FakeProvider, 'behaviour' | 'broken'>> = {},
): Promise<FakeProvider> {
  const calls: ReceivedCall[] = [];
  const { origin, close } = await serveLocally((request, response) => void answer(request, response));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const call = JSON.parse(Buffer.concat(chunks).toString()) as ReceivedCall;
    calls.push({ ...call, headers: request.headers });
    if (provider.broken !== undefined) return provider.broken(response, call);
    const outcome = await (provider.behaviour?.(backend) ?? backend)(call.method, call.params);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify({ jsonrpc: '2.0', id: call.id, ...outcome }));
  }

  const provider: FakeProvider = { url: `${origin}/v2/secret-key`, calls, behaviour, broken, close };
  return provider;
}
