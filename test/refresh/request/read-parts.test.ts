// Rules: spec/refresh.md#multipart-syntax
import { describe, expect, it } from 'vitest';
import { readParts } from '../../../src/refresh/request/parse-form.ts';
import { BOUNDARY, type Form, form, part, raw, SUB_PART } from './support/forms.ts';

/** Reads the parts of a body that no other check has seen. */
const read = ({ body }: Form, partCount: number) => readParts(BOUNDARY, { bytes: body, partCount });

// `frameBody` refuses all such bodies that are known; these are the guards against a library that reads a body
// differently.
describe('a body that the library reads differently from its frame', () => {
  it('is read when both find the same parts', async () => {
    const parts = await read(form([SUB_PART, part('orb_id', '0')]), 2);
    expect(parts.map(({ name, value }) => [name, value.toString()])).toEqual([
      ['sub', '0x1a2b3c'],
      ['orb_id', '0'],
    ]);
  });

  it.each([1, 3])('is refused when the library reports 2 parts of %i', async (partCount) => {
    await expect(read(form([SUB_PART, part('orb_id', '0')]), partCount)).rejects.toMatchObject({
      code: 'refresh.malformed_body',
      message: expect.stringContaining('a part cannot be read'),
    });
  });

  it('is refused when a part breaks off', async () => {
    const body = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="sub"\r\n\r\n0x1a`;
    await expect(read(raw(body), 1)).rejects.toMatchObject({
      code: 'refresh.malformed_body',
      message: expect.stringContaining('a part breaks off'),
    });
  });
});
