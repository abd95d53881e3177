/** What the guides for operators name exists: commands, their options, error codes, settings, metrics, alerts. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadAllCommands } from '../../../src/cli/program/table.ts';
import { SETTINGS } from '../../../src/config/settings/schema.ts';
import { envName } from '../../../src/config/settings/setting.ts';
import { ERRORS } from '../../../src/errors/catalogue.ts';
import { GUIDES, ROOT } from './support/snippets.ts';

const COMMANDS = await loadAllCommands();
const COMMON = ['--json', '--config', '--help', ...SETTINGS.map(({ key }) => `--${key}`)];
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
/** Calls of the program, each up to the end of its line, code span or pipe. */
const CALL = /\b(?:proofgate|rehearse|as_service) ([a-z][^\n`|;&)]*)/g;

/** What is wrong with a call such as `apps update ID --verification registered`. */
function faultOf(call: string): string | undefined {
  const words = call.trim().split(/\s+/);
  const command = COMMANDS.find(({ path }) => path.every((word, index) => words[index] === word));
  if (command === undefined) return `no command: ${call}`;
  const known = (command.options ?? []).flatMap(({ flags }) => flags.split(/[ ,]+/));
  const unknown = words.filter((word) => word.startsWith('--') && ![...known, ...COMMON].includes(word));
  return unknown.length === 0 ? undefined : `no option ${unknown.join(', ')}: ${call}`;
}

describe.each(['production', 'troubleshoot'])('the guide %s', (guide) => {
  const page = readFileSync(join(GUIDES, `${guide}.md`), 'utf8');
  const code = [...page.matchAll(/^```(?!sql)\w+ file[^\n]*\n(.*?)^```$|`([^`\n]+)`/gms)].map(
    ([, block, span]) => block ?? span ?? '',
  );
  const missing = (pattern: RegExp, isKnown: (name: string) => boolean): string[] =>
    code.flatMap((text) => text.match(pattern) ?? []).filter((name) => !isKnown(name));

  it('names commands and options that exist', () => {
    const calls = code.flatMap((text) => [...text.matchAll(CALL)].map(([, call = '']) => call));
    expect(calls.length).toBeGreaterThan(10);
    expect(calls.flatMap((call) => faultOf(call) ?? [])).toEqual([]);
  });

  it('names error codes that exist, each linked to its section', () => {
    const links = [...page.matchAll(/\[`([\w.]+)`\]\(\.\.\/errors\.md#(\w+)\)/g)];
    for (const [link, name = '', anchor] of links) {
      expect(Object.keys(ERRORS), link).toContain(name);
      expect(anchor, link).toBe(name.replaceAll('.', ''));
    }
    // a name of the shape and group of a code is one, an event, a setting or a path of the program
    const groups = new Set(Object.keys(ERRORS).map((name) => name.split('.')[0]));
    const others = `${read('src/docs/events.md')}${read('src/docs/settings.md')}`;
    const isKnown = (name: string): boolean =>
      name in ERRORS || !groups.has(name.split('.')[0] ?? '') || others.includes(`\`${name}\``);
    expect(missing(/^[a-z_]+\.[a-z_]+$/g, isKnown)).toEqual([]);
  });

  it('names variables and metrics that exist', () => {
    const variables = new Set(SETTINGS.flatMap((row) => [envName(row.key), `${envName(row.key)}_FILE`]));
    expect(missing(/PROOFGATE_[A-Z0-9_]+/g, (name) => variables.has(name))).toEqual([]);
    const metrics = read('src/docs/metrics.md');
    expect(missing(/^proofgate_[a-z_]+$/g, (name) => metrics.includes(`\`${name}\``))).toEqual([]);
    const alerts = read('.deploy/prometheus/alerts.yml');
    expect(missing(/^Proofgate[A-Z]\w+$/g, (name) => alerts.includes(`alert: ${name}\n`))).toEqual([]);
  });
});
