import { onTestFinished } from 'vitest';
import { type StartAppOptions, type StartedApp, startApp } from './start-app.ts';

/** Starts a service that stops at the end of the running test. */
export async function startAppOfTest(options: StartAppOptions = {}): Promise<StartedApp> {
  const app = await startApp(options);
  onTestFinished(async () => void (await app.stop()));
  return app;
}
