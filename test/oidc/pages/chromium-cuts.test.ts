import { it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { MOMENTS } from '../../support/browser/cut-network.ts';
import { opened } from '../../support/opened.ts';
import { type CutCase, type Step, startCutScene } from '../support/cut-sign-in.ts';

const EARLY: readonly Step[] = ['authorize', 'page', 'style', 'script', 'status'];

describeInChromium('a person whose network is cut', () => {
  const scene = opened(startCutScene, 'end');
  const cases: CutCase[] = EARLY.flatMap((step) =>
    MOMENTS.map(
      (moment): CutCase => ({
        step,
        moment,
        next: ['authorize', 'page'].includes(step) ? 'reloads' : 'waits',
      }),
    ),
  );

  it.each(cases)('at $step $moment, $next, and ends at the app', async (given) => {
    await scene.run(given);
  });
});
