import { isObject, type JsonObject, parseJson } from '../../../json.ts';
import { callOut } from '../../../outgoing.ts';
import type { BridgeMessage, TransactionStore } from '../../../storage/index.ts';
import type { WalletBridge } from './wallet-bridge.ts';

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
      ...{ url: address, reach: 'any', timeoutMs: TIMEOUT_MS, maxBytes: limit },
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    if (bytes === undefined) return undefined;
    // wallet-bridge refuses with only a status
    if (!isOk) return { status, body: {} };
    const value = parseJson(bytes);
    return { status, body: isObject(value) ? value : {} };
  } catch {
    // Unreachable, too slow, too long or not JSON: the bridge is unavailable now, and the person can try
    // again.
    return undefined;
  }
}

function toBridgeMessage(answer: unknown): BridgeMessage {
  const { iv, payload } = isObject(answer) ? answer : {};
  if (typeof iv !== 'string' || typeof payload !== 'string') return NOT_A_MESSAGE;
  return BASE64.test(iv) && BASE64.test(payload) ? { iv, payload } : NOT_A_MESSAGE;
}
