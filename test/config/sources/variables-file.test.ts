// Rules: spec/operations.md#sources-of-settings
import { describe, expect, it } from 'vitest';
import { faultsOf, load, put, useConfigFolder } from '../support/config-folder.ts';

useConfigFolder();

describe('loadConfig with a file of variables', () => {
  it('reads them like environment variables, which take precedence', async () => {
    const token = await put('token', 'sixteen-characters-at-least');
    const configFile = await put(
      'proofgate.env',
      [
        '\uFEFF# a comment',
        '; another',
        '',
        'PROOFGATE_ENGINE_MAX_QUEUE=770\r',
        '  PROOFGATE_ENGINE_MAX_BATCH = 5',
        'PROOFGATE_CLAIMS_NAME="A name # no comment"',
        "PROOFGATE_PROXY_TRUSTED='10.0.0.1, 10.0.0.2'",
        'PROOFGATE_SERVER_PORT=1',
        'PROOFGATE_BASE_URL=',
        `PROOFGATE_ADMIN_TOKEN_FILE=${token}`,
      ]
        .join('\n')
        .replace(' = ', '='),
    );
    const env = { PROOFGATE_SERVER_PORT: '2' };
    const { config, origins, file, warnings } = await load({ configFile, env });
    expect(config.engine).toMatchObject({ maxQueue: 770, maxBatch: 5 });
    expect(config.claims.name).toBe('A name # no comment');
    expect(config.proxy.trusted).toEqual(['10.0.0.1', '10.0.0.2']);
    expect(config.admin.token).toBe('sixteen-characters-at-least');
    expect(config.server.port).toBe(2);
    expect(origins).toMatchObject({ 'engine.maxQueue': 'file', 'server.port': 'env', baseUrl: 'default' });
    expect(file).toBe(configFile);
    expect(warnings).toEqual([]);
  });

  it('refuses malformed lines, duplicate names and unknown names, without showing a value', async () => {
    const configFile = await put(
      'proofgate.env',
      [
        'PROOFGATE_ADMIN_TOKEN secret',
        'export A=secret',
        'PROOFGATE_LOG_LEVEL=info',
        'PROOFGATE_LOG_LEVEL=warn',
      ].join('\n'),
    );
    const faults = await faultsOf({ configFile });
    expect(faults).toEqual([
      `${configFile}:1: expected NAME=value or a comment   from file`,
      `${configFile}:2: expected NAME=value or a comment   from file`,
      `${configFile}:4: PROOFGATE_LOG_LEVEL is set twice   from file`,
    ]);
    const typo = await put('typo.env', 'PROOFGATE_ENGINE_WORKRES=2\nNODE_OPTIONS=--inspect\n');
    expect(await faultsOf({ configFile: typo })).toEqual([
      'PROOFGATE_ENGINE_WORKRES: unknown variable; did you mean PROOFGATE_ENGINE_WORKERS?   from file',
    ]);
  });

  it('warns when other users may read a file that contains a secret', async () => {
    const text = 'PROOFGATE_ADMIN_TOKEN=sixteen-characters-at-least\n';
    const configFile = await put('proofgate.env', text, 0o644);
    expect((await load({ configFile })).warnings).toEqual([
      `${configFile}: holds admin.token and is readable by other users; \`chmod 0600 ${configFile}\``,
    ]);
  });

  it('does not warn when other users may read a file that only names the file of a secret', async () => {
    const secret = await put('token', 'sixteen-characters-at-least\n', 0o600);
    const configFile = await put('proofgate.env', `PROOFGATE_ADMIN_TOKEN_FILE=${secret}\n`, 0o644);
    expect((await load({ configFile })).warnings).toEqual([]);
  });
});
