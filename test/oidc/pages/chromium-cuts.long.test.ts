import { describe, it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { opened } from '../../support/opened.ts';
import { type CutCase, cutsAt, type Step } from '../support/cut-cases.ts';
import { startCutScene } from '../support/cut-sign-in.ts';

const ALL: readonly Step[] = [
  'authorize',
  'page',
  'style',
  'script',
  'status',
  'verdict',
  'continue',
  'callback',
];
/** Steps that a page takes by itself. */
const BY_ITSELF: ReadonlySet<Step> = new Set(['style', 'script', 'status', 'verdict']);

/** Returns the cuts at some steps at every moment, with all that the person may then do. */
function casesOf(steps: readonly Step[]): CutCase[] {
  const waits = cutsAt(steps, 'waits').filter(
    // The page that a browser shows in place of one that did not arrive does not load it again by itself.
    ({ step, moment }) => BY_ITSELF.has(step) && !(step === 'verdict' && moment === 'after the answer'),
  );
  // Before the sign-in has begun, there is no page of it for another tab.
  const begun = steps.filter((step) => step !== 'authorize');
  return [
    ...waits,
    ...cutsAt(steps, 'reloads'),
    ...cutsAt(steps, 'goes back'),
    ...cutsAt(begun, 'opens another tab'),
    ...cutsAt(begun, 'takes another device'),
  ];
}

/** Kinds of requests, each with the steps that differ; an app on a phone is not behind the network that is cut. */
const KINDS: readonly (readonly [title: string, given: Partial<CutCase>, steps: readonly Step[]])[] = [
  ['with a plain request', {}, ALL],
  ['with a pushed request', { isPushed: true }, ['authorize', 'page', 'continue', 'callback']],
  ['by fragment', { mode: 'fragment' }, ['verdict', 'continue', 'callback']],
  ['by form_post', { mode: 'form_post' }, ['verdict', 'continue', 'callback']],
  ['to an app on a phone', { onPhone: true }, ['page', 'verdict', 'continue']],
  ['to an app on a phone with a pushed request', { onPhone: true, isPushed: true }, ['verdict', 'continue']],
];

describeInChromium('a person whose network is cut ends at the app with one code', () => {
  const scene = opened(startCutScene, 'end');

  describe.each(KINDS)('%s', (_, given, steps) => {
    it.each(casesOf(steps))('at $step, $moment, and $next', (one) => scene.run({ ...one, ...given }));
  });
});
