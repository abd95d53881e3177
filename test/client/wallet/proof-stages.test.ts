import { describe, expect, it } from 'vitest';
import {
  loadingProgress,
  provingProgress,
  WITNESS_PROGRESS,
} from '../../../src/client/wallet/prover/load-artifacts.ts';

// Messages of snarkjs 0.7.6 in order, without those in between.
const MESSAGES = [
  'Reading Wtns',
  'Reading Coeffs',
  'Building ABC',
  'QAP AB: 0/31534',
  'IFFT_A: fft 13 mix start: 0/1',
  'Join ABC',
  'Reading A Points',
  'Multiexp start: multiexp A: 0/7989',
  'Reading B1 Points',
  'Reading B2 Points',
  'Reading C Points',
  'Reading H Points',
  'Multiexp end: multiexp H: 0/8192',
];

describe('the progress of a proof', () => {
  it('only increases, from the first byte loaded to the last stage, and stays below 1', () => {
    const stages = MESSAGES.flatMap((message) => provingProgress(message) ?? []);
    const all = [
      loadingProgress(0, 3),
      loadingProgress(2, 3),
      loadingProgress(3, 3),
      WITNESS_PROGRESS,
      ...stages,
    ];
    const shares = all.map(({ share }) => share);
    expect(stages).toHaveLength(6);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares[0]).toBe(0);
    expect(shares.at(-1)).toBeLessThan(1);
  });
});
