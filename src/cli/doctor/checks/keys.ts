import type { Config } from '../../../config/settings/types.ts';
import { isServiceError } from '../../../errors/service-error.ts';
import type { OpenedKeys } from '../../../oidc/keys/sealed-keys.ts';
import { messageOf } from '../../../text.ts';
import type { CommandContext } from '../../program/command.ts';
import { type CheckResult, fail } from '../check.ts';
import { checkClientSecrets } from './client-secrets.ts';
import { checkCredentialKeys } from './credential-keys.ts';
import { formerSeeds, openSigningKeys } from './key-seals.ts';
import { checkPreviousKeys } from './previous-keys.ts';
import { checkSigningKeys } from './signing-keys.ts';
import type { StoreChecks } from './store.ts';

/**
 * Checks everything that the master key and the key of client secrets protect: whether the settings open it,
 * and what still depends on their former values.
 */
export async function checkKeys(
  { signingKeys, issuerKeys, secrets }: Omit<StoreChecks, 'roots' | 'outbox' | 'nodes'>,
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
