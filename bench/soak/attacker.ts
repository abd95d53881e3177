import { answerCalls } from '../support/child.ts';
import { ATTACKS } from './attacks.ts';
import type { SoakTarget } from './target.ts';

/** Calls of the process that attacks. */
export type AttackProcess = {
  run(argument: { name: string; target: SoakTarget; seconds: number }): Promise<void>;
};

answerCalls({
  async run({ name, target, seconds }: { name: string; target: SoakTarget; seconds: number }) {
    const attack = ATTACKS[name];
    if (attack === undefined)
      throw new Error(`unknown attack "${name}"; expected one of ${Object.keys(ATTACKS).join(', ')}`);
    const end = performance.now() + seconds * 1000;
    await attack({ target, isOver: () => performance.now() >= end });
  },
});
