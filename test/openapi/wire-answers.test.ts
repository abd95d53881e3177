/**
 * The recorded answers of the public interfaces (`test/vectors/wire`) are answers that the document describes.
 * Rules: spec/operations.md#openapi
 */
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config/sources/load.ts';
import { publicOpenApi } from '../../src/openapi/public-openapi.ts';
import { CORPUS } from '../wire/support/corpus.ts';
import { type RecordedAnswer, readRecording } from '../wire/support/recording.ts';
import { type OpenApiDocument, readDocument } from './support/described.ts';

const { config } = await loadConfig({
  env: {},
  cwd: import.meta.dirname,
  flags: { 'verify.worldid4.enabled': 'true' },
});
// An introspection that answers as earlier versions did is recorded, too.
const document = publicOpenApi('1.0.0', {
  ...config,
  signin: { ...config.signin, introspectionLegacy401: true },
});
const reader = readDocument(document as unknown as OpenApiDocument);

/** Headers of the connection and of the body, which HTTP defines for all answers (RFC 9110). */
const OF_HTTP = new Set(['Date', 'uWebSockets', 'Content-Length', 'Content-Type', 'Connection']);
/** Statuses of no operation: an interim one, those of unknown methods, that of the HTTP library. */
const OF_NO_OPERATION = new Set([100, 405, 501, 505]);
/** Paths below which other listeners of the corpus have the interfaces. */
const OTHER_BASES = /^\/(?:auth|issuer|verifier)(?=\/)/;

interface Answer {
  readonly request: string;
  readonly status: number;
  readonly headers: readonly string[];
  readonly body: string;
}

const PUBLIC = [
  'verify',
  'groth16',
  'refresh',
  'signin',
  'token',
  'expiry',
  'bridge',
  'pages',
  'static',
  'http',
];
const answers: Answer[] = PUBLIC.flatMap((name) => {
  // What a listener does not serve, or serves below another path, is answered as any unknown path.
  const other = (CORPUS[name] ?? []).filter(({ listener = '' }) =>
    ['disabled', 'production'].includes(listener),
  );
  const titles = new Set(other.map(({ title }) => title));
  return [...readRecording(name).values()]
    .filter(({ title, status }) => !(titles.has(title) && status.includes(' 404 ')))
    .map(toAnswer);
});
const described = answers.flatMap((answer) => {
  // The name of a variable has spaces.
  const [, method = '', target = ''] = /^(\S+) ([^?]*)/.exec(answer.request) ?? [];
  const path = target.replace(/ HTTP\/[\d.]+$/, '').replace(OTHER_BASES, '');
  const operation = reader.find(method, path);
  if (operation === undefined || Number.isNaN(answer.status) || OF_NO_OPERATION.has(answer.status)) return [];
  return [{ answer, operation }];
});

function toAnswer({ request, status, headers, body }: RecordedAnswer): Answer {
  return { request, status: Number(status.split(' ')[1]), headers, body: body.join('\n') };
}

/** Returns the body of an answer, with other values in place of those that differ from run to run. */
function jsonOf({ headers, body }: Answer): unknown {
  const isJson = headers.some((header) => /^Content-Type: application\/json/.test(header));
  if (!isJson || body === '') return undefined;
  // Sealed and signed texts are recorded as the objects in them.
  const closed = body
    .replaceAll(/<(?:credential|jwt|sealed) \{.*?\}>/g, '')
    .replaceAll('<challenge>', '0'.repeat(64));
  return JSON.parse(closed.replaceAll(/(?<=[:[,])(?:<[^<>"]+>|\{\{[^{}"]+\}\})/g, '1'));
}

describe('recorded answers', () => {
  it('are answers of many operations', () => {
    const ids = new Set(described.map(({ operation }) => operation.operationId));
    expect([described.length > 400, ids.size > 35]).toEqual([true, true]);
  });

  it('have a status that the operation lists', () => {
    const missing = described.filter(
      ({ answer, operation }) => reader.response(operation, answer.status) === undefined,
    );
    expect(missing.map(({ answer }) => `${answer.status} ${answer.request}`)).toEqual([]);
  });

  it('have no header that the response does not list', () => {
    const missing = described.flatMap(({ answer, operation }) => {
      const listed = reader.response(operation, answer.status)?.headers ?? {};
      return answer.headers
        .map((header) => header.split(':')[0] ?? '')
        .filter((name) => !OF_HTTP.has(name) && !(name in listed))
        .map((name) => `${operation.operationId} ${answer.status} ${name}`);
    });
    expect([...new Set(missing)]).toEqual([]);
  });

  it('have an error code that the response lists', () => {
    const missing = described.flatMap(({ answer, operation }) => {
      const { code, error } = Object(jsonOf(answer)) as { code?: unknown; error?: unknown };
      const text = code ?? error;
      if (answer.status < 400 || typeof text !== 'string') return [];
      const { description = '' } = reader.response(operation, answer.status) ?? {};
      return description.includes(`\`${text}\``) ? [] : [`${operation.operationId} ${answer.status} ${text}`];
    });
    expect([...new Set(missing)]).toEqual([]);
  });

  it('have a body that fits the schema', () => {
    const seen = new Set<string>();
    const wrong = described.flatMap(({ answer, operation }) => {
      const body = jsonOf(answer);
      const response = reader.response(operation, answer.status);
      // A redirect has a body only for a program that prefers JSON.
      if (body === undefined || response === undefined || answer.status === 303) return [];
      seen.add(`${operation.operationId} ${answer.status}`);
      const faults = reader.faults(response, body);
      return faults.length === 0 ? [] : [[operation.operationId, answer.request, answer.body, faults[0]]];
    });
    expect(wrong).toEqual([]);
    expect(seen.size).toBeGreaterThan(40);
  });
});
