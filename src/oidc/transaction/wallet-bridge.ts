import type { BridgeIds } from '../../apps/address-keys.ts';
import { isObject, type JsonObject, parseJson } from '../../json.ts';
import { callOut } from '../../outgoing.ts';
import type { BridgeStore } from '../../storage/bridge/bridge.ts';
import type { BridgeStatus } from '../../storage/bridge/messages.ts';
import type { AttemptMessage, TransactionRow, TransactionStore } from '../../storage/signin/transactions.ts';
import type { BridgeMessage } from '../../storage/values.ts';

/** A request on a bridge. */
export interface PlacedRequest {
  /** Null if the bridge could not be reached. */
  readonly bridgeId: string | null;
  /** To be stored together with the attempt; only for the own bridge. */
  readonly message: AttemptMessage | undefined;
}

/**
 * State of a request at the bridge: its status; `answered` if its answer was moved into the sign-in; `gone`; `unknown`
 * if the bridge did not respond.
 */
export type Collected = BridgeStatus | 'answered' | 'gone' | 'unknown';

/** A sign-in whose attempt has a request on the bridge. */
export type WaitingRow = Pick<TransactionRow, 'txn' | 'attempt' | 'windowEndsAt'> & {
  readonly bridgeId: string;
};

/**
 * The bridge that sign-ins use: this service's own in the store, or an external one over HTTP
 * (spec/sign-in.md#wallet-bridge).
 */
export interface WalletBridge {
  /** Address for the connect URL. */
  readonly url: string;
  /** Places a request on the bridge, or returns the message to be stored for it. */
  place(message: BridgeMessage): Promise<PlacedRequest>;
  /** Moves the answer of the wallet into the sign-in, if it has arrived in time. */
  collect(row: WaitingRow): Promise<Collected>;
}

/** Dependencies of `createOwnBridge`: it uses rows of the store and no HTTP. */
export interface OwnBridgeParts {
  readonly url: string;
  readonly bridge: Pick<BridgeStore, 'status'>;
  readonly transactions: Pick<TransactionStore, 'takeAnswer'>;
  readonly bridgeIds: Pick<BridgeIds, 'create'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates the access to this service's own bridge. Its request row is written in the same store transaction
 * as the attempt.
 */
export function createOwnBridge(parts: OwnBridgeParts): WalletBridge {
  const { url, bridge, transactions, bridgeIds, now } = parts;
  return {
    url,
    place(message) {
      const bridgeId = bridgeIds.create();
      return Promise.resolve({ bridgeId, message: { bridgeId, message } });
    },
    async collect({ txn, attempt, bridgeId }) {
      // An id has a status until it is answered, so a poll before the answer is one read without a write.
      const status = await bridge.status(bridgeId, now());
      if (status !== undefined) return status;
      return (await transactions.takeAnswer(txn, attempt, now())) ? 'answered' : 'gone';
    },
  };
}

/** Dependencies of `createExternalBridge`. */
export interface ExternalBridgeParts {
  /** Base URL without a trailing slash; it may have a path. */
  readonly url: string;
  /** Maximum size of the wallet's answer in a response of the bridge. */
  readonly bodyLimitBytes: number;
  readonly transactions: Pick<TransactionStore, 'storeAnswer'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface BridgeResponse {
  readonly status: number;
  readonly body: JsonObject;
}

const TIMEOUT_MS = 5000;
/** Allowance for the members around a message. */
const ENVELOPE_BYTES = 1024;
const REQUEST_ID = /^[A-Za-z0-9._-]{16,256}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
/** Replaces an answer that is not a ciphertext, so that its decryption fails. */
const NOT_A_MESSAGE: BridgeMessage = { iv: '', payload: '' };

/** Creates the client of an external bridge over HTTP, which is queried only when the browser polls. */
export function createExternalBridge(parts: ExternalBridgeParts): WalletBridge {
  const { url, bodyLimitBytes, transactions, now } = parts;
  const limit = bodyLimitBytes + ENVELOPE_BYTES;

  return {
    url,
    async place(message) {
      const response = await call(`${url}/request`, limit, message);
      const id = response?.status === 200 ? response.body.request_id : undefined;
      const isId = typeof id === 'string' && REQUEST_ID.test(id);
      return { bridgeId: isId ? id : null, message: undefined };
    },
    async collect({ txn, attempt, bridgeId, windowEndsAt }) {
      if (now() > windowEndsAt) return 'gone';
      const response = await call(`${url}/response/${encodeURIComponent(bridgeId)}`, limit);
      if (response?.status === 404) return 'gone';
      if (response?.status !== 200) return 'unknown';
      const { status, response: answer } = response.body;
      if (status === 'initialized' || status === 'retrieved') return status;
      if (status !== 'completed') return 'unknown';
      const isStored = await transactions.storeAnswer(txn, attempt, toBridgeMessage(answer), now());
      return isStored ? 'answered' : 'gone';
    },
  };
}

/** Calls the bridge; returns undefined if there is no complete response, or a successful one is not JSON. */
async function call(address: string, limit: number, body?: unknown): Promise<BridgeResponse | undefined> {
  try {
    const { status, isOk, bytes } = await callOut({
      url: address,
      reach: 'any',
      timeoutMs: TIMEOUT_MS,
      maxBytes: limit,
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (bytes === undefined) return undefined;
    // wallet-bridge refuses with only a status
    if (!isOk) return { status, body: {} };
    const value = parseJson(bytes);
    return { status, body: isObject(value) ? value : {} };
  } catch {
    // Unreachable, too slow, too long or not JSON: the bridge is unavailable, and the person can try again.
    return undefined;
  }
}

function toBridgeMessage(answer: unknown): BridgeMessage {
  const { iv, payload } = isObject(answer) ? answer : {};
  if (typeof iv !== 'string' || typeof payload !== 'string') return NOT_A_MESSAGE;
  return BASE64.test(iv) && BASE64.test(payload) ? { iv, payload } : NOT_A_MESSAGE;
}
