// Rules: spec/operations.md#configuration
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { SETTINGS } from '../../../../src/config/settings/schema.ts';
import { useCliFolder } from '../../support/cli.ts';

const folder = useCliFolder();

describe('proofgate config explain', () => {
  it('shows each setting with value, unit and origin, and no secret', async () => {
    await writeFile(join(folder.path, 'proofgate.config.json'), '{"engine":{"maxBatch":7}}');
    const env = { PROOFGATE_ADMIN_TOKEN: 'a-secret-of-26-characters!', PROOFGATE_ENGINE_WORKRES: '2' };
    const { code, stdout, stderr } = await folder.run('config explain --engine.maxQueue=9', { env });
    expect(code).toBe(0);
    const rows = stdout.split('\n').map((row) => row.trim().split(/ {2,}/));
    expect(rows).toContainEqual(['engine.maxBatch', '7', 'proofs', 'file']);
    expect(rows).toContainEqual(['engine.maxQueue', '9', 'proofs', 'flag']);
    expect(rows).toContainEqual(['admin.token', '(set, 26 characters)', 'env']);
    expect(rows).toContainEqual(['log.level', 'info', 'default']);
    expect(stdout).not.toContain('a-secret');
    expect(stderr).toContain('warning: PROOFGATE_ENGINE_WORKRES: unknown variable');
    expect(stderr).toContain('did you mean PROOFGATE_ENGINE_WORKERS?');
  });

  it('prints the same as JSON', async () => {
    const { file, settings } = await folder.json('config explain');
    expect(file).toBeNull();
    expect((settings as { key: string }[]).map((row) => row.key)).toEqual(SETTINGS.map((row) => row.key));
  });
});

describe('proofgate config schema', () => {
  it('prints the published schema', async () => {
    const { stdout } = await folder.run('config schema');
    const published = new URL('../../../../src/docs/proofgate.config.schema.json', import.meta.url);
    expect(stdout).toBe(await readFile(published, 'utf8'));
    expect(await folder.json('config schema')).toEqual(JSON.parse(stdout));
  });
});
