// Rules: spec/operations.md#shutdown
import { describe, expect, it } from 'vitest';
import type { RunningApp } from '../../../../src/cli/program/command.ts';
import { makeEmptyCliFolder } from '../../support/cli.ts';

const EVENTS = [
  ...(['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const),
  ...(['uncaughtException', 'unhandledRejection'] as const),
];
const listeners = (): number[] => EVENTS.map((name) => process.listenerCount(name));

describe('proofgate serve', () => {
  it('listens to signals and failures of the process until the service has stopped', async () => {
    const folder = await makeEmptyCliFolder();
    const before = listeners();
    const whileStopping: number[] = [];
    const app: RunningApp = {
      publicUrl: 'http://127.0.0.1:1',
      adminUrl: 'http://127.0.0.1:2',
      verifyUrl: 'http://127.0.0.1:1',
      issuerUrl: 'http://127.0.0.1:1',
      circuit: undefined,
      exampleCurl: undefined,
      exampleCurl4: undefined,
      groth16Curl: undefined,
      refreshCurl: undefined,
      demoUrl: undefined,
      walletUrl: undefined,
      docsUrl: undefined,
      onReload: () => undefined,
      logIgnoredSignal: () => undefined,
      failed: Promise.resolve(new Error('gone')),
      stop: async () => {
        whileStopping.push(...listeners());
        return true;
      },
    };
    await folder.fails('serve', 70, 'stopping after a failure: Error: gone', { buildApp: async () => app });
    expect(whileStopping).toEqual(before.map((count) => count + 1));
    expect(listeners()).toEqual(before);
    await folder.remove();
  });
});
