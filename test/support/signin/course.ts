/** A sign-in with its acknowledged progress, which a killed service must honour after its restart. */

import { openRequest, proveRequest, type WalletRequest } from '../test-wallet.ts';
import type { PendingSignIn } from './driver.ts';
import type { KillableSignin } from './killable-signin.ts';

/** Last acknowledged step. `revoked` and `used again` are alternative ends. */
export type Reached =
  | 'begun'
  | 'opened'
  | 'answered'
  | 'completed'
  | 'coded'
  | 'redeemed'
  | 'revoked'
  | 'used again';

/** Steps at which a sign-in may pause. */
export const RESTS: readonly Reached[] = [
  'begun',
  'opened',
  'answered',
  'completed',
  'coded',
  'redeemed',
  'revoked',
  'used again',
];

/** A sign-in; optional members are set as it progresses. */
export interface Course {
  readonly person: string;
  readonly signIn: PendingSignIn;
  reached: Reached;
  /** Requested step that is not acknowledged yet. */
  asked: Reached | undefined;
  /** Request that the wallet took from the bridge. */
  request?: WalletRequest;
  code?: string;
  accessToken?: string;
}

type Step = (course: Course, service: KillableSignin) => Promise<void>;

const STEPS: Readonly<Record<Exclude<Reached, 'begun'>, Step>> = {
  opened: async (course) => {
    course.request = await openRequest(await course.signIn.readConnectUrl());
  },
  answered: async (course) => expectStatus('PUT /response', await answer(course), 201),
  completed: ({ signIn }) => settled(signIn),
  coded: async (course) => {
    course.code = await codeOf(course.signIn);
  },
  redeemed: async (course, service) => {
    const { status, accessToken } = await service.redeem(course.code ?? '');
    expectStatus('/token', status, 200);
    course.accessToken = accessToken ?? '';
  },
  revoked: async ({ accessToken = '' }, service) => {
    expectStatus('/revoke', await service.revoke(accessToken), 200);
  },
  'used again': async ({ code = '' }, service) => {
    expectStatus('/token with a used code', (await service.redeem(code)).status, 400);
  },
};

/** Begins a sign-in. */
export async function beginCourse(service: KillableSignin, person: string): Promise<Course> {
  return { person, signIn: await service.begin(), reached: 'begun', asked: undefined };
}

/**
 * Advances a sign-in to the step `rest`. Rejects with a TypeError of `fetch` when the service ends before.
 */
export async function runCourse(service: KillableSignin, course: Course, rest: Reached): Promise<void> {
  for (const [next, step] of Object.entries(STEPS) as [Reached, Step][]) {
    if (course.reached === rest) return;
    if (next === 'revoked' && rest === 'used again') continue;
    course.asked = next;
    await step(course, service);
    course.reached = next;
    course.asked = undefined;
  }
}

/**
 * Completes a sign-in after the service was killed and restarted, and checks that nothing acknowledged is
 * lost and no code is redeemed twice.
 *
 * @returns Code and access token, both invalid by then; no token if it was lost in the kill.
 */
export async function resumeCourse(
  service: KillableSignin,
  course: Course,
): Promise<Pick<Course, 'accessToken'> & Required<Pick<Course, 'code'>>> {
  const code = course.code ?? (await resumeToCode(service, course));
  const accessToken = course.accessToken ?? (await redeemAfterRestart(service, course, code));
  if (accessToken !== undefined) await expectTokenState(service, course, accessToken);
  expectStatus('/token with a used code', (await service.redeem(code)).status, 400);
  if (accessToken === undefined) return { code };
  expectStatus('/userinfo after a second use', await service.userinfo(accessToken), 401);
  return { code, accessToken };
}

async function resumeToCode(service: KillableSignin, course: Course): Promise<string> {
  const signIn = await service.reopen(course.signIn);
  // A response that was lost in the kill is had again.
  if (course.asked === 'coded') return await codeOf(signIn);
  if (course.reached === 'begun') await reopenRequest(signIn, course);
  if (course.reached === 'begun' || course.reached === 'opened') {
    const status = await answer(course);
    // refused if the first answer had arrived without an acknowledgement
    if (!(course.asked === 'answered' && status === 400)) expectStatus('PUT /response', status, 201);
  }
  await settled(signIn);
  return await codeOf(signIn);
}

/** Opens the request of the page, after a retry by the person if the first opening was lost in the kill. */
async function reopenRequest(signIn: PendingSignIn, course: Course): Promise<void> {
  const { status } = await signIn.status();
  // the bridge serves a request once
  if (status === 'connected' && course.asked === 'opened') {
    expectStatus('…/retry', (await signIn.retry()).status, 303);
  } else if (status !== 'waiting') {
    throw new Error(`expected a sign-in without a wallet to be waiting, got ${status}`);
  }
  course.request = await openRequest(await signIn.readConnectUrl());
}

async function redeemAfterRestart(
  service: KillableSignin,
  { asked }: Course,
  code: string,
): Promise<string | undefined> {
  const { status, accessToken } = await service.redeem(code);
  // the service may have used the code before the kill, in which the tokens were lost
  if (!(asked === 'redeemed' && status === 400)) expectStatus('/token', status, 200);
  return accessToken;
}

async function expectTokenState(
  service: KillableSignin,
  { reached, asked }: Course,
  accessToken: string,
): Promise<void> {
  const status = await service.userinfo(accessToken);
  if (asked === 'revoked' || asked === 'used again') return;
  const isInvalid = reached === 'revoked' || reached === 'used again';
  expectStatus(`/userinfo with a token that is ${reached}`, status, isInvalid ? 401 : 200);
}

async function answer({ request, person }: Course): Promise<number> {
  if (request === undefined) throw new Error('expected a request that the wallet has opened');
  return await request.answer(await proveRequest(request.plaintext, { person }));
}

async function settled(signIn: PendingSignIn): Promise<void> {
  const { status, code } = await signIn.settle();
  if (status !== 'completed') throw new Error(`expected a completed sign-in, got ${status}: ${code}`);
}

async function codeOf(signIn: PendingSignIn): Promise<string> {
  const { url } = await signIn.finish();
  const code = new URL(url).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${url}`);
  return code;
}

function expectStatus(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${status}, expected ${expected}`);
}
