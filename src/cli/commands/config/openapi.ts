import { ServiceError } from '../../../errors/index.ts';
import { VERSION } from '../../../version.ts';
import type { Command, CommandContext } from '../../program/command.ts';

// Loaded when they are asked for: other commands need none of what the documents are made of.
const DOCUMENTS: Readonly<Record<string, (context: CommandContext) => Promise<unknown>>> = {
  public: async (context) => {
    const { publicOpenApi } = await import('../../../openapi/index.ts');
    return publicOpenApi(VERSION, (await context.loadConfig()).config);
  },
  admin: async () => {
    const { adminOpenApi } = await import('../../../operations/index.ts');
    return adminOpenApi(VERSION);
  },
};

/** `openapi LISTENER`: prints the OpenAPI document of a listener. */
export const openapi: Command = {
  path: ['openapi'],
  summary: 'print the OpenAPI 3.1 document of an interface',
  details: 'A running service serves it at /openapi.json of the listener.',
  arguments: [{ name: 'listener', description: `one of ${Object.keys(DOCUMENTS).join(', ')}` }],
  run: async (input, context) => {
    const make = DOCUMENTS[input.argument('listener')];
    if (make === undefined) {
      const text = `listener: expected one of ${Object.keys(DOCUMENTS).join(', ')}`;
      throw new ServiceError('cli.usage', text);
    }
    const document = await make(context);
    await context.print(document, JSON.stringify(document, null, 2));
    return 0;
  },
};
