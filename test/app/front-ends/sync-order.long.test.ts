// Rules: spec/operations.md#group-commit
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rpIdOf } from '../../../src/semaphore/hashes.ts';
import { bodyMaker, LOAD_APP } from '../../support/load.ts';
import { opened } from '../../support/opened.ts';
import { RawClient, requestText } from '../../support/server/raw-client.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { pollUntil } from '../../support/until.ts';
import { FrontEndService, frontEndOf } from './support/front-end-service.ts';

const FRONT_ENDS = 3;
const REQUESTS = 60;
const NEW = '"Proof verified successfully"';

const canTrace = ((): boolean => {
  try {
    execFileSync('strace', ['-qq', '-e', 'trace=none', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

/** What a trace of system calls has to say: the log of the store was synced, or an answer of a new nullifier left. */
type Step = 'synced' | 'answered';

/** Reads a trace in which each thread has lines of its own, with calls that other lines interrupt. */
function stepsOf(trace: string): Step[] {
  const steps: Step[] = [];
  const syncing = new Set<string>();
  for (const line of trace.split('\n')) {
    const [thread = ''] = line.split(' ', 1);
    const begins = /f(?:data)?sync\(\d+<[^>]*-wal>/.test(line);
    if (begins && line.endsWith('<unfinished ...>')) syncing.add(thread);
    else if (begins && line.endsWith('= 0')) steps.push('synced');
    else if (/f(?:data)?sync resumed>.*= 0$/.test(line) && syncing.delete(thread)) steps.push('synced');
    else if (line.includes('HTTP/1.1 200') && line.includes(NEW.replaceAll('"', '\\"')))
      steps.push('answered');
  }
  return steps;
}

/** Returns the number of answers that no sync preceded since the answer before. */
function unsynced(steps: readonly Step[]): number {
  return steps.filter((step, at) => step === 'answered' && steps[at - 1] !== 'synced').length;
}

describe.skipIf(!canTrace)(
  `the order of system calls${canTrace ? '' : ' (skipped: strace cannot be used)'}`,
  () => {
    const folder = temporaryFolder('trace', afterAll);
    const service = opened(async () => {
      const made = await FrontEndService.create(FRONT_ENDS);
      await made.prepare();
      await made.node.start();
      return made;
    }, 'end');

    it('is known: an answer without a sync before it is noticed', () => {
      const answer = `7 sendto(20<TCP>, "HTTP/1.1 200 OK\\r\\n\\r\\n{\\"message\\":\\"Proof verified successfully\\"}", 60) = 60`;
      const trace = [
        '9 fdatasync(12</data/proofgate.db-wal> <unfinished ...>',
        '7 epoll_wait(5) = 1',
        '9 <... fdatasync resumed>) = 0',
        answer,
      ];
      expect(unsynced(stepsOf(trace.join('\n')))).toBe(0);
      expect(unsynced(stepsOf([...trace, answer].join('\n')))).toBe(1);
      expect(unsynced(stepsOf([trace[0], answer, trace[2]].join('\n')))).toBe(1);
    });

    it('has the log of the store synced before each answer, whichever front end writes it', async () => {
      const output = join(folder, 'calls');
      const calls = 'trace=fsync,fdatasync,write,writev,send,sendto,sendmsg';
      const pid = String(service.process.child.pid);
      const tracer = spawn('strace', ['-f', '-y', '-s', '4096', '-e', calls, '-o', output, '-p', pid]);
      let said = '';
      tracer.stderr.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
      await pollUntil(() => /attached/.test(said));
      const nextBody = await bodyMaker('trace');
      const clients = await Promise.all(
        Array.from({ length: FRONT_ENDS }, () => RawClient.open(service.port)),
      );
      const frontEnds = new Set<number>();
      for (let sent = 0; sent < REQUESTS; sent++) {
        const { body } = nextBody();
        const client = clients[sent % clients.length] as RawClient;
        client.send(
          requestText(`POST /api/v4/verify/${rpIdOf(LOAD_APP)}`, [`Content-Length: ${body.length}`], body),
        );
        const answer = await client.response();
        expect(answer.body.toString()).toContain(NEW);
        frontEnds.add(frontEndOf(answer).index);
      }
      for (const client of clients) client.destroy();
      tracer.kill('SIGINT');
      await once(tracer, 'close');
      const steps = stepsOf(readFileSync(output, 'utf8'));
      expect(frontEnds.size).toBe(FRONT_ENDS);
      expect(steps.filter((step) => step === 'answered')).toHaveLength(REQUESTS);
      expect(unsynced(steps)).toBe(0);
    });
  },
);
