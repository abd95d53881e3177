/** The site that pages are rendered for, without a service. */
import { tmpdir } from 'node:os';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { loadSite, type Site } from '../../../src/http/pages/site.ts';

/** Loads the site of a configuration with profile `test` and the given settings. */
export async function testSite(settings: Readonly<Record<string, string>> = {}): Promise<Site> {
  const { config } = await loadConfig({ env: {}, cwd: tmpdir(), flags: { profile: 'test', ...settings } });
  return await loadSite(config);
}
