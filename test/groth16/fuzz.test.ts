/** A short run of .scripts/fuzz-forms.mjs, and what it finds. */
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { fuzz, READERS } from '../support/forms/fuzz.ts';
import { mutatedBytes } from '../support/forms/mutate-bytes.ts';
import { mutatedText } from '../support/forms/mutate-text.ts';
import { randomFrom } from '../support/forms/random.ts';

describe('fuzzing', () => {
  it.each(READERS)('finds nothing in the reader %s', (reader) => {
    const { executions, accepted } = fuzz(reader, 1500, 1);
    expect(executions).toBe(1500);
    // Neither refuses everything nor changes nothing.
    expect(accepted).toBeGreaterThan(30);
    expect(accepted).toBeLessThan(1400);
  });

  it('repeats the inputs of a seed, and has others for others', () => {
    const seed = Uint8Array.from({ length: 256 }, (_, index) => index);
    const bytes = (start: number): string => mutatedBytes(seed, randomFrom(start), [seed]).join();
    const text = (start: number): string =>
      inspect(mutatedText('{"pi_a":["1","2"]}', randomFrom(start)), { depth: 40 });
    for (const draw of [bytes, text]) {
      const drawn = Array.from({ length: 200 }, (_, start) => draw(start));
      expect(Array.from({ length: 200 }, (_, start) => draw(start))).toEqual(drawn);
      expect(new Set(drawn).size).toBeGreaterThan(100);
    }
    expect(seed[5]).toBe(5);
  });
});
