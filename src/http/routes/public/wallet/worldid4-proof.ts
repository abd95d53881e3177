import { Ajv, type ValidateFunction } from 'ajv';
import { findApp } from '../../../../apps/apps.ts';
import type { Config } from '../../../../config/settings/types.ts';
import type { Proof4Input, ProofCheck4 } from '../../../../development/worldid4/prove.ts';
import { developmentIssuer, type StateTables, TRAPDOOR_KEY } from '../../../../development/worldid4/seed.ts';
import { isServiceError, ServiceError } from '../../../../errors/service-error.ts';
import type { KeyRegistry } from '../../../../membership/keys/key-registry.ts';
import { WORLDID4_INPUTS } from '../../../../membership/keys/verifying-keys.ts';
import type { AppRow, AppStore } from '../../../../storage/apps/apps.ts';
import { renderSigninError } from '../../../errors/signin.ts';
import type { Route } from '../../../exchange/exchange-types.ts';
import { requireJson } from '../../../headers/request-headers.ts';
import type { Limits } from '../../../limits/limits.ts';
import { parseBody, refusalOf } from './read-leaf.ts';

/** Parts of the service that make World ID 4.0 proofs for development. */
export interface WorldId4ProofParts {
  readonly config: Pick<Config, 'verify'>;
  readonly apps: Pick<AppStore, 'findByAppId' | 'findByRpId'>;
  readonly tables: StateTables;
  readonly engine: ProofCheck4;
  readonly keys: Pick<KeyRegistry, 'ensure'>;
  readonly limits: Limits;
  readonly now: () => number;
}

/** Three scalar multiplications in this thread take about 10 ms, so an address is allowed one proof a second. */
export const PROOFS_PER_MINUTE = 60;
/** Three texts of 1,000 characters of up to 4 bytes, and the ids. */
export const PROOF_BODY_LIMIT_BYTES = 16_384;

/** Schema of the body: either an action, or a session that is new if its id is empty. */
export const WORLDID4_PROOF_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['app_id'],
  properties: {
    app_id: { type: 'string', minLength: 1, maxLength: 128 },
    action: { type: 'string', minLength: 1, maxLength: 1000 },
    session_id: { type: 'string', pattern: '^(session_[0-9a-fA-F]{128})?$' },
    signal: { type: 'string', maxLength: 1000 },
  },
} as const;
const EXPECTED: Readonly<Record<string, string>> = {
  app_id: 'app_id: expected the id of an app of this service.',
  action: 'action: expected a text of 1 to 1000 characters, or session_id in its place.',
  session_id: 'session_id: expected session_ and 128 hex digits, or an empty text for a new session.',
  signal: 'signal: expected a text of at most 1000 characters.',
};
const OTHERWISE = 'Expected an object of app_id, action or session_id, and signal, no more.';

interface ProofBody {
  readonly app_id: string;
  readonly action?: string;
  readonly session_id?: string;
  readonly signal?: string;
}

/**
 * Builds `POST …/worldid4-proof`: makes a World ID 4.0 proof of a fictitious person and answers with a request body
 * that contains it (spec/worldid4.md#development). Not for production: anyone can have a proof made.
 *
 * @param base - Path of the calls of the wallet.
 */
export function worldId4ProofRoute(base: string, parts: WorldId4ProofParts): Route {
  const { config, apps, tables, engine, keys, limits, now } = parts;
  const read = createBodyReader();
  const rateGuard = limits.perMinute('wallet worldid4-proof', PROOFS_PER_MINUTE);
  return {
    method: 'POST',
    path: `${base}/worldid4-proof`,
    bodyLimitBytes: PROOF_BODY_LIMIT_BYTES,
    renderError: renderSigninError,
    ...(rateGuard ? { rateGuard } : {}),
    async handler({ headers, body }) {
      // This also blocks pages of other origins, as on the other calls.
      requireJson(headers);
      const { app_id, purpose, signal } = read(body);
      const app = await findKnownApp(apps, app_id);
      await keys.ensure(TRAPDOOR_KEY, WORLDID4_INPUTS);
      // Loaded at the first proof: a service without proofs needs no curve arithmetic in JavaScript.
      const { proveWorldId4 } = await import('../../../../development/worldid4/prove.ts');
      const input = {
        app,
        ...developmentIssuer(config),
        purpose,
        ...(signal === undefined ? {} : { signal }),
      };
      const request = await proveWorldId4(input, tables, engine, now());
      return {
        status: 200,
        headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
        body: JSON.stringify(request),
      };
    },
  };
}

interface ReadBody {
  readonly app_id: string;
  readonly purpose: Proof4Input['purpose'];
  readonly signal: string | undefined;
}

/** Creates the reader, which compiles its schema at the first call; it throws ServiceError `wallet.invalid_request`. */
function createBodyReader(): (body: Uint8Array) => ReadBody {
  let validate: ValidateFunction<ProofBody> | undefined;
  return (body) => {
    const value = parseBody(body);
    // The schema is constant; a test checks it against its dialect.
    validate ??= new Ajv({ strict: true, meta: false, validateSchema: false }).compile(WORLDID4_PROOF_SCHEMA);
    if (!validate(value)) throw refusalOf(validate.errors?.[0], EXPECTED, OTHERWISE);
    const { app_id, action, session_id, signal } = value;
    if ((action === undefined) === (session_id === undefined)) throw invalid('action');
    const purpose = action === undefined ? { sessionId: session_id || undefined } : { action };
    return { app_id, purpose, signal };
  };
}

async function findKnownApp(apps: WorldId4ProofParts['apps'], id: string): Promise<AppRow> {
  try {
    return await findApp(apps, id);
  } catch (error) {
    if (isServiceError(error) && error.code === 'app.unknown') throw invalid('app_id');
    throw error;
  }
}

function invalid(attribute: string): ServiceError {
  return new ServiceError('wallet.invalid_request', EXPECTED[attribute], { path: attribute });
}
