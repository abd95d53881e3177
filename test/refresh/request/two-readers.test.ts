// Rules: spec/refresh.md#multipart-syntax
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isServiceError } from '../../../src/errors/service-error.ts';
import { PACKAGE_PARTS, parseForm, type RefreshForm } from '../../../src/refresh/request/parse-form.ts';
import { casesOf } from '../../support/cases.ts';
import { BOUNDARY, bytesOf, type Form, form, part } from './support/forms.ts';

const BODIES = casesOf(3000, 300);
const REFUSALS: ReadonlySet<string> = new Set(['refresh.malformed_body', 'refresh.duplicate_part']);

/** Returns a seeded generator of whole numbers below a bound, so that a failing body can be reproduced. */
function numbers(seed: string): (below: number) => number {
  let counter = 0;
  return (below) => createHash('sha256').update(`${seed}:${counter++}`).digest().readUInt32BE() % below;
}

/** Texts that a mutation inserts: everything that has a meaning somewhere in a form. */
const PIECES = [
  '\r\n',
  '\n',
  '\r',
  '\r\n\r\n',
  '--',
  '-',
  '"',
  ';',
  '\\',
  ' ',
  '\t',
  '\0',
  '=',
  '*',
  ':',
  "'",
  '%22',
  '\xff',
  `--${BOUNDARY}`,
  `\r\n--${BOUNDARY}`,
  `\r\n--${BOUNDARY}\r\n`,
  `\r\n--${BOUNDARY}--`,
  `--${BOUNDARY}--\r\n`,
  'Content-Disposition: form-data; name="sub"\r\n',
  'Content-Type: text/plain\r\n',
  'X-Own: a\r\n',
  '; name="sub"',
  '; name=orb_id',
  "; name*=utf-8''sub",
  '; filename="a"',
  "; filename*=utf-8''a",
  'name',
  'Content-Transfer-Encoding: base64\r\n',
  'Content-Type: multipart/mixed; boundary=i\r\n',
];

function mutate(body: Buffer, next: (below: number) => number): Buffer {
  const at = next(body.length);
  const [before, after] = [body.subarray(0, at), body.subarray(at)];
  const from = next(body.length);
  const range = body.subarray(from, from + next(80));
  switch (next(5)) {
    case 0: {
      const changed = Buffer.from(body);
      changed[at] = next(256);
      return changed;
    }
    case 1:
      return Buffer.concat([before, after.subarray(next(20))]);
    case 2:
      return Buffer.concat([before, range, after]);
    case 3:
      return Buffer.concat([before, bytesOf(PIECES[next(PIECES.length)] ?? ''), after.subarray(next(3))]);
    default:
      return Buffer.concat([before, bytesOf(PIECES[next(PIECES.length)] ?? ''), after]);
  }
}

function original(next: (below: number) => number): Form {
  const names = ['sub', 'encrypted_user_id', 'other', ...PACKAGE_PARTS];
  const parts = Array.from({ length: 1 + next(4) }, () => {
    const [name] = names.splice(next(names.length), 1);
    const value = Buffer.from(Array.from({ length: next(60) }, () => next(256)));
    const isFile = next(3) === 0;
    const disposition = isFile ? `form-data; name="${name}"; filename="a"` : undefined;
    return part(name ?? '', value, disposition, next(4) === 0 ? 'Content-Type: text/plain\r\n' : '');
  });
  return form(parts);
}

async function parsed({ contentType, body }: Form): Promise<RefreshForm | undefined> {
  try {
    return await parseForm(contentType, body);
  } catch (error) {
    if (isServiceError(error) && REFUSALS.has(error.code)) return undefined;
    throw error;
  }
}

/** Reads the form with undici, the HTTP client of Node; returns undefined if undici refuses it. */
async function readByUndici({ contentType, body }: Form): Promise<FormData | undefined> {
  const response = new Response(Uint8Array.from(body), { headers: { 'Content-Type': contentType } });
  return await response.formData().catch(() => undefined);
}

/** Whether an entry of undici equals a value; undici decodes fields and drops a byte order mark. */
async function isSame(entry: FormDataEntryValue, value: Uint8Array): Promise<boolean> {
  if (typeof entry === 'string') return entry === new TextDecoder().decode(value);
  return Buffer.from(await entry.arrayBuffer()).equals(value);
}

describe('a form that this parser accepts', () => {
  it(`has the same known parts in undici, or is refused by it: ${BODIES} seeded mutations`, async () => {
    const next = numbers('two-readers');
    let taken = 0;
    let compared = 0;
    for (let i = 0; i < BODIES; i++) {
      let { contentType, body } = original(next);
      for (let left = next(4); left > 0; left--) body = mutate(body, next);
      const mine = await parsed({ contentType, body });
      if (mine === undefined) continue;
      taken++;
      const other = await readByUndici({ contentType, body });
      if (other === undefined) continue;
      compared++;
      for (const name of ['sub', 'encrypted_user_id', ...PACKAGE_PARTS] as const) {
        const value = mine.parts.get(name);
        const entries = other.getAll(name);
        const [entry] = entries;
        const isAgreed =
          value === undefined
            ? entries.length === 0
            : entries.length === 1 && entry !== undefined && (await isSame(entry, value));
        expect(isAgreed, `body ${i}, part ${name}: ${JSON.stringify(body.toString('latin1'))}`).toBe(true);
      }
    }
    expect(taken).toBeGreaterThan(BODIES / 4);
    expect(compared).toBeGreaterThan(taken * 0.8);
    expect(taken).toBeLessThan(BODIES * 0.9);
  });
});
