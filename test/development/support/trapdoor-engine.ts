import { TRAPDOOR_KEY } from '../../../src/development/worldid4/seed.ts';
import type { Engine } from '../../../src/engine/engine.ts';
import { builtInKey, loadBuiltInKey } from '../../../src/membership/keys/built-in-keys.ts';
import { startEngine } from '../../engine/support/describe-engine.ts';

/** Starts an engine without workers that has the key trapdoor-15. */
export async function startTrapdoorEngine(): Promise<Engine> {
  const { engine } = await startEngine({ workers: 0 });
  const row = builtInKey(TRAPDOOR_KEY);
  if (row === undefined) throw new Error('no built-in key');
  await engine.registerKey(TRAPDOOR_KEY, (await loadBuiltInKey(row)).key);
  return engine;
}
