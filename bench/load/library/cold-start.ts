import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SnarkjsStatement } from '../../contenders/proof-set.ts';
import { median } from '../../report/statistics.ts';
import type { Case } from '../../report/types.ts';
import { bundled, root } from '../../support/paths.ts';

/** A library that a new process loads: its name, its backend, and its module. */
type Row = readonly [contender: string, library: string, backend: string, module: string];

/** Milliseconds since a process started, and its time on the processor. */
interface ColdStart {
  readonly importedMs: number;
  readonly firstVerdictMs: number;
  readonly processorMs: number;
}

const bundle = (entry: string): string => bundled(`${entry}.js`);

const ROWS: readonly Row[] = [
  ['native', 'proofgate', 'native', bundle('index')],
  ['wasm', 'proofgate', 'wasm', bundle('index')],
  ['native-snarkjs-entry', 'proofgate/snarkjs', '-', bundle('snarkjs')],
  ['snarkjs', 'snarkjs', '-', 'snarkjs'],
];

/** Measures new processes, from their start to their first verdict, in rounds with all libraries. */
export function coldStarts(
  rounds: number,
  folder: string,
  key: unknown,
  { proof, publicSignals }: SnarkjsStatement,
): Case[] {
  const file = join(folder, 'statement.json');
  writeFileSync(file, JSON.stringify({ key, proof, publicSignals }));
  const program = fileURLToPath(new URL('./cold-start.mjs', import.meta.url));
  const samples = ROWS.map((): ColdStart[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, [, library, backend, module]] of ROWS.entries()) {
      const output = execFileSync(process.execPath, [program, library, backend, module, file], {
        cwd: root,
        encoding: 'utf8',
      });
      samples[index]?.push(JSON.parse(output) as ColdStart);
    }
  }
  return ROWS.map(([contender, library], index) => ({
    subject: 'library.cold-start',
    contender,
    parameters: { inputs: 4 },
    unit: 'ms',
    isPeer: library === 'snarkjs',
    samples: (samples[index] ?? []).map(({ firstVerdictMs }) => firstVerdictMs),
    figures: {
      imported_ms: median((samples[index] ?? []).map(({ importedMs }) => importedMs)),
      processor_ms: median((samples[index] ?? []).map(({ processorMs }) => processorMs)),
    },
    note: 'from the start of a process, Node included',
  }));
}
