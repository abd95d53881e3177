import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees unreferenced objects. libsql has no call that ends a prepared statement, and a file stays open until
 * the statements of its connection are collected, so without this a test process would keep the files of
 * closed stores open.
 */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // finalizers run in a later turn, and release objects for the second collection
  await turn();
  collect();
  await turn();
}
