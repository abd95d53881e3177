import { ServiceError } from '../../../errors/index.ts';
import type { CommandInput, CommandOption } from '../../program/command.ts';

/** The app whose refresh tokens a command is about. */
export const APP_OPTION: CommandOption = {
  flags: '--app <id>',
  description: 'app_id or rp_id of the app; required',
};

/**
 * Reads the app of a command.
 *
 * @throws ServiceError `cli.usage`
 */
export function requiredApp(input: CommandInput): string {
  const app = input.option('app');
  if (app === undefined) throw new ServiceError('cli.usage', '--app: expected the app_id or rp_id of an app');
  return app;
}
