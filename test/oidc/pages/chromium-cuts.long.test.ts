import { describe, it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import { type CutCase, cutsAt, type Next, type Step } from '../support/cut-cases.ts';
import { startCutScene } from '../support/cut-sign-in.ts';

const NAVIGATIONS: readonly Step[] = ['authorize', 'page', 'continue', 'callback'];
const FETCHES: readonly Step[] = ['style', 'script', 'status', 'verdict'];

/** The page that a browser shows in place of one that did not arrive does not load it again by itself. */
const waits = cutsAt(FETCHES, 'waits').filter(
  ({ step, moment }) => step !== 'verdict' || moment !== 'after the answer',
);

/** Every step and moment, with what the person then does; before the sign-in has begun there is no second tab of it. */
const CASES: readonly CutCase[] = [
  ...waits,
  ...cutsAt([...NAVIGATIONS, ...FETCHES], 'reloads'),
  ...cutsAt([...NAVIGATIONS, ...FETCHES], 'goes back'),
  ...(['opens another tab', 'takes another device'] as const).flatMap((next: Next) =>
    cutsAt([...NAVIGATIONS.slice(1), ...FETCHES], next),
  ),
];

/** Kinds of requests; the app on a phone is not behind the network that is cut. */
const KINDS: readonly (readonly [title: string, given: Partial<CutCase>])[] = [
  ['with a plain request', {}],
  ['with a pushed request', { isPushed: true }],
  ['by fragment', { mode: 'fragment' }],
  ['by form_post', { mode: 'form_post' }],
  ['to an app on a phone', { onPhone: true }],
  ['to an app on a phone with a pushed request', { onPhone: true, isPushed: true }],
];

describeInChromium('a person whose network is cut ends at the app with one code', () => {
  const scene = opened(startCutScene, 'end');

  describe.each(KINDS)('%s', (_, given) => {
    it.each(CASES.filter(({ step }) => !given.onPhone || step !== 'callback'))(
      'at $step, $moment, and $next',
      (one) => scene.run({ ...one, ...given }),
    );
  });
});
