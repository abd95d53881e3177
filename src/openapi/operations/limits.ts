import type { PublicOperation } from '../operation.ts';

/** Says how often an address may call per minute; nothing if the limit is off. */
export function requestsPerMinute(limit: number, setting: string): string[] {
  return timesPerMinute('call', limit, setting);
}

/** Says how often an address may do something per minute; nothing if the limit is off. */
export function timesPerMinute(what: string, limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may ${what} ${limit} times per minute (\`${setting}\`).`];
}

/** Says how often an address may call per second; nothing if the limit is off. */
export function requestsPerSecond(limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may call ${limit} times per second (\`${setting}\`).`];
}

/** Says how large a body may be. */
export function bodyOfAtMost(bytes: number): string {
  return `A body has at most ${bytes} bytes.`;
}

/** Marks an operation whose requests are limited per address, unless the limit is off. */
export function limited(limit: number): Pick<PublicOperation, 'isRateLimited'> {
  return limit > 0 ? { isRateLimited: true } : {};
}
