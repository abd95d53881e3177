import type { ErrorCode } from '../errors/catalogue.ts';
import { type ErrorDetails, ServiceError } from '../errors/service-error.ts';
import { isObject, type JsonObject, parseJson } from '../json.ts';
import type { BridgeAnswer, BridgeStore } from '../storage/bridge/bridge.ts';
import type { BridgeLimits, BridgeSender } from '../storage/bridge/charges.ts';
import type { BridgeMessage } from '../storage/values.ts';

declare const bridgeId: unique symbol;

/** Id of a bridge message: 16 to 256 of a-z, 0-9, `.`, `_` and `-`. */
export type BridgeId = string & { readonly [bridgeId]: true };

const FORM = /^[A-Za-z0-9._-]{16,256}$/;

/**
 * Parses an id; returns it in its stored form, lower case.
 *
 * @throws ServiceError `bridge.invalid`
 */
function parseId(text: string): BridgeId {
  if (!FORM.test(text)) {
    throw new ServiceError(
      'bridge.invalid',
      `request_id: expected 16 to 256 of A-Z, a-z, 0-9, '.', '_' and '-', got ${text.length} characters`,
      { path: 'request_id' },
    );
  }
  return text.toLowerCase() as BridgeId;
}

/** A new request and, if the caller chose one, its id. */
export interface NewRequest {
  readonly message: BridgeMessage;
  readonly id: BridgeId | undefined;
}

const NOT_STORABLE = /[\0\p{Surrogate}]/u;

/**
 * Reads a body `{"iv","payload"}`; other members are ignored.
 *
 * @throws ServiceError `bridge.invalid`
 */
function parseMessage(body: Uint8Array): BridgeMessage {
  return toMessage(parseObject(body));
}

/**
 * Reads the body of a new request: a message, and `request_id` if the caller chose it.
 *
 * @throws ServiceError `bridge.invalid`
 */
function parseRequest(body: Uint8Array): NewRequest {
  const members = parseObject(body);
  const { request_id: id = null } = members;
  if (id !== null && typeof id !== 'string') throw invalid('request_id: expected text', 'request_id');
  return { message: toMessage(members), id: id === null ? undefined : parseId(id) };
}

function toMessage(members: JsonObject): BridgeMessage {
  return { iv: textMember(members, 'iv'), payload: textMember(members, 'payload') };
}

function parseObject(body: Uint8Array): JsonObject {
  let value: unknown;
  try {
    value = parseJson(body);
  } catch {
    // The parser's message quotes the body, so it is dropped.
    throw invalid('body: expected JSON');
  }
  if (!isObject(value)) throw invalid('body: expected a JSON object');
  return value;
}

/** Accepts any text: the relay cannot decrypt, and anything but ciphertext fails at the receiver. */
function textMember(members: JsonObject, name: 'iv' | 'payload'): string {
  const value = members[name];
  if (typeof value !== 'string' || NOT_STORABLE.test(value)) {
    throw invalid(`${name}: expected text without U+0000 and unpaired surrogates`, name);
  }
  return value;
}

function invalid(message: string, path?: string): ServiceError {
  return new ServiceError('bridge.invalid', message, path === undefined ? {} : { path });
}

/** Dependencies and limits of the bridge. */
export interface BridgeOptions {
  readonly store: BridgeStore;
  readonly limits: BridgeLimits;
  /** Derives the keys that are stored instead of the address of a caller (in the form for rate limits). */
  readonly addressKeys: (address: string) => Omit<BridgeSender, 'limits'>;
  /** Creates ids for messages without one. */
  readonly newId: () => string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * The calls of the bridge. Ids and bodies are as sent, addresses in the form for rate limits. Every call rejects with
 * ServiceError `bridge.invalid` or `store.unreachable`; those that store a message also with `bridge.share_full` and
 * `bridge.full`.
 */
export interface Bridge {
  /**
   * Stores a request under its `request_id` or a new one; returns the id.
   *
   * @throws ServiceError `bridge.conflict`
   */
  createRequest(body: Uint8Array, address: string): Promise<string>;
  /**
   * Stores a request, replacing any request under the id.
   *
   * @throws ServiceError `bridge.conflict` for the id of a sign-in
   */
  putRequest(id: string, body: Uint8Array, address: string): Promise<void>;
  /** Checks that the request has not been taken yet. @throws ServiceError `bridge.not_found` */
  checkRequest(id: string): Promise<void>;
  /** Returns and removes the request: a second call fails. @throws ServiceError `bridge.not_found` */
  takeRequest(id: string): Promise<BridgeMessage>;
  /** Checks that the id is waiting for an answer. @throws ServiceError `bridge.not_found` */
  checkStatus(id: string): Promise<void>;
  /** Stores the answer to a request. @throws ServiceError `bridge.no_status`, `bridge.conflict` */
  answer(id: string, body: Uint8Array, address: string): Promise<void>;
  /** Stores an answer without a request under a new id; returns the id. */
  createAnswer(body: Uint8Array, address: string): Promise<string>;
  /**
   * Returns and removes the answer, or returns the status if there is none.
   *
   * @throws ServiceError `bridge.not_found`
   */
  takeAnswer(id: string): Promise<BridgeAnswer>;
}

const REFUSALS = {
  exists: 'bridge.conflict',
  no_status: 'bridge.no_status',
  share_full: 'bridge.share_full',
  full: 'bridge.full',
} as const satisfies Record<string, ErrorCode>;

type Outcome = 'created' | 'stored' | keyof typeof REFUSALS;

// A full bridge has space only after entries expire: an immediate retry would fail.
const FULL_RETRY_SECONDS = 30;

/** Creates the bridge over its store. */
export function createBridge({ store, limits, addressKeys, newId, now }: BridgeOptions): Bridge {
  const senderOf = (address: string): BridgeSender => ({ ...addressKeys(address), limits });
  /** @param sender - The caller whose share is full; absent if the share may belong to another address. */
  const refuse = async (outcome: Outcome, sender?: BridgeSender): Promise<void> => {
    if (outcome === 'created' || outcome === 'stored') return;
    throw new ServiceError(REFUSALS[outcome], undefined, await detailsOf(outcome, sender?.addressKey));
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
      const { message, id = newId() } = parseRequest(body);
      const sender = senderOf(address);
      await refuse(await store.createRequest(id, message, sender, now()), sender);
      return id;
    },
    putRequest: async (id, body, address) => {
      const sender = senderOf(address);
      await refuse(await store.putRequest(parseId(id), parseMessage(body), sender, now()), sender);
    },
    checkRequest: async (id) => {
      if ((await store.status(parseId(id), now())) !== 'initialized') throw notFound();
    },
    takeRequest: async (id) => found(await store.takeRequest(parseId(id), now())),
    checkStatus: async (id) => {
      found(await store.status(parseId(id), now()));
    },
    answer: async (id, body, address) => {
      // An answer is charged to the address that sent the request, which may differ from the caller.
      await refuse(await store.answer(parseId(id), parseMessage(body), senderOf(address), now()));
    },
    createAnswer: async (body, address) => {
      const id = newId();
      const sender = senderOf(address);
      await refuse(await store.createAnswer(id, parseMessage(body), sender, now()), sender);
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
