import { setTimeout as pause } from 'node:timers/promises';
import type { SigninEndpoints } from '../../contenders/signin-contender.ts';
import { type Answer, type HttpConnection, headerValues } from '../http/http-connection.ts';
import {
  authorizeTarget,
  type RequestParts,
  requestBytes,
  tokenRequest,
  userinfoRequest,
} from './signin-requests.ts';
import type { LoadWallet } from './signin-wallet.ts';

const MAX_STEPS = 20;
const EAGER_POLLS = 10;
const SLOW_POLL_MS = 200;

/** Browser, wallet and relying party of one sign-in over one connection. */
interface Visit {
  readonly endpoints: SigninEndpoints;
  readonly connection: HttpConnection;
  /** Cookies by name. */
  readonly cookies: Map<string, string>;
}

/** The end of a browser's redirects: a page of the provider, or the relying party. */
interface Arrival {
  readonly answer: Answer;
  readonly url: URL;
}

async function go({ endpoints, connection, cookies }: Visit, path: string): Promise<Answer> {
  const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const headers = { Accept: 'text/html', ...(cookie === '' ? {} : { Cookie: cookie }) };
  const answer = await connection.send(requestBytes(endpoints, { path, headers }));
  for (const line of headerValues(answer, 'set-cookie')) {
    const pair = line.split(';')[0] ?? '';
    cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
  }
  return answer;
}

async function follow(visit: Visit, path: string): Promise<Arrival> {
  let url = new URL(path, visit.endpoints.issuer);
  for (let step = 0; step < MAX_STEPS; step++) {
    const answer = await go(visit, url.pathname + url.search);
    const [location] = headerValues(answer, 'location');
    if (answer.status !== 302 && answer.status !== 303) return { answer, url };
    url = new URL(location ?? '', url);
    if (url.origin !== visit.endpoints.issuer) return { answer, url };
  }
  throw new Error(`still redirected after ${MAX_STEPS} steps, at ${url.pathname}`);
}

async function expectStatus(sent: Promise<Answer>, status: number, what: string): Promise<Answer> {
  const answer = await sent;
  if (answer.status !== status)
    throw new Error(`${what}: expected ${status}, got ${answer.status} ${answer.body.slice(0, 300)}`);
  return answer;
}

function connectUrlOf(html: string): string {
  const href = /<a [^>]*id="wallet-link"[^>]*>/.exec(html)?.[0].match(/href="([^"]*)"/)?.[1];
  if (href === undefined) throw new Error(`no link to the wallet in ${html.slice(0, 300)}`);
  return href.replaceAll('&amp;', '&');
}

/** Performs the wallet's part, and the browser's until the sign-in is completed. */
async function prove(visit: Visit, page: Arrival, wallet: LoadWallet): Promise<Arrival> {
  const { endpoints, connection } = visit;
  const send = (parts: RequestParts): Promise<Answer> => connection.send(requestBytes(endpoints, parts));
  const link = wallet.link(connectUrlOf(page.answer.body));
  const bridge = new URL(link.bridge).pathname;
  const request = await expectStatus(send({ path: `${bridge}/request/${link.requestId}` }), 200, 'request');
  const body = JSON.stringify(wallet.answer(link, JSON.parse(request.body)));
  const path = `${bridge}/response/${link.requestId}`;
  const headers = { 'Content-Type': 'application/json' };
  await expectStatus(send({ method: 'PUT', path, headers, body }), 201, 'response');
  for (let poll = 0; poll < MAX_STEPS; poll++) {
    // A page polls every two seconds; a server under attack may need longer than the first, fast polls.
    if (poll >= EAGER_POLLS) await pause(SLOW_POLL_MS);
    const polled = await expectStatus(go(visit, `${page.url.pathname}/status`), 200, 'status');
    const { status } = JSON.parse(polled.body) as { status: string };
    if (status === 'completed') return await follow(visit, `${page.url.pathname}/continue`);
    if (!['waiting', 'connected', 'verifying'].includes(status))
      throw new Error(`the sign-in is ${polled.body}`);
  }
  throw new Error(`the sign-in is not completed after ${MAX_STEPS} polls`);
}

/**
 * Performs one sign-in from the authorization request to the user information, as a new person without
 * cookies.
 *
 * @param wallet - For a provider that requires a proof.
 * @throws Error naming the step with an unexpected answer
 */
export async function signIn(
  endpoints: SigninEndpoints,
  connection: HttpConnection,
  wallet: LoadWallet | undefined,
  index: number,
): Promise<void> {
  const visit: Visit = { endpoints, connection, cookies: new Map() };
  const state = `bench-state-${index}`;
  const first = await follow(visit, authorizeTarget(endpoints, state));
  const last = wallet ? await prove(visit, first, wallet) : first;
  const { searchParams } = last.url;
  const code = searchParams.get('code');
  if (code === null || searchParams.get('state') !== state)
    throw new Error(`no code: ${last.answer.status} ${last.url} ${last.answer.body.slice(0, 300)}`);
  const exchanged = await expectStatus(connection.send(tokenRequest(endpoints, code)), 200, 'token');
  const token = (JSON.parse(exchanged.body) as { access_token: string }).access_token;
  const told = await expectStatus(connection.send(userinfoRequest(endpoints, token)), 200, 'userinfo');
  if (!told.body.includes('"sub":"0x')) throw new Error(`userinfo without sub: ${told.body}`);
}
