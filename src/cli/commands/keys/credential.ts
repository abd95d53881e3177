import { credentialKeyJson } from '../../../admin/forms/index.ts';
import type { Config, LoadedConfig } from '../../../config/index.ts';
import { issuerKeysDocument, listedKey } from '../../../refresh/keys/credential-keys.ts';
import { revokeCredentialKey, rotateCredentialKey } from '../../../refresh/keys/operate.ts';
import { createCredentialKeyOperator } from '../../../refresh/keys/registered-keys.ts';
import { writeText } from '../../output/output.ts';
import type { CommandContext } from '../../program/command.ts';

/**
 * `keys rotate --use credential`: makes a new key, also the first one, which signs credentials from now on.
 */
export async function rotateCredential(loaded: LoadedConfig, context: CommandContext): Promise<number> {
  const { config } = loaded;
  return await context.withStore(loaded, async ({ issuerKeys: store }) =>
    context.withEngine({ ...config.engine, workers: 0 }, async (engine) => {
      const operator = createCredentialKeyOperator({ store, engine, config, now: context.now });
      const { active, former } = await rotateCredentialKey(operator, config.refresh.signingSeed);
      context.note(registrationNote(active.keyId));
      if (former?.origin === 'configured') context.note(configuredNote(former.keyId));
      const retired = former === undefined ? null : former.keyId;
      await context.print(
        { active: active.keyId, retired, key: credentialKeyJson(active) },
        `active   ${active.keyId}${retired === null ? '' : `\nretired  ${retired}`}`,
      );
      return 0;
    }),
  );
}

/** `keys remove KID --use credential`: marks a compromised key as revoked, after confirmation. */
export async function revokeCredential(
  keyId: string,
  loaded: LoadedConfig,
  context: CommandContext,
): Promise<number> {
  return await context.withStore(loaded, async ({ issuerKeys: store }) => {
    await context.confirm(
      `Revoke credential key ${keyId} permanently? Verifiers that follow the list of keys stop accepting its credentials.`,
    );
    const { revoked, unsigned } = await revokeCredentialKey(keyId, { store, now: context.now });
    for (const id of unsigned) context.note(unsignedNote(id, loaded.config));
    await context.print(
      { revoked: keyId, issuer_schema_ids: revoked.map(({ issuerSchemaId }) => issuerSchemaId), unsigned },
      `revoked ${keyId}`,
    );
    return 0;
  });
}

/** `keys export --public --use credential`: prints the document of `GET /api/v1/issuer-keys`. */
export async function exportCredential(loaded: LoadedConfig, context: CommandContext): Promise<number> {
  return await context.withStore(loaded, async ({ issuerKeys }) => {
    const rows = await issuerKeys.list(loaded.config.refresh.issuerSchemaId);
    await writeText(context.stdout, `${issuerKeysDocument(rows.map(listedKey))}\n`);
    return 0;
  });
}

function registrationNote(keyId: string): string {
  return `note: key ${keyId} must be registered where credentials are verified; until then its credentials are refused there`;
}

function configuredNote(keyId: string): string {
  return `note: key ${keyId} is that of refresh.signingSeed: servers with this setting keep signing with it until they restart without it, and each start with it makes it active again`;
}

function unsignedNote(issuerSchemaId: string, { refresh }: Pick<Config, 'refresh'>): string {
  const isConfigured = refresh.signingSeed !== undefined && refresh.issuerSchemaId === issuerSchemaId;
  const cure = isConfigured
    ? 'servers start with another refresh.signingSeed'
    : '`proofgate keys rotate --use credential` is run';
  return `warning: no credential key of issuer schema ${issuerSchemaId} is active: refreshes answer 503 until ${cure}`;
}
