/**
 * One running service for all test files of a process that need no settings of their own. A test of such a file may depend
 * neither on the number of rows in the store nor on lines of the log that another test can write. It runs until the process
 * ends.
 */

import { freePort } from '../free-port.ts';
import type { StartedApp } from '../server/start-app.ts';
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

/** Returns the shared service, with new clients. */
export async function useSharedSignin(): Promise<SharedSignin> {
  shared ??= start();
  const { app, store, baseUrl } = await shared;
  return withClients(app, store, baseUrl, Date.now);
}

/** Returns the shared service for tests that sign nobody in. */
export async function useSharedApp(): Promise<SharedApp> {
  shared ??= start();
  return (await shared).app;
}
