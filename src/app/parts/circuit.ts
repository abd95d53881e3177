import type { Config } from '../../config/settings/types.ts';
import { type CircuitMaker, createCircuitMaker } from '../../development/circuit-maker.ts';
import type { Log } from '../../observability/log/log.ts';
import type { Part } from '../lifecycle.ts';

/** Creates the maker of the development circuit, which logs its progress; undefined in production. */
export function createCircuit(
  { dataDir, engine, development, profile }: Config,
  log: Pick<Log, 'info' | 'warn'>,
  now: () => number,
): (CircuitMaker & Part) | undefined {
  if (profile === 'production') return undefined;
  const maker = createCircuitMaker({
    dataDir,
    engine,
    now,
    onEvent(progress) {
      switch (progress.event) {
        case 'circuit.making':
          log.info(`the development circuit is missing and is made in the background: ${progress.what}`, {
            event: progress.event,
          });
          break;
        case 'circuit.ready':
          log.info(`the development circuit is ready after ${progress.seconds} s: proofs can be made`, {
            event: progress.event,
          });
          break;
        case 'circuit.failed':
          log.warn(`the development circuit could not be made: ${progress.reason}`, {
            event: progress.event,
            code: progress.code,
          });
          break;
      }
    },
  });
  return {
    name: 'circuit',
    ...maker,
    start: async () => {
      if (development.makeCircuit) await maker.start();
    },
  };
}
