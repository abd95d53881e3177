import { ServiceError } from '../../errors/service-error.ts';

const UNIT_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
const DURATION = /^(\d{1,6})([smhd])$/;

/**
 * Parses the value of an option that is a duration, such as `24h`; returns milliseconds.
 *
 * @throws ServiceError `cli.usage`
 */
export function durationMs(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, unit] = DURATION.exec(text) ?? [];
  if (digits === undefined || unit === undefined) {
    const got = JSON.stringify(text.slice(0, 40));
    throw new ServiceError(
      'cli.usage',
      `--${option}: expected a duration such as 90s, 30m, 24h or 7d, got ${got}`,
    );
  }
  return Number(digits) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
