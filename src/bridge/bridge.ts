import { randomUUID } from 'node:crypto';
import { type ErrorCode, ServiceError } from '../errors/index.ts';
import type { BridgeAnswer, BridgeLimits, BridgeMessage, BridgeStore } from '../storage/index.ts';
import { parseId } from './parse-id.ts';
import { parseMessage, parseRequest } from './parse-message.ts';

/** What the bridge is made of. */
export interface BridgeOptions {
  readonly store: BridgeStore;
  readonly limits: BridgeLimits;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The calls of the bridge. Ids and bodies are as sent; each call rejects with ServiceError `bridge.invalid`, those
 * that store also with `bridge.full`, and all with `store.unreachable`.
 */
export interface Bridge {
  /** Stores a request under its own `request_id` or a new one, which it gives. @throws ServiceError `bridge.conflict` */
  createRequest(body: Uint8Array): Promise<string>;
  /** Stores a request, over what the id has. */
  putRequest(id: string, body: Uint8Array): Promise<void>;
  /** @throws ServiceError `bridge.not_found` unless the request waits */
  checkRequest(id: string): Promise<void>;
  /** Takes the request, once. @throws ServiceError `bridge.not_found` */
  takeRequest(id: string): Promise<BridgeMessage>;
  /** @throws ServiceError `bridge.not_found` unless the id waits for an answer */
  checkStatus(id: string): Promise<void>;
  /** Stores the answer to a request. @throws ServiceError `bridge.no_status`, `bridge.conflict` */
  answer(id: string, body: Uint8Array): Promise<void>;
  /** Stores an answer without a request, under a new id, which it gives. */
  createAnswer(body: Uint8Array): Promise<string>;
  /** Takes a waiting answer, once, or gives the status. @throws ServiceError `bridge.not_found` */
  takeAnswer(id: string): Promise<BridgeAnswer>;
}

const REFUSALS = {
  exists: 'bridge.conflict',
  no_status: 'bridge.no_status',
  full: 'bridge.full',
} as const satisfies Record<string, ErrorCode>;

// A bridge that is full empties as entries end, so that trying at once would be in vain.
const FULL_RETRY_SECONDS = 30;

/** The bridge over its store. */
export function createBridge({ store, limits, now }: BridgeOptions): Bridge {
  return {
    createRequest: async (body) => {
      const { message, id = randomUUID() } = parseRequest(body);
      refuse(await store.createRequest(id, message, limits, now()));
      return id;
    },
    putRequest: async (id, body) => {
      refuse(await store.putRequest(parseId(id), parseMessage(body), limits, now()));
    },
    checkRequest: async (id) => {
      if ((await store.status(parseId(id), now())) !== 'initialized') throw notFound();
    },
    takeRequest: async (id) => found(await store.takeRequest(parseId(id), now())),
    checkStatus: async (id) => {
      found(await store.status(parseId(id), now()));
    },
    answer: async (id, body) => {
      refuse(await store.answer(parseId(id), parseMessage(body), limits, now()));
    },
    createAnswer: async (body) => {
      const id = randomUUID();
      refuse(await store.createAnswer(id, parseMessage(body), limits, now()));
      return id;
    },
    takeAnswer: async (id) => found(await store.takeAnswer(parseId(id), now())),
  };
}

function refuse(outcome: 'created' | 'stored' | keyof typeof REFUSALS): void {
  if (outcome === 'created' || outcome === 'stored') return;
  const details = outcome === 'full' ? { retryAfterSeconds: FULL_RETRY_SECONDS } : { path: 'request_id' };
  throw new ServiceError(REFUSALS[outcome], undefined, details);
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound();
  return value;
}

function notFound(): ServiceError {
  return new ServiceError('bridge.not_found', undefined, { path: 'request_id' });
}
