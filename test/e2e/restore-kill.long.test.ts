import { copyFileSync, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectDatabase, makeStore } from '../storage/support/database-files.ts';
import { runProofgate, spawnProofgate } from '../support/server/server-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/** `KILLS=50` makes the run longer. */
const KILLS = Number(process.env.KILLS ?? 8);
const folder = temporaryFolder('restore-kill', afterAll);
const dataDir = join(folder, 'data');
const path = join(dataDir, 'proofgate.db');
const former = join(folder, 'former.db');
const backup = join(folder, 'backup.db');
const env = { PROOFGATE_PROFILE: 'test', PROOFGATE_DATA_DIR: dataDir };

describe('a restore killed with SIGKILL', () => {
  let formerNullifiers: Set<string>;
  let backupNullifiers: Set<string>;

  beforeAll(async () => {
    formerNullifiers = new Set(await makeStore(former, 200));
    backupNullifiers = new Set(await makeStore(path, 300));
    const { code, output } = await runProofgate(['backup', backup], env);
    expect(code, output).toBe(0);
  });

  /** Starts a restore, kills it at the n-th change of the folder, and returns whether it died of the kill. */
  async function killAtChange(count: number): Promise<boolean> {
    const child = spawnProofgate(['restore', backup, '--yes'], env);
    let changes = 0;
    const watcher = watch(dataDir, () => {
      if (++changes === count) child.kill('SIGKILL');
    });
    const signal = await new Promise((resolve) => {
      child.once('exit', (_code, name) => resolve(name));
    });
    watcher.close();
    return signal === 'SIGKILL';
  }

  it(
    `leaves the former store or the restored one complete over ${KILLS} attempts to kill it midway`,
    async () => {
      const outcomes = { killed: 0, former: 0, restored: 0 };
      // Continues until at least one kill was in time: the machine may report changes late.
      for (let round = 0; round < KILLS || outcomes.former === 0; round++) {
        copyFileSync(former, path);
        if (await killAtChange(1 + (round % KILLS))) outcomes.killed++;
        const { integrity, nullifiers } = inspectDatabase(path);
        expect(integrity).toBe('ok');
        const isFormer = nullifiers.size === formerNullifiers.size;
        expect(nullifiers).toEqual(isFormer ? formerNullifiers : backupNullifiers);
        outcomes[isFormer ? 'former' : 'restored']++;
      }
      // The next restore succeeds, and removes what the killed ones left.
      const { code, output } = await runProofgate(['restore', backup, '--yes'], env);
      expect(code, output).toBe(0);
      expect(inspectDatabase(path)).toEqual({ integrity: 'ok', nullifiers: backupNullifiers });
      expect(readdirSync(dataDir).filter((name) => /\.restore-|-wal|-shm|-journal/.test(name))).toEqual([]);
      expect(statSync(path).nlink).toBe(1);
      console.log(`restore: ${JSON.stringify(outcomes)}`);
      expect(outcomes.killed).toBeGreaterThan(0);
    },
    60_000 + KILLS * 15_000,
  );
});
