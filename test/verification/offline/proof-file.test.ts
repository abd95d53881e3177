import { describe, expect, it } from 'vitest';
import type { Engine, Verdict } from '../../../src/engine/engine.ts';
import { LONG_LINE, readLines } from '../../../src/membership/import-lines.ts';
import {
  type ProofEntry,
  readEntry,
  readProofValues,
} from '../../../src/verification/offline/proof-entries.ts';
import {
  type NumberedVerdict,
  type ProofFileOptions,
  verifyProofFile,
} from '../../../src/verification/offline/proof-file.ts';
import { ENCODINGS } from '../../support/encodings.ts';
import { until } from '../../support/until.ts';
import { vector } from '../support/vectors.ts';

const PROOF = `0x${'11'.repeat(256)}`;
const INPUTS = ['0x1', '0x02', `0x${'f'.repeat(64)}`, '0xA'];
const entry = (change: object = {}): string => JSON.stringify({ inputs: INPUTS, proof: PROOF, ...change });

async function* chunksOf(
  text: string | Uint8Array,
  size = Number.MAX_SAFE_INTEGER,
): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function* readProofEntries(
  chunks: AsyncIterable<Uint8Array>,
  inputCount: number,
): AsyncGenerator<ProofEntry> {
  for await (const value of readProofValues(chunks)) yield readEntry(value, inputCount);
}

async function codes(text: string | Uint8Array, size?: number): Promise<string[]> {
  const seen: string[] = [];
  for await (const { code } of readProofEntries(chunksOf(text, size), 4)) seen.push(code ?? 'ok');
  return seen;
}

describe('forms of a proof file', () => {
  const { merkle_root, nullifier_hash, signal_hash, external_nullifier_hash, proof } = vector(0);
  const named = { merkle_root, nullifier_hash, signal_hash, external_nullifier_hash, proof };

  it.each([
    ['JSON Lines', `${entry()}\n${entry()}\n`, 2],
    [
      'JSON Lines without a final line end, with CRLF and blank lines',
      `\n${entry()}\r\n\r\n  \n${entry()}`,
      2,
    ],
    ['JSON Lines with a BOM', `\ufeff${entry()}\n${entry()}`, 2],
    ['JSON Lines of the members of the proof data', `${JSON.stringify(named)}\n${entry()}`, 2],
    ['one object', JSON.stringify(vector(0)), 1],
    ['one object over several lines', JSON.stringify(vector(0), null, 2), 1],
    ['an array', JSON.stringify([vector(0), JSON.parse(entry()), vector(2)]), 3],
    [
      'an array over several lines, after white space',
      `\n  ${JSON.stringify([vector(0), vector(1)], null, 1)}\n`,
      2,
    ],
  ])('reads %s', async (_name, text, count) => {
    expect(await codes(text)).toEqual(new Array(count).fill('ok'));
    expect(await codes(text, 7)).toEqual(new Array(count).fill('ok'));
  });

  it('returns the bytes of an entry in the order of the public inputs', async () => {
    for await (const item of readProofEntries(chunksOf(JSON.stringify(named)), 4)) {
      if (item.code !== undefined) throw new Error(item.code);
      const expected = [proof, merkle_root, nullifier_hash, signal_hash, external_nullifier_hash];
      expect(Buffer.from(item.bytes).toString('hex')).toBe(expected.map((word) => word.slice(2)).join(''));
    }
  });

  it.each([
    [entry({ proof: PROOF.slice(0, -2) }), 'proof.length'],
    [entry({ proof: `${PROOF}00` }), 'proof.length'],
    [entry({ proof: PROOF.replace('11', 'g!') }), 'proof.form'],
    [entry({ proof: '[[1,2]]' }), 'proof.form'],
    [entry({ proof: 5 }), 'proof.form'],
    [entry({ inputs: INPUTS.slice(1) }), 'input.count'],
    [entry({ inputs: [...INPUTS, '0x1'] }), 'input.count'],
    [entry({ inputs: [] }), 'input.count'],
    [entry({ inputs: ['0x', '0x1', '0x1', '0x1'] }), 'input.form'],
    [entry({ inputs: ['ff', '0x1', '0x1', '0x1'] }), 'input.form'],
    [entry({ inputs: [2 ** 53, '0x1', '0x1', '0x1'] }), 'input.form'],
    [entry({ inputs: [-1, '0x1', '0x1', '0x1'] }), 'input.range'],
    [entry({ inputs: [`0x1${'0'.repeat(64)}`, '0x1', '0x1', '0x1'] }), 'input.range'],
    [entry({ inputs: ['0xg', '0x1', '0x1', '0x1'] }), 'input.form'],
    [entry({ inputs: null }), 'entry.malformed'],
    [entry({ inputs: 'x' }), 'input.form'],
    [entry({ publicSignals: ['1', '2', '3', '4', '5'] }), 'input.form'],
    ['{}', 'entry.malformed'],
    [entry({ proof: undefined }), 'entry.malformed'],
    [entry({ inputs: undefined }), 'entry.malformed'],
    [JSON.stringify({ ...named, signal_hash: undefined }), 'entry.malformed'],
    ['{"inputs":', 'entry.malformed'],
    ['null', 'entry.malformed'],
    ['5', 'entry.malformed'],
    ['"text"', 'entry.malformed'],
    ['hello', 'entry.malformed'],
  ])('reports the code of %.60j and continues', async (line, code) => {
    expect(await codes(`${entry()}\n${line}\n${entry()}`)).toEqual(['ok', code, 'ok']);
    expect(await codes(`${line}\n${entry()}`)).toEqual([code, 'ok']);
    expect(await codes(line)).toEqual([code]);
  });

  it('reports a line over 1 MiB as entry.malformed', async () => {
    const long = entry({ note: 'x'.repeat(1024 * 1024) });
    expect(await codes(`${long}\n${entry()}\n${long}`, 65_536)).toEqual([
      'entry.malformed',
      'ok',
      'entry.malformed',
    ]);
  });

  it('reads a file of many malformed lines line by line', async () => {
    expect(await codes(`${'x\n'.repeat(20_000)}${entry()}`, 65_536)).toHaveLength(20_001);
  });

  it.each([
    ['an array that does not parse', '[{"a":1}', /does not parse/],
    ['an empty file', '', /contains no proof/],
    ['an empty array', '[]', /contains no proof/],
    ['blank lines', '\n \n', /contains no proof/],
  ])('refuses %s as a whole', async (_name, text, message) => {
    await expect(codes(text)).rejects.toMatchObject({
      code: 'entry.malformed',
      message: expect.stringMatching(message),
    });
  });

  it('refuses an array over 64 MiB', async () => {
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from('[\n');
      const chunk = Buffer.from(`${' '.repeat(65_535)}\n`);
      for (;;) yield chunk;
    }
    const reading = readProofEntries(endless(), 4).next();
    await expect(reading).rejects.toMatchObject({ code: 'entry.malformed' });
  });
});

describe('readLines', () => {
  const lines = async (text: string | Uint8Array, size: number, limit = 100): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for await (const line of readLines(chunksOf(text, size), limit)) seen.push(line);
    return seen;
  };

  it.each([1, 2, 3, 1000])('splits in chunks of %i bytes', async (size) => {
    expect(await lines('ä\n\nb\r\n€', size)).toEqual(['ä', '', 'b', '€']);
  });

  it.each(ENCODINGS)('reads %s, split anywhere', async (_name, encode) => {
    for (const size of [1, 2, 3, 5, 1000]) {
      expect(await lines(encode('a\r\n\nä€😀\nlast'), size)).toEqual(['a', '', 'ä€😀', 'last']);
      expect(await lines(encode('1'), size)).toEqual(['1']);
    }
  });

  it('marks a line over the limit and continues', async () => {
    expect(await lines('12345\n123456\n1', 2, 5)).toEqual(['12345', LONG_LINE, '1']);
  });

  it('copies a partial line, whose buffer the caller may reuse', async () => {
    async function* reused(): AsyncGenerator<Uint8Array> {
      const buffer = Buffer.from('ab');
      yield buffer;
      buffer.write('cd');
      yield buffer;
    }
    const seen: unknown[] = [];
    for await (const line of readLines(reused(), 100)) seen.push(line);
    expect(seen).toEqual(['abcd']);
  });
});

/** Makes an engine that answers in reverse order. The first input sets the verdict: 1 valid, 2 false, 3 a refusal. */
function reversingEngine(room: number) {
  const waiting: (() => void)[] = [];
  const state = { most: 0, verified: 0 };
  const engine: Pick<Engine, 'verify' | 'canAccept' | 'inputCount'> = {
    inputCount: (keyId) => (keyId === 'k' ? 4 : undefined),
    canAccept: (count) => waiting.length + count <= room,
    verify(_keyId, _proof, inputs) {
      state.verified++;
      const verdict: Verdict =
        inputs[31] === 1
          ? { ok: true }
          : inputs[31] === 2
            ? { ok: false }
            : { ok: false, code: 'input.range' };
      return new Promise((resolve) => {
        waiting.push(() => resolve(verdict));
        state.most = Math.max(state.most, waiting.length);
        setImmediate(() => waiting.pop()?.());
      });
    },
  };
  return { engine, state };
}

/** Makes options with one key for all proofs, and the app that a request names. */
function optionsOf(keyId: string, isSingle = false): ProofFileOptions {
  return { isSingle, keyOf: async () => keyId, appOf: async (named = 'app_none') => ({ appId: named }) };
}

describe('verifyProofFile', () => {
  const line = (n: number): string => entry({ inputs: [`0x${n}`, '0x1', '0x1', '0x1'] });
  const run = async (text: string, room: number, isSingle = false) => {
    const { engine, state } = reversingEngine(room);
    const verdicts: NumberedVerdict[] = [];
    for await (const verdict of verifyProofFile(engine, chunksOf(text, 4096), optionsOf('k', isSingle))) {
      verdicts.push(verdict);
    }
    return { verdicts, state };
  };
  const kinds = Array.from({ length: 3000 }, (_, i) => (i * 7) % 4);
  const text = kinds.map((kind) => (kind === 0 ? 'broken' : line(kind))).join('\n');
  const expected = kinds.map((kind, n) => ({
    n,
    verdict: ['entry.malformed', 'valid', 'false', 'input.range'][kind],
    ...(kind === 0 ? { message: expect.stringContaining('expected JSON') } : {}),
  }));

  it('returns all verdicts in the order of the file', async () => {
    expect((await run(text, 1_000_000)).verdicts).toEqual(expected);
  });

  it('never sends the engine more proofs than it can accept', async () => {
    const { verdicts, state } = await run(text, 10);
    expect(verdicts).toEqual(expected);
    expect(state.most).toBe(10);
  });

  it('verifies one proof at a time with isSingle', async () => {
    const { verdicts, state } = await run(text, 1_000_000, true);
    expect(verdicts).toEqual(expected);
    expect(state.most).toBe(1);
  });

  it('does not read far ahead of its verdicts', async () => {
    let read = 0;
    async function* counted(): AsyncGenerator<Uint8Array> {
      for (; read < 20_000; read++) yield Buffer.from(`${line(1)}\n`);
    }
    const { engine } = reversingEngine(1_000_000);
    const verdicts = verifyProofFile(engine, counted(), optionsOf('k'));
    await verdicts.next();
    expect(read).toBeLessThan(1100);
    await verdicts.return(undefined);
  });

  it('reports a request without a proof as malformed', async () => {
    const { verdicts } = await run('{"action":"a","responses":[]}', 1);
    expect(verdicts).toEqual([{ n: 0, verdict: 'entry.malformed' }]);
  });

  it('returns the verdicts before an entry that ends the run', async () => {
    const { engine } = reversingEngine(1_000_000);
    const request = '{"action":"a","responses":[{"identifier":"orb"}]}';
    const options: ProofFileOptions = {
      ...optionsOf('k'),
      appOf: () => Promise.reject(new Error('no such app')),
    };
    const verdicts = verifyProofFile(engine, chunksOf(`${line(1)}\n${line(2)}\n${request}`), options);
    expect((await verdicts.next()).value).toEqual({ n: 0, verdict: 'valid' });
    expect((await verdicts.next()).value).toEqual({ n: 1, verdict: 'false' });
    await expect(verdicts.next()).rejects.toThrow('no such app');
  });

  it('refuses a key that the engine does not have', async () => {
    const { engine } = reversingEngine(1);
    const verdicts = verifyProofFile(engine, chunksOf(line(1)), optionsOf('other'));
    await expect(verdicts.next()).rejects.toMatchObject({ code: 'engine.key_unknown' });
  });

  it('rejects with the error of the engine, without an unhandled rejection', async () => {
    let calls = 0;
    const engine: Pick<Engine, 'verify' | 'canAccept' | 'inputCount'> = {
      inputCount: () => 4,
      canAccept: () => true,
      verify: async () => {
        calls++;
        throw new Error('engine gone');
      },
    };
    const verdicts = verifyProofFile(engine, chunksOf(`${line(1)}\n${line(2)}`), optionsOf('k'));
    await expect(verdicts.next()).rejects.toThrow('engine gone');
    await until(() => calls === 2);
  });
});
