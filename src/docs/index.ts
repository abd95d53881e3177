import { fileURLToPath } from 'node:url';
import { configJsonSchema, loadConfig } from '../config/index.ts';
import { publicOpenApi } from '../openapi/index.ts';
import { adminOpenApi } from '../operations/index.ts';
import { VERSION } from '../version.ts';
import { errorsPage } from './errors-page.ts';
import { metricsPage } from './metrics-page.ts';
import { settingsPage } from './settings-page.ts';

/** Returns the generated documents by file name in `src/docs`. */
export async function generatedPages(): Promise<Readonly<Record<string, string>>> {
  // No file and no variable is read, so that the documents have the defaults, and all operations.
  const { config } = await loadConfig({
    env: {},
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    flags: { 'verify.worldid4.enabled': 'true' },
  });
  return {
    'settings.md': settingsPage(),
    'errors.md': errorsPage(),
    'metrics.md': metricsPage(),
    'openapi.json': `${JSON.stringify(publicOpenApi(VERSION, config), null, 2)}\n`,
    'openapi-admin.json': `${JSON.stringify(adminOpenApi(VERSION), null, 2)}\n`,
    'proofgate.config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  };
}
