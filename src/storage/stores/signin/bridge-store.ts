import { ServiceError } from '../../../errors/index.ts';
import type { Driver } from '../../drivers/driver.ts';
import type { StoreObserver } from '../../model/store.ts';
import type { BridgeRefusal, BridgeSender, BridgeStatus, BridgeStore } from '../../model/store-bridge.ts';
import { integerColumn } from '../../statements/columns.ts';
import {
  answerRow,
  type BridgeRow,
  requestRow,
  type SeenMessage,
  seenMessages,
  toSeenMessage,
} from '../../statements/signin/bridge.ts';
import { ALL_NETWORKS, firstEndOfAddress, withinShare } from '../../statements/signin/bridge-charges.ts';
import {
  type BridgeChange,
  type ChangeResult,
  chargeOf,
  fitsItsPlace,
  growthOf,
  isMore,
  makeChange,
} from './bridge-change.ts';
import { isBeyond, makeRoom, usageOf } from './bridge-room.ts';

/** The rows of an id, ended ones included. */
interface SeenEntry {
  readonly request: SeenMessage | undefined;
  readonly response: SeenMessage | undefined;
}

/** Most tries of a change that was overtaken by other writers, or for which room was made. */
const MAX_TRIES = 200;

/**
 * Creates the store of bridge messages over a driver. A call reads the rows of its id, decides, and writes if
 * they are still as read; otherwise it starts over. Messages of strangers are charged to their address, those
 * of the service's own sign-ins are not charged. That also distinguishes the two: a message without a charge
 * is never overwritten from outside.
 */
export function createBridgeStore(driver: Driver, observer?: StoreObserver): BridgeStore {
  const entryOf = async (id: string): Promise<SeenEntry> => {
    const rows = (await driver.read(seenMessages(id))).map((row) => toSeenMessage(id, row));
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
      const refusal = await foreseenRefusal(driver, decided, now);
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
    createRequest: async (id, message, sender, now) => {
      const { outcome } = await change(now, async () => {
        const { request, response } = await entryOf(id);
        const isWaiting = isLive(request, now) && request.status === 'initialized';
        if (isWaiting || isOfSignIn(request, now) || isOfSignIn(response, now)) return 'exists';
        return addition(requestRow(id, message, 'initialized', now), [request, response], sender);
      });
      return outcome === 'made' ? 'created' : outcome;
    },
    putRequest: async (id, message, sender, now) => {
      const { outcome } = await change(now, async () => {
        const { request, response } = await entryOf(id);
        if (isOfSignIn(request, now) || isOfSignIn(response, now)) return 'exists';
        return addition(requestRow(id, message, 'initialized', now), [request], sender);
      });
      return outcome === 'made' ? 'stored' : outcome;
    },
    takeRequest: async (id, now) => {
      const result = await change(now, async () => {
        const { request } = await entryOf(id);
        if (!isLive(request, now) || request.status !== 'initialized') return 'absent';
        const row = requestRow(id, null, 'retrieved', now);
        const charges = request.charge === null ? [] : [chargeOf(row, request.charge)];
        return { removes: [request], adds: [row], charges };
      });
      return result.outcome === 'made' ? result.message : undefined;
    },
    status: async (id, now) => statusOf(await entryOf(id), now),
    answer: async (id, message, sender, now) => {
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
        const inPlace: BridgeChange = { removes: present(old), adds: [row], charges: [] };
        if (fitsItsPlace(message)) return inPlace;
        return { ...inPlace, charges: [{ ...chargeOf(row, sender), kind: 'sign_in_answer' }], sender };
      });
      return outcome === 'made' ? 'stored' : outcome;
    },
    createAnswer: async (id, message, sender, now) => {
      const { outcome } = await change(now, async () => {
        const { response } = await entryOf(id);
        if (isLive(response, now)) return 'exists';
        return addition(answerRow(id, message, now), [response], sender);
      });
      return outcome === 'made' ? 'created' : outcome;
    },
    takeAnswer: async (id, now) => {
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
    shareEndsAt: async (addressKey, now) => {
      const [row] = await driver.read(firstEndOfAddress(addressKey, now));
      return row === undefined ? undefined : integerColumn(row[0]);
    },
  };
}

/** Builds the change that replaces the rows of an id by a message of a stranger. */
function addition(
  row: BridgeRow,
  old: readonly (SeenMessage | undefined)[],
  sender: BridgeSender,
): BridgeChange {
  return { removes: present(old), adds: [row], charges: [chargeOf(row, sender)], sender };
}

/** Predicts the refusal of a change from committed usage, so that a flood is answered without the writer. */
async function foreseenRefusal(
  driver: Driver,
  change: BridgeChange,
  now: number,
): Promise<BridgeRefusal | undefined> {
  const { sender } = change;
  if (sender === undefined) return undefined;
  const { own, all } = growthOf(change);
  if (isMore(own) && (await driver.read(withinShare(sender, own, now))).length === 0) return 'share_full';
  return isMore(all) && isBeyond(await usageOf(driver, ALL_NETWORKS), all, sender.limits)
    ? 'full'
    : undefined;
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
