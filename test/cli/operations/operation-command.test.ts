import { describe, expect, it } from 'vitest';
import { optionsOf } from '../../../src/cli/operations/operation-command.ts';
import { loadAllCommands } from '../../../src/cli/program/table.ts';
import type { JsonSchema } from '../../../src/json.ts';
import { APP_OPERATIONS } from '../../../src/operations/apps.ts';
import { OPERATIONS } from '../../../src/operations/table.ts';

const SCHEMA: JsonSchema = {
  properties: {
    app_id: { type: 'string', description: 'Its id.' },
    dry_run: { type: 'boolean', description: 'Writes nothing.' },
    count: { type: 'integer', minimum: 1, maximum: 5, description: 'How many.' },
    level: { type: 'string', enum: ['low', 'high'], description: 'Level.' },
    uris: { type: 'array', items: { type: 'string' }, description: 'URIs.' },
    logout_uri: { type: ['string', 'null'], description: 'Address.' },
  },
  required: ['app_id'],
};

describe('options of a command of an operation', () => {
  it('follow from the schema of its input', () => {
    const flags = optionsOf(SCHEMA).options.map(({ flags, isRequired, isRepeatable, choices }) => [
      flags,
      isRequired ?? false,
      isRepeatable ?? false,
      choices,
    ]);
    expect(flags).toEqual([
      ['--app-id <value>', true, false, undefined],
      ['--dry-run', false, false, undefined],
      ['--no-dry-run', false, false, undefined],
      ['--count <number>', false, false, undefined],
      ['--level <value>', false, false, ['low', 'high']],
      ['--uris <value>', false, true, undefined],
      ['--logout-uri <value>', false, false, undefined],
      ['--no-logout-uri', false, false, undefined],
    ]);
  });

  it('give every field of an app to apps add and apps update', async () => {
    const commands = await loadAllCommands();
    const optionsBelow = (...path: string[]): number =>
      commands.find((command) => command.path.join(' ') === path.join(' '))?.options?.length ?? 0;
    for (const [path, { input }] of [
      ['add', APP_OPERATIONS.createApp],
      ['update', APP_OPERATIONS.updateApp],
    ] as const) {
      // Each member has an option at least; those of a path are arguments.
      expect(optionsBelow('apps', path)).toBeGreaterThanOrEqual(Object.keys(input.properties).length - 1);
    }
  });

  it('have --server and --token-file wherever operations are called, and descriptions', async () => {
    const commands = await loadAllCommands();
    const calling = commands.filter(({ options = [] }) =>
      options.some(({ flags }) => flags === '--server <url>'),
    );
    expect(calling.map(({ path }) => path.join(' ')).sort()).toEqual(CALLING);
    for (const { path, options = [] } of calling) {
      const flags = options.map((option) => option.flags);
      expect([path, new Set(flags).size]).toEqual([path, flags.length]);
      expect([path, options.filter(({ description }) => description.length < 3)]).toEqual([path, []]);
      expect(flags).toContain('--token-file <file>');
    }
  });
});

describe('the members of every operation', () => {
  it('are in one part of its request', () => {
    for (const { id, input, params = {}, query = {}, body } of OPERATIONS) {
      const parts = [params, query, body?.properties ?? {}].flatMap((part) => Object.keys(part));
      expect([id, parts.sort()]).toEqual([id, Object.keys(input.properties).sort()]);
    }
  });
});

/** Commands that work on a store and on a running service. */
const CALLING = [
  'admin-tokens add',
  'admin-tokens list',
  'admin-tokens revoke',
  'apps add',
  'apps disable',
  'apps enable',
  'apps list',
  'apps remove',
  'apps remove-secret',
  'apps rotate-secret',
  'apps show',
  'apps update',
  'audit list',
  'issuers add',
  'issuers list',
  'issuers remove',
  'keys list',
  'keys remove',
  'keys rotate',
  'nodes list',
  'oprf-keys add',
  'oprf-keys list',
  'oprf-keys remove',
  'orb-keys list',
  'orb-keys revoke',
  'people allow-beginning',
  'people forget',
  'people list',
  'people show',
  'refresh disable',
  'refresh enable',
  'refresh-tokens list',
  'refresh-tokens revoke',
  'roots add',
  'roots list',
  'roots prune',
  'roots sources list',
  'roots sources reset',
  'sessions list',
  'sessions revoke',
  'signups revoke',
  'signups show',
  'sweep',
  'vkey import',
  'vkey list',
  'webhooks list',
  'webhooks resend',
  'webhooks test',
];
