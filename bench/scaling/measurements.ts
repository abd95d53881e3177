import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunRecord } from '../report/types.ts';
import { root } from '../support/paths.ts';
import type { Measurements } from './costs.ts';

/** Results files that the model reads, in `bench/results`. */
export const SOURCES = {
  cluster: '2026-11-26-2de6358a02.json',
  parts: '2026-11-26-485c819df8.json',
  machine: '2026-11-23-66270e158b.json',
} as const;

/** Reads the runs of `SOURCES`. */
export function readMeasurements(): Measurements {
  const read = (name: string): RunRecord =>
    JSON.parse(readFileSync(join(root, 'bench', 'results', name), 'utf8')) as RunRecord;
  return { cluster: read(SOURCES.cluster), parts: read(SOURCES.parts), machine: read(SOURCES.machine) };
}
