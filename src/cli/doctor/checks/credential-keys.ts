import { createByteSealer, findMasterKey, previousMasterKeyOf } from '../../../apps/secrets/master-key.ts';
import type { Config } from '../../../config/settings/types.ts';
import { isServiceError, ServiceError } from '../../../errors/service-error.ts';
import { unsafeKeys } from '../../../refresh/keys/credential-keys.ts';
import { activeOf } from '../../../refresh/keys/operate.ts';
import {
  isSealed,
  type KeyEngine,
  openKey,
  registerConfigured,
} from '../../../refresh/keys/registered-keys.ts';
import type { IssuerKeyRow } from '../../../storage/refresh/issuer-keys.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail, ok, warn } from '../check.ts';

const NAME = 'credential keys';
const ROTATE = 'Run `proofgate keys rotate --use credential`.';
const SECONDS_OF_DAY = 86_400;

/**
 * Checks that a key can sign credentials: that of the configured seed, or the active one of the store.
 *
 * @param rows - Keys of every issuer schema.
 */
export async function checkCredentialKeys(
  rows: readonly IssuerKeyRow[],
  config: Config,
  context: Pick<CommandContext, 'withEngine' | 'now'>,
): Promise<CheckResult> {
  const { enabled, issuerSchemaId, signingSeed } = config.refresh;
  const unsafe = config.profile === 'production' ? unsafeKeys(rows)[0] : undefined;
  if (unsafe !== undefined) {
    return fail(
      NAME,
      `others know the seed of key ${unsafe.keyId}: ${unsafe.madeBy === 'vectors' ? 'it is in test vectors' : 'the development profile generated it'}`,
      `Run \`proofgate keys remove ${unsafe.keyId} --use credential\`.`,
    );
  }
  if (!enabled) return ok(NAME, 'refresh.enabled is false: none is needed');
  const own = rows.filter((row) => row.issuerSchemaId === issuerSchemaId);
  if (signingSeed === undefined && !isSealed(activeOf(own))) return checkAbsence(own, config);
  try {
    return await context.withEngine({ ...config.engine, workers: 0 }, (engine) =>
      signingSeed === undefined
        ? checkStored(own, config, engine, context.now())
        : checkConfigured(own, signingSeed, engine, context.now()),
    );
  } catch (error) {
    return fail(NAME, messageOf(error), isServiceError(error) ? error.spec.cure : 'Report it.');
  }
}

function checkAbsence(rows: readonly IssuerKeyRow[], { profile }: Config): CheckResult {
  if (profile !== 'production') return ok(NAME, 'none that can sign yet: generated at the next start');
  const active = activeOf(rows);
  const detail =
    active === undefined
      ? 'none is active'
      : `the active key ${active.keyId} is that of a refresh.signingSeed that is not set now`;
  return fail(NAME, detail, `Set refresh.signingSeed, or make a key: ${ROTATE}`);
}

async function checkStored(
  rows: readonly IssuerKeyRow[],
  config: Config,
  engine: KeyEngine,
  now: number,
): Promise<CheckResult> {
  const active = activeOf(rows);
  if (!isSealed(active)) return checkAbsence(rows, config);
  const masterKey = findMasterKey(config);
  if (masterKey === undefined) {
    const place = `the master key that was generated in ${config.dataDir} is gone`;
    throw new ServiceError('issuer_key.cannot_open', `credential key ${active.keyId}: ${place}`);
  }
  await openKey(active, { sealer: createByteSealer(masterKey, previousMasterKeyOf(config)), engine });
  return ok(NAME, summaryOf(rows, now));
}

async function checkConfigured(
  rows: readonly IssuerKeyRow[],
  signingSeed: string,
  engine: KeyEngine,
  now: number,
): Promise<CheckResult> {
  const { keyId } = await registerConfigured(engine, signingSeed);
  const row = rows.find((known) => known.keyId === keyId);
  const name = `key ${keyId} of refresh.signingSeed`;
  switch (row?.status) {
    case 'active':
      return ok(NAME, summaryOf(rows, now));
    case 'revoked':
      return fail(NAME, `${name} is revoked`, 'Use another seed.');
    case 'retired':
      return warn(
        NAME,
        `${name} is retired: a node has started with another seed, or a command has rotated`,
        'Give all nodes the same refresh.signingSeed; the next start with it makes its key active.',
      );
    default:
      return ok(NAME, `${name} becomes active at the next start; register it where credentials are verified`);
  }
}

function summaryOf(rows: readonly IssuerKeyRow[], now: number): string {
  const active = activeOf(rows);
  const days = active === undefined ? 0 : Math.max(0, now - active.registeredAt) / 1000 / SECONDS_OF_DAY;
  const count = (status: IssuerKeyRow['status']): number =>
    rows.filter((row) => row.status === status).length;
  return `${active?.origin} key ${active?.keyId} active for ${days.toFixed(1)} d, ${count('retired')} retired, ${count('revoked')} revoked`;
}
