import { configJsonSchema } from '../../../config/index.ts';
import type { Command } from '../../program/command.ts';

/** `config schema`: prints the JSON Schema of the configuration file. */
export const configSchema: Command = {
  path: ['config', 'schema'],
  summary: 'print the JSON Schema of the configuration file',
  run: async (_input, context) => {
    const schema = configJsonSchema();
    await context.print(schema, JSON.stringify(schema, null, 2));
    return 0;
  },
};
