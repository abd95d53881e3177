import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ServiceError } from '../../errors/service-error.ts';
import { renderSigninError } from '../errors/signin.ts';
import type { ErrorRenderer, HttpResponse, Route } from '../exchange/exchange-types.ts';

/** A file that pages load. */
export interface AssetSource<Name extends string = string> {
  /** File name with extension, such as `wallet-page.js`. */
  readonly name: Name;
  readonly contentType: string;
  readonly body: Uint8Array;
  /** Additional headers, such as the Content-Security-Policy of a worker. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Files whose URLs contain a hash of their content, so that browsers may cache them without limit. */
export interface Assets<Name extends string = string> {
  /** Returns the absolute path of a file. */
  url(name: Name): string;
  /** Returns the answer with the file of a hashed name; throws ServiceError `http.not_found`. */
  answer(hashedName: string): HttpResponse;
  readonly route: Route;
}

// 64 bits of SHA-256: enough to distinguish versions of one file; collision attacks are no concern.
const HASH_DIGITS = 16;
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** Returns the path of the route of files below a path. */
export function assetPath(basePath: string): string {
  return `${basePath}/assets/:name`;
}

/**
 * Creates the table of files that pages load. Only files in it are served.
 *
 * @param basePath - Path of the service, as `basePathOf` returns it.
 * @param renderError - Renders the answer for an unknown file.
 */
export function createAssets<Name extends string>(
  basePath: string,
  sources: readonly AssetSource<Name>[],
  renderError: ErrorRenderer = renderSigninError,
): Assets<Name> {
  const hashedNames = new Map(sources.map((source) => [source.name, hashedName(source)]));
  const byHashedName = new Map(sources.map((source) => [hashedName(source), source]));
  const answer = (name: string): HttpResponse => {
    const source = byHashedName.get(name);
    if (source === undefined) throw new ServiceError('http.not_found');
    const { contentType, body, headers } = source;
    return {
      status: 200,
      headers: { 'Content-Type': contentType, 'Cache-Control': IMMUTABLE, ...headers },
      body,
    };
  };
  return {
    url(name) {
      const hashed = hashedNames.get(name);
      if (hashed === undefined) throw new Error(`no asset has the name ${name}`);
      return `${basePath}/assets/${hashed}`;
    },
    answer,
    route: {
      method: 'GET',
      path: assetPath(basePath),
      head: true,
      bodyLimitBytes: 0,
      renderError,
      handler: ({ params }) => answer(params.name ?? ''),
    },
  };
}

function hashedName({ name, body }: AssetSource): string {
  const hash = createHash('sha256').update(body).digest('hex').slice(0, HASH_DIGITS);
  const dot = name.lastIndexOf('.');
  return `${name.slice(0, dot)}.${hash}${name.slice(dot)}`;
}

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

const TEXT_TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
};

/**
 * Reads a script or a stylesheet that the build made from `src/client`.
 *
 * @param files - Files that it consists of, in order; the one of its name if absent.
 * @throws ServiceError `page.not_built`
 */
export async function clientAsset<Name extends `${string}.${'js' | 'css'}`>(
  name: Name,
  files: readonly string[] = [name],
): Promise<AssetSource<Name>> {
  const contentType = TEXT_TYPES[name.slice(name.lastIndexOf('.') + 1)] as string;
  return { name, contentType, body: Buffer.concat(await Promise.all(files.map(readClientFile))) };
}
