// Replaces the router of uWebSockets.js, which matches the method first and cannot list the methods of a path, as
// needed for 405 and OPTIONS.

import { ServiceError } from '../../errors/service-error.ts';
import type { Route } from '../exchange/exchange-types.ts';
import { isVisibleAscii } from '../headers/header-rules.ts';

/** All routes of one path pattern. */
export interface Endpoint {
  readonly pattern: string;
  /**
   * Methods of the Allow header: in the order of the route table, HEAD after its GET, then OPTIONS if it is answered.
   */
  readonly allow: readonly string[];
  /** First route of the pattern; it renders errors that are not specific to a route of the path. */
  readonly first: Route;
  /** Returns the route that serves a method, HEAD included. */
  route(method: string): Route | undefined;
}

/** A path that matched a pattern; parameters are still percent-encoded. */
export interface PathMatch {
  readonly endpoint: Endpoint;
  readonly rawParams: Readonly<Record<string, string>>;
}

/**
 * Finds the endpoint of a path. Paths are compared byte for byte, without normalisation, and a path with
 * characters other than visible ASCII matches nothing.
 */
export interface Router {
  match(path: string): PathMatch | undefined;
}

interface Pattern {
  /** The pattern up to its first parameter, with which every matching path begins. */
  readonly prefix: string;
  /** Name of the parameter if it is the only one and the last segment. */
  readonly last: string | undefined;
  readonly segments: readonly string[];
  readonly endpoint: Endpoint;
}

/** Size of the cache of paths with parameters, and the longest path in it. */
const MAX_KNOWN_PATHS = 256;
const MAX_KNOWN_PATH_CHARACTERS = 256;

/**
 * Builds the router of a listener from its route table; a fixed path wins over a pattern. Most requests go to
 * one of a few paths, so matches are cached.
 */
export function createRouter(routes: readonly Route[]): Router {
  const fixed = new Map<string, PathMatch>();
  const known = new Map<string, PathMatch>();
  const patterns: Pattern[] = [];
  for (const [pattern, group] of groupByPattern(routes)) {
    const endpoint = createEndpoint(pattern, group);
    const parameter = pattern.indexOf('/:');
    if (parameter >= 0) {
      const name = pattern.slice(parameter + 2);
      const last = name.includes('/') ? undefined : name;
      const prefix = pattern.slice(0, parameter + 1);
      patterns.push({ prefix, last, segments: pattern.split('/'), endpoint });
    } else fixed.set(pattern, { endpoint, rawParams: {} });
  }
  return {
    match(path) {
      const exact = fixed.get(path) ?? known.get(path);
      if (exact !== undefined) return exact;
      if (!isVisibleAscii(path)) return undefined;
      for (const pattern of patterns) {
        if (!path.startsWith(pattern.prefix)) continue;
        const rawParams = matchPattern(pattern, path);
        if (rawParams !== undefined) return remember(path, { endpoint: pattern.endpoint, rawParams });
      }
      return undefined;
    },
  };

  function remember(path: string, match: PathMatch): PathMatch {
    if (path.length > MAX_KNOWN_PATH_CHARACTERS) return match;
    if (known.size === MAX_KNOWN_PATHS) known.clear();
    known.set(path, match);
    return match;
  }
}

/**
 * Percent-decodes path parameters once.
 *
 * @throws ServiceError `http.malformed_path` for a broken escape or bytes that are not UTF-8
 */
export function decodeParams(raw: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  let isPlain = true;
  for (const name in raw) isPlain &&= raw[name]?.includes('%') === false;
  if (isPlain) return raw;
  return Object.fromEntries(Object.entries(raw).map(([name, value]) => [name, decodeOnce(name, value)]));
}

function decodeOnce(name: string, value: string): string {
  if (!value.includes('%')) return value;
  try {
    return decodeURIComponent(value);
  } catch (cause) {
    throw new ServiceError(
      'http.malformed_path',
      `path parameter ${name}: expected percent-encoded UTF-8`,
      { path: name },
      { cause },
    );
  }
}

function groupByPattern(routes: readonly Route[]): Map<string, [Route, ...Route[]]> {
  const groups = new Map<string, [Route, ...Route[]]>();
  for (const route of routes) {
    const group = groups.get(route.path);
    if (group === undefined) groups.set(route.path, [route]);
    else group.push(route);
  }
  return groups;
}

function createEndpoint(pattern: string, routes: readonly [Route, ...Route[]]): Endpoint {
  const byMethod = new Map<string, Route>();
  for (const route of routes) {
    for (const method of route.head === true ? [route.method, 'HEAD'] : [route.method]) {
      if (byMethod.has(method)) throw new Error(`two routes for ${method} ${pattern}`);
      byMethod.set(method, route);
    }
  }
  return {
    pattern,
    allow: [...byMethod.keys(), ...(routes[0].refusesOptions === true ? [] : ['OPTIONS'])],
    first: routes[0],
    route: (method) => byMethod.get(method),
  };
}

function matchPattern({ prefix, last, segments }: Pattern, path: string): Record<string, string> | undefined {
  // One segment more than the pattern has tells that the path is longer.
  if (last === undefined) return matchSegments(segments, path.split('/', segments.length + 1));
  const isOne = path.length > prefix.length && path.indexOf('/', prefix.length) < 0;
  return isOne ? { [last]: path.slice(prefix.length) } : undefined;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? '';
    const found = segments[i] ?? '';
    if (expected.startsWith(':')) {
      if (found === '') return undefined;
      params[expected.slice(1)] = found;
    } else if (expected !== found) return undefined;
  }
  return params;
}
