import type { PublicOperation } from '../operation.ts';

/** Describes the limit of requests per minute and address; empty if it is off. */
export function requestsPerMinute(limit: number, setting: string): string[] {
  return timesPerMinute('call', limit, setting);
}

/** Describes a limit of an action per minute and address; empty if it is off. */
export function timesPerMinute(what: string, limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may ${what} ${limit} times per minute (\`${setting}\`).`];
}

/** Describes the limit of requests per second and address; empty if it is off. */
export function requestsPerSecond(limit: number, setting: string): string[] {
  return limit === 0 ? [] : [`An address may call ${limit} times per second (\`${setting}\`).`];
}

/** Describes the maximum size of a body. */
export function bodyOfAtMost(bytes: number): string {
  return `A body has at most ${bytes} bytes.`;
}

/** Marks an operation whose requests are limited per address, unless the limit is off. */
export function limited(limit: number): Pick<PublicOperation, 'isRateLimited'> {
  return limit > 0 ? { isRateLimited: true } : {};
}
