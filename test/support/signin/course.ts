/** One sign-in with a note of how far it is, so that what a killed service owes it is known afterwards. */

import { openRequest, proveRequest, type WalletRequest } from '../test-wallet.ts';
import type { PendingSignIn } from './driver.ts';
import type { KillableSignin } from './killable-signin.ts';

/** What the last acknowledgement was about. `revoked` and `used again` are two ends. */
export type Reached =
  | 'begun'
  | 'opened'
  | 'answered'
  | 'completed'
  | 'coded'
  | 'redeemed'
  | 'revoked'
  | 'used again';

/** Where a sign-in may rest. */
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

/** A sign-in; members appear as it goes on. */
export interface Course {
  readonly person: string;
  readonly signIn: PendingSignIn;
  reached: Reached;
  /** What was asked for and not acknowledged. */
  asked: Reached | undefined;
  /** What the wallet took from the bridge. */
  request?: WalletRequest;
  code?: string;
  accessToken?: string;
}

type Move = (course: Course, service: KillableSignin) => Promise<void>;

const MOVES: Readonly<Record<Exclude<Reached, 'begun'>, Move>> = {
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

/** Takes a sign-in to where it rests; rejects with a TypeError of `fetch` when the service is gone before. */
export async function runCourse(service: KillableSignin, course: Course, rest: Reached): Promise<void> {
  for (const [next, move] of Object.entries(MOVES) as [Reached, Move][]) {
    if (course.reached === rest) return;
    if (next === 'revoked' && rest === 'used again') continue;
    course.asked = next;
    await move(course, service);
    course.reached = next;
    course.asked = undefined;
  }
}

/**
 * Takes a sign-in to its end after the service was killed and started again, and checks what it is owed: nothing that
 * was acknowledged is lost, and no code gives tokens twice.
 *
 * @returns Code and access token, both dead then; undefined where the response went down with the service.
 */
export async function resumeCourse(
  service: KillableSignin,
  course: Course,
): Promise<Pick<Course, 'code' | 'accessToken'>> {
  const code = course.code ?? (await resumeToCode(service, course));
  if (code === undefined) return {};
  const accessToken = course.accessToken ?? (await redeemOwed(service, course, code));
  if (accessToken !== undefined) await expectTokenOwed(service, course, accessToken);
  expectStatus('/token with a used code', (await service.redeem(code)).status, 400);
  if (accessToken === undefined) return { code };
  expectStatus('/userinfo after a second use', await service.userinfo(accessToken), 401);
  return { code, accessToken };
}

async function resumeToCode(service: KillableSignin, course: Course): Promise<string | undefined> {
  const signIn = await service.reopen(course.signIn);
  if (course.asked === 'coded') {
    const response = await signIn.continue();
    await response.arrayBuffer();
    if (response.status === 403) return undefined;
    return codeIn(response.headers.get('location') ?? '');
  }
  if (course.reached === 'begun') await reopenRequest(signIn, course);
  if (course.reached === 'begun' || course.reached === 'opened') {
    const status = await answer(course);
    // refused when it had arrived, though nobody said so
    if (!(course.asked === 'answered' && status === 400)) expectStatus('PUT /response', status, 201);
  }
  await settled(signIn);
  return await codeOf(signIn);
}

/** The wallet opens the page's request; the person begins another attempt where that went down with the service. */
async function reopenRequest(signIn: PendingSignIn, course: Course): Promise<void> {
  const { status } = await signIn.status();
  // the bridge gives a request once
  if (status === 'connected' && course.asked === 'opened') {
    expectStatus('…/retry', (await signIn.retry()).status, 303);
  } else if (status !== 'waiting') {
    throw new Error(`a sign-in that nobody opened is ${status}`);
  }
  course.request = await openRequest(await signIn.readConnectUrl());
}

async function redeemOwed(
  service: KillableSignin,
  { asked }: Course,
  code: string,
): Promise<string | undefined> {
  const { status, accessToken } = await service.redeem(code);
  // the service may have used the code and have gone down with the tokens
  if (!(asked === 'redeemed' && status === 400)) expectStatus('/token', status, 200);
  return accessToken;
}

async function expectTokenOwed(
  service: KillableSignin,
  { reached, asked }: Course,
  accessToken: string,
): Promise<void> {
  const status = await service.userinfo(accessToken);
  if (asked === 'revoked' || asked === 'used again') return;
  const isDead = reached === 'revoked' || reached === 'used again';
  expectStatus(`/userinfo with a token that is ${reached}`, status, isDead ? 401 : 200);
}

async function answer({ request, person }: Course): Promise<number> {
  if (request === undefined) throw new Error('the wallet has no request');
  return await request.answer(await proveRequest(request.plaintext, { person }));
}

async function settled(signIn: PendingSignIn): Promise<void> {
  const { status, code } = await signIn.settle();
  if (status !== 'completed') throw new Error(`a sign-in with an answer is ${status}: ${code}`);
}

async function codeOf(signIn: PendingSignIn): Promise<string> {
  return codeIn((await signIn.finish()).url);
}

function codeIn(url: string): string {
  const code = new URL(url).searchParams.get('code');
  if (code === null) throw new Error(`no code in ${url}`);
  return code;
}

function expectStatus(what: string, status: number, expected: number): void {
  if (status !== expected) throw new Error(`${what}: ${status}, expected ${expected}`);
}
