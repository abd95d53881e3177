import { join } from 'node:path';
import type { Config } from '../../../src/config/settings/types.ts';
import { loadConfig } from '../../../src/config/sources/load.ts';
import { createSigningKeys } from '../../../src/oidc/keys/signing-keys.ts';
import { createTokenIssuer, type TokenIssuer } from '../../../src/oidc/token-issuer.ts';
import type { Store } from '../../../src/storage/store.ts';
import { openMigratedStore } from '../../support/server/migrated-store.ts';
import { wholeFile } from '../../support/server/used-folder.ts';
import { type CliFolder, makeCliFolder, NOW } from './cli.ts';

/** State that a service left in a data folder: its configuration, its store, and an issuer of its tokens. */
export interface SignedFolder {
  readonly config: Config;
  readonly store: Store;
  readonly tokens: TokenIssuer;
}

/**
 * Creates a folder in which a service has generated its first keys at `NOW`. Tests copy it, because
 * generating RSA keys would take most of their time.
 */
export async function makeSignedTemplate(): Promise<CliFolder> {
  const folder = await makeCliFolder();
  const { store } = await signFolder(folder.path);
  await store.close();
  await wholeFile(join(folder.path, 'proofgate.db'));
  return folder;
}

/** Opens a folder as a service start at `NOW` does, which generates the first keys when there are none. */
export async function signFolder(path: string): Promise<SignedFolder> {
  const { config } = await loadConfig({ env: { PROOFGATE_DATA_DIR: path }, cwd: path });
  const store = await openMigratedStore(config.storage);
  const keys = await createSigningKeys({ store: store.signingKeys, config, now: () => NOW });
  return {
    config,
    store,
    tokens: createTokenIssuer({ keys, config, clients: { find: store.apps.findByAppId }, now: () => NOW }),
  };
}
