/** What pages are made of, without a service. */
import { tmpdir } from 'node:os';
import { loadConfig } from '../../../src/config/index.ts';
import { loadSite, type Site } from '../../../src/http/pages/index.ts';

/** The site of a configuration of profile `test` with these settings. */
export async function testSite(settings: Readonly<Record<string, string>> = {}): Promise<Site> {
  const { config } = await loadConfig({ env: {}, cwd: tmpdir(), flags: { profile: 'test', ...settings } });
  return await loadSite(config);
}
