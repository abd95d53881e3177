import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../package.json') as { readonly version: string };

/** Version of the service: that of its package. */
export const VERSION: string = manifest.version;
