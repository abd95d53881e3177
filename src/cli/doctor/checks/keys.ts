import { createByteSealer, findMasterKey, previousMasterKeyOf } from '../../../apps/secrets/master-key.ts';
import {
  previousDerivedKeyOf,
  previousSecretKeyOf,
  type SecretCensus,
  secretKeyId,
} from '../../../apps/secrets/secrets.ts';
import { envName } from '../../../config/settings/setting.ts';
import type { Config } from '../../../config/settings/types.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import { keyAges, rotationDueAt } from '../../../oidc/keys/rotation.ts';
import { createSealer, type OpenedKeys, tryOpenKeys } from '../../../oidc/keys/sealed-keys.ts';
import type { IssuerKeyRow } from '../../../storage/refresh/issuer-keys.ts';
import type { SigningKeyRow } from '../../../storage/signin/signing-keys.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';
import { checkClientSecrets } from './client-secrets.ts';
import { checkCredentialKeys } from './credential-keys.ts';
import type { StoreChecks } from './store.ts';

/**
 * Checks everything that the master key and the key of client secrets protect: whether the settings open it,
 * and what still depends on their former values.
 */
export async function checkKeys(
  { signingKeys, issuerKeys, secrets }: Pick<StoreChecks, 'signingKeys' | 'issuerKeys' | 'secrets'>,
  config: Config,
  context: Pick<CommandContext, 'withEngine' | 'now'>,
): Promise<CheckResult[]> {
  if (signingKeys === undefined || issuerKeys === undefined) return [];
  const opened = await attempt(() => openSigningKeys(signingKeys, config));
  const seeds = await attempt(() => formerSeeds(issuerKeys, config));
  const seals = { signingKeys: opened.value?.former ?? 0, credentialKeys: seeds.value ?? 0 };
  return [
    (config.signin.enabled ? failureOf(opened) : undefined) ??
      checkSigningKeys(signingKeys, config, context.now()),
    await checkCredentialKeys(issuerKeys, config, context),
    ...(secrets === undefined ? [] : [checkClientSecrets(secrets)]),
    ...checkPreviousKeys(config, seals, secrets),
  ];
}

interface Attempt<T> {
  readonly value?: T;
  /** Set if the settings have no usable master key. */
  readonly fault?: CheckResult;
}

async function attempt<T>(work: () => Promise<T>): Promise<Attempt<T>> {
  try {
    return { value: await work() };
  } catch (error) {
    if (!isServiceError(error, 'config.invalid')) throw error;
    return { fault: fail('signing keys', messageOf(error), error.spec.cure ?? '') };
  }
}

function failureOf({ value, fault }: Attempt<OpenedKeys>): CheckResult | undefined {
  const first = value?.faults[0];
  return fault ?? (first && fail('signing keys', first.message, first.spec.cure ?? ''));
}

const SIGNING_KEYS = 'signing keys';
const SECONDS_OF_DAY = 86_400;
/** Each node checks for a due rotation every few seconds; if one is this late, no node runs. */
const OVERDUE_SECONDS = 3600;
const OLD_DAYS = 365;

/**
 * Checks the ages of the keys that sign tokens, and the next rotation.
 *
 * @param rows - Published keys.
 * @param now - Milliseconds since the epoch.
 */
export function checkSigningKeys(
  rows: readonly SigningKeyRow[],
  { keys, profile }: Pick<Config, 'keys' | 'profile'>,
  now: number,
): CheckResult {
  if (rows.length === 0) return ok(SIGNING_KEYS, 'none yet: made at the first start');
  const detail = keyAges(rows, keys, now)
    .map(({ state, ageSeconds }) => `${state} for ${days(ageSeconds)}`)
    .join(', ');
  const active = rows.find(({ state }) => state === 'active');
  if (active === undefined || !rows.some(({ state }) => state === 'next')) {
    return warn(
      SIGNING_KEYS,
      `${detail}: one active and one next key are expected`,
      'Run `proofgate keys list`.',
    );
  }
  if (profile === 'production' && rows.some(({ isSealed }) => !isSealed)) {
    return warn(
      SIGNING_KEYS,
      `${detail}; one is not sealed`,
      'Start the service with keys.masterKey: it seals them.',
    );
  }
  const dueAt = rotationDueAt(rows, keys);
  if (dueAt === undefined) {
    const ageDays = (now - (active.activatedAt ?? active.createdAt)) / 1000 / SECONDS_OF_DAY;
    const result = `${detail}; keys.rotationPeriodSeconds is 0: no automatic rotation`;
    return ageDays > OLD_DAYS
      ? warn(SIGNING_KEYS, result, 'Run `proofgate keys rotate`.')
      : ok(SIGNING_KEYS, result);
  }
  const dueInSeconds = (dueAt - now) / 1000;
  if (dueInSeconds < -OVERDUE_SECONDS) {
    return warn(
      SIGNING_KEYS,
      `${detail}; the rotation is ${days(-dueInSeconds)} late`,
      'A running service rotates by itself: start it, or check its log.',
    );
  }
  return ok(SIGNING_KEYS, `${detail}; next rotation in ${days(Math.max(0, dueInSeconds))}`);
}

function days(seconds: number): string {
  return `${(seconds / SECONDS_OF_DAY).toFixed(1)} d`;
}

/**
 * Checks whether the former keys in the settings are still needed; returns nothing if none is set.
 *
 * @param census - Undefined if the secrets could not be counted: then no key is reported as unneeded.
 */
function checkPreviousKeys(
  config: Config,
  seals: FormerSeals,
  census: SecretCensus | undefined,
): CheckResult[] {
  const { masterKeyPrevious } = config.keys;
  const { secretHmacKeyPrevious } = config.apps;
  const results: CheckResult[] = [];
  if (masterKeyPrevious !== undefined) {
    results.push(judge('keys.masterKeyPrevious', seals, census, previousDerivedKeyOf(config)));
  }
  if (secretHmacKeyPrevious !== undefined) {
    const none = { signingKeys: 0, credentialKeys: 0 };
    results.push(judge('apps.secretHmacKeyPrevious', none, census, previousSecretKeyOf(config)));
  }
  return results;
}

function judge(
  setting: string,
  { signingKeys, credentialKeys }: FormerSeals,
  census: SecretCensus | undefined,
  secretKey: Uint8Array | undefined,
): CheckResult {
  const secrets = (secretKey && census?.byKeyId.get(secretKeyId(secretKey))) ?? 0;
  const unknown = census?.unknown ?? 0;
  const needs = [
    [signingKeys, 'signing keys, until the next start'],
    [credentialKeys, 'credential keys, until the next start'],
    [secrets, 'client secrets, until their next use'],
    [unknown, 'client secrets whose key is not recorded (possibly), until their next use'],
  ] as const;
  const open = needs.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  if (census === undefined) return ok(setting, 'the client secrets under it could not be counted');
  if (open.length > 0) return ok(setting, `still needed by ${open.join('; ')}`);
  return warn(setting, 'nothing needs it any longer', `Remove ${setting} (${envName(setting)}).`);
}

/** Numbers of keys in the store that only the former master key opens. */
interface FormerSeals {
  readonly signingKeys: number;
  readonly credentialKeys: number;
}

/** Opens the published sign-in keys as a start of the service does. */
async function openSigningKeys(rows: readonly SigningKeyRow[], config: Config): Promise<OpenedKeys> {
  const masterKey = findMasterKey(config);
  if (masterKey !== undefined) {
    return await tryOpenKeys(rows, createSealer(masterKey, previousMasterKeyOf(config)).open);
  }
  return await tryOpenKeys(rows, async ({ kid, isSealed }) => {
    if (!isSealed) return { isUnderCurrentKey: false };
    const place = `the master key that was generated in ${config.dataDir} is gone`;
    throw new ServiceError('signing_key.cannot_open', `signing key ${kid}: ${place}`);
  });
}

/** Counts the seeds of credential keys that only the former master key opens. */
async function formerSeeds(rows: readonly IssuerKeyRow[], config: Config): Promise<number> {
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) return 0;
  const sealer = createByteSealer(masterKey, previousMasterKeyOf(config));
  let former = 0;
  for (const { sealedSeed } of rows) {
    const opened = sealedSeed === null ? undefined : await sealer.open(sealedSeed);
    if (opened?.isUnderCurrentKey === false) former++;
    opened?.bytes.fill(0);
  }
  return former;
}
