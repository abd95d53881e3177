import { type Assets, createAssets, readClientFile } from '../../../pages/index.ts';

/** What the pages of the demo load under names that change with the content. */
export type DemoAsset = 'demo-page.js' | 'demo-callback.js' | 'demo.css';

const SCRIPT = 'text/javascript; charset=utf-8';

/**
 * Reads the files of the demo, each once.
 *
 * @throws ServiceError `page.not_built`
 */
export async function loadDemoAssets(basePath: string): Promise<Assets<DemoAsset>> {
  return createAssets<DemoAsset>(`${basePath}/demo`, [
    { name: 'demo-page.js', contentType: SCRIPT, body: await readClientFile('demo-page.js') },
    { name: 'demo-callback.js', contentType: SCRIPT, body: await readClientFile('demo-callback.js') },
    { name: 'demo.css', contentType: 'text/css; charset=utf-8', body: await readClientFile('demo.css') },
  ]);
}
