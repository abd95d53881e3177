import { ERRORS, type ErrorCode } from '../errors/catalogue.ts';
import type { ErrorSpec } from '../errors/spec.ts';
import type { JsonSchema } from '../json.ts';
import { ADMIN_BASE_PATH, type Operation } from './operation.ts';
import { listOf, objectSchema } from './schemas.ts';
import { OPERATIONS } from './table.ts';

type Json = Readonly<Record<string, unknown>>;

const PROBLEM_TYPE = 'application/problem+json';
const PROBLEM: JsonSchema = objectSchema(
  {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'What was expected, what arrived and where.' },
    code: { type: 'string', description: 'Code of the error catalogue.' },
    errors: {
      ...listOf(objectSchema({ path: { type: 'string' }, detail: { type: 'string' } })),
      description: 'Wrong members of the request, and what is wrong with each.',
    },
    requestId: { type: 'string' },
  },
  ['errors'],
);

const EVERY: readonly ErrorCode[] = [
  ...([
    'http.unauthenticated',
    'http.rate_limited',
    'http.repeated_header',
    'http.expectation_failed',
    'internal.unforeseen',
  ] as const),
  ...([
    'admin.host_not_allowed',
    'store.unreachable',
    'http.exchanges_full',
    'http.handler_timeout',
  ] as const),
];

/** Subjects of the operations of each tag. */
const TAGS: Readonly<Record<string, string>> = {
  Service:
    'This node and the others, settings in force, refusals with their cure, and what can be changed while the service runs.',
  Apps: 'Relying parties, and the secrets of those that are confidential clients.',
  People: 'People whom an app knows by World ID 4.0, and what finds them again.',
  Sessions: 'People who stay signed in to an app on a browser.',
  Usage: 'Actions and their nullifiers, verifications and sign-ins by app and day.',
  Keys: 'Signing keys with their rotation, and verifying keys.',
  Roots: 'Accepted roots, and the sources that keep them current.',
  'World ID 4.0 keys': 'Keys of credential issuers, and OPRF keys of relying parties.',
  'Credential refresh': 'Enrolments and the keys of orbs.',
  Webhooks: 'The receiver of events, and the events that it did not get.',
  Audit: 'Changes with their authors, and admin tokens.',
};

/** Returns every code with which the listener can refuse a request of an operation. */
export function refusalsOf(operation: Operation): ErrorCode[] {
  const { scope, params, body, isVersioned, isIdempotent, perMinute, errors } = operation;
  return [
    ...EVERY,
    ...(scope === 'write' ? (['admin.forbidden'] as const) : []),
    ...(perMinute === undefined ? [] : (['admin.rate_limited'] as const)),
    ...(params === undefined ? [] : (['http.malformed_path'] as const)),
    // An unknown parameter of the query, or a body where none is expected, is refused, too.
    ...(['admin.invalid_request', 'http.body_too_large'] as const),
    ...(body === undefined
      ? []
      : (['admin.unsupported_media_type', 'http.body_memory_full', 'http.unavailable'] as const)),
    ...(isVersioned === true ? (['admin.version_required'] as const) : []),
    ...(isIdempotent === true ? (['admin.idempotency_key_reused', 'admin.answered'] as const) : []),
    ...errors,
  ];
}

/** Builds the OpenAPI 3.1 document of the admin API from the operations that are served. @param version - Of the service. */
export function adminOpenApi(version: string): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of OPERATIONS) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: operationObject(operation),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Proofgate admin API',
      version,
      description:
        'Errors are problems (RFC 9457) with a stable `code`. Lists are read page by page with `next_cursor`. A change of an object that has a version names it in If-Match.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: ADMIN_BASE_PATH }],
    security: [{ token: [] }],
    tags: [...new Set(OPERATIONS.map(({ tag }) => tag))].map((name) => ({ name, description: TAGS[name] })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description: 'A token of `proofgate admin-tokens add`, or the setting admin.token.',
        },
      },
      schemas: { Problem: PROBLEM },
    },
  };
}

function operationObject(operation: Operation): Json {
  const { id, tag, summary, description, body, scope, response, example } = operation;
  const limit = operation.perMinute;
  const limited = limit === undefined ? '' : ` Each node takes ${limit} calls per minute.`;
  const needed = `Needs a token of scope ${scope}.${limited}`;
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: description === undefined ? needed : `${description}\n\n${needed}`,
    parameters: parametersOf(operation),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: body,
                ...(example.body === undefined ? {} : { example: example.body }),
              },
            },
          },
        }),
    responses: { [response.status]: successOf(operation), ...problemsOf(refusalsOf(operation)) },
  };
}

function parametersOf({ params = {}, query = {}, requiredQuery = [], ...operation }: Operation): Json[] {
  const { isVersioned, isIdempotent, example } = operation;
  const parameter = (place: string, name: string, schema: JsonSchema, required: boolean): Json => {
    const { description, ...rest } = schema;
    const value = (place === 'path' ? example.params : example.query)?.[name];
    return {
      name,
      in: place,
      required,
      schema: rest,
      ...(description === undefined ? {} : { description }),
      ...(value === undefined || value.startsWith('{') ? {} : { example: exampleOf(schema, value) }),
    };
  };
  return [
    ...Object.entries(params).map(([name, schema]) => parameter('path', name, schema, true)),
    ...Object.entries(query).map(([name, schema]) =>
      parameter('query', name, schema, requiredQuery.includes(name)),
    ),
    ...(isVersioned === true
      ? [
          {
            name: 'If-Match',
            in: 'header',
            required: true,
            description: 'Version of the object, as in its ETag.',
            schema: { type: 'string', pattern: '^"?[0-9]{1,15}"?$' },
          },
        ]
      : []),
    ...(isIdempotent === true
      ? [
          {
            name: 'Idempotency-Key',
            in: 'header',
            required: false,
            description: 'Repeating a request with its key within a day returns the first answer.',
            schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
          },
        ]
      : []),
  ];
}

function exampleOf({ type }: JsonSchema, text: string): string | number {
  return type === 'integer' ? Number(text) : text;
}

function successOf({ response, isVersioned, isIdempotent }: Operation): Json {
  const { description, schema, status } = response;
  const headers = {
    ...(schema !== undefined && (isVersioned === true || schema.properties?.version !== undefined)
      ? { ETag: { description: 'Version of the object.', schema: { type: 'string' } } }
      : {}),
    ...(isIdempotent === true
      ? {
          'Idempotent-Replayed': {
            description: 'Present if this is the answer to an earlier request.',
            schema: { type: 'string', enum: ['true'] },
          },
        }
      : {}),
  };
  return {
    description: status === 204 ? `${description} The answer has no body.` : description,
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(schema === undefined ? {} : { content: { 'application/json': { schema } } }),
  };
}

/** Returns one response for each status, with its codes. */
function problemsOf(codes: readonly ErrorCode[]): Record<string, Json> {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const spec: ErrorSpec = ERRORS[code];
    const status = spec.admin ?? 500;
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const statuses = [...byStatus].sort(([one], [other]) => one - other);
  return Object.fromEntries(
    statuses.map(([status, list]) => [
      String(status),
      {
        description: list.map((code) => `\`${code}\`: ${ERRORS[code].title}.`).join('\n'),
        ...headersOf(status),
        content: { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } },
      },
    ]),
  );
}

function headersOf(status: number): Json {
  const text = { schema: { type: 'string' } };
  if (status === 401) return { headers: { 'WWW-Authenticate': { description: 'Bearer.', ...text } } };
  if (status === 429 || status === 503) {
    return { headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'integer' } } } };
  }
  return {};
}
