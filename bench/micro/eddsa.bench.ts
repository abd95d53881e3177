import { fromBe } from '../../test/support/crypto/bn254.ts';
import { type Build, loadBuildsFor } from '../contenders/builds.ts';
import {
  type PlainSigningKey,
  plainSign,
  plainSigningKey,
  plainVerify,
} from '../contenders/eddsa-poseidon2.ts';
import type { Case } from '../report/types.ts';
import type { Budget, Suite } from '../suite.ts';
import { assertSame, entriesOf, PLAIN, timeGroup, wordsOf } from './hash-cases.ts';
import { fieldElements } from './inputs.ts';

const BATCHES = [1, 64] as const;
const SEED = new Uint8Array(32).fill(7);

/** One signing key in every build and in plain JavaScript, and the messages to sign. */
interface Signing {
  readonly builds: readonly Build[];
  readonly handle: (build: Build) => number;
  readonly plain: PlainSigningKey;
  /** 64 field elements. */
  readonly messages: Uint8Array;
}

/** A signature with its key and message. */
type Signed = readonly [publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array];

function signingOf(builds: readonly Build[]): Signing {
  const handles = new Map(
    builds.map((build) => {
      build.before?.();
      // A build wipes the seed that it receives.
      return [build, build.module.createSigningKey(Uint8Array.from(SEED))];
    }),
  );
  const handle = (build: Build): number => handles.get(build) as number;
  return { builds, handle, plain: plainSigningKey(SEED), messages: fieldElements('eddsa', 64) };
}

/** Checks that all give the same public key and signatures; returns the signatures, concatenated. */
function assertSameSignatures({ builds, handle, plain, messages }: Signing): Uint8Array {
  const keys = builds.map((build) => {
    build.before?.();
    return { name: build.name, answer: build.module.publicKey(handle(build)).subarray(64) };
  });
  assertSame('eddsa key', [{ name: PLAIN, answer: plain.compressed }, ...keys]);
  const answer = Buffer.concat(wordsOf(messages).map((message) => plainSign(plain, fromBe(message))));
  const signed = builds.map((build) => {
    build.before?.();
    return { name: build.name, answer: build.module.sign(handle(build), messages) };
  });
  assertSame('eddsa.sign', [{ name: PLAIN, answer }, ...signed]);
  return answer;
}

/** Checks that all give the expected verdicts on valid signatures and on manipulated ones. */
function assertSameVerdicts(
  builds: readonly Build[],
  [key, message, signature]: Signed,
  other: Signed,
): void {
  const broken = Uint8Array.from(signature, (byte, index) => (index === 63 ? byte ^ 1 : byte));
  const questions: [Signed, boolean][] = [
    [[key, message, signature], true],
    [other, true],
    [[key, message, broken], false],
    [[key, other[1], signature], false],
    [[other[0], message, signature], false],
    [[key, message, other[2]], false],
  ];
  for (const [index, [question, expected]] of questions.entries()) {
    const [publicKey, of, by] = question;
    const verdicts = builds.map((build): [string, boolean] => {
      build.before?.();
      return [build.name, build.module.verifySignature(...question)];
    });
    verdicts.push([PLAIN, plainVerify(publicKey, fromBe(of), by)]);
    for (const [name, verdict] of verdicts) {
      if (verdict !== expected)
        throw new Error(
          `eddsa.verify: ${name} answers ${verdict} for signature ${index}; expected ${expected}`,
        );
    }
  }
}

async function timeSigning({ builds, handle, plain, messages }: Signing, budget: Budget): Promise<Case[]> {
  const first = fromBe(messages.subarray(0, 32));
  const peer = { name: PLAIN, isPeer: true, operations: 1, run: (): void => void plainSign(plain, first) };
  const cases: Case[] = [];
  for (const batch of BATCHES) {
    const slice = messages.subarray(0, 32 * batch);
    const entries = entriesOf(builds, batch, (build) => () => void build.module.sign(handle(build), slice));
    cases.push(
      ...(await timeGroup('eddsa.sign', { batch }, batch === 1 ? [...entries, peer] : entries, budget)),
    );
  }
  return cases;
}

/** EdDSA-Poseidon2 against plain JavaScript: signing, 1 and 64 in a call, and verification. */
export const eddsa: Suite = {
  name: 'eddsa',
  async run({ budget, say }) {
    const builds = await loadBuildsFor(budget);
    const signing = signingOf(builds);
    const signatures = assertSameSignatures(signing);
    const [key, message] = [signing.plain.compressed, signing.messages.subarray(0, 32)];
    const signed: Signed = [key, message, signatures.subarray(0, 64)];
    const stranger = plainSigningKey(new Uint8Array(32).fill(8));
    const strange = signing.messages.subarray(32, 64);
    assertSameVerdicts(builds, signed, [stranger.compressed, strange, plainSign(stranger, fromBe(strange))]);
    say(`${builds.length} builds and plain JavaScript agree on EdDSA signatures and their verification`);
    const entries = entriesOf(builds, 1, (build) => () => void build.module.verifySignature(...signed));
    const element = fromBe(message);
    const peer = {
      name: PLAIN,
      isPeer: true,
      operations: 1,
      run: (): void => void plainVerify(key, element, signed[2]),
    };
    return [
      ...(await timeSigning(signing, budget)),
      ...(await timeGroup('eddsa.verify', { batch: 1 }, [...entries, peer], budget)),
    ];
  },
};
