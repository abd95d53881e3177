/**
 * Child process in which a running service builds the development circuit: `circuit-maker.ts` starts it and reads its
 * messages. It exits when the service has ended.
 */
import '../../source-maps.ts';
import { setPriority } from 'node:os';
import { createEngine } from '../../engine/create-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { messageOf } from '../../text.ts';
import { setupCircuit } from './setup-circuit.ts';
import type { SetupJob, SetupMessage } from './stages.ts';

const LOWEST_PRIORITY = 19;

const send = (message: SetupMessage): void => {
  // The service may have ended.
  if (process.connected) process.send?.(message);
};

async function run({ dataDir, engine }: SetupJob, signal: AbortSignal): Promise<void> {
  try {
    await setupCircuit({
      dataDir,
      isForced: false,
      now: Date.now,
      withEngine: async (use) => {
        const inThread = await createEngine({ ...engine, workers: 0 });
        try {
          return await use(inThread);
        } finally {
          await inThread.close();
        }
      },
      onStage: (stage, workFolder) => send({ kind: 'stage', stage, workFolder }),
      signal,
    });
    send({ kind: 'done' });
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : 'circuit.setup_failed';
    send({ kind: 'failed', code, reason: messageOf(error) });
  }
}

try {
  // Inherited by the compiler. Requests of the service take precedence over the build.
  setPriority(LOWEST_PRIORITY);
} catch {
  // A sandbox may forbid it.
}
const aborted = new AbortController();
process.on('disconnect', () => aborted.abort(new Error('the service stopped')));
process.once('message', (job) => {
  void run(job as SetupJob, aborted.signal).then(() => {
    if (process.connected) process.disconnect();
  });
});
