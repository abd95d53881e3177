import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import { be32, fromBe } from '../../../test/support/crypto/bn254.ts';
import { trapdoorScalar } from '../../../test/support/crypto/trapdoor.ts';
import { root } from '../../support/paths.ts';
import { runCommand, type ServerSettings } from '../processes/server-process.ts';
import { TEMPLATE, VERIFY_APP_ID } from './http-target.ts';
import { hex } from './verify-requests.ts';
import type { PublicKey, WorldId4Template } from './worldid4-requests.ts';

const ENVIRONMENT = ['--environment', 'production'];
const DAY_SECONDS = 86_400;

/** Variables that make a server accept World ID 4.0 proofs under the known-trapdoor key. */
export const WORLDID4_VARIABLES: Readonly<Record<string, string>> = {
  PROOFGATE_VERIFY_WORLDID4_ENABLED: 'true',
  PROOFGATE_VERIFY_WORLDID4_KEY_PRODUCTION: 'trapdoor-15',
};

/** Reads issuer and OPRF key of the test vectors, which are points of the right order. */
function vectorKeys(): { issuer: PublicKey; oprfKey: PublicKey } {
  type Entry = Readonly<Record<'x' | 'y', string>>;
  const { trapdoor } = JSON.parse(readFileSync(join(root, 'test/vectors/worldid4-proofs.json'), 'utf8')) as {
    trapdoor: { setup: Readonly<Record<'issuers' | 'oprf_keys', readonly Entry[]>> };
  };
  const point = ([entry]: readonly Entry[]): PublicKey => {
    if (entry === undefined) throw new Error('the test vectors have no key');
    return { x: BigInt(entry.x), y: BigInt(entry.y) };
  };
  return { issuer: point(trapdoor.setup.issuers), oprfKey: point(trapdoor.setup.oprf_keys) };
}

/** Common parts of all World ID 4.0 requests to a server that `setUpWorldId4` prepared. */
export function worldId4Template(): WorldId4Template {
  const { issuer, oprfKey } = vectorKeys();
  return {
    host: TEMPLATE.host,
    path: TEMPLATE.path,
    rpId: rpIdOf(VERIFY_APP_ID),
    action: TEMPLATE.action,
    identifier: 'proof_of_human',
    issuer: { ...issuer, id: 1n },
    oprfKey,
    root: trapdoorScalar('bench-account-root'),
    signalHash: fromBe(TEMPLATE.inputs.signalHash),
    nonce: trapdoorScalar('bench-nonce'),
    expiresAtMin: BigInt(Math.floor(Date.now() / 1000) + DAY_SECONDS),
  };
}

/** Adds root, issuer and OPRF key to a server whose app exists. */
export async function setUpWorldId4(settings: ServerSettings, template: WorldId4Template): Promise<void> {
  const pointOf = ({ x, y }: PublicKey): string[] => ['--x', hex(be32(x)), '--y', hex(be32(y))];
  const { issuer, oprfKey, rpId } = template;
  const run = (...args: readonly string[]): Promise<void> => runCommand(settings, [...args, ...ENVIRONMENT]);
  await run('roots', 'add', '--tree', 'account', '--root', hex(be32(template.root)));
  await run('issuers', 'add', '--id', String(issuer.id), ...pointOf(issuer));
  await run('oprf-keys', 'add', '--rp-id', rpId, ...pointOf(oprfKey));
}
