import { randomUUID } from 'node:crypto';
import { isLoopbackHost } from '../../addresses.ts';
import { ERRORS, type ErrorCode } from '../../errors/catalogue.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { isObject, type JsonObject, type JsonSchema, type JsonType, membersOf } from '../../json.ts';
import { ADMIN_BASE_PATH } from '../../operations/operation.ts';
import { requestOf } from '../../operations/request.ts';
import { CallFailure, callOut, type OutgoingAnswer } from '../../outgoing.ts';
import { readText } from '../input/input-file.ts';
import type { CommandContext, CommandInput } from '../program/command.ts';
import type { CallOperation } from './call.ts';

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;
const MAX_TOKEN_FILE_BYTES = 4096;
const TOKEN_SETTING = 'admin.token';

/**
 * Creates a function that calls operations over the admin API of a running service.
 *
 * The returned function throws the refusals of the service as the `ServiceError` that the operation throws on a store, and
 * `cli.server_unreachable`, `cli.server_answer`.
 *
 * @param given - `--server`.
 * @throws ServiceError `cli.usage`
 */
export async function createServerCall(
  given: string | undefined,
  input: CommandInput,
  context: CommandContext,
): Promise<CallOperation> {
  const base = `${originOf(given)}${ADMIN_BASE_PATH}`;
  const authorization = `Bearer ${await readToken(input, context)}`;
  return async (operation, values, { version } = {}) => {
    const { at, input: schema, output } = operation;
    const given = values as Readonly<Record<string, unknown>>;
    refuseSegments(at, given);
    const { method, target, body } = requestOf(at, given, Object.keys(schema.properties));
    const answer = await send({
      url: `${base}${target}`,
      reach: 'any',
      method,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      headers: {
        authorization,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'if-match': `"${version}"` }),
        ...(operation.isIdempotent === true ? { 'idempotency-key': randomUUID() } : {}),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return outputOf(answer, output as JsonSchema | undefined, operation.invalid) as never;
  };
}

/**
 * Refuses values that would make the path that of another operation, such as of all sessions instead of one.
 *
 * @throws ServiceError `cli.usage`
 */
function refuseSegments(at: string, given: Readonly<Record<string, unknown>>): void {
  for (const [, name = ''] of at.matchAll(/\{(\w+)\}/g)) {
    const value = String(given[name]);
    if (!/^\.{0,2}$/.test(value)) continue;
    throw new ServiceError('cli.usage', `${name}: expected an id, got ${JSON.stringify(value)}`);
  }
}

/** Returns the origin of `--server`. @throws ServiceError `cli.usage` for one to which a token must not be sent */
function originOf(given: string | undefined): string {
  if (given === undefined) throw new ServiceError('cli.usage', '--token-file: expected only with --server');
  const url = URL.canParse(given) ? new URL(given) : undefined;
  if (url === undefined || `${url.origin}/` !== url.href || !/^https?:$/.test(url.protocol)) {
    const text = '--server: expected the origin of an admin listener, such as https://id.example:9443';
    throw new ServiceError('cli.usage', text);
  }
  if (url.protocol === 'http:' && !isLoopbackHost(url.hostname)) {
    const text =
      '--server: expected https for a host other than this one, since the token would be sent in clear';
    throw new ServiceError('cli.usage', text);
  }
  return url.origin;
}

/**
 * Reads the token from `--token-file`, or from the setting admin.token with its variables. The token itself is never an
 * option: every user of a machine can see the arguments of a process.
 */
async function readToken(input: CommandInput, context: CommandContext): Promise<string> {
  const file = input.option('tokenFile');
  // Read in any case: the proxies through which the call leaves are among the settings.
  const { values } = await context.examineConfig();
  if (file !== undefined) {
    const token = (await readText(file, MAX_TOKEN_FILE_BYTES, context)).trim();
    if (/^[\x21-\x7e]+$/.test(token)) return token;
    throw new ServiceError('cli.usage', `--token-file: expected a token in ${file}`);
  }
  const token = values[TOKEN_SETTING];
  if (typeof token === 'string') return token;
  const text =
    'expected --token-file, PROOFGATE_ADMIN_TOKEN_FILE or PROOFGATE_ADMIN_TOKEN with the admin token of the service';
  throw new ServiceError('cli.usage', text);
}

async function send(call: Parameters<typeof callOut>[0]): Promise<OutgoingAnswer> {
  try {
    return await callOut(call);
  } catch (cause) {
    if (!(cause instanceof CallFailure)) throw cause;
    const { origin } = new URL(call.url);
    throw new ServiceError('cli.server_unreachable', `${origin}: ${cause.message}`, {}, { cause });
  }
}

/**
 * Returns the output in an answer.
 *
 * @param schema - Undefined if the operation returns nothing.
 * @param invalid - Code of a refusal of the schema, if it has one on a store.
 * @throws ServiceError thrown by the service
 */
function outputOf(
  { status, isOk, bytes }: OutgoingAnswer,
  schema: JsonSchema | undefined,
  invalid: ErrorCode = 'admin.invalid_request',
): unknown {
  if (status === 204 && schema === undefined) return undefined;
  const text = bytes === undefined ? '' : Buffer.from(bytes).toString('utf8');
  const members = membersOf(text);
  if (isOk && schema !== undefined && hasForm(members, schema)) return members;
  const { code, detail }: JsonObject = isOk ? {} : members;
  if (isErrorCode(code)) {
    const known = code === 'admin.invalid_request' ? invalid : code;
    throw new ServiceError(known, typeof detail === 'string' ? detail : undefined);
  }
  throw new ServiceError(
    'cli.server_answer',
    `status ${status}${typeof code === 'string' ? `, ${code}` : ''}`,
  );
}

/** Whether a value has the types and the members of a schema, so that commands can read it; it may have others, too. */
function hasForm(value: unknown, { type, items, properties = {}, required = [] }: JsonSchema): boolean {
  if (type !== undefined && ![type].flat().some((name) => isOfType(value, name))) return false;
  if (Array.isArray(value)) return items === undefined || value.every((item) => hasForm(item, items));
  if (!isObject(value)) return true;
  return (
    required.every((name) => Object.hasOwn(value, name)) &&
    Object.entries(properties).every(
      ([name, schema]) => !Object.hasOwn(value, name) || hasForm(value[name], schema),
    )
  );
}

function isOfType(value: unknown, name: JsonType): boolean {
  if (name === 'null') return value === null;
  if (name === 'array') return Array.isArray(value);
  if (name === 'object') return isObject(value);
  return name === 'integer' ? Number.isInteger(value) : typeof value === name;
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}
