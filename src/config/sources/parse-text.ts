import type { Setting, SettingValue } from '../settings/setting.ts';

/**
 * Converts the text of an environment variable, secret file or flag to the type of the setting. A text that does not
 * have the form of that type is returned unchanged, and the schema then reports what was expected.
 */
export function parseText(setting: Setting, text: string): SettingValue {
  if (setting.type === 'integer' && /^-?\d{1,15}$/.test(text.trim())) {
    return Number(text);
  }
  if (setting.type === 'boolean' && (text === 'true' || text === 'false')) {
    return text === 'true';
  }
  if (setting.type === 'list' || setting.type === 'sources') return parseList(text);
  if (setting.type === 'apps') return parseJson(text);
  return text;
}

function parseList(text: string): SettingValue {
  if (text.trim() === '') return [];
  if (!text.trimStart().startsWith('[')) return text.split(',').map((item) => item.trim());
  return parseJson(text);
}

function parseJson(text: string): SettingValue {
  try {
    return JSON.parse(text) as SettingValue;
  } catch {
    return text;
  }
}
