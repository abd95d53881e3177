import type { Route } from '../exchange/exchange-types.ts';

/** Routes that are served below one public address. */
export interface RouteGroup {
  /** Key of the setting that holds the address. */
  readonly setting: string;
  readonly routes: readonly Route[];
}

/** Two patterns of different groups that match the same path. */
export interface RouteCollision {
  readonly settings: readonly [string, string];
  readonly patterns: readonly [string, string];
}

/** Finds, for each pair of groups, the first two patterns that match the same path. */
export function routeCollisions(groups: readonly RouteGroup[]): RouteCollision[] {
  const collisions: RouteCollision[] = [];
  for (const [index, group] of groups.entries()) {
    for (const other of groups.slice(index + 1)) {
      const patterns = firstOverlap(group.routes, other.routes);
      if (patterns !== undefined) collisions.push({ settings: [group.setting, other.setting], patterns });
    }
  }
  return collisions;
}

function firstOverlap(
  routes: readonly Route[],
  others: readonly Route[],
): readonly [string, string] | undefined {
  for (const { path } of routes) {
    const other = others.find((candidate) => overlap(path, candidate.path));
    if (other !== undefined) return [path, other.path];
  }
  return undefined;
}

function overlap(one: string, other: string): boolean {
  const segments = one.split('/');
  const others = other.split('/');
  if (segments.length !== others.length) return false;
  return segments.every((segment, index) => {
    const counterpart = others[index] ?? '';
    return segment === counterpart || isFilled(segment, counterpart) || isFilled(counterpart, segment);
  });
}

/** Whether a segment is a parameter that the other segment can fill; a parameter is never empty. */
function isFilled(segment: string, by: string): boolean {
  return segment.startsWith(':') && by !== '';
}
