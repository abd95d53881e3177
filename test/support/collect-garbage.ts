import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Frees what nobody refers to any more. libsql has no call that ends a prepared statement, and a file stays open until
 * the statements of its connection are collected, so that a test process would keep the files of stores it has closed.
 */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  collect();
  // finalizers run in a turn of their own, and free what a second collection finds
  await turn();
  collect();
  await turn();
}
