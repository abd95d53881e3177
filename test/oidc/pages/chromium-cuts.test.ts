import { it } from 'vitest';
import { describeInChromium } from '../../support/browser/chromium-tests.ts';
import { MOMENTS } from '../../support/browser/cut-network.ts';
import { opened } from '../../support/opened.ts';
import { type CutCase, startCutScene, type Step } from '../support/cut-sign-in.ts';

const EARLY: readonly Step[] = ['authorize', 'page', 'style', 'script', 'status'];
const LATE: readonly Step[] = ['verdict', 'continue', 'callback'];
const SELF: readonly Step[] = ['style', 'script', 'status', 'verdict'];

describeInChromium('a person whose network is cut', () => {
  const scene = opened(startCutScene, 'end');
  const cases: CutCase[] = [...EARLY,...LATE].flatMap((step) =>
    MOMENTS.map((moment): CutCase => ({ step, moment, next: SELF.includes(step) && !(step === 'verdict' && moment === 'after the answer') ? 'waits' : 'reloads' })),
  );

  it.each(cases)('at $step $moment, $next, and ends at the app', async (given) => {
    await scene.run(given);
  });
  it.each(cases)('PAR, at $step $moment, $next, and ends at the app', async (given) => {
    await scene.run({...given, isPushed: true});
  });
  it.each(cases)('by form_post, at $step $moment, $next, and ends at the app', async (given) => {
    await scene.run({...given, mode: 'form_post'});
  });
  it.each(cases.filter(({step}) => step !== 'callback'))('on phone, at $step $moment, $next, and ends at the app', async (given) => {
    await scene.run({...given, onPhone: true});
  });
  it.each(cases.filter(({step}) => step !== 'callback'))('on phone, at $step $moment, back, and ends at the app', async (given) => {
    await scene.run({...given, onPhone: true, next: 'goes back'});
  });
  it.each(cases)('at $step $moment, back, and ends at the app', async (given) => {
    await scene.run({...given,  next: 'goes back'});
  });
  it.each(cases)('PAR at $step $moment, back, and ends at the app', async (given) => {
    await scene.run({...given, isPushed:true, next: 'goes back'});
  });
  it.each(cases.filter(({step}) => step !== 'authorize'))('at $step $moment, tab, and ends at the app', async (given) => {
    await scene.run({...given,  next: 'opens another tab'});
  });
  it.each(cases.filter(({step}) => step !== 'authorize'))('at $step $moment, device, and ends at the app', async (given) => {
    await scene.run({...given,  next: 'takes another device'});
  });
});
