import { readFileSync } from 'node:fs';
import { createApp } from '../../apps/apps.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { readProof } from '../../groth16/proof.ts';
import { snarkjsProofOf } from '../../groth16/snarkjs-json.ts';
import { parseRoot } from '../../membership/roots/roots.ts';
import { rpIdOf } from '../../semaphore/hashes.ts';
import type { AppStore } from '../../storage/apps/apps.ts';
import type { RootStore } from '../../storage/roots.ts';

/** Environment and tree of the example. */
const EXAMPLE_TREE = { environment: 'production', tree: 'orb' } as const;
/** Key of the example, which every profile has. */
const EXAMPLE_KEY = 'semaphore-depth30';
const EXAMPLE_FILE = new URL('../../../circuits/semaphore-depth30/example.json', import.meta.url);

interface Example {
  readonly app_id: string;
  readonly action: string;
  readonly merkle_root: string;
  readonly nullifier_hash: string;
  readonly signal_hash: string;
  readonly external_nullifier_hash: string;
  readonly proof: string;
}

/**
 * Puts the app and the root of the example proof into the store, so that a newcomer can immediately verify a
 * real proof. Existing rows stay as they are. If an operator has made another root current, this one becomes
 * a past root.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function seedDevelopment(
  store: { readonly apps: AppStore; readonly roots: RootStore },
  now: number,
): Promise<void> {
  const example = readExample();
  if (!(await store.apps.findByAppId(example.app_id))) {
    try {
      await createApp(
        store.apps,
        { appId: example.app_id, name: 'Example relying party', isDevelopment: true },
        now,
      );
    } catch (error) {
      // another process seeded it meanwhile
      if (!(error instanceof ServiceError && error.code === 'app.exists')) throw error;
    }
  }
  const root = parseRoot({ ...EXAMPLE_TREE, root: example.merkle_root }, now);
  if (await store.roots.find(root.environment, root.tree, root.root)) return;
  const current = await store.roots.listCurrent();
  const hasCurrent = current.some((row) => row.environment === root.environment && row.tree === root.tree);
  await store.roots.put([{ ...root, source: 'development', supersededAt: hasCurrent ? now : null }]);
}

/** A request that is verified on a service of the development profile. */
export interface ExampleRequest {
  readonly rpId: string;
  readonly body: object;
}

/** Returns the request of the example proof. */
export function exampleRequest(): ExampleRequest {
  const { app_id, action, merkle_root, nullifier_hash: nullifier, proof, signal_hash } = readExample();
  return {
    rpId: rpIdOf(app_id),
    body: {
      protocol_version: '3.0',
      nonce: '0x01',
      action,
      responses: [{ identifier: EXAMPLE_TREE.tree, merkle_root, nullifier, proof, signal_hash }],
    },
  };
}

/**
 * Returns a command that verifies the example proof, for a shell.
 *
 * @param verifyUrl - Address of the verification interface, including its path.
 */
export function exampleCurl(verifyUrl: string): string {
  const { rpId, body } = exampleRequest();
  return `curl -sS ${quotedUrl(verifyUrl, rpId)} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

/** Returns a command that makes a World ID 4.0 proof for the example app and has it verified, for a shell. */
export function exampleCurl4(verifyUrl: string): string {
  const { app_id } = readExample();
  const prove = `npx proofgate dev prove --quiet --protocol 4.0 --app ${app_id} --action vote`;
  return `${prove} | curl -sS ${quotedUrl(verifyUrl, rpIdOf(app_id))} -d @-`;
}

/** An example request for any circuit; valid on every service. */
export interface ExampleGroth16 {
  readonly keyId: string;
  readonly body: object;
}

/** Returns the example proof as a request for any circuit, in snarkjs JSON. */
export function exampleGroth16(): ExampleGroth16 {
  const example = readExample();
  const { merkle_root, nullifier_hash, signal_hash, external_nullifier_hash } = example;
  return {
    keyId: EXAMPLE_KEY,
    body: {
      proof: snarkjsProofOf(readProof(example.proof).bytes),
      publicSignals: [merkle_root, nullifier_hash, signal_hash, external_nullifier_hash],
    },
  };
}

/** Returns a command that checks the example proof through the interface for any circuit, for a shell. */
export function groth16Curl(verifyUrl: string): string {
  const { keyId, body } = exampleGroth16();
  const url = quoted(`${verifyUrl}/api/v1/groth16/${keyId}`);
  return `curl -sS ${url} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}

function quotedUrl(verifyUrl: string, rpId: string): string {
  return quoted(`${verifyUrl}/api/v4/verify/${rpId}`);
}

function quoted(url: string): string {
  // a path may have an apostrophe, which would end the quoted word
  return `'${url.replaceAll("'", "'\\''")}'`;
}

function readExample(): Example {
  return JSON.parse(readFileSync(EXAMPLE_FILE, 'utf8')) as Example;
}
