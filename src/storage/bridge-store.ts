import type { Driver, SqlRow } from './drivers/driver.ts';
import { guarded } from './guarded.ts';
import {
  answerRow,
  bridgeState,
  dropBridgeAnswer,
  endBridgeRequest,
  insertBridgeRequest,
  insertBridgeRow,
  putBridgeRow,
  requestRow,
  takeBridgeAnswer,
  takeBridgeRequest,
  toBridgeMessage,
  toBridgeState,
  withinBridgeLimits,
} from './statements/bridge.ts';
import type { BridgeMessage, BridgeStore } from './store.ts';

/** Messages of the wallet bridge over a driver. The messages themselves are read by the statement that removes them. */
export function createBridgeStore(driver: Driver): BridgeStore {
  const stateOf = async (id: string, now: number): Promise<ReturnType<typeof toBridgeState>> =>
    toBridgeState(await driver.read(bridgeState(id, now)));

  return {
    createRequest: (id, message, limits, now) =>
      guarded(
        driver,
        [
          [insertBridgeRequest(requestRow(id, message, 'initialized', now), now), 'exists'],
          [dropBridgeAnswer(id)],
          [withinBridgeLimits(limits, now), 'full'],
        ],
        'created',
      ),
    putRequest: (id, message, limits, now) =>
      guarded(
        driver,
        [
          [putBridgeRow(requestRow(id, message, 'initialized', now))],
          [withinBridgeLimits(limits, now), 'full'],
        ],
        'stored',
      ),
    takeRequest: async (id, now) => {
      const [taken = []] = await driver.write([
        takeBridgeRequest(id, now),
        putBridgeRow(requestRow(id, null, 'retrieved', now)),
      ]);
      return messageOf(taken);
    },
    status: async (id, now) => (await stateOf(id, now)).status,
    answer: (id, message, limits, now) =>
      guarded(
        driver,
        [
          [endBridgeRequest(id, now), 'no_status'],
          [insertBridgeRow(answerRow(id, message, now), now), 'exists'],
          [withinBridgeLimits(limits, now), 'full'],
        ],
        'stored',
      ),
    createAnswer: (id, message, limits, now) =>
      guarded(
        driver,
        [
          [insertBridgeRow(answerRow(id, message, now), now), 'exists'],
          [withinBridgeLimits(limits, now), 'full'],
        ],
        'created',
      ),
    takeAnswer: async (id, now) => {
      // A page asks every second or two, nearly always in vain: that must not wait for the writer.
      const state = await stateOf(id, now);
      if (state.hasAnswer) {
        const [taken = []] = await driver.write([takeBridgeAnswer(id, now)]);
        const message = messageOf(taken);
        if (message !== undefined) return { status: 'completed', message };
      }
      return state.status === undefined ? undefined : { status: state.status };
    },
  };
}

function messageOf([row]: readonly SqlRow[]): BridgeMessage | undefined {
  return row === undefined ? undefined : toBridgeMessage(row);
}
