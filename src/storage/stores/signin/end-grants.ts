import { countRemoved, removeAll } from '../../batches.ts';
import type { Driver } from '../../drivers/driver.ts';
import { endSomeFamilies } from '../../statements/signin/refresh-families.ts';
import { endSomeSessions, MAX_ENDED } from '../../statements/signin/sessions.ts';
import { writeAll } from '../../transaction.ts';

/**
 * Ends the sessions of a client, a thousand in each transaction. A transaction that must leave none ends the few that
 * began since: one that ended hundreds of thousands would exceed the time limit of the store each time it is tried.
 */
export async function endSessionsInBatches(driver: Driver, clientId: string): Promise<void> {
  await removeAll((limit) => countRemoved(driver, endSomeSessions(clientId, limit)), MAX_ENDED);
}

/** Ends the families of refresh tokens of a client as `endSessionsInBatches` ends its sessions. */
export async function endFamiliesInBatches(driver: Driver, clientId: string): Promise<void> {
  const endSome = async (limit: number): Promise<number> =>
    (await writeAll(driver, endSomeFamilies(clientId, limit))).at(-1)?.length ?? 0;
  await removeAll(endSome, MAX_ENDED);
}
