// Our own router: uWebSockets.js matches the method first and cannot tell which methods a path has, which 405 and OPTIONS answer.

import { ServiceError } from '../../errors/index.ts';
import type { Route } from '../exchange/exchange-types.ts';
import { isVisibleAscii } from '../headers/header-rules.ts';

/** All routes of one path pattern. */
export interface Endpoint {
  readonly pattern: string;
  /** Methods of the Allow header: as in the route table, HEAD after its GET, then OPTIONS where it is answered. */
  readonly allow: readonly string[];
  /** The first route of the pattern: its error body answers for the path. */
  readonly first: Route;
  /** The route that serves a method, HEAD included. */
  route(method: string): Route | undefined;
}

/** A path that matched a pattern; parameters are still percent-encoded. */
export interface PathMatch {
  readonly endpoint: Endpoint;
  readonly rawParams: Readonly<Record<string, string>>;
}

/**
 * Finds the endpoint of a path. Paths are compared byte for byte; nothing is normalised, and no path matches that holds
 * other characters than visible ASCII.
 */
export interface Router {
  match(path: string): PathMatch | undefined;
}

interface Pattern {
  /** What a path that matches begins with: the pattern up to its first parameter. */
  readonly prefix: string;
  /** The name of the only parameter, where it is the last segment. */
  readonly last: string | undefined;
  readonly segments: readonly string[];
  readonly endpoint: Endpoint;
}

/** Paths with parameters that are remembered, and the longest such path. */
const MAX_KNOWN_PATHS = 256;
const MAX_KNOWN_PATH_CHARACTERS = 256;

/**
 * Builds the router of a listener from its route table; a fixed path wins over a pattern. Most requests name one of a
 * few paths, whose matches are remembered.
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
  if (last === undefined) return matchSegments(segments, path.split('/'));
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
