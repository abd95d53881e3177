import { ERRORS, type ErrorCode } from '../errors/catalogue.ts';
import type { ErrorSpec } from '../errors/spec.ts';
import type { Route } from '../http/exchange/exchange-types.ts';
import { ERROR_SCHEMAS, EVERY_HEADER, HEADERS, SECURITY_SCHEMES } from './components.ts';
import type { ErrorForm, HeaderName, Json, PublicOperation, SuccessAnswer } from './operation.ts';
import { ref } from './schemas.ts';

/** The members of a route on which the document depends. */
export type ServedRoute = Pick<Route, 'method' | 'path' | 'head'>;

/** Purpose of the operations of each tag. */
const TAGS: Readonly<Record<string, string>> = {
  Verification: 'Verification of zero-knowledge proofs for a relying party and an action.',
  'Any circuit': 'Verification of Groth16 proofs of any circuit.',
  'Sign-in': 'OpenID Connect and OAuth 2.0, as the back end of an app or a native wallet calls it.',
  'Sign-in pages': 'What the browser of a person who signs in loads.',
  'Credential refresh': 'Credentials for holders of an older identity.',
  'Wallet bridge': 'A relay of ciphertext between this service, or an app, and a wallet.',
  Service: 'What the service says about itself, and the files of its pages.',
  Development: 'A wallet and a relying party to try the service with, outside production only.',
};

/** Contents of the document other than its operations. */
export interface DocumentFrame {
  /** Version of the service. */
  readonly version: string;
  readonly schemas: Readonly<Record<string, Json>>;
}

/** Returns every code with which an operation can be refused. */
export function refusalsOf(operation: PublicOperation): ErrorCode[] {
  const { body, isAlwaysServed, isRateLimited, paths, errors } = operation;
  return [
    ...([
      'http.repeated_header',
      'http.expectation_failed',
      'http.body_too_large',
      'internal.unforeseen',
    ] as const),
    ...(isAlwaysServed === true
      ? []
      : (['http.exchanges_full', 'http.unavailable', 'http.handler_timeout'] as const)),
    ...(body === undefined ? [] : (['http.body_memory_full'] as const)),
    ...(paths[0]?.includes('/:') ? (['http.malformed_path'] as const) : []),
    ...(isRateLimited === true ? (['http.rate_limited'] as const) : []),
    ...errors,
  ];
}

/** Returns the wire form of a code in an interface: its status and the code in the body. */
export function wireFormOf(code: ErrorCode, form: ErrorForm): { status: number; code: string | undefined } {
  const spec: ErrorSpec = ERRORS[code];
  const internal = ERRORS['internal.unforeseen'];
  if (form === 'refresh') {
    const { status, error } = spec.refresh ?? internal.refresh;
    return { status, code: error };
  }
  const { status, code: wireCode } = spec[form] ?? internal[form];
  return { status, code: wireCode };
}

/**
 * Builds the OpenAPI 3.1 document of the public listener.
 *
 * @param served - The routes of the listener; the document describes no others. All operations if absent.
 * @throws Error if a route has no operation, which is a bug in the table of operations
 */
export function buildDocument(
  operations: readonly PublicOperation[],
  { version, schemas }: DocumentFrame,
  served?: readonly ServedRoute[],
): Json {
  const places = new Set(served?.map(({ method, path }) => `${method} ${path}`));
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations) {
    const { method, hasHead } = operation;
    const own = operation.paths.filter((path) => served === undefined || places.delete(`${method} ${path}`));
    for (const path of own) {
      const place = templateOf(path);
      const alias = operation.paths.indexOf(path);
      const id = alias === 0 ? operation.id : `${operation.id}${alias + 1}`;
      paths[place] = {
        ...paths[place],
        [method.toLowerCase()]: operationObject(operation, id),
        ...(hasHead === true ? { head: headObject(operation, `${id}Head`) } : {}),
      };
    }
  }
  if (places.size > 0) throw new Error(`no operation describes ${[...places].join(', ')}`);
  const shared = shareResponses(paths);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Proofgate',
      version,
      description:
        'Sign-in with OpenID Connect, refresh of credentials, and verification of zero-knowledge proofs. Another method on a path is refused with 405 and the header `Allow`; the body of an error is that of its interface.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths: shared.paths,
    components: {
      responses: shared.responses,
      securitySchemes: schemesOf(operations),
      headers: HEADERS,
      schemas: { ...schemas, ...Object.fromEntries(Object.values(ERROR_SCHEMAS)) },
    },
  };
}

/** Returns the security schemes of operations. */
function schemesOf(operations: readonly PublicOperation[]): Json {
  const used = new Set<string | undefined>(operations.map(({ security }) => security));
  return Object.fromEntries(Object.entries(SECURITY_SCHEMES).filter(([name]) => used.has(name)));
}

/** Returns the path of a route in the notation of OpenAPI. */
export function templateOf(pattern: string): string {
  return pattern.replaceAll(/:(\w+)/g, '{$1}');
}

function operationObject(operation: PublicOperation, id: string): Json {
  const { tag, summary, description, limits = [], security, parameters, body, success } = operation;
  const text = [description, ...limits].filter((part) => part !== undefined);
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(text.length === 0 ? {} : { description: text.join('\n\n') }),
    // Credentials of a client may be in the form instead.
    security:
      security === undefined ? [] : [{ [security]: [] }, ...(security === 'clientSecret' ? [{}] : [])],
    ...(parameters === undefined ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: body.isOptional !== true,
            content: { [body.mediaType]: { schema: body.schema, examples: body.examples } },
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(success).map(([status, answer]) => [status, successObject(operation, answer)]),
      ),
      ...errorObjects(operation),
    },
  };
}

/** HEAD is answered like GET, without a body. */
function headObject(operation: PublicOperation, id: string): Json {
  const { parameters, responses, ...object } = operationObject(operation, id) as {
    parameters?: unknown;
    responses: Readonly<Record<string, { content?: unknown }>>;
  };
  return {
    ...object,
    ...(parameters === undefined ? {} : { parameters }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, { content: _, ...response }]) => [status, response]),
    ),
  };
}

function successObject({ headers }: PublicOperation, answer: SuccessAnswer): Json {
  const { description, content } = answer;
  return {
    description,
    headers: headerObjects([...headers, ...(answer.headers ?? [])]),
    ...(content === undefined
      ? {}
      : {
          content: Object.fromEntries(
            Object.entries(content).map(([type, schema]) => [type, schema === null ? {} : { schema }]),
          ),
        }),
  };
}

/** Returns one response for each status, with its codes. */
function errorObjects(operation: PublicOperation): Record<string, Json> {
  const { errorForm, hasErrorPages, headers } = operation;
  const byStatus = new Map<number, string[]>();
  for (const code of new Set(refusalsOf(operation))) {
    const form = wireFormOf(code, errorForm);
    const name = form.code === undefined ? '' : `\`${form.code}\`: `;
    const line = `${name}${ERRORS[code].title} (\`${code}\`).`;
    byStatus.set(form.status, [...(byStatus.get(form.status) ?? []), line]);
  }
  const body = { schema: ref(ERROR_SCHEMAS[errorForm][0]) };
  const content = {
    'application/json': body,
    ...(hasErrorPages === true ? { 'text/html': { schema: { type: 'string' } } } : {}),
  };
  return Object.fromEntries(
    [...byStatus].map(([status, lines]) => {
      const names = [...headers, ...errorHeaders(status)];
      return [String(status), { description: lines.join('\n'), headers: headerObjects(names), content }];
    }),
  );
}

function errorHeaders(status: number): HeaderName[] {
  if (status === 401) return ['Cache-Control', 'WWW-Authenticate'];
  return status === 429 || status === 503 ? ['Cache-Control', 'Retry-After'] : ['Cache-Control'];
}

function headerObjects(names: readonly HeaderName[]): Json {
  return Object.fromEntries(
    [...new Set([...EVERY_HEADER, ...names])].map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  );
}

/** Operations by path and method. */
type Paths = Readonly<Record<string, Readonly<Record<string, Json>>>>;

/** Paths with repeated responses replaced by references, and the referenced responses. */
interface SharedResponses {
  readonly paths: Paths;
  readonly responses: Readonly<Record<string, Json>>;
}

/** Moves responses that several operations share to one place, which reduces the document to a third of its size. */
function shareResponses(paths: Paths): SharedResponses {
  const operations = Object.values(paths).flatMap((place) => Object.values(place));
  const uses = new Map<string, number>();
  for (const operation of operations) {
    for (const [, text] of responsesOf(operation)) uses.set(text, (uses.get(text) ?? 0) + 1);
  }
  const names = new Map<string, string>();
  const responses: Record<string, Json> = {};
  const share = (operation: Json): Json => ({
    ...operation,
    responses: Object.fromEntries(
      responsesOf(operation).map(([status, text]) => {
        const response = JSON.parse(text) as Json;
        if (uses.get(text) === 1) return [status, response];
        const name = names.get(text) ?? `${status}-${names.size + 1}`;
        names.set(text, name);
        responses[name] = response;
        return [status, { $ref: `#/components/responses/${name}` }];
      }),
    ),
  });
  return {
    paths: Object.fromEntries(
      Object.entries(paths).map(([path, place]) => [
        path,
        Object.fromEntries(Object.entries(place).map(([method, operation]) => [method, share(operation)])),
      ]),
    ),
    responses,
  };
}

/** Returns the responses of an operation as text, by status. */
function responsesOf({ responses }: Json): [status: string, text: string][] {
  return Object.entries(responses as Json).map(([status, response]) => [status, JSON.stringify(response)]);
}
