import type { Driver, Statement } from '../../drivers/driver.ts';
import { endSomeFamilies } from '../../statements/signin/refresh-families.ts';
import { endSomeSessions, MAX_ENDED } from '../../statements/signin/sessions.ts';
import { writeAll } from '../guarded.ts';

/**
 * Ends the sessions of a client, a thousand in each transaction. A transaction that must leave none ends the few that
 * began since: one that ended hundreds of thousands would exceed the time limit of the store each time it is tried.
 */
export async function endSessionsInBatches(driver: Driver, clientId: string): Promise<void> {
  await inBatches(driver, [endSomeSessions(clientId, MAX_ENDED)]);
}

/** Ends the families of refresh tokens of a client as `endSessionsInBatches` ends its sessions. */
export async function endFamiliesInBatches(driver: Driver, clientId: string): Promise<void> {
  await inBatches(driver, endSomeFamilies(clientId, MAX_ENDED));
}

/** Runs a transaction until its last statement returns fewer than `MAX_ENDED` rows. */
async function inBatches(driver: Driver, statements: readonly Statement[]): Promise<void> {
  let ended: number;
  do {
    ended = (await writeAll(driver, statements)).at(-1)?.length ?? 0;
  } while (ended === MAX_ENDED);
}
