import { adminOpenApi } from '../../../admin/index.ts';
import { ServiceError } from '../../../errors/index.ts';
import { VERSION } from '../../../version.ts';
import type { Command } from '../../program/command.ts';

const DOCUMENTS: Readonly<Record<string, (version: string) => unknown>> = { admin: adminOpenApi };

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
    const document = make(VERSION);
    await context.print(document, JSON.stringify(document, null, 2));
    return 0;
  },
};
