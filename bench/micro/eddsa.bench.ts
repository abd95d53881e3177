import { type Build, loadBuilds } from '../contenders/proofgate.ts';
import type { Case } from '../report/types.ts';
import type { Suite } from '../suite.ts';
import { assertSame, entriesOf, timeGroup } from './hash-cases.ts';
import { fieldElements } from './inputs.ts';

const BATCHES = [1, 64] as const;

/** A key of a fixed seed, in every build. */
function keysOf(builds: readonly Build[]): Map<Build, number> {
  return new Map(
    builds.map((build) => {
      build.before?.();
      return [build, build.module.createSigningKey(new Uint8Array(32).fill(7))];
    }),
  );
}

/** EdDSA-Poseidon2 over BabyJubJub: signing, one by one and 64 in a call, and verification. */
export const eddsa: Suite = {
  name: 'eddsa',
  async run({ budget, say }) {
    const builds = await loadBuilds();
    const keys = keysOf(builds);
    const handle = (build: Build): number => keys.get(build) as number;
    const messages = fieldElements('eddsa', 64);
    const signed = builds.map((build) => {
      build.before?.();
      return { name: build.name, answer: build.module.sign(handle(build), messages) };
    });
    assertSame('eddsa.sign', signed);
    const [first] = builds;
    const publicKey = first?.module.publicKey(handle(first)).subarray(64) ?? new Uint8Array();
    const message = messages.subarray(0, 32);
    const signature = signed[0]?.answer.subarray(0, 64) ?? new Uint8Array();
    const broken = Uint8Array.from(signature, (byte, index) => (index === 63 ? byte ^ 1 : byte));
    for (const build of builds) {
      build.before?.();
      const { verifySignature } = build.module;
      if (!verifySignature(publicKey, message, signature) || verifySignature(publicKey, message, broken))
        throw new Error(`eddsa.verify: ${build.name} gives a wrong answer`);
    }
    say(`${builds.length} builds agree on EdDSA signatures and their verification`);
    const cases: Case[] = [];
    for (const batch of BATCHES) {
      const slice = messages.subarray(0, 32 * batch);
      const entries = entriesOf(builds, batch, (build) => () => void build.module.sign(handle(build), slice));
      cases.push(...(await timeGroup('eddsa.sign', { batch }, entries, budget)));
    }
    const entries = entriesOf(
      builds,
      1,
      (build) => () => void build.module.verifySignature(publicKey, message, signature),
    );
    return [...cases, ...(await timeGroup('eddsa.verify', { batch: 1 }, entries, budget))];
  },
};
