import { type ExplainedSetting, explainConfig } from '../../../config/index.ts';
import { textTable } from '../../output/output.ts';
import type { Command } from '../../program/command.ts';

/** `config explain`: shows every setting in force with its unit and origin; secrets are masked. */
export const configExplain: Command = {
  path: ['config', 'explain'],
  summary: 'show every setting in force and where it comes from',
  showsSettings: true,
  run: async (_input, context) => {
    const loaded = await context.loadConfig();
    const settings = explainConfig(loaded);
    for (const warning of loaded.warnings) {
      context.note(`warning: ${warning}`);
    }
    const rows = settings.map((setting) => [
      setting.key,
      shownText(setting),
      setting.unit ?? '',
      setting.origin,
    ]);
    await context.print(
      { file: loaded.file ?? null, settings },
      textTable(['key', 'value', 'unit', 'origin'], rows),
    );
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
