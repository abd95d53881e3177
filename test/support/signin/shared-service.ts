/**
 * One running service for all test files of a process that need no settings of their own. A test of such a file may depend
 * neither on the number of rows in the store nor on lines of the log that another test can write. It runs until the process
 * ends.
 */

import { onTestFinished, vi } from 'vitest';
import { freePort } from '../free-port.ts';
import type { StartAppOptions, StartedApp } from '../server/start-app.ts';
import {
  type SharedSignin,
  type SigninService,
  signinSettings,
  startSigninService,
  withClients,
} from './service.ts';

/** The shared service, which no test stops. */
export type SharedApp = Omit<StartedApp, 'stop'>;

let shared: Promise<SigninService> | undefined;

async function start(): Promise<SigninService> {
  return startSigninService({
    settings: {
      ...signinSettings(await freePort()),
      // the files of a process would share what is left of a limit
      'rateLimits.page': '0',
      'rateLimits.statusFailures': '0',
      'rateLimits.statusPerAddress': '0',
      'rateLimits.clientAuthFailures': '0',
    },
  });
}

function startOnce(): Promise<SigninService> {
  // What starts on a replaced clock stops with it, as the health checks of the service, for all files that come after.
  if (vi.isFakeTimers()) throw new Error('the shared service is used before a clock is replaced, or after');
  shared ??= start();
  return shared;
}

/** Returns the shared service, with new clients. */
export async function useSharedSignin(): Promise<SharedSignin> {
  const { app, store, baseUrl } = await startOnce();
  return withClients(app, store, baseUrl, Date.now);
}

/** Returns the shared service for tests that sign nobody in. */
export async function useSharedApp(): Promise<SharedApp> {
  return (await startOnce()).app;
}

/** Starts a service of its own for a test, which ends with it. */
export async function startSigninOfTest(options?: StartAppOptions): Promise<SigninService> {
  const service = await startSigninService(options);
  onTestFinished(() => service.end());
  return service;
}
