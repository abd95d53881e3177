import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WalletRefusal } from '../../../development/worldid4/read-proof-request.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import {
  judgeNullifier,
  type MadeNullifiers,
  refusalReason,
  rememberNullifier,
} from '../../../semaphore/replay-guard.ts';
import { syncToDisk } from '../../../storage/backup/database-file.ts';

/** Name of the installation of commands that name none. */
export const DEFAULT_INSTALLATION = 'default';

/** An installation of the development wallet for commands, with its replay guard. */
export interface Installation {
  /**
   * Records a nullifier before its proof is delivered; it is durable afterwards.
   *
   * @param now - Milliseconds since the epoch.
   * @throws WalletRefusal `nullifier_replayed`, and records nothing
   */
  admit(nullifier: string, now: number): Promise<void>;
  /** Forgets all nullifiers, as a new installation or a recovery does. */
  forget(): Promise<void>;
}

const FOLDER = 'wallet-installations';
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const LINE = /^(nil_[0-9a-f]{64}) (\d{1,15})$/;

/**
 * Opens an installation, a file of the data folder. Each line has a nullifier and the time of its first proof; lines are only
 * appended, so that commands at the same time lose none.
 *
 * @throws ServiceError `cli.usage` for a name of another form
 */
export function openInstallation(dataDir: string, name: string): Installation {
  if (!NAME.test(name)) {
    throw new ServiceError('cli.usage', '--installation: expected 1 to 64 letters, digits, - or _');
  }
  const path = join(dataDir, FOLDER, `${name}.nullifiers`);
  return {
    async admit(nullifier, now) {
      const verdict = judgeNullifier(await readMade(path), nullifier, now);
      if (verdict.state === 'refused') throw new WalletRefusal('nullifier_replayed', refusalReason(verdict));
      if (verdict.state === 'new') await append(path, `${nullifier} ${now}`);
    },
    forget: async () => {
      await rm(path, { force: true });
    },
  };
}

async function readMade(path: string): Promise<MadeNullifiers> {
  const text = existsSync(path) ? await readFile(path, 'utf8') : '';
  let made: MadeNullifiers = {};
  for (const line of text.split('\n')) {
    // A line that a crash cut off belongs to an answer that was never sent.
    const [, nullifier, time] = LINE.exec(line) ?? [];
    if (nullifier !== undefined) made = rememberNullifier(made, nullifier, Number(time));
  }
  return made;
}

async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const file = await open(path, 'a', 0o600);
  try {
    // The first line feed ends a line that was cut off.
    await file.write(`\n${line}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  for (const folder of [dirname(path), dirname(dirname(path))]) await syncToDisk(folder);
}
