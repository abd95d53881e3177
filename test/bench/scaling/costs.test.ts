import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseOptions } from '../../../bench/options.ts';
import { storageOf } from '../../../bench/scaling/capacity.ts';
import { caseOf, interpolated, readCosts, readStorageCosts } from '../../../bench/scaling/costs.ts';
import { readMeasurements, SOURCES } from '../../../bench/scaling/measurements.ts';
import { storageTable } from '../../../bench/scaling/page.ts';

const DOC = readFileSync(new URL('../../../src/docs/scaling.md', import.meta.url), 'utf8');

describe('costs of the simulation', () => {
  it('are read from committed results', () => {
    const measurements = readMeasurements();
    const costs = readCosts(measurements, 'synchronous');
    expect(costs.batchUs(64)).toBeGreaterThan(costs.batchUs(8));
    expect(costs.batchUs(64) / 64).toBeLessThan(costs.batchUs(1) / 4);
    expect(costs.groupUs(64) / 64).toBeLessThan(costs.groupUs(1) / 4);
    expect(costs.commitWaitUs).toBeGreaterThan(readCosts(measurements, 'none').commitWaitUs);
    for (const cost of [costs.balancerUs, costs.mainRequestUs, costs.mainGroupUs, costs.clientUs]) {
      expect(cost).toBeGreaterThan(0);
    }
  });

  it('name the case that a run lacks', () => {
    const { parts } = readMeasurements();
    expect(() => caseOf(parts, 'nullifier.group', { rows: 7 })).toThrow(
      /no case nullifier.group with {"rows":7}/,
    );
  });

  it('lie on the lines between measured points, and on the last line beyond them', () => {
    const line = interpolated([
      [8, 80],
      [1, 17],
      [16, 120],
    ]);
    expect([1, 4.5, 8, 12, 16, 24].map(line)).toEqual([17, 48.5, 80, 100, 120, 160]);
    expect(() => interpolated([[1, 1]])).toThrow(RangeError);
  });
});

describe('storage of a rate', () => {
  const costs = {
    heapBytesPerRow: 200,
    indexBytesPerRow: 100,
    walBytesPerRow: 400,
    pageImageBytes: 6000,
    pageImageBytesCompressed: 4000,
  };

  it('grows with rows, and nearly each row of a large table writes an image of its index page', () => {
    const one = storageOf(1000, costs);
    expect(one.rowsPerDay).toBe(86_400_000);
    expect(one.gbPerDay).toBeCloseTo(25.92, 6);
    expect(one.walMbPerSecond).toBeCloseTo(0.4, 9);
    expect(one.walMbPerSecondWithImages).toBeGreaterThan(6.3);
    expect(one.walMbPerSecondWithImages).toBeLessThan(6.4);
  });

  it('has few images while the table is small, since rows share pages', () => {
    const young = storageOf(1000, costs, 0.001);
    expect(young.walMbPerSecondWithImages).toBeLessThan(0.45);
  });

  it('is in the document as it is computed from the results', () => {
    const rows = storageTable([1000, 10_000, 100_000], readStorageCosts(readMeasurements().parts));
    for (const row of rows) expect(DOC).toContain(row);
    for (const file of Object.values(SOURCES)) expect(DOC).toContain(file.replace('.json', ''));
  });
});

describe('npm run bench -- --simulate', () => {
  it('takes rates, shards, a burst and a wait', () => {
    const args = [
      '--simulate',
      '1000',
      '--simulate',
      '1e4',
      '--shards',
      '4',
      '--burst',
      '3',
      '--commit-ms',
      '70',
    ];
    expect(parseOptions(args, []).scaling).toEqual({
      rates: [1000, 10_000],
      shards: 4,
      burst: 3,
      commitMs: 70,
    });
    expect(parseOptions([], []).scaling).toBeUndefined();
  });

  it.each([
    ['--simulate', 'many'],
    ['--simulate', '0'],
    ['--shards', '1.5'],
    ['--burst', '11'],
    ['--commit-ms', '-1'],
  ])('refuses %s %s, and names the option', (option, value) => {
    expect(() => parseOptions([`${option}=${value}`], [])).toThrow(option);
  });
});
