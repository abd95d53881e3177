import { describeDefault, describeExpected, envName, SETTINGS, type Setting } from '../config/index.ts';
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

/** `settings.md`: every setting. */
export function settingsPage(): string {
  return `${GENERATED}
# Settings

A value is looked for in this order, the later one wins: default, configuration file, environment, command line.

- **File**: \`proofgate.config.json\` of the working directory, or the file that \`--config\` names. One object for each
  dot of a key: \`{"engine": {"workers": 4}}\`; a key binding is one member below \`key\`:
  \`{"verify": {"key": {"staging": "my-key", "staging.face": "my-other-key"}}}\`. The JSON Schema is
  [proofgate.config.schema.json](proofgate.config.schema.json), also printed by \`proofgate config schema\`. An unknown
  key is a fault. A file whose name ends with \`.env\` holds variables instead, a \`NAME=value\` a line, with comments;
  it is what \`proofgate init production DIR\` writes, and systemd takes it as \`EnvironmentFile\`.
- **Environment**: the variable below each key. An empty variable counts as not set; an unknown \`PROOFGATE_\` variable
  is a warning.
- **Command line**: \`--\` and the key, e.g. \`--engine.workers 4\`, on every command. Not for a secret: every user of
  the machine can read the command line of a process, so such a flag is refused.

All faults are reported at once, with exit code 78; in production together with everything else that forbids the start. \`proofgate config explain\` shows what is in force and where each
value comes from; a secret is never shown.

${markdownTable(HEAD, SETTINGS.map(row))}
`;
}
