import { configJsonSchema } from '../../config/settings/json-schema.ts';
import { type ExplainedSetting, explainConfig } from '../../config/sources/explain.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { VERSION } from '../../version.ts';
import { textTable } from '../output/output.ts';
import type { Command, CommandContext } from '../program/command.ts';

/** `config explain`: shows every setting in force with its unit and origin; secrets are masked. */
const configExplain: Command = {
  path: ['config', 'explain'],
  summary: 'show every setting in force and where it comes from',
  showsSettings: true,
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    const settings = explainConfig(loaded);
    for (const warning of loaded.warnings) {
      context.note(`warning: ${warning}`);
    }
    const table = textTable(settings, {
      key: 'key',
      value: shownText,
      unit: ({ unit }) => unit ?? '',
      origin: 'origin',
    });
    await context.print({ file: loaded.file ?? null, settings }, table);
    return 0;
  },
};

function shownText({ key, value, missing }: ExplainedSetting): string {
  if (missing !== null) {
    return missing === key ? '(not set, required)' : `(not set, follows ${missing})`;
  }
  const hasObjects = Array.isArray(value) && value.some((item) => typeof item === 'object');
  return hasObjects ? JSON.stringify(value) : String(value ?? 'not set');
}

/** `config schema`: prints the JSON Schema of the configuration file. */
const configSchema: Command = {
  path: ['config', 'schema'],
  summary: 'print the JSON Schema of the configuration file',
  run: async (_input, context) => {
    const schema = configJsonSchema();
    await context.print(schema, JSON.stringify(schema, null, 2));
    return 0;
  },
};

// Loaded on demand: other commands do not need the sources of the documents.
const DOCUMENTS: Readonly<Record<string, (context: CommandContext) => Promise<unknown>>> = {
  public: async (context) => {
    const { publicOpenApi } = await import('../../openapi/public-openapi.ts');
    return publicOpenApi(VERSION, (await context.loadConfig()).config);
  },
  admin: async () => {
    const { adminOpenApi } = await import('../../operations/openapi.ts');
    return adminOpenApi(VERSION);
  },
};

/** `openapi LISTENER`: prints the OpenAPI document of a listener. */
const openapi: Command = {
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

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [configExplain, configSchema, openapi];
