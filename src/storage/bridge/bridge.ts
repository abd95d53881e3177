import { ServiceError } from '../../errors/service-error.ts';
import type { Driver } from '../drivers/driver.ts';
import type { BridgeMessage } from '../values.ts';
import {
  type BridgeChange,
  type ChangeResult,
  chargeOf,
  fitsReservedSpace,
  growthOf,
  makeChange,
} from './change.ts';
import {
  type BridgeRefusal,
  type BridgeSender,
  firstEndOfAddress,
  isBeyond,
  isBeyondShare,
  isMore,
  makeRoom,
} from './charges.ts';
import {
  answerRow,
  type BridgeRow,
  type BridgeStatus,
  requestRow,
  type SeenMessage,
  seenMessages,
} from './messages.ts';

/** Most tries of a change that was overtaken by other writers, or for which room was made. */
const MAX_TRIES = 200;

/** A waiting answer or, until there is one, the status of the request. */
export type BridgeAnswer =
  | { readonly status: BridgeStatus }
  | { readonly status: 'completed'; readonly message: BridgeMessage };

/** Receives the measurements of the bridge. */
export interface BridgeObserver {
  /** Reports the number of strangers' messages that were removed to make room for another network. */
  bridgeEviction(messages: number): void;
}

/** The rows of an id, ended ones included. */
interface SeenEntry {
  readonly request: SeenMessage | undefined;
  readonly response: SeenMessage | undefined;
}

/**
 * Messages of the wallet bridge (spec/sign-in.md#wallet-bridge). Times are milliseconds since the epoch; an
 * expired row counts as absent. A write is one transaction, durable when it resolves; of concurrent callers,
 * in any process, exactly one takes a message. The messages of sign-ins, which `TransactionStore` puts here,
 * count against none of the bounds and cannot be replaced by these calls.
 */
export type BridgeStore = ReturnType<typeof createBridgeStore>;

/**
 * Creates the store of bridge messages over a driver. A call reads the rows of its id, decides, and writes if
 * they are still as read; otherwise it starts over. Messages of strangers are charged to their address, those
 * of the service's own sign-ins are not charged. That also distinguishes the two: a message without a charge
 * is never overwritten from outside.
 */
export function createBridgeStore(driver: Driver, observer?: BridgeObserver) {
  const entryOf = async (id: string): Promise<SeenEntry> => {
    const rows = await seenMessages(driver, id);
    return {
      request: rows.find(({ kind }) => kind === 'request'),
      response: rows.find(({ kind }) => kind === 'response'),
    };
  };

  /** Makes the change that `decide` returns, or returns its refusal. */
  const change = async <Refusal extends string = never>(
    now: number,
    decide: () => Promise<BridgeChange | Refusal>,
  ): Promise<ChangeResult<'made' | Refusal | BridgeRefusal>> => {
    let isFull = false;
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const decided = await decide();
      if (typeof decided === 'string') return { outcome: decided };
      const refusal = await refusalBeforeWrite(driver, decided, now);
      const { outcome, message } =
        refusal === undefined ? await makeChange(driver, decided, now) : { outcome: refusal };
      isFull = outcome === 'full';
      if (outcome === 'full' && decided.sender !== undefined) {
        const evicted = await makeRoom(driver, growthOf(decided).all, decided.sender, now);
        if (evicted === undefined) return { outcome };
        if (evicted > 0) observer?.bridgeEviction(evicted);
      } else if (outcome !== 'overtaken') return { outcome, message };
    }
    if (isFull) return { outcome: 'full' };
    throw new ServiceError(
      'store.unreachable',
      `a message of the bridge was changed by others in each of ${MAX_TRIES} tries`,
    );
  };

  return {
    /**
     * Stores a request with the status `initialized`; removes an old answer of the id. Returns `exists` while
     * another request waits under the id, or if the id is that of a sign-in.
     */
    async createRequest(
      id: string,
      message: BridgeMessage,
      sender: BridgeSender,
      now: number,
    ): Promise<'created' | 'exists' | BridgeRefusal> {
      const { outcome } = await change(now, async () => {
        const { request, response } = await entryOf(id);
        const isWaiting = isLive(request, now) && request.status === 'initialized';
        if (isWaiting || isOfSignIn(request, now) || isOfSignIn(response, now)) return 'exists';
        return addition(requestRow(id, message, 'initialized', now), [request, response], sender);
      });
      return outcome === 'made' ? 'created' : outcome;
    },
    /**
     * Stores or overwrites a request, with the status `initialized`; a waiting answer is kept. Returns `exists` if the
     * id is that of a sign-in.
     */
    async putRequest(
      id: string,
      message: BridgeMessage,
      sender: BridgeSender,
      now: number,
    ): Promise<'stored' | 'exists' | BridgeRefusal> {
      const { outcome } = await change(now, async () => {
        const { request, response } = await entryOf(id);
        if (isOfSignIn(request, now) || isOfSignIn(response, now)) return 'exists';
        return addition(requestRow(id, message, 'initialized', now), [request], sender);
      });
      return outcome === 'made' ? 'stored' : outcome;
    },
    /** Returns the request once: erases it, sets the status to `retrieved` and restarts the id's lifetime. */
    async takeRequest(id: string, now: number): Promise<BridgeMessage | undefined> {
      const result = await change(now, async () => {
        const { request } = await entryOf(id);
        if (!isLive(request, now) || request.status !== 'initialized') return 'absent';
        const row = requestRow(id, null, 'retrieved', now);
        const charges = request.charge === null ? [] : [chargeOf(row, request.charge)];
        return { removes: [request], adds: [row], charges };
      });
      return result.outcome === 'made' ? result.message : undefined;
    },
    /** Returns the status of an id: `initialized` while the request can be taken. */
    status: async (id: string, now: number): Promise<BridgeStatus | undefined> =>
      statusOf(await entryOf(id), now),
    /**
     * Stores the answer of an id that has a status and no answer; removes request and status. An answer of up
     * to 4096 bytes always has room. A larger one is charged to the address that its request is charged to, or
     * to its sender if the request is that of a sign-in.
     */
    async answer(
      id: string,
      message: BridgeMessage,
      sender: BridgeSender,
      now: number,
    ): Promise<'stored' | 'no_status' | 'exists' | BridgeRefusal> {
      const { outcome } = await change(now, async () => {
        const { request, response } = await entryOf(id);
        if (!isLive(request, now)) return 'no_status';
        if (isLive(response, now)) return 'exists';
        const row = answerRow(id, message, now);
        const old = [request, response];
        if (request.charge !== null) {
          const { addressKey, networkKey } = request.charge;
          return addition(row, old, { addressKey, networkKey, limits: sender.limits });
        }
        const uncharged: BridgeChange = { removes: present(old), adds: [row], charges: [] };
        if (fitsReservedSpace(message)) return uncharged;
        return { ...uncharged, charges: [{ ...chargeOf(row, sender), kind: 'sign_in_answer' }], sender };
      });
      return outcome === 'made' ? 'stored' : outcome;
    },
    /** Stores an answer that belongs to no request. */
    async createAnswer(
      id: string,
      message: BridgeMessage,
      sender: BridgeSender,
      now: number,
    ): Promise<'created' | 'exists' | BridgeRefusal> {
      const { outcome } = await change(now, async () => {
        const { response } = await entryOf(id);
        if (isLive(response, now)) return 'exists';
        return addition(answerRow(id, message, now), [response], sender);
      });
      return outcome === 'made' ? 'created' : outcome;
    },
    /** Returns and removes a waiting answer, or returns the status; undefined if the id has neither. */
    async takeAnswer(id: string, now: number): Promise<BridgeAnswer | undefined> {
      let status: BridgeStatus | undefined;
      const result = await change(now, async () => {
        const entry = await entryOf(id);
        status = statusOf(entry, now);
        if (!isLive(entry.response, now)) return 'absent';
        return { removes: [entry.response], adds: [], charges: [] };
      });
      if (result.outcome === 'made' && result.message !== undefined) {
        return { status: 'completed', message: result.message };
      }
      return status === undefined ? undefined : { status };
    },
    /** Returns when the oldest live message of an address ends; undefined if it has none. */
    shareEndsAt: (addressKey: string, now: number): Promise<number | undefined> =>
      firstEndOfAddress(driver, addressKey, now),
  };
}

/** Builds the change that replaces the rows of an id by a message of an external sender. */
function addition(
  row: BridgeRow,
  old: readonly (SeenMessage | undefined)[],
  sender: BridgeSender,
): BridgeChange {
  return { removes: present(old), adds: [row], charges: [chargeOf(row, sender)], sender };
}

/** Checks a change against committed usage, so that a flood is refused without the writer. */
async function refusalBeforeWrite(
  driver: Driver,
  change: BridgeChange,
  now: number,
): Promise<BridgeRefusal | undefined> {
  const { sender } = change;
  if (sender === undefined) return undefined;
  const { own, all } = growthOf(change);
  if (isMore(own) && (await isBeyondShare(driver, sender, now, own))) return 'share_full';
  return isMore(all) && (await isBeyond(driver, all, sender.limits)) ? 'full' : undefined;
}

function present(seen: readonly (SeenMessage | undefined)[]): SeenMessage[] {
  return seen.filter((row) => row !== undefined);
}

function isLive(row: SeenMessage | undefined, now: number): row is SeenMessage {
  return row !== undefined && row.expiresAt > now;
}

/** Whether a live row belongs to a sign-in of this service. */
function isOfSignIn(row: SeenMessage | undefined, now: number): boolean {
  return isLive(row, now) && row.charge === null;
}

function statusOf({ request }: SeenEntry, now: number): BridgeStatus | undefined {
  return isLive(request, now) ? (request.status ?? undefined) : undefined;
}
