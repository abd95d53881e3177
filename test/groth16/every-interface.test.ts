/** Each form of a key, a proof and public signals in each interface: one answer, and the name of the form. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Interface, type Said, startInterfaces } from '../support/forms/interfaces.ts';
import { KEY_FORMS } from '../support/forms/keys.ts';
import { PROOF_FORMS, SIGNALS_FORMS } from '../support/forms/proofs.ts';
import {
  CHANGED_PROOF,
  CHANGED_SIGNAL,
  KEY,
  type TextStatement,
  TRUE_STATEMENT,
} from '../support/forms/statement.ts';
import { WRONG_KEYS, WRONG_PROOFS, WRONG_SIGNALS, type Wrong } from '../support/forms/wrong.ts';

let interfaces: readonly Interface[] = [];

beforeAll(async () => {
  interfaces = await startInterfaces();
});

afterAll(async () => {
  await Promise.all(interfaces.map((one) => one.close()));
});

/** Forms that an answer does not name. */
const USUAL = ['snarkjs', 'bytes', 'compressed-bytes'];

/** Calls each interface and returns the answers by name, without messages. */
async function answers(ask: (one: Interface) => Promise<Said>): Promise<Record<string, Said>> {
  const said: Record<string, Said> = {};
  for (const one of interfaces) {
    const { verdict, form } = await ask(one);
    said[one.name] = { verdict, ...(form === undefined ? {} : { form }) };
  }
  return said;
}

/** The same answer of each interface. */
function everywhere(verdict: string, form: string | undefined): Record<string, Said> {
  return Object.fromEntries(
    interfaces.map(({ name, namesForm }) => [
      name,
      namesForm
        ? { verdict, ...(form === undefined ? {} : { form }) }
        : { verdict: verdict === 'proof.false' ? 'false' : verdict },
    ]),
  );
}

const shown = (form: string): string | undefined => (USUAL.includes(form) ? undefined : form);

const FALSE_STATEMENTS: readonly [string, TextStatement][] = [
  ['a changed signal', CHANGED_SIGNAL],
  ['a changed number of the proof', CHANGED_PROOF],
];

describe('every interface', () => {
  it('is there', () => {
    expect(interfaces.map(({ name }) => name)).toEqual([
      'engine.verify',
      'engine.verifyMany',
      'proofgate/web',
      'proofgate/snarkjs',
      'HTTP',
      'commands',
    ]);
  });

  it.each(KEY_FORMS)('adds the key: $name', async ({ write, form, options }) => {
    const ids = new Map<string, string>();
    const said = await answers(async (one) => {
      // The file of several keys has no place for a depth in snarkjs.
      const isPacked = options !== undefined && !one.namesForm;
      const answer = await one.addKey(isPacked ? KEY : write(KEY), options?.depth);
      ids.set(one.name, answer.keyId);
      return answer;
    });
    expect(said).toEqual(everywhere('added', form));
    const ask =
      ({ proof, publicSignals }: TextStatement) =>
      (one: Interface) =>
        one.verify(proof, publicSignals, ids.get(one.name));
    expect(await answers(ask(TRUE_STATEMENT))).toEqual(everywhere('valid', undefined));
    for (const [what, statement] of FALSE_STATEMENTS)
      expect(await answers(ask(statement)), what).toEqual(everywhere('proof.false', undefined));
  });

  it.each(PROOF_FORMS)('checks the proof: $name', async ({ write, form, hasSignals }) => {
    const ask = (statement: TextStatement) => (one: Interface) =>
      one.verify(write(statement), statement.publicSignals);
    expect(await answers(ask(TRUE_STATEMENT))).toEqual(everywhere('valid', shown(form)));
    for (const [what, statement] of FALSE_STATEMENTS)
      expect(await answers(ask(statement)), what).toEqual(everywhere('proof.false', shown(form)));
    if (!hasSignals) return;
    // groth16.verify of snarkjs takes public signals always.
    const alone = (statement: TextStatement) => (one: Interface) =>
      one.verify(write(statement), one.namesForm ? undefined : statement.publicSignals);
    expect(await answers(alone(TRUE_STATEMENT))).toEqual(everywhere('valid', shown(form)));
    expect(await answers(alone(CHANGED_SIGNAL))).toEqual(everywhere('proof.false', shown(form)));
    const other = (one: Interface): Promise<Said> =>
      one.verify(write(TRUE_STATEMENT), CHANGED_SIGNAL.publicSignals);
    expect(await answers(other), 'other signals').toEqual(everywhere('input.form', undefined));
  });

  it.each(SIGNALS_FORMS)('reads the public signals: $name', async ({ write }) => {
    const ask =
      ({ proof, publicSignals }: TextStatement) =>
      (one: Interface) =>
        one.verify(proof, write(publicSignals));
    expect(await answers(ask(TRUE_STATEMENT))).toEqual(everywhere('valid', undefined));
    for (const [what, statement] of FALSE_STATEMENTS)
      expect(await answers(ask(statement)), what).toEqual(everywhere('proof.false', undefined));
  });

  it.each(WRONG_KEYS)('refuses the key: $name', async (wrong) => {
    await expectRefusal(wrong, (one) => one.addKey(wrong.value));
  });

  it.each(WRONG_PROOFS)('refuses the proof: $name', async (wrong) => {
    await expectRefusal(wrong, (one) => one.verify(wrong.value, TRUE_STATEMENT.publicSignals));
  });

  it.each(WRONG_SIGNALS)('refuses the public signals: $name', async (wrong) => {
    await expectRefusal(wrong, (one) => one.verify(TRUE_STATEMENT.proof, wrong.value));
  });
});

/** Expects the code of a refusal of each interface, and its message from those that have one. */
async function expectRefusal(wrong: Wrong, ask: (one: Interface) => Promise<Said>): Promise<void> {
  const verdicts: Record<string, string> = {};
  const expected: Record<string, string> = {};
  for (const one of interfaces) {
    const { verdict, message } = await ask(one);
    verdicts[one.name] = verdict;
    expected[one.name] = one.namesForm ? wrong.code : (wrong.snarkjs ?? wrong.code);
    if (message !== undefined && verdict === wrong.code) expect(message, one.name).toMatch(wrong.message);
  }
  expect(verdicts).toEqual(expected);
}
