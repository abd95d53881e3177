import { describe, expect, it } from 'vitest';
import { answerOf, batchOf, loadBuilds, prepareBuild } from '../../bench/contenders/builds.ts';
import { assertAgreement, type Groth16Contender } from '../../bench/contenders/contender.ts';
import { startLineProgram } from '../../bench/contenders/line-program.ts';
import {
  type Answer,
  agreementMembers,
  loadProofSet,
  type ProofMember,
} from '../../bench/contenders/proof-set.ts';
import { assertMixedBatch, batchesWithBad } from '../../bench/micro/groth16-batches.ts';

const set = loadProofSet();

function contender(
  answer: (member: ProofMember) => Answer,
  change: Partial<Groth16Contender> = {},
): Groth16Contender {
  return {
    name: 'one',
    isPeer: true,
    scope: '',
    distinguishesRefusals: true,
    prepare: (members) => members.map((member) => () => answer(member)),
    close: async () => undefined,
    ...change,
  };
}

describe('equal answers before timing', () => {
  const members = agreementMembers(set);

  it('accepts a contender that answers every member correctly', async () => {
    await assertAgreement([contender(({ expected }) => expected)], members);
  });

  it.each(set.refused.map(({ kind }) => kind))('detects a contender that omits a check: %s', async (kind) => {
    const without = contender((member) => (member.kind === kind ? false : member.expected));
    await expect(assertAgreement([without], members)).rejects.toThrow(
      new RegExp(`one answers false for member \\d+ \\(${kind}\\); expected refused`),
    );
  });

  it('detects a contender that accepts a false proof or rejects a valid one', async () => {
    const credulous = contender(({ expected }) => (expected === false ? true : expected));
    await expect(assertAgreement([credulous], members)).rejects.toThrow(/answers true .* expected false/);
    const rejecting = contender(({ expected }) => (expected === true ? false : expected));
    await expect(assertAgreement([rejecting], members)).rejects.toThrow(/answers false .* expected true/);
  });

  it('skips checks that a contender is known to omit, and accepts false from one that reports no refusals', async () => {
    const skippedKinds = set.refused.map(({ kind }) => kind);
    await assertAgreement(
      [contender(({ expected }) => (expected === 'refused' ? true : expected), { skippedKinds })],
      members,
    );
    await assertAgreement(
      [contender(({ expected }) => expected === true, { distinguishesRefusals: false })],
      members,
    );
  });
});

describe('builds of the bench', () => {
  it('answer every member equally, alone and in a batch, and name one of each kind as chosen', async () => {
    const { present } = await loadBuilds();
    expect(present.length).toBeGreaterThan(0);
    for (const build of present) {
      assertMixedBatch(build, set);
      const { verify } = prepareBuild(build, set.key);
      for (const member of [...set.refused, ...set.invalid.slice(0, 3)])
        expect(answerOf(verify(batchOf([member]))[0]), member.kind).toBe(member.expected);
    }
    const chosen = present.filter(({ isChosen }) => isChosen).map(({ name }) => name.split('-')[0]);
    expect(new Set(chosen).size).toBe(chosen.length);
  });

  it('get batches with the requested percentage of false proofs', async () => {
    const [build] = (await loadBuilds()).present;
    if (!build) throw new Error('no build');
    const { verify } = prepareBuild(build, set.key);
    for (const [percent, right] of [
      [0, [0, 0]],
      [1, [0, 1]],
      [50, [32, 32]],
      [100, [64, 64]],
    ] as const) {
      const found = batchesWithBad(set, percent, 64).map(
        (bytes) => [...verify(bytes)].filter((verdict) => answerOf(verdict) === false).length,
      );
      expect(found).toEqual(right);
    }
  });
});

describe('a contender that is a program', () => {
  const echo = `process.stdin.on('data', (text) => process.stdout.write(
    String(text) === 'end\\n' ? process.exit() : String(text) === 'bad\\n' ? 'error no\\n' : '<' + text));`;

  it('answers line by line, and its errors are rethrown', async () => {
    const program = startLineProgram(process.execPath, ['-e', echo]);
    expect(await program.ask('one')).toBe('<one');
    await expect(program.ask('bad')).rejects.toThrow('error no');
    expect(await program.ask('two')).toBe('<two');
    await program.stop();
  });

  it('fails when the program ends or does not exist', async () => {
    const program = startLineProgram(process.execPath, ['-e', echo]);
    await expect(program.ask('end')).rejects.toThrow(/has ended/);
    const missing = startLineProgram('/nonexistent/program');
    await expect(missing.ask('one')).rejects.toThrow(/has ended/);
    await missing.stop();
  });
});
