/** Sign-ins in which the network is cut once. */
import { MOMENTS, type Moment } from '../../support/browser/cut-network.ts';

/** Requests of a sign-in, by method and path; `status` comes before the wallet's answer, `verdict` takes that answer. */
export const STEPS = {
  authorize: /^GET \/authorize\?/,
  page: /^GET \/authorize\/[\w-]{43}$/,
  style: /^GET \/signin\/assets\/sign-in\./,
  script: /^GET \/signin\/assets\/sign-in-page\./,
  status: /^GET \/authorize\/[\w-]{43}\/status$/,
  verdict: /^GET \/authorize\/[\w-]{43}\/status$/,
  continue: /^GET \/authorize\/[\w-]{43}\/continue$/,
  callback: /^(?:GET|POST) \/cb/,
} as const;

/** A request of a sign-in. */
export type Step = keyof typeof STEPS;

/** What the person does once the network carries again; `waits` is nothing. */
export type Next = 'waits' | 'reloads' | 'goes back' | 'opens another tab' | 'takes another device';

/** A sign-in with one cut. */
export interface CutCase {
  readonly step: Step;
  readonly moment: Moment;
  readonly next: Next;
  readonly mode?: 'query' | 'fragment' | 'form_post';
  /** Whether the app is one on a phone with a private scheme. */
  readonly onPhone?: boolean;
  readonly isPushed?: boolean;
}

const EARLY: ReadonlySet<Step> = new Set(['authorize', 'page', 'style', 'script', 'status']);

/** Whether a step comes before the wallet's answer. */
export function isEarly(step: Step): boolean {
  return EARLY.has(step);
}

const NAVIGATIONS: ReadonlySet<Step> = new Set(['authorize', 'page', 'continue', 'callback']);

/** Whether the browser shows a page of its own after the cut. */
export function losesPage({ step, moment, onPhone = false }: CutCase): boolean {
  if (moment === 'in the middle of the answer') return false;
  if (moment !== 'after the answer') return NAVIGATIONS.has(step);
  return step === 'authorize' || step === 'verdict' || (step === 'continue' && !onPhone);
}

/** Whether the browser shows what arrived of an answer: over http, the begin of a head counts as a page. */
export function commitsPage({ step, moment }: CutCase): boolean {
  if (moment === 'in the middle of the answer') return NAVIGATIONS.has(step);
  return moment === 'after the answer' && (step === 'page' || step === 'callback');
}

/** Returns the cases of a step at each moment; on a phone, the network is not cut at the app. */
export function cutsAt(steps: readonly Step[], next: Next, given: Partial<CutCase> = {}): CutCase[] {
  return steps.flatMap((step) => MOMENTS.map((moment) => ({ ...given, step, moment, next })));
}
