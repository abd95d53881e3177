import type { JsonSchema } from '../../json.ts';
import { APP_LIST_SCHEMA } from '../apps/list-rules.ts';
import { SOURCES_SCHEMA } from '../roots/read-sources.ts';
import { SETTINGS } from './schema.ts';
import { envName, filePath, type Setting, type SettingValue, type TextSetting } from './setting.ts';

function valueSchema(setting: Setting): JsonSchema {
  const common = {
    description: `${setting.sentence} Variable: ${envName(setting.key)}.`,
    ...(setting.default === undefined || isComputed(setting.default) ? {} : { default: setting.default }),
    ...(setting.isSecret ? { writeOnly: true } : {}),
  };
  switch (setting.type) {
    case 'integer':
      return { type: 'integer', ...common, minimum: setting.minimum, maximum: setting.maximum };
    case 'boolean':
      return { type: 'boolean', ...common };
    case 'choice':
      return {
        ...common,
        enum: setting.choices.flatMap((choice) =>
          /^\d+$/.test(choice) ? [choice, Number(choice)] : [choice],
        ),
      };
    case 'text':
      return { ...common, ...textSchema(setting) };
    case 'list':
      return {
        type: 'array',
        ...common,
        items: { type: 'string', pattern: setting.pattern },
        maxItems: setting.maxItems,
      };
    case 'apps':
      return { ...common, ...APP_LIST_SCHEMA };
    case 'sources':
      return { ...common, ...SOURCES_SCHEMA };
  }
}

function textSchema({ pattern, numbers }: TextSetting): JsonSchema {
  const text: JsonSchema = { type: 'string', pattern };
  if (numbers === undefined) return text;
  const [minimum, maximum] = numbers;
  return { anyOf: [text, { type: 'integer', minimum, maximum }] };
}

function isComputed(
  value: Setting['default'],
): value is Exclude<Setting['default'], SettingValue | undefined> {
  return typeof value === 'object' && 'compute' in value;
}

function emptyObject(): JsonSchema & { readonly properties: Record<string, JsonSchema> } {
  return { type: 'object', additionalProperties: false, properties: {} };
}

/** Returns the JSON Schema (draft 2020-12) of the configuration file, generated from the list of settings. */
export function configJsonSchema(): JsonSchema {
  const root = emptyObject();
  root.properties.$schema = {
    type: 'string',
    description: 'Where an editor finds this schema; the service ignores it.',
  };
  for (const setting of SETTINGS) {
    const path = filePath(setting.key);
    let properties = root.properties;
    for (const member of path.slice(0, -1)) {
      properties[member] ??= emptyObject();
      properties = properties[member].properties ?? {};
    }
    properties[path.at(-1) ?? setting.key] = valueSchema(setting);
  }
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Configuration file of Proofgate',
    ...root,
  };
}
