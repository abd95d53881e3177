import { SETTINGS } from '../config/settings/schema.ts';
import { describeDefault, describeExpected, envName, type Setting } from '../config/settings/setting.ts';
import { code, GENERATED, markdownTable } from './markdown.ts';

const HEAD = ['Setting', 'Default', 'Values', 'Unit', 'Meaning'];

function row(setting: Setting): string[] {
  const unit = setting.type === 'integer' && setting.unit !== 'port' ? setting.unit : '';
  const secret = setting.isSecret
    ? ` A secret: ${code(`${envName(setting.key)}_FILE`)} names a file that holds it.`
    : '';
  return [
    `${code(setting.key)}<br>${code(envName(setting.key))}`,
    describeDefault(setting),
    describeExpected(setting),
    unit,
    `${setting.sentence}${secret}`,
  ];
}

/** Returns `settings.md`: every setting with its default, values, unit and meaning. */
export function settingsPage(): string {
  return `${GENERATED}
# Settings

A value comes from the last of these that sets it: default, configuration file, environment, command line.

- **File**: \`proofgate.config.json\` in the working directory, or the file that \`--config\` names. Each dot of a key
  is one level of objects: \`{"engine": {"workers": 4}}\`; a key binding is one member of \`key\`:
  \`{"verify": {"key": {"staging": "my-key", "staging.face": "my-other-key"}}}\`. The JSON Schema is
  [proofgate.config.schema.json](proofgate.config.schema.json), also printed by \`proofgate config schema\`. An unknown
  key is an error. A file whose name ends with \`.env\` holds variables instead, one \`NAME=value\` per line, with
  comments; \`proofgate init production DIR\` writes such a file, and systemd accepts it as \`EnvironmentFile\`.
- **Environment**: the variable listed under each key. An empty variable counts as not set; an unknown \`PROOFGATE_\`
  variable is a warning.
- **Command line**: \`--\` and the key, e.g. \`--engine.workers 4\`, on every command. Flags for secrets are refused,
  because every user of the machine can read the command line of a process.

All errors are reported at once, with exit code 78; in production together with everything else that forbids the start.
\`proofgate config explain\` shows the values in force and their origins; a secret is never shown.

${markdownTable(HEAD, SETTINGS.map(row))}
`;
}
