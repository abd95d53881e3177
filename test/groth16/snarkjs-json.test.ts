import { describe, expect, it } from 'vitest';
import { G1_BYTES } from '../../src/groth16/layout.ts';
import { snarkjsKeyOf } from '../../src/groth16/snarkjs-json.ts';
import { keyFrom } from '../../src/membership/keys/built-in-keys.ts';
import { builtInJson } from '../support/crypto/make-zkey.ts';

describe('a key as snarkjs writes it', () => {
  it('is the JSON of the ceremony, member by member', () => {
    const file: Readonly<Record<string, unknown>> = { ...builtInJson('semaphore-depth16') };
    const written = snarkjsKeyOf(keyFrom(JSON.stringify(file)));
    for (const [member, value] of Object.entries(written)) expect(file[member], member).toEqual(value);
  });

  it('keeps a point of IC at infinity', () => {
    const decoded = keyFrom(JSON.stringify(builtInJson('semaphore-depth16')));
    decoded.key.fill(0, -G1_BYTES);
    const { IC } = snarkjsKeyOf(decoded);
    expect(IC.at(-1)).toEqual(['0', '1', '0']);
    expect(keyFrom(JSON.stringify(snarkjsKeyOf(decoded)))).toEqual({ ...decoded });
  });
});
