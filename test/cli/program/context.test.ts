// Rules: spec/operations.md#reload, spec/operations.md#egress-proxy
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createContext } from '../../../src/cli/program/context.ts';
import { proxyOf, useProxies } from '../../../src/egress-proxies.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('context', afterAll);

const unused = (): never => expect.unreachable('reading settings needs neither');

describe('settings that a running service reads again', () => {
  it.each([
    ['another proxy', 'http://other.example:3128', 0],
    ['a proxy that is none', 'ftp://egress.example', 1],
  ])('leave outgoing calls to the proxy of the start: %s', async (_what, text, faults) => {
    onTestFinished(() => useProxies(() => undefined));
    const file = join(folder, 'proxy');
    const write = (content: string): void => writeFileSync(file, content, { mode: 0o600 });
    write('http://egress.example:3128');
    const { examineConfig } = createContext(
      {
        env: {
          PROOFGATE_PROFILE: 'test',
          PROOFGATE_DATA_DIR: folder,
          PROOFGATE_OUTGOING_PROXY_FILE: file,
        },
        cwd: folder,
        buildApp: unused,
        findHttpLibrary: unused,
      },
      { flags: {}, configFile: undefined, isJson: false, isConfirmed: false },
    );
    await examineConfig();
    write(text);
    expect((await examineConfig()).faults).toHaveLength(faults);
    expect(proxyOf('https://hooks.example')?.name).toBe('http://egress.example:3128');
  });
});
