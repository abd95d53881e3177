import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { Engine, type Statement } from '../../../src/library/facade/engine.ts';
import type { CoreVerdict, EngineCore, EngineStats } from '../../../src/library/facade/engine-core.ts';
import { ProofgateError } from '../../../src/library/facade/proofgate-error.ts';
import { KEY, PROOF, PROOF_BYTES, SIGNAL_BYTES, SIGNALS } from '../support/semaphore-statement.ts';

const STATEMENT: Statement = { proof: PROOF, publicSignals: SIGNALS };

/** A core whose statements are answered by the test. */
class ScriptedCore implements EngineCore {
  readonly window = 4;
  readonly waiting: { readonly statement: Uint8Array; readonly answer: (verdict: CoreVerdict) => void }[] =
    [];
  room = true;
  /** Most statements that were in flight at once. */
  most = 0;
  closes = 0;
  #keys = new Map<string, number>();

  addKey(keyId: string, key: Uint8Array): Promise<void> {
    this.#keys.set(keyId, (key.length - 448) / 64 - 1);
    return Promise.resolve();
  }

  inputCount(keyId: string): number | undefined {
    return this.#keys.get(keyId);
  }

  hasRoom(): boolean {
    return this.room;
  }

  verify(_keyId: string, statement: Uint8Array): Promise<CoreVerdict> {
    return new Promise((answer) => {
      this.waiting.push({ statement, answer });
      this.most = Math.max(this.most, this.waiting.length);
    });
  }

  stats(): EngineStats {
    throw new Error('not called');
  }

  close(): Promise<void> {
    this.closes += 1;
    return Promise.resolve();
  }

  /** Answers the oldest statement. */
  answer(verdict: CoreVerdict): void {
    this.waiting.shift()?.answer(verdict);
  }
}

async function scripted(): Promise<{ core: ScriptedCore; engine: Engine }> {
  const core = new ScriptedCore();
  const engine = new Engine(core);
  await engine.addKey('key', KEY);
  return { core, engine };
}

/** Lets everything that waits for no timer go on. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (fault: unknown) => fault,
  );
  expect(error).toBeInstanceOf(ProofgateError);
  return (error as ProofgateError).code;
}

describe('Engine.verify', () => {
  it('hands over proof and signals as one statement, and maps the verdicts', async () => {
    const { core, engine } = await scripted();
    const verdict = engine.verify('key', PROOF, SIGNALS);
    await turn();
    expect(core.waiting[0]?.statement).toEqual(Uint8Array.from([...PROOF_BYTES, ...SIGNAL_BYTES]));
    core.answer({ ok: true });
    expect(await verdict).toEqual({ valid: true });
    const answers: [CoreVerdict, string][] = [
      [{ ok: false }, 'proof.false'],
      [{ ok: false, code: 'proof.point_not_in_subgroup' }, 'proof.point_not_in_subgroup'],
      [{ ok: false, code: 'input.range' }, 'input.range'],
    ];
    for (const [answer, code] of answers) {
      const promise = engine.verify('key', PROOF, SIGNALS);
      await turn();
      core.answer(answer);
      expect(await promise).toEqual({
        valid: false,
        code,
        message: expect.stringMatching(/^[a-zB].{20,}/) as string,
      });
    }
  });

  it.each(['engine.busy', 'engine.poison', 'engine.key_unknown'])('rejects with %s', async (code) => {
    const { core, engine } = await scripted();
    const promise = engine.verify('key', PROOF, SIGNALS);
    await turn();
    core.answer({ ok: false, code });
    expect(await codeOf(promise)).toBe(code);
  });

  it('answers data in a wrong form with a verdict, and rejects wrong types', async () => {
    const { core, engine } = await scripted();
    const rows: [string, Statement['proof'], Statement['publicSignals']][] = [
      ['proof.form', { ...PROOF, pi_a: [] }, SIGNALS],
      ['input.form', PROOF, ['x', '1', '1', '1']],
      ['input.range', PROOF, [-1, '1', '1', '1']],
      ['input.count', PROOF, ['1']],
      ['proof.length', new Uint8Array(255), SIGNALS],
    ];
    for (const [code, proof, signals] of rows) {
      const verdict = { valid: false, code, message: expect.any(String) as string };
      expect(await engine.verify('key', proof, signals)).toEqual(verdict);
    }
    const untyped = engine as unknown as { verify(...values: unknown[]): Promise<unknown> };
    expect(await codeOf(untyped.verify('key', 5, SIGNALS))).toBe('proof.form');
    expect(await codeOf(untyped.verify('key', PROOF, 'abc'))).toBe('input.form');
    expect(await codeOf(untyped.verify('key', PROOF, [null, 1, 1, 1]))).toBe('input.form');
    expect(await codeOf(untyped.verify('other', PROOF, SIGNALS))).toBe('engine.key_unknown');
    expect(core.waiting).toEqual([]);
  });

  it('rejects as soon as the signal is aborted, with its reason, and leaves no listener', async () => {
    const { core, engine } = await scripted();
    const controller = new AbortController();
    const { signal } = controller;
    const promise = engine.verify('key', PROOF, SIGNALS, { signal });
    const reason = new Error('the client left');
    await turn();
    controller.abort(reason);
    await expect(promise).rejects.toMatchObject({ code: 'engine.cancelled', cause: reason });
    expect(await codeOf(engine.verify('key', PROOF, SIGNALS, { signal }))).toBe('engine.cancelled');
    const other = new AbortController();
    const answered = engine.verify('key', PROOF, SIGNALS, { signal: other.signal });
    await turn();
    core.answer({ ok: true });
    core.answer({ ok: true });
    expect(await answered).toEqual({ valid: true });
    expect(getEventListeners(other.signal, 'abort')).toEqual([]);
  });

  it('rejects after close, which happens once', async () => {
    const { core, engine } = await scripted();
    {
      await using closed = engine;
      expect(closed).toBe(engine);
    }
    await engine.close();
    expect(core.closes).toBe(1);
    expect(await codeOf(engine.verify('key', PROOF, SIGNALS))).toBe('engine.closed');
    expect(await codeOf(engine.verifyMany('key', []))).toBe('engine.closed');
    expect(await codeOf(engine.addKey('other', KEY))).toBe('engine.closed');
  });
});

describe('Engine.verifyMany', () => {
  it('keeps no more statements in flight than the window, and answers in order', async () => {
    const { core, engine } = await scripted();
    const verdicts = engine.verifyMany(
      'key',
      Array.from({ length: 10 }, () => STATEMENT),
    );
    for (let index = 0; index < 10; index++) {
      await expect.poll(() => core.waiting.length).toBeGreaterThan(0);
      core.answer({ ok: index % 3 === 0 });
    }
    expect((await verdicts).map(({ valid }) => valid)).toEqual(
      Array.from({ length: 10 }, (_, i) => i % 3 === 0),
    );
    expect(core.most).toBe(core.window);
  });

  it('takes an async source only as fast as its verdicts are taken', async () => {
    const { core, engine } = await scripted();
    let taken = 0;
    const source = async function* (): AsyncGenerator<Statement> {
      for (;;) {
        taken += 1;
        yield STATEMENT;
      }
    };
    const verdicts = engine.verifyMany('key', source());
    const first = verdicts.next();
    await expect.poll(() => core.waiting.length).toBe(core.window);
    core.answer({ ok: true });
    expect(await first).toEqual({ done: false, value: { valid: true } });
    for (let count = 0; count < 5; count++) await turn();
    expect(taken).toBe(core.window);
    await verdicts.return?.();
  });

  it('answers a member of a wrong type for itself', async () => {
    const { core, engine } = await scripted();
    const members = [STATEMENT, null, { proof: 1, publicSignals: SIGNALS }, { proof: PROOF }, STATEMENT];
    const verdicts = engine.verifyMany('key', members as unknown as Statement[]);
    for (let count = 0; count < 2; count++) {
      await expect.poll(() => core.waiting.length).toBe(1);
      core.answer({ ok: true });
    }
    const codes = (await verdicts).map(({ valid, code }) => code ?? valid);
    expect(codes).toEqual([true, 'proof.form', 'proof.form', 'input.form', true]);
  });

  it('waits for room in the queue, and tries a statement again for which there was none', async () => {
    const { core, engine } = await scripted();
    core.room = false;
    const verdicts = engine.verifyMany('key', [STATEMENT]);
    await turn();
    expect(core.waiting).toEqual([]);
    core.room = true;
    await expect.poll(() => core.waiting.length).toBe(1);
    core.answer({ ok: false, code: 'engine.busy' });
    await expect.poll(() => core.waiting.length).toBe(1);
    core.answer({ ok: true });
    expect(await verdicts).toEqual([{ valid: true }]);
  });

  it('gives a statement up that ends workers, and not the others', async () => {
    const { core, engine } = await scripted();
    const verdicts = engine.verifyMany('key', [STATEMENT, STATEMENT]);
    await expect.poll(() => core.waiting.length).toBe(2);
    core.answer({ ok: false, code: 'engine.poison' });
    core.answer({ ok: true });
    expect((await verdicts).map(({ code }) => code)).toEqual(['engine.poison', undefined]);
  });

  it('rejects for an unknown key, for what is no iterable, when aborted, and when the source fails', async () => {
    const { core, engine } = await scripted();
    expect(await codeOf(engine.verifyMany('other', []))).toBe('engine.key_unknown');
    expect(await codeOf(engine.verifyMany('key', 1 as unknown as Statement[]))).toBe('input.form');
    const controller = new AbortController();
    const aborted = engine.verifyMany('key', [STATEMENT, STATEMENT], { signal: controller.signal });
    await expect.poll(() => core.waiting.length).toBe(2);
    controller.abort();
    expect(await codeOf(aborted)).toBe('engine.cancelled');
    const failing = async function* (): AsyncGenerator<Statement> {
      yield STATEMENT;
      throw new Error('disk');
    };
    await expect(engine.verifyMany('key', failing()).next()).rejects.toThrow('disk');
  });
});

describe('Engine.addKey', () => {
  it('rejects an id that is no string, and a key in no form', async () => {
    const { engine } = await scripted();
    expect(await codeOf(engine.addKey(1 as unknown as string, KEY))).toBe('key.id');
    expect(await codeOf(engine.addKey('bad', '{}'))).toBe('key.not_json');
    expect(await codeOf(engine.addKey('bad', { ...KEY, protocol: 'plonk' }))).toBe('key.protocol');
    expect(await codeOf(engine.addKey('bad', null as unknown as string))).toBe('key.not_json');
  });
});
