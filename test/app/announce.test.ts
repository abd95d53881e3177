import { expect, it } from 'vitest';
import { announceStart } from '../../src/app/announce.ts';
import type { LibraryFacts } from '../../src/config/settings/types.ts';
import type { Log, LogFields } from '../../src/observability/log/log.ts';

type Config = Parameters<typeof announceStart>[0];

/** Returns the lines about the HTTP library at a start in production. */
function linesOf(library: Partial<LibraryFacts>): unknown[] {
  const lines: unknown[] = [];
  const write = (level: string) => (text: string, fields?: LogFields) => {
    if (fields?.event === 'http.library') lines.push([level, text, fields]);
  };
  const log = { info: write('info'), warn: write('warn') } as unknown as Log;
  const config = { profile: 'production', signin: { enabled: false } } as Config;
  const facts = { passedOver: [], ...library } as unknown as LibraryFacts;
  announceStart(config, {}, { publicUrl: '', adminUrl: '' }, { keepsHeaderBytes: true, library: facts }, log);
  return lines;
}

it('a start names the HTTP library in one line', () => {
  const library = { kind: 'uws', package: 'uws-pack', version: '20.0.8', passedOver: ['a: x'] } as const;
  const fields = { event: 'http.library', library: 'uws', package: 'uws-pack', version: '20.0.8' };
  expect(linesOf(library)).toEqual([['info', 'HTTP by uWebSockets.js (uws-pack 20.0.8)', fields]]);
});

it.each([
  ['for lack of a binary', ['a: x', 'b: y'], 'a: x; b: y'],
  ['by choice', [], 'http.library is node'],
])('a start with the library of Node says why, without a warning: %s', (_why, passedOver, reason) => {
  const library = { kind: 'node', package: 'node:http', version: '26.1.0' } as const;
  const fields = { event: 'http.library', library: 'node', package: 'node:http', version: '26.1.0', reason };
  expect(linesOf({ ...library, passedOver })).toEqual([['info', 'HTTP by node:http', fields]]);
});
