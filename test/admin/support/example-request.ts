import { readFileSync } from 'node:fs';
import type { RunningApp } from '../../../src/cli/program/command.ts';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';

/** Sends the example proof of the development profile; members of its item can be replaced. */
export interface ExampleSender {
  (changes?: Readonly<Record<string, string>>): Promise<Response>;
  readonly appId: string;
  readonly action: string;
}

/** Returns a sender of the proof that a newcomer verifies first. */
export async function seedExample({ verifyUrl }: Pick<RunningApp, 'verifyUrl'>): Promise<ExampleSender> {
  const file = new URL('../../../circuits/semaphore-depth30/example.json', import.meta.url);
  const { app_id: appId, action, ...example } = JSON.parse(readFileSync(file, 'utf8'));
  const { merkle_root, nullifier_hash: nullifier, proof, signal_hash } = example;
  const send = (changes: Readonly<Record<string, string>> = {}): Promise<Response> =>
    fetch(`${verifyUrl}/api/v4/verify/${rpIdOf(appId)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        protocol_version: '3.0',
        nonce: '0x01',
        action,
        responses: [{ identifier: 'orb', merkle_root, nullifier, proof, signal_hash, ...changes }],
      }),
    });
  return Object.assign(send, { appId, action });
}
