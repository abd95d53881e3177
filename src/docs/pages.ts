import { configJsonSchema } from '../config/settings/json-schema.ts';
import { errorsPage } from './errors-page.ts';
import { metricsPage } from './metrics-page.ts';
import { settingsPage } from './settings-page.ts';

/** Returns the generated documents by file name in `src/docs`. */
export function generatedPages(): Readonly<Record<string, string>> {
  return {
    'settings.md': settingsPage(),
    'errors.md': errorsPage(),
    'metrics.md': metricsPage(),
    'proofgate.config.schema.json': `${JSON.stringify(configJsonSchema(), null, 2)}\n`,
  };
}
