import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readMeasurements } from '../../../bench/scaling/measurements.ts';
import { machineCosts, machineRows } from '../../../bench/scaling/one-machine.ts';
import { machineTable } from '../../../bench/scaling/page.ts';

const DOC = readFileSync(new URL('../../../src/docs/scaling.md', import.meta.url), 'utf8');
const { machine } = readMeasurements();

describe('one machine in the simulation', () => {
  it('has the costs of committed results, of which the document names three', () => {
    const { mainRequestUs, batchUs, groupUs } = machineCosts(machine, 'native-ifma');
    const avx2 = machineCosts(machine, 'native-avx2');
    expect(DOC).toContain(
      `${mainRequestUs.toFixed(1)} µs of a front end, ${Math.round(batchUs(256) / 256)} µs of a worker`,
    );
    expect(DOC).toContain(`${Math.floor(avx2.batchUs(256) / 256)} µs with AVX2`);
    expect(DOC).toContain(`${Math.round(groupUs(512) / 512)} µs of the database thread`);
  });

  it('is in the document as it is simulated', () => {
    const rows = machineRows(machine, [4, 8]);
    for (const row of machineTable(rows)) expect(DOC).toContain(row);
    for (const { cores, withoutRows, best } of rows) {
      expect(withoutRows.perSecond).toBeLessThan(1.02 * best.withoutRows.rate);
      expect(best.frontEnds + best.workers).toBeLessThanOrEqual(cores);
    }
  });
});
