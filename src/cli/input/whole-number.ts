import { ServiceError } from '../../errors/index.ts';

/**
 * The value of an option as a whole number.
 *
 * @throws ServiceError `cli.usage`
 */
export function wholeNumber(option: string, text: string): number {
  if (!/^\d{1,15}$/.test(text)) {
    throw new ServiceError(
      'cli.usage',
      `--${option}: expected a whole number, got ${JSON.stringify(text.slice(0, 40))}`,
    );
  }
  return Number(text);
}
