import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { ServiceError } from '../../errors/index.ts';

/** The installed tools of a setup; none is loaded into this process, the compiler runs as a child process. */
export interface SetupTools {
  /** Program of circom2, a JavaScript file. */
  readonly compiler: string;
  /** Folder of the circuits of circomlib. */
  readonly library: string;
}

/**
 * Finds the tools, which are development dependencies.
 *
 * @throws ServiceError `circuit.tools_missing`, naming each that is missing
 */
export function findTools(): SetupTools {
  const missing: string[] = [];
  const find = (name: string, file: string): string => {
    try {
      return createRequire(import.meta.url).resolve(`${name}/${file}`);
    } catch {
      missing.push(name);
      return '';
    }
  };
  const compiler = find('circom2', 'cli.js');
  const library = dirname(find('circomlib', 'circuits/poseidon.circom'));
  if (missing.length > 0) {
    throw new ServiceError('circuit.tools_missing', `not installed: ${missing.join(', ')}`);
  }
  return { compiler, library };
}
