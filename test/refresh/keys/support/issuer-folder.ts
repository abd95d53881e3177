/** A store with credential keys that several processes of the service share. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Config } from '../../../../src/config/settings/types.ts';
import { loadConfig } from '../../../../src/config/sources/load.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { type CredentialKeys, createCredentialKeys } from '../../../../src/refresh/keys/credential-keys.ts';
import {
  type CredentialKeyOperator,
  createCredentialKeyOperator,
} from '../../../../src/refresh/keys/registered-keys.ts';
import type { IssuerKeyRow } from '../../../../src/storage/refresh/issuer-keys.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { environmentOf } from '../../../support/server/environment-of.ts';
import { openMigratedStore } from '../../../support/server/migrated-store.ts';

/** 12:00 on 1 June 2026, UTC. */
export const START: number = Date.UTC(2026, 5, 1, 12);

/** `storage.cacheSeconds`. */
export const CACHE_SECONDS = 5;

/** A log line as the keys wrote it. */
export interface Line {
  readonly level: 'info' | 'fatal';
  readonly event: unknown;
  readonly keyId: unknown;
}

/** A node of the service: its own settings, the common store. */
export interface Node {
  readonly keys: CredentialKeys;
  readonly lines: readonly Line[];
}

/** Options of a node in addition to the store. */
export interface NodeOptions {
  readonly settings?: Readonly<Record<string, string>>;
  /** Replaces functions of the engine. */
  readonly engine?: Partial<Engine>;
}

export interface IssuerFolder {
  readonly path: string;
  readonly store: Store;
  /** Advances the clock. */
  advance(seconds: number): void;
  config(settings?: Readonly<Record<string, string>>): Promise<Config>;
  /** Starts a node as the service does. */
  node(options?: NodeOptions): Promise<Node>;
  /** Creates the operator with which commands change keys. */
  operator(settings?: Readonly<Record<string, string>>): Promise<CredentialKeyOperator>;
  rows(issuerSchemaId?: string): Promise<readonly IssuerKeyRow[]>;
  /** Returns the content of all files of the folder, concatenated. */
  files(): Buffer;
  remove(): Promise<void>;
}

/**
 * Makes a folder with an empty store.
 *
 * @param engine - Shared by all nodes and commands; it keeps one key for each seed.
 */
export async function makeIssuerFolder(engine: Engine): Promise<IssuerFolder> {
  const path = mkdtempSync(join(tmpdir(), 'proofgate-issuer-'));
  let time = START;
  const now = (): number => time;
  const config: IssuerFolder['config'] = async (settings = {}) => {
    const given = {
      profile: 'test',
      dataDir: path,
      'storage.url': `libsql:${path}/proofgate.db`,
      ...settings,
    };
    return (await loadConfig({ env: environmentOf(given), cwd: path })).config;
  };
  const store = await openMigratedStore((await config()).storage);
  return {
    path,
    store,
    advance(seconds) {
      time += seconds * 1000;
    },
    config,
    async node({ settings, engine: replaced = {} } = {}) {
      const lines: Line[] = [];
      const write =
        (level: Line['level']) =>
        (_message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
          lines.push({ level, event: fields.event, keyId: fields.keyId });
        };
      const keys = await createCredentialKeys({
        store: store.issuerKeys,
        engine: {
          registerSigningKey: (keyId, seed) => engine.registerSigningKey(keyId, seed),
          signCredentialHash: (keyId, hash) => engine.signCredentialHash(keyId, hash),
          verifySignature: (publicKey, hash, signature) => engine.verifySignature(publicKey, hash, signature),
          ...replaced,
        },
        config: await config(settings),
        log: { info: write('info'), fatal: write('fatal') },
        now,
      });
      return { keys, lines };
    },
    operator: async (settings) =>
      createCredentialKeyOperator({
        store: store.issuerKeys,
        engine,
        config: await config(settings),
        now,
      }),
    rows: (issuerSchemaId = '1') => store.issuerKeys.list(issuerSchemaId),
    files: () =>
      Buffer.concat(
        readdirSync(path, { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
      ),
    async remove() {
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}
