import type { Config } from '../../config/settings/types.ts';
import { type CircuitMaker, createCircuitMaker } from '../../development/index.ts';
import type { Log } from '../../observability/index.ts';

/** Creates the maker of the development circuit, which tells the log how far it is. */
export function createCircuit(
  { dataDir, engine }: Config,
  log: Pick<Log, 'info' | 'warn'>,
  now: () => number,
): CircuitMaker {
  return createCircuitMaker({
    ...{ dataDir, engine, now },
    onEvent(told) {
      switch (told.event) {
        case 'circuit.making':
          log.info(`the development circuit is missing and made in the background: ${told.what}`, {
            event: told.event,
          });
          break;
        case 'circuit.ready':
          log.info(`the development circuit is ready after ${told.seconds} s: proofs can be made`, {
            event: told.event,
          });
          break;
        case 'circuit.failed':
          log.warn(`the development circuit could not be made: ${told.reason}`, {
            ...{ event: told.event, code: told.code },
          });
          break;
      }
    },
  });
}
