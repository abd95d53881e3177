import { isEqual } from '../bytes.ts';
import type { Config } from '../config/settings/types.ts';
import type { Engine } from '../engine/engine.ts';
import { isServiceError, ServiceError } from '../errors/service-error.ts';
import type { KeyRegistry } from '../membership/keys/key-registry.ts';
import type { Log } from '../observability/log/log.ts';
import { createReadThroughCache } from '../storage/read-through-cache.ts';
import type { EnrolmentRow } from '../storage/refresh/enrolments.ts';
import type { RefreshGuardStore } from '../storage/refresh/guards.ts';
import type { BindingRow } from '../storage/refresh/issuance.ts';
import type { Store } from '../storage/store.ts';
import type { StoreChanges } from '../storage/store-changes.ts';
import type { Bytes32 } from '../storage/values.ts';
import { createAttempts } from './holder/attempts.ts';
import { createChallenges } from './holder/challenges.ts';
import { createHolderCheck } from './holder/check-holder-proof.ts';
import { decodeProofHeader } from './holder/decode-proof-header.ts';
import { createIssuer } from './issue-credential.ts';
import type { CredentialKeys } from './keys/credential-keys.ts';
import { checkPackage } from './package/check-package.ts';
import { encryptedUserId, parseIdComm, parseSub } from './request/parse-fields.ts';
import { parseForm } from './request/parse-form.ts';
import {
  createLimitedRefusal,
  type Holder,
  type Measure,
  measureInto,
  type Refresh,
  type RefreshFacts,
  type RefreshRequest,
} from './types.ts';

/** Dependencies of `createRefresh`. */
export interface RefreshParts {
  readonly config: Config;
  readonly store: Pick<Store, 'enrolments' | 'orbKeys' | 'issuance' | 'refreshGuards' | 'verifyingKeys'> &
    Partial<Pick<Store, 'changes'>>;
  readonly engine: Engine;
  /** Verifying keys of holder proofs. */
  readonly keys: KeyRegistry;
  readonly credentialKeys: CredentialKeys;
  readonly log: Pick<Log, 'warn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/**
 * Creates the refresh interface: checks 4 to 14 of spec/refresh.md#order-of-checks in order; the first
 * failure is the answer.
 */
export function createRefresh(parts: RefreshParts): Refresh {
  const { config, store, engine, keys, credentialKeys, log, now } = parts;
  const { issuance, refreshGuards: guards } = store;
  const { issuerSchemaId, challengeRequired } = config.refresh;
  const perMinute = config.rateLimits.refreshProofAttemptsPerMinute;
  const attempts = createAttempts({ guards, perMinute, now });
  const holderCheck = createHolderCheck({ engine, keys, store: store.verifyingKeys, config, guards, now });
  const challenges = createChallenges({ guards, config, now });
  const limited = createLimitedRefusal();
  const issuer = createIssuer({ engine, keys: credentialKeys, issuance, config, limited });

  async function judge(request: RefreshRequest, facts: RefreshFacts, measure: Measure): Promise<string> {
    const { addressKey, signal } = request;
    const form = await atCheck(4, () => parseForm(request.contentType, request.body));
    facts.withPackage = form.hasPackage;
    const userId = await atCheck(4, () => encryptedUserId(form));
    const sub = await atCheck(5, () => parseSub(form));
    const idComm = await atCheck(6, () => parseIdComm(request.query));
    const holder = { idComm, sub };
    const proof = await atCheck(7, () => decodeProofHeader(request.proofHeader));
    await atCheck(8, () => attempts.count(addressKey));
    await atCheck(9, () =>
      measure('proofMs', () => holderCheck.check(proof, holder, { source: addressKey, signal })),
    );
    const at = now();
    await atCheck(10, () => checkWindow(idComm, at));
    const enrolment = await atCheck(11, () => findEnrolment(idComm));
    const binding = await atCheck(12, () => checkBinding(holder));
    const custody = form.hasPackage
      ? await atCheck(13, () => checkPackage(form, enrolment, { orbKeys: store.orbKeys, config, log }))
      : undefined;
    return await atCheck(14, () =>
      issuer.issue({ holder, now: at, binding, package: custody, encryptedUserId: userId, signal, measure }),
    );
  }

  async function checkWindow(idComm: Bytes32, at: number): Promise<void> {
    if (issuer.limit.credentials === 0) return;
    const retryAt = await issuance.limitedUntil(issuerSchemaId, idComm, issuer.limit, at);
    if (retryAt !== undefined) throw limited(idComm, retryAt, at);
  }

  async function findEnrolment(idComm: Bytes32): Promise<EnrolmentRow> {
    const enrolment = await store.enrolments.find(idComm);
    if (enrolment?.status !== 'active') throw new ServiceError('refresh.no_enrolment');
    return enrolment;
  }

  async function checkBinding({ idComm, sub }: Holder): Promise<BindingRow | undefined> {
    const binding = await issuance.findBinding(issuerSchemaId, idComm);
    if (binding !== undefined && !isEqual(binding.sub, sub)) {
      throw new ServiceError('refresh.sub_mismatch');
    }
    return binding;
  }

  return {
    checkEnabled: createSwitch({ config, guards, now, changes: store.changes }),
    async refresh(request) {
      const facts: RefreshFacts = {};
      try {
        const credential = await judge(request, facts, measureInto(facts));
        return { ok: true, credential, facts };
      } catch (error) {
        return { ok: false, error, facts };
      }
    },
    async challenge(addressKey) {
      if (!challengeRequired) throw new ServiceError('http.not_found');
      await attempts.count(addressKey);
      return await challenges.issue();
    },
    issuerKeys: () => credentialKeys.list(),
  };
}

/**
 * Runs one check of spec/refresh.md#order-of-checks. Errors of the check get its number, unless they already have one.
 *
 * @throws ServiceError thrown by `run`; any other error becomes the cause of `internal.unforeseen`
 */
export async function atCheck<T>(check: number, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (fault) {
    throw numbered(fault, check);
  }
}

function numbered(fault: unknown, check: number): ServiceError {
  if (!isServiceError(fault)) {
    return new ServiceError('internal.unforeseen', undefined, { check }, { cause: fault });
  }
  if (fault.details.check !== undefined) return fault;
  return new ServiceError(fault.code, fault.message, { ...fault.details, check }, { cause: fault });
}

/** Dependencies of `createSwitch`. */
interface SwitchParts {
  readonly config: Pick<Config, 'refresh' | 'storage'>;
  readonly guards: Pick<RefreshGuardStore, 'isSwitchedOn'>;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** As for `createReadThroughCache`. */
  readonly changes?: Pick<StoreChanges, 'count'> | undefined;
}

const KEY = 'refresh';
/** `Retry-After`: known wallets wait this long before they repeat a request; the switch is changed manually. */
const RETRY_SECONDS = 60;
/** Minimum interval between logged refusals while refresh is off; all are counted. */
const NOTICE_MS = 60_000;

/**
 * Creates the check that refresh is enabled (spec/refresh.md#order-of-checks, enabled): first the setting, which needs
 * no store, then the switch of the operator. A change of the switch takes effect in a running service within
 * `storage.cacheSeconds`. Retries of wallets do not fill the log.
 *
 * @returns A check that rejects with ServiceError `refresh.disabled` or `store.unreachable`.
 */
export function createSwitch({ config, guards, now, changes }: SwitchParts): () => Promise<void> {
  const cache = createReadThroughCache({
    read: async () => ({ isOn: await guards.isSwitchedOn() }),
    maxAgeMs: config.storage.cacheSeconds * 1000,
    maxEntries: 1,
    maxReads: 1,
    now,
    changes,
  });
  let noticedAt = Number.NEGATIVE_INFINITY;

  function disabled(): ServiceError {
    const at = now();
    const isFirstRefusal = Math.abs(at - noticedAt) >= NOTICE_MS;
    if (isFirstRefusal) noticedAt = at;
    return new ServiceError('refresh.disabled', undefined, {
      retryAfterSeconds: RETRY_SECONDS,
      isFirstRefusal,
    });
  }

  return async () => {
    if (!config.refresh.enabled) throw disabled();
    const state = await cache.get(KEY);
    if (state?.isOn !== true) throw disabled();
    noticedAt = Number.NEGATIVE_INFINITY;
  };
}
