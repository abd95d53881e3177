import { randomUUID } from 'node:crypto';
import { type ErrorCode, type ErrorDetails, ServiceError } from '../errors/index.ts';
import type { BridgeAnswer, BridgeLimits, BridgeMessage, BridgeRoom, BridgeStore } from '../storage/index.ts';
import { parseId } from './parse-id.ts';
import { parseMessage, parseRequest } from './parse-message.ts';

/** What the bridge is made of. */
export interface BridgeOptions {
  readonly store: BridgeStore;
  readonly limits: BridgeLimits;
  /** What stands in the store for the address of a caller, as rate limits take it. */
  readonly addressKeys: (address: string) => Omit<BridgeRoom, 'limits'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The calls of the bridge. Ids and bodies are as sent, addresses as rate limits take them; each call rejects with
 * ServiceError `bridge.invalid`, those that store also with `bridge.share_full` and `bridge.full`, and all with
 * `store.unreachable`.
 */
export interface Bridge {
  /** Stores a request under its own `request_id` or a new one, which it gives. @throws ServiceError `bridge.conflict` */
  createRequest(body: Uint8Array, address: string): Promise<string>;
  /** Stores a request, over what the id has. @throws ServiceError `bridge.conflict` for the id of a sign-in */
  putRequest(id: string, body: Uint8Array, address: string): Promise<void>;
  /** @throws ServiceError `bridge.not_found` unless the request waits */
  checkRequest(id: string): Promise<void>;
  /** Takes the request, once. @throws ServiceError `bridge.not_found` */
  takeRequest(id: string): Promise<BridgeMessage>;
  /** @throws ServiceError `bridge.not_found` unless the id waits for an answer */
  checkStatus(id: string): Promise<void>;
  /** Stores the answer to a request. @throws ServiceError `bridge.no_status`, `bridge.conflict` */
  answer(id: string, body: Uint8Array, address: string): Promise<void>;
  /** Stores an answer without a request, under a new id, which it gives. */
  createAnswer(body: Uint8Array, address: string): Promise<string>;
  /** Takes a waiting answer, once, or gives the status. @throws ServiceError `bridge.not_found` */
  takeAnswer(id: string): Promise<BridgeAnswer>;
}

const REFUSALS = {
  exists: 'bridge.conflict',
  no_status: 'bridge.no_status',
  share_full: 'bridge.share_full',
  full: 'bridge.full',
} as const satisfies Record<string, ErrorCode>;

type Outcome = 'created' | 'stored' | keyof typeof REFUSALS;

// A bridge that is full empties as entries end, so that trying at once would be in vain.
const FULL_RETRY_SECONDS = 30;

/** The bridge over its store. */
export function createBridge({ store, limits, addressKeys, now }: BridgeOptions): Bridge {
  const roomOf = (address: string): BridgeRoom => ({ ...addressKeys(address), limits });
  /** @param room - Whose share it was that had no room; absent where it may be that of another address. */
  const refuse = async (outcome: Outcome, room?: BridgeRoom): Promise<void> => {
    if (outcome === 'created' || outcome === 'stored') return;
    throw new ServiceError(REFUSALS[outcome], undefined, await detailsOf(outcome, room?.addressKey));
  };
  const detailsOf = async (
    outcome: keyof typeof REFUSALS,
    addressKey: string | undefined,
  ): Promise<ErrorDetails> => {
    if (outcome !== 'share_full' && outcome !== 'full') return { path: 'request_id' };
    if (outcome === 'full' || addressKey === undefined) return { retryAfterSeconds: FULL_RETRY_SECONDS };
    const endsAt = await store.shareEndsAt(addressKey, now());
    return { retryAfterSeconds: endsAt === undefined ? FULL_RETRY_SECONDS : (endsAt - now()) / 1000 };
  };

  return {
    createRequest: async (body, address) => {
      const { message, id = randomUUID() } = parseRequest(body);
      const room = roomOf(address);
      await refuse(await store.createRequest(id, message, room, now()), room);
      return id;
    },
    putRequest: async (id, body, address) => {
      const room = roomOf(address);
      await refuse(await store.putRequest(parseId(id), parseMessage(body), room, now()), room);
    },
    checkRequest: async (id) => {
      if ((await store.status(parseId(id), now())) !== 'initialized') throw notFound();
    },
    takeRequest: async (id) => found(await store.takeRequest(parseId(id), now())),
    checkStatus: async (id) => {
      found(await store.status(parseId(id), now()));
    },
    answer: async (id, body, address) => {
      // An answer to a stranger's request counts for the address of the request.
      await refuse(await store.answer(parseId(id), parseMessage(body), roomOf(address), now()));
    },
    createAnswer: async (body, address) => {
      const id = randomUUID();
      const room = roomOf(address);
      await refuse(await store.createAnswer(id, parseMessage(body), room, now()), room);
      return id;
    },
    takeAnswer: async (id) => found(await store.takeAnswer(parseId(id), now())),
  };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw notFound();
  return value;
}

function notFound(): ServiceError {
  return new ServiceError('bridge.not_found', undefined, { path: 'request_id' });
}
