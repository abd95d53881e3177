/** Requests of which one part can have any length, for every reader of an operation. */
import type { DescribedOperation } from '../../openapi/support/described.ts';

/** A request whose grown part has about `bytes` bytes. */
export interface GrowingRequest {
  readonly name: string;
  /** Whether it repeats what the service itself looks for, and not what any reader may. */
  readonly isKnown?: boolean;
  /** Length of the grown part up to which the service reads it. */
  readonly most: number;
  readonly make: (bytes: number) => Buffer;
}

/** What a request needs to reach the readers behind the first checks. */
export interface Caller {
  /** Values of path parameters; others are `x`. */
  readonly path: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Values of form fields that come before the grown one, as a client's name and secret. */
  readonly form: Readonly<Record<string, string>>;
}

/** Which parts are grown, and how. */
export interface GrowingPlan {
  readonly headers: readonly (readonly [name: string, prefix: string])[];
  /** Cookies by name and value that the service reads. */
  readonly cookies: readonly string[];
  readonly headBytes: number;
  readonly bodyBytes: number;
}

/** Texts whose repetition makes many of what a reader looks for. */
const UNITS: readonly string[] = [
  'x',
  ',',
  ';',
  '=',
  ' ',
  '"',
  '\\',
  '%41',
  '%',
  '.',
  '/',
  '&',
  '0',
  '[',
  '-',
  '+',
  ':',
  'a=1; ',
  'a=1&',
  'a,b;q=0.1, ',
  'for=1, ',
  '"\\"',
  '1.1.1.1, ',
  '%C3%A9',
  'a b ',
];

const repeated = (unit: string, bytes: number): string => unit.repeat(Math.ceil(bytes / unit.length));
/** A grown value keeps its first and last character, for readers that trim. */
const grown = (unit: string, bytes: number): string => `x${repeated(unit, bytes)}x`;

/** Texts of JSON that take the place of a member's value. */
const JSON_VALUES: readonly (readonly [name: string, make: (bytes: number) => string])[] = [
  ['a text', (bytes) => `"${repeated('x', bytes)}"`],
  ['a text of escapes', (bytes) => `"${repeated('\\u0041', bytes)}"`],
  ['a text of digits', (bytes) => `"0x${repeated('9', bytes)}"`],
  ['a text of spaces', (bytes) => `"x${repeated(' ', bytes)}x"`],
  ['a number', (bytes) => repeated('9', bytes)],
  ['arrays in arrays', (bytes) => `${'['.repeat(bytes / 2)}${']'.repeat(bytes / 2)}`],
  ['objects in objects', (bytes) => `${'{"a":'.repeat(bytes / 6)}1${'}'.repeat(bytes / 6)}`],
  ['an array of numbers', (bytes) => `[${'1,'.repeat(bytes / 2)}1]`],
  ['an array of texts', (bytes) => `[${'"x",'.repeat(bytes / 4)}"x"]`],
  ['an array of objects', (bytes) => `[${'{},'.repeat(bytes / 3)}{}]`],
  ['an object of many members', (bytes) => `{${members(bytes)}}`],
];

function members(bytes: number): string {
  return Array.from({ length: Math.ceil(bytes / 10) }, (_, index) => `"k${index}":1`).join(',');
}

function bytesOf(
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  const length = method === 'GET' || method === 'HEAD' ? [] : [`Content-Length: ${Buffer.byteLength(body)}`];
  return Buffer.from([`${method} ${target} HTTP/1.1`, ...lines, ...length, '', body].join('\r\n'), 'latin1');
}

/** Returns a request for each header, path parameter, query parameter and member of a body that an operation may read. */
export function* growingRequests(
  method: string,
  template: string,
  operation: DescribedOperation,
  caller: Caller,
  plan: GrowingPlan,
): Generator<GrowingRequest> {
  const { headBytes, bodyBytes } = plan;
  const target = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => caller.path[name] ?? 'x');
  const parameters = operation.parameters ?? [];
  const [type, body] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const example = Object.values(body?.examples ?? {})[0]?.value ?? {};
  const content = type === undefined ? {} : { 'Content-Type': type };
  const plain = typeof example === 'object' ? JSON.stringify(example) : '';
  const at = `${method} ${template}`;

  for (const cookie of plan.cookies) {
    yield {
      name: `${at}: many cookies ${cookie}`,
      isKnown: true,
      most: headBytes,
      make: (bytes) =>
        bytesOf(
          method,
          target,
          { ...caller.headers, ...content, Cookie: repeated(`${cookie}; `, bytes) },
          plain,
        ),
    };
  }
  for (const unit of UNITS) {
    const named = (what: string): string => `${at}: ${what} of ${JSON.stringify(unit)}`;
    const ownHeaders = parameters.filter((one) => one.in === 'header').map(({ name }) => [name, ''] as const);
    for (const [name, prefix] of [...plan.headers, ...ownHeaders]) {
      yield {
        name: named(`header ${name} ${prefix}`),
        most: headBytes,
        make: (bytes) =>
          bytesOf(
            method,
            target,
            { ...caller.headers, ...content, [name]: prefix + grown(unit, bytes) },
            plain,
          ),
      };
    }
    if (!/[ "\\]/.test(unit)) {
      const query = parameters.filter((one) => one.in === 'query').map(({ name }) => `${name}=`);
      for (const start of ['', ...query]) {
        yield {
          name: named(`query ${start}`),
          most: headBytes,
          make: (bytes) =>
            bytesOf(
              method,
              `${target}?${start}${repeated(unit, bytes)}`,
              { ...caller.headers, ...content },
              plain,
            ),
        };
      }
      yield {
        name: named('path'),
        most: headBytes,
        make: (bytes) =>
          bytesOf(
            method,
            template.replace(/\{\w+\}|$/, repeated(unit, bytes)).replaceAll(/[{}]/g, ''),
            { ...caller.headers, ...content },
            plain,
          ),
      };
    }
  }
  if (type === undefined || typeof example !== 'object' || example === null) return;
  const post = (text: string): Buffer => bytesOf(method, target, { ...caller.headers, ...content }, text);
  if (type === 'application/x-www-form-urlencoded') {
    const first = `${new URLSearchParams(caller.form)}&`;
    for (const unit of UNITS) {
      for (const start of ['', ...Object.keys(example).map((name) => `${name}=`)]) {
        yield {
          name: `${at}: form ${start} of ${JSON.stringify(unit)}`,
          most: bodyBytes,
          make: (bytes) => post(first + start + repeated(unit, bytes)),
        };
      }
    }
  } else if (type === 'multipart/form-data') {
    const start = '--b\r\nContent-Disposition: form-data; name="';
    const multipart = { ...caller.headers, 'Content-Type': 'multipart/form-data; boundary=b' };
    const bodies: Record<string, (bytes: number) => string> = {
      'many parts': (bytes) => `${repeated(`${start}a"\r\n\r\n1\r\n`, bytes)}--b--\r\n`,
      boundaries: (bytes) => repeated('--b\r\n', bytes),
      'line ends': (bytes) => `${start}a"\r\n\r\n${repeated('\r\n-', bytes)}`,
      'part headers': (bytes) => `${start}a"\r\n${repeated('A: b\r\n', bytes)}\r\n1\r\n--b--\r\n`,
    };
    for (const unit of UNITS) {
      bodies[`a part's name of ${JSON.stringify(unit)}`] = (bytes) =>
        `${start}${repeated(unit, bytes)}"\r\n\r\n1\r\n--b--`;
      bodies[`a part of ${JSON.stringify(unit)}`] = (bytes) =>
        `${start}manifest.json"\r\n\r\n${repeated(unit, bytes)}\r\n--b--`;
    }
    for (const [name, make] of Object.entries(bodies)) {
      yield {
        name: `${at}: ${name}`,
        most: bodyBytes,
        make: (bytes) => bytesOf(method, target, multipart, make(bytes)),
      };
    }
  } else {
    for (const [name, make] of JSON_VALUES) {
      yield { name: `${at}: body ${name}`, most: bodyBytes, make: (bytes) => post(make(bytes)) };
      for (const path of placesOf(example)) {
        yield {
          name: `${at}: ${path.join('.')} ${name}`,
          most: bodyBytes,
          make: (bytes) => post(withValue(example, path, make(bytes))),
        };
      }
    }
  }
}

/** Returns the path of each value inside a JSON value, of arrays the first. */
function placesOf(value: unknown): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [];
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, 1).map((item) => [0, item])
    : Object.entries(value);
  return entries.flatMap(([key, inner]) => [[key], ...placesOf(inner).map((path) => [key, ...path])]);
}

/** Returns a JSON text in which another text stands at a place. */
function withValue(example: object, path: readonly (string | number)[], text: string): string {
  const mark = '\u0001place\u0001';
  const copy = structuredClone(example) as Record<string | number, unknown>;
  let inner = copy;
  for (const key of path.slice(0, -1)) inner = inner[key] as Record<string | number, unknown>;
  inner[path.at(-1) ?? ''] = mark;
  return JSON.stringify(copy).replace(JSON.stringify(mark), () => text);
}
