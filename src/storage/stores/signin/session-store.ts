import type { Driver } from '../../drivers/driver.ts';
import type { SessionStore } from '../../model/store-signin.ts';
import { codeExists, insertCode } from '../../statements/signin/grants.ts';
import {
  endClientSessions,
  sessionByHash,
  sessionIsLive,
  toSessionRow,
} from '../../statements/signin/sessions.ts';
import { allOrNothing } from '../guarded.ts';
import { settled } from '../settled.ts';

/** Creates the store of sessions over a driver. */
export function createSessionStore(driver: Driver): SessionStore {
  return {
    find: async (sessionHash, clientId, now) => {
      const [row] = await driver.read(sessionByHash(sessionHash, clientId, now));
      return row === undefined ? undefined : toSessionRow(row);
    },
    answer: ({ sessionHash, clientId }, code, now) =>
      settled(driver, {
        write: () => allOrNothing(driver, [sessionIsLive(sessionHash, clientId, now), insertCode(code)]),
        done: true,
        own: codeExists(code.codeHash),
      }),
    endOfClients: async (clientIds) => {
      if (clientIds.length > 0) await driver.write(clientIds.map(endClientSessions));
    },
  };
}
