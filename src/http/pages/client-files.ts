import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';

// The same folder from src/http/pages and from dist/http/pages.
const CLIENT_FOLDER = new URL('../../../dist/client/', import.meta.url);

/**
 * Reads a file that the build made from `src/client`.
 *
 * @throws ServiceError `page.not_built`
 */
export async function readClientFile(name: string): Promise<Uint8Array> {
  try {
    return await readFile(new URL(name, CLIENT_FOLDER));
  } catch (cause) {
    throw new ServiceError(
      'page.not_built',
      `dist/client/${name} is not readable: run \`npm run build\``,
      {},
      { cause },
    );
  }
}
