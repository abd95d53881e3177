import { readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { ShapeRow } from '../../../../src/cli/commands/bench/shape-table.ts';
import { processors } from '../../../../src/config/settings/shape.ts';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder({ isShared: true });

interface Printed {
  readonly costs: { readonly requestUs: number; readonly proofUs: number; readonly rowUs?: number };
  readonly here: ShapeRow;
  readonly shapes: readonly ShapeRow[];
}

describe('proofgate bench --shape', () => {
  it('measures the costs of this machine and prints a shape for it and for others', async () => {
    const before = await readdir(folder.path);
    const { costs, here, shapes } = await folder.json<Printed>('bench --shape');
    expect(costs.requestUs).toBeGreaterThan(0);
    expect(costs.proofUs).toBeGreaterThan(0);
    expect(costs.rowUs).toBeGreaterThan(0);
    expect(here.processors).toBe(processors());
    expect(shapes.map((row) => row.processors)).toEqual([4, 8, 16, 32, 64]);
    expect(await readdir(folder.path)).toEqual(before);
  });

  it('prints a table, and the settings for this machine', async () => {
    const { stdout } = await folder.run('bench --shape');
    expect(stdout).toMatch(/^front end +\d+\.\d µs per request\nworker +\d+\.\d µs per proof in batches \(/);
    expect(stdout).toMatch(/^processors +front ends × workers +proofs\/s, no new row +used up first/m);
    expect(stdout).toMatch(/^server\.frontEnds \d+, engine\.workers \d+\n$/m);
  });

  it('has no database thread where PostgreSQL has the store, which it does not call', async () => {
    const env = { PROOFGATE_STORAGE_URL: 'postgres://localhost:1/none' };
    const { stdout } = await folder.run('bench --shape', { env });
    expect(stdout).toContain('database thread  none: PostgreSQL');
  });

  it('measures nothing without --shape', async () => {
    await folder.fails('bench', 2, "required option '--shape' not specified");
  });
});
