import type { Driver } from '../../drivers/driver.ts';
import type { SessionStore } from '../../model/store-signin.ts';
import { codeExists, insertCode } from '../../statements/signin/grants.ts';
import { usePushedRequest } from '../../statements/signin/pushed-requests.ts';
import {
  endClientSessions,
  sessionByHash,
  sessionIsLive,
  toSessionRow,
} from '../../statements/signin/sessions.ts';
import { guarded, type Step } from '../guarded.ts';
import { settled } from '../settled.ts';

/** Creates the store of sessions over a driver. */
export function createSessionStore(driver: Driver): SessionStore {
  return {
    find: async (sessionHash, clientId, now) => {
      const [row] = await driver.read(sessionByHash(sessionHash, clientId, now));
      return row === undefined ? undefined : toSessionRow(row);
    },
    answer: ({ sessionHash, clientId }, code, now, pushed) => {
      const steps: Step<'ended' | 'push_used'>[] = [[sessionIsLive(sessionHash, clientId, now), 'ended']];
      if (pushed !== undefined) steps.push([usePushedRequest(pushed, now), 'push_used']);
      if (code !== undefined) steps.push([insertCode(code)]);
      const write = (): Promise<'answered' | 'ended' | 'push_used'> => guarded(driver, steps, 'answered');
      if (code === undefined) return write();
      return settled(driver, { write, done: 'answered', own: codeExists(code.codeHash) });
    },
    endOfClients: async (clientIds) => {
      if (clientIds.length > 0) await driver.write(clientIds.map(endClientSessions));
    },
  };
}
