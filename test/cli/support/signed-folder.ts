import { type Config, loadConfig } from '../../../src/config/index.ts';
import { createTokenIssuer, type TokenIssuer } from '../../../src/oidc/issuing/index.ts';
import { createSigningKeys } from '../../../src/oidc/keys/index.ts';
import { openStore, type Store } from '../../../src/storage/index.ts';
import { type CliFolder, makeCliFolder, NOW } from './cli.ts';

/** What a service that ran in a data folder has left there: signing keys, and tokens that it issued. */
export interface SignedFolder {
  readonly config: Config;
  readonly store: Store;
  readonly tokens: TokenIssuer;
}

/**
 * A folder of commands in which a service has made its first keys at `NOW`, to be copied: the search for primes takes most
 * of the time of a test.
 */
export async function makeSignedTemplate(): Promise<CliFolder> {
  const folder = await makeCliFolder();
  const { store } = await signFolder(folder.path);
  await store.close();
  return folder;
}

/** Opens a folder of commands as a start of the service at `NOW` does, which makes the first keys where there are none. */
export async function signFolder(path: string): Promise<SignedFolder> {
  const { config } = await loadConfig({ env: { PROOFGATE_DATA_DIR: path }, cwd: path });
  const store = await openStore(config.storage);
  await store.migrate();
  const keys = await createSigningKeys({ store: store.signingKeys, config, now: () => NOW });
  return { config, store, tokens: createTokenIssuer({ keys, config, now: () => NOW }) };
}
