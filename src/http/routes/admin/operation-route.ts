import { createHash } from 'node:crypto';
import type { AdminCaller } from '../../../admin/admin-tokens.ts';
import type { ByteSealer } from '../../../apps/secrets/master-key.ts';
import { isEqual } from '../../../bytes.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import { isObject } from '../../../json.ts';
import { requestCheck } from '../../../operations/check-request.ts';
import { ADMIN_BASE_PATH, type AdminServices, type Operation } from '../../../operations/operation.ts';
import { OPERATIONS } from '../../../operations/table.ts';
import type { ChangeAuthor } from '../../../storage/audit/audit-log.ts';
import { renderAdminError } from '../../errors/admin.ts';
import type { HttpRequest, HttpResponse, Route } from '../../exchange/exchange-types.ts';
import type { Limits } from '../../limits/limits.ts';
import type { RequireCaller } from './require-caller.ts';

/** Dependencies of the routes of the admin API. */
export interface OperationRouteParts {
  readonly services: AdminServices;
  readonly requireCaller: RequireCaller;
  readonly limits: Limits;
  /** Seals stored answers, which may hold a secret. */
  readonly sealer: ByteSealer;
}

const MAX_BODY_BYTES = 256 * 1024;
const ANSWER_LIFETIME_MS = 86_400_000;
const VERSION = /^"?([0-9]{1,15})"?$/;
const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

type Head = Parameters<NonNullable<Route['checkHead']>>[0];

/** Builds the routes of all operations. */
export function operationRoutes(parts: OperationRouteParts): Route[] {
  return OPERATIONS.map((operation) => operationRoute(operation, parts));
}

/** Builds the route of an operation: token and scope, then schemas, then the operation, then one answer. */
function operationRoute(operation: Operation, parts: OperationRouteParts): Route {
  const { services, requireCaller, limits } = parts;
  const check = requestCheck(operation);
  const callGuard = limits.perMinute(`operation ${operation.id}`, operation.perMinute ?? 0);
  return {
    method: operation.method,
    path: `${ADMIN_BASE_PATH}${operation.path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
    bodyLimitBytes: operation.body === undefined ? 0 : MAX_BODY_BYTES,
    refusesOptions: true,
    headers: { 'Cache-Control': 'no-store' },
    renderError: renderAdminError,
    async checkHead(request) {
      const caller = await requireCaller(request);
      if (operation.scope === 'write' && caller.scope !== 'write') throw new ServiceError('admin.forbidden');
      // One count for all: a caller can create tokens, and may have several addresses.
      const decision = callGuard?.consume('');
      if (decision?.isAllowed === false) throw new ServiceError('admin.rate_limited', undefined, decision);
      request.context.caller = caller;
    },
    async handler(request) {
      const { headers, requestId, params, query, body, context } = request;
      const { caller } = context;
      if (caller === undefined) throw new ServiceError('http.unauthenticated');
      const checked = check({ params, query, contentType: headers.get('content-type'), body });
      const version = operation.isVersioned === true ? versionOf(request) : undefined;
      const once = operation.isIdempotent === true ? onceOf(request, caller, parts) : undefined;
      const known = await once?.find();
      if (known !== undefined) return known;
      const author: ChangeAuthor = {
        actor: caller.actor,
        requestId,
        ...(once === undefined ? {} : { planned: once.planned }),
      };
      try {
        const call = { caller, version, store: services.store.by(author) };
        const output = await operation.run(services, checked, {
          ...call,
          plan: async (planned) => once?.plan(answerOf(operation, planned)),
        });
        return responseOf(answerOf(operation, output));
      } catch (error) {
        // The same request may have been answered meanwhile, and be refused now because of the object that it created.
        const first = isServiceError(error) ? await once?.find() : undefined;
        if (first === undefined) throw error;
        return first;
      }
    },
  };
}

/**
 * Reads the object version (`If-Match`) that a request changes. @throws ServiceError `admin.version_required`,
 * `admin.invalid_request`
 */
function versionOf({ headers }: Head): number {
  const text = headers.get('if-match');
  if (text === undefined) throw new ServiceError('admin.version_required');
  const [, version] = VERSION.exec(text) ?? [];
  if (version === undefined) {
    throw new ServiceError('admin.invalid_request', 'If-Match: expected the version of the object', {
      path: 'headers/if-match',
    });
  }
  return Number(version);
}

/** Returns the answer store of a request with an Idempotency-Key. @throws ServiceError `admin.invalid_request` */
function onceOf(request: HttpRequest, { actor }: AdminCaller, { services, sealer }: OperationRouteParts) {
  const key = request.headers.get('idempotency-key');
  if (key === undefined) return undefined;
  if (!IDEMPOTENCY_KEY.test(key)) {
    const text = 'Idempotency-Key: expected 1 to 255 visible ASCII characters';
    throw new ServiceError('admin.invalid_request', text, { path: 'headers/idempotency-key' });
  }
  const keyHash = digest(actor, key);
  const requestHash = digest(request.method, request.path, request.query, request.body);
  let sealed: string | undefined;
  return {
    planned: {
      keyHash,
      requestHash,
      expiresAt: services.now() + ANSWER_LIFETIME_MS,
      answer(): string {
        if (sealed === undefined) throw new TypeError('the operation has not planned its answer');
        return sealed;
      },
    },
    async plan(answer: AdminAnswer): Promise<void> {
      sealed = await sealer.seal(Buffer.from(JSON.stringify(answer)));
    },
    /** @throws ServiceError `admin.idempotency_key_reused` */
    async find(): Promise<HttpResponse | undefined> {
      const row = await services.store.adminAnswers.find(keyHash, services.now());
      if (row === undefined) return undefined;
      if (!isEqual(row.requestHash, requestHash)) throw new ServiceError('admin.idempotency_key_reused');
      const opened = await sealer.open(row.answer);
      if (opened === undefined) {
        const text = 'the first answer was sealed under a master key that is no longer configured';
        throw new ServiceError('admin.idempotency_key_reused', text);
      }
      const answer = JSON.parse(Buffer.from(opened.bytes).toString('utf8')) as AdminAnswer;
      return responseOf(answer, { 'Idempotent-Replayed': 'true' });
    },
  };
}

/** Answer of an operation, as stored for repeated requests. */
interface AdminAnswer {
  readonly status: number;
  /** Absent for 204. */
  readonly body?: unknown;
  /** Version of the object in `body`, for the header ETag. */
  readonly version?: number;
}

function answerOf({ response: { status } }: Operation, output: unknown): AdminAnswer {
  if (output === undefined) return { status };
  const version = isObject(output) ? output.version : undefined;
  return { status, body: output, ...(typeof version === 'number' ? { version } : {}) };
}

function responseOf(
  { status, body, version }: AdminAnswer,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: {
      ...headers,
      ...(version === undefined ? {} : { ETag: `"${version}"` }),
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  };
}

/** Returns the SHA-256 of the parts, each prefixed by its length. */
function digest(...parts: readonly (string | Uint8Array)[]): Uint8Array {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part);
  return new Uint8Array(hash.digest());
}
