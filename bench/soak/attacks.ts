/**
 * The attacks of a soak. Each runs until its time is over, against loopback only, with bounded rates and connections.
 * Answers are read and discarded: only the effect on the honest load is measured.
 */
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { toHex } from '../../src/semaphore/hex.ts';
import { mutatedRequest } from '../../test/attacks/support/mutate-request.ts';
import type { RequestTemplate } from '../../test/attacks/support/request-corpus.ts';
import { TEMPLATE } from '../load/http/http-target.ts';
import { verifyRequests } from '../load/http/verify-requests.ts';
import { benchHolder } from '../load/refresh/refresh-holders.ts';
import { headerMaker, refreshDraft, writeRefresh } from '../load/refresh/refresh-requests.ts';
import type { SoakTarget } from './target.ts';

/** A running attack. */
export interface Attack {
  readonly target: SoakTarget;
  /** Whether its time is over. */
  readonly isOver: () => boolean;
}

/** Runs an attack to its end. */
type RunAttack = (attack: Attack) => Promise<void>;

const GAP_MS = 20;

/** Attacks by name. */
export const ATTACKS: Readonly<Record<string, RunAttack>> = {
  /** Trailers that the HTTP library takes for another request, five per second. */
  framing: (attack) => {
    const trailers = ['XXGET: /healthz HTTP/1.1\r\nHost: localhost', 'xxget: /healthz HTTP/1.1', 'x: a\x0bb'];
    return atRate(attack, 5, (index) => {
      const head = 'POST /token HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n';
      const trailer = trailers[index % trailers.length] ?? '';
      return { from: '127.0.1.1', bytes: Buffer.from(`${head}1\r\na\r\n0\r\n${trailer}\r\n\r\n`, 'latin1') };
    });
  },

  /** 4,200 connections from one address, each with a head and no body, replaced when they end. */
  'unfinished-bodies': ({ target, isOver }) => {
    const head = `POST ${TEMPLATE.path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n`;
    return holdConnections(target, isOver, 4200, '127.0.1.2', Buffer.from(head));
  },

  /** 2,000 connections from one address that send nothing. */
  'idle-connections': ({ target, isOver }) =>
    holdConnections(target, isOver, 2000, '127.0.1.3', new Uint8Array(0)),

  /** Messages of 65,400 bytes on the wallet bridge, from three addresses. */
  'bridge-filled': (attack) =>
    atRate(attack, 6, (index) => {
      const body = JSON.stringify({ iv: 'AAAAAAAAAAAAAAAA', payload: 'A'.repeat(65_340) });
      return { from: `127.0.1.${10 + (index % 3)}`, bytes: postBytes('/bridge/request', body) };
    }),

  /** 22 sign-ins per second that are never completed, from 44 addresses, with a long state. */
  'abandoned-sign-ins': (attack) =>
    atRate(attack, 22, (index) => {
      const { endpoints, attackedClientId } = attack.target;
      const query = new URLSearchParams({
        response_type: 'code',
        scope: 'openid',
        client_id: attackedClientId,
        redirect_uri: endpoints.redirectUri,
        state: 's'.repeat(4000),
        nonce: 'n',
      });
      return { from: `127.0.2.${1 + (index % 44)}`, bytes: getBytes(`/authorize?${query}`) };
    }),

  /** 560 pages per second from one address. */
  'sign-in-pages': async (attack) => {
    const page = await openPage(attack.target);
    return atRate(attack, 560, () => ({ from: '127.0.1.4', bytes: getBytes(page.path, page.cookie) }), 16);
  },

  /** 85 requests per second, each with 64 well-formed invalid proofs, from 200 addresses. */
  'bad-proofs': async (attack) => {
    const requests = await verifyRequests(TEMPLATE, 60, 64, 2 ** 40, true);
    return atRate(
      attack,
      85,
      (index) => ({
        from: `127.0.3.${1 + (index % 200)}`,
        bytes: requests[index % requests.length] ?? new Uint8Array(0),
      }),
      64,
    );
  },

  /** Refreshes with false holder proofs from 50 addresses. */
  'bad-holder-proofs': async (attack) => {
    const header = await headerMaker(2 ** 41);
    const bytes = Array.from({ length: 32 }, (_, index) => {
      const draft = refreshDraft(benchHolder(2 ** 41 + index), 'without', header);
      return Buffer.concat(writeRefresh({ ...draft, holder: { ...draft.holder, idComm: randomScalar() } }));
    });
    return atRate(attack, 40, (index) => ({
      from: `127.0.4.${1 + (index % 50)}`,
      bytes: bytes[index % bytes.length] ?? new Uint8Array(0),
    }));
  },

  /** Guesses of a client secret. */
  'secret-guesses': (attack) =>
    atRate(attack, 100, (index) => {
      const { clientId } = attack.target.endpoints;
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'c',
        client_id: clientId,
        client_secret: `guess-${index}`,
      });
      const type = 'application/x-www-form-urlencoded';
      return { from: `127.0.5.${1 + (index % 100)}`, bytes: postBytes('/token', form.toString(), type) };
    }),

  /** Damaged requests of many kinds. */
  'mutated-requests': (attack) => {
    const corpus = smallCorpus(attack.target);
    const seed = randomBytes(4).readUInt32BE();
    return atRate(attack, 200, (index) => ({
      from: `127.0.6.${1 + (index % 50)}`,
      bytes: Buffer.concat(mutatedRequest(corpus, seed, index).pieces),
    }));
  },
};

/** One request of an attack. */
interface AttackRequest {
  /** Local address; the server takes each address as another client. */
  readonly from: string;
  readonly bytes: Uint8Array;
}

/**
 * Sends requests at a steady rate. Each gets a new connection, closed after the answer or five seconds; with
 * `kept`, each address reuses up to that many connections.
 */
async function atRate(
  { target, isOver }: Attack,
  perSecond: number,
  requestAt: (index: number) => AttackRequest,
  kept = 0,
): Promise<void> {
  const began = performance.now();
  const pool = new Map<string, Socket[]>();
  for (let sent = 0; !isOver(); ) {
    const due = Math.floor(((performance.now() - began) * perSecond) / 1000);
    for (; sent < due && !isOver(); sent++) {
      const { from, bytes } = requestAt(sent);
      if (kept > 0) writeKept(pool, target.port, from, bytes, kept);
      else writeOnce(target.port, from, bytes);
    }
    await pause(GAP_MS);
  }
  for (const socket of [...pool.values()].flat()) socket.destroy();
}

const ANSWER_LIMIT_MS = 5000;

function writeOnce(port: number, from: string, bytes: Uint8Array): void {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  socket.on('connect', () => socket.write(bytes));
  socket.on('data', () => socket.destroy());
  socket.on('error', () => {});
  socket.setTimeout(ANSWER_LIMIT_MS, () => socket.destroy());
}

/** Writes over one of up to `kept` connections of the address; drops the request if all are busy. */
function writeKept(
  pool: Map<string, Socket[]>,
  port: number,
  from: string,
  bytes: Uint8Array,
  kept: number,
): void {
  const open = (pool.get(from) ?? []).filter((socket) => !socket.destroyed);
  pool.set(from, open);
  let socket = open.find((one) => !busy.has(one));
  if (socket === undefined) {
    if (open.length >= kept) return;
    const fresh = connect({ port, host: '127.0.0.1', localAddress: from, noDelay: true });
    fresh.on('data', () => busy.delete(fresh));
    fresh.on('error', () => {});
    open.push(fresh);
    socket = fresh;
  }
  busy.add(socket);
  socket.write(bytes);
}

const busy = new WeakSet<Socket>();

/** Keeps `count` connections open that have sent `bytes`; replaces at most 1,000 per second. */
async function holdConnections(
  { port }: SoakTarget,
  isOver: () => boolean,
  count: number,
  from: string,
  bytes: Uint8Array,
): Promise<void> {
  const open = new Set<Socket>();
  const perTurn = (1000 * GAP_MS) / 1000;
  while (!isOver()) {
    for (let fresh = 0; fresh < perTurn && open.size < count; fresh++) {
      const socket = connect({ port, host: '127.0.0.1', localAddress: from });
      open.add(socket);
      if (bytes.length > 0) socket.on('connect', () => socket.write(bytes));
      socket.on('error', () => {});
      socket.on('data', () => {});
      socket.on('close', () => open.delete(socket));
    }
    await pause(GAP_MS);
  }
  for (const socket of open) socket.destroy();
}

/** Begins a sign-in; returns path and cookie of its page. */
async function openPage({
  endpoints,
  attackedClientId,
}: SoakTarget): Promise<{ path: string; cookie: string }> {
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: attackedClientId,
    redirect_uri: endpoints.redirectUri,
  });
  const response = await fetch(`${endpoints.issuer}/authorize?${query}`, { redirect: 'manual' });
  await response.arrayBuffer();
  const path = new URL(response.headers.get('location') ?? '', endpoints.issuer).pathname;
  return { path, cookie: response.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
}

function smallCorpus({ endpoints, attackedClientId }: SoakTarget): RequestTemplate[] {
  const body = Buffer.from(
    JSON.stringify({
      protocol_version: '3.0',
      nonce: '0x1',
      action: 'a',
      responses: [{ identifier: 'orb' }],
    }),
  );
  const json = ['Content-Type: application/json'];
  const query = new URLSearchParams({
    response_type: 'code',
    scope: 'openid',
    client_id: attackedClientId,
    redirect_uri: endpoints.redirectUri,
  });
  const get = (path: string): RequestTemplate => ({
    name: path,
    line: `GET ${path}`,
    headers: [],
    body: new Uint8Array(0),
  });
  return [
    { name: 'verify', line: `POST ${TEMPLATE.path}`, headers: json, body },
    {
      name: 'bridge',
      line: 'POST /bridge/request',
      headers: json,
      body: Buffer.from('{"iv":"a","payload":"b"}'),
    },
    { name: 'refresh', line: `POST /api/v1/refresh?idComm=${toHex(randomScalar())}`, headers: json, body },
    get(`/authorize?${query}`),
    get('/.well-known/openid-configuration'),
    get('/userinfo'),
  ];
}

function randomScalar(): Uint8Array {
  const bytes = new Uint8Array(randomBytes(32));
  bytes[0] = 0;
  return bytes;
}

function getBytes(path: string, cookie?: string): Uint8Array {
  const cookies = cookie === undefined ? '' : `Cookie: ${cookie}\r\n`;
  return Buffer.from(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n${cookies}\r\n`);
}

function postBytes(path: string, body: string, type = 'application/json'): Uint8Array {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: ${type}`;
  return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}
