import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join, parse } from 'node:path';
import { text } from 'node:stream/consumers';
import { ServiceError } from '../../errors/service-error.ts';
import { MAIN_SOURCE, SOURCE_FOLDER, sourceFiles } from '../circuit-files.ts';

/** The installed tools of a setup. The compiler runs as a child process; no tool is loaded into this one. */
export interface SetupTools {
  /** Program of circom2, a JavaScript file. */
  readonly compiler: string;
  /** Folder of the circuits of circomlib. */
  readonly library: string;
}

/**
 * Finds the tools, which are development dependencies.
 *
 * @throws ServiceError `circuit.tools_missing` with the names of the missing ones
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

const LIBRARY_FOLDER = 'library';
const MESSAGE_CHARACTERS = 1000;

/** Output of the compiler; the same bytes on every machine. */
export interface CompiledCircuit {
  /** Path of the constraints. */
  readonly r1cs: string;
  /** Path of the witness code, a WebAssembly file. */
  readonly witnessCode: string;
}

/**
 * Compiles the circuit in an empty folder. Sources and library are copied into it, because the compiler can read only
 * files below its working directory.
 *
 * @param folder - An existing folder; the caller removes it.
 * @param signal - Aborts the compiler; its reason is thrown.
 * @throws ServiceError `circuit.compiler_failed` with the compiler's output
 */
export async function compileCircuit(
  folder: string,
  { compiler, library }: SetupTools,
  signal?: AbortSignal,
): Promise<CompiledCircuit> {
  await mkdir(join(folder, LIBRARY_FOLDER));
  await cp(library, join(folder, LIBRARY_FOLDER, 'circomlib', 'circuits'), { recursive: true });
  for (const name of sourceFiles()) await cp(join(SOURCE_FOLDER, name), join(folder, name));
  const options = ['--O2', '--r1cs', '--wasm', '-l', LIBRARY_FOLDER];
  const program = spawn(process.execPath, [compiler, MAIN_SOURCE, ...options], {
    cwd: folder,
    // The command `circuits setup` may have secrets in its environment.
    env: {},
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const abort = (): void => void program.kill();
  signal?.addEventListener('abort', abort);
  const output = Promise.all([text(program.stdout), text(program.stderr)]);
  const [code, killedBy] = (await once(program, 'close')) as [number | null, NodeJS.Signals | null];
  signal?.removeEventListener('abort', abort);
  signal?.throwIfAborted();
  if (code !== 0) {
    const written = (await output).join('\n').trim().slice(0, MESSAGE_CHARACTERS);
    throw new ServiceError(
      'circuit.compiler_failed',
      `the compiler ended with ${killedBy ?? code}: ${written}`,
    );
  }
  const { name } = parse(MAIN_SOURCE);
  return { r1cs: join(folder, `${name}.r1cs`), witnessCode: join(folder, `${name}_js`, `${name}.wasm`) };
}
