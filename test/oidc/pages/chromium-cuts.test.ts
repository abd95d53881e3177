import { it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import type { CutCase } from '../support/cut-cases.ts';
import { startCutScene } from '../support/cut-sign-in.ts';

// One case for each step, moment, kind of request and act of the person; all combinations are in the long test.
const CASES: readonly CutCase[] = [
  { step: 'authorize', moment: 'before the answer', next: 'reloads', isPushed: true },
  { step: 'page', moment: 'in the middle of the answer', next: 'takes another device' },
  { step: 'script', moment: 'before the request', next: 'waits' },
  { step: 'status', moment: 'before the answer', next: 'waits' },
  { step: 'verdict', moment: 'in the middle of the answer', next: 'opens another tab', mode: 'fragment' },
  { step: 'continue', moment: 'before the answer', next: 'reloads' },
  { step: 'continue', moment: 'before the answer', next: 'reloads', onPhone: true },
  { step: 'continue', moment: 'after the answer', next: 'takes another device', mode: 'form_post' },
  { step: 'callback', moment: 'before the answer', next: 'reloads', mode: 'form_post' },
  { step: 'callback', moment: 'before the request', next: 'goes back', isPushed: true },
];

describeInChromium('a person whose network is cut', () => {
  const scene = opened(startCutScene, 'end');

  it.each(CASES)('at $step, $moment, $next, and ends at the app with one code', (given) => scene.run(given));
});
