import { createHash, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Config } from '../config/settings/types.ts';
import { wordOf } from '../semaphore/words.ts';
import type { EnrolmentStore } from '../storage/refresh/enrolments.ts';
import type { OrbKeyStore } from '../storage/refresh/orb-keys.ts';
import { DEVELOPMENT_KEY } from './trees.ts';

/** Stores of the demo's records. */
export interface DemoHolderStores {
  readonly enrolments: Pick<EnrolmentStore, 'find' | 'import'>;
  readonly orbKeys: Pick<OrbKeyStore, 'list' | 'add'>;
}

/** `circuits/dev-depth30/refresh-example.json`: a holder, an orb and a proof, with public secrets. */
export interface RefreshExample {
  readonly id_comm: string;
  readonly sub: string;
  /** Pre-image of the external nullifier of the proof. */
  readonly external_nullifier: string;
  readonly x_zkp_proof: string;
  readonly signup_id: string;
  readonly orb_id: string;
  /** PEM; the private key is public, see `src/docs/refresh.md`. */
  readonly orb_public_key: string;
}

const EXAMPLE_FILE = new URL('../../circuits/dev-depth30/refresh-example.json', import.meta.url);

/** Reads the example of the demo holder. */
export function refreshExample(): RefreshExample {
  return JSON.parse(readFileSync(EXAMPLE_FILE, 'utf8')) as RefreshExample;
}

/** Identity commitment of the demo holder, whose secret is the text `proofgate`. Production refuses its enrolment. */
export const DEMO_ID_COMM: Uint8Array =
  wordOf(0x279bf5d4ad8cc6d814de3c0e13d62871f067380b663e1e454e00abdd081efe78n);
/** The orb that signed the demo package. Production refuses its key. */
export const DEMO_ORB_ID = 'demo-orb';

/**
 * Enrols the demo holder and registers the key of the demo orb, so that a newcomer can refresh a credential
 * without setup. Existing records, revoked ones included, are left unchanged.
 *
 * @param now - Milliseconds since the epoch.
 * @throws ServiceError `store.unreachable`
 */
export async function seedDemoHolder({ enrolments, orbKeys }: DemoHolderStores, now: number): Promise<void> {
  const example = refreshExample();
  if ((await enrolments.find(DEMO_ID_COMM)) === undefined) {
    const enrolment = {
      idComm: DEMO_ID_COMM,
      signupId: example.signup_id,
      orbId: DEMO_ORB_ID,
      enrolledAt: now,
      status: 'active',
      updatedAt: now,
    } as const;
    await enrolments.import([enrolment], { replaces: false, isDryRun: false });
  }
  if ((await orbKeys.list(DEMO_ORB_ID)).length === 0) {
    const pem = example.orb_public_key;
    const der = createPublicKey(pem).export({ type: 'spki', format: 'der' });
    const keyHash = createHash('sha256').update(der).digest();
    await orbKeys.add([{ orbId: DEMO_ORB_ID, keyHash, pem, status: 'active', addedAt: now }], 1, false);
  }
}

/**
 * Returns a command that refreshes the credential of the demo holder, to be pasted into a shell.
 *
 * @param issuerUrl - Address of the refresh interface, its path included.
 * @returns undefined if refresh is off, or if the settings require another proof than the committed one.
 */
export function refreshCurl(issuerUrl: string, { refresh }: Pick<Config, 'refresh'>): string | undefined {
  const example = refreshExample();
  const takesExample =
    refresh.enabled &&
    !refresh.challengeRequired &&
    refresh.verificationKey === DEVELOPMENT_KEY &&
    refresh.externalNullifier === example.external_nullifier;
  if (!takesExample) return undefined;
  // A path may contain an apostrophe, which would end the quoted word.
  const url = `${issuerUrl}/api/v1/refresh?idComm=${example.id_comm}`.replaceAll("'", "'\\''");
  return `curl -sS '${url}' -H 'x-zkp-proof: ${example.x_zkp_proof}' -F sub=${example.sub}`;
}
