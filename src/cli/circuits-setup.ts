import { readFile } from 'node:fs/promises';
import { SETUP_SECONDS } from '../development/setup/milestones.ts';
import { setupCircuit } from '../development/setup/setup-circuit.ts';
import { ServiceError } from '../errors/index.ts';
import { builtInKey, fingerprint, keyFromSnarkjs } from '../membership/index.ts';
import type { Command } from './command.ts';
import { taskProgress } from './progress.ts';

const KEY_ID = 'dev-depth30';

/** `circuits setup`: builds the circuit that development proves with; deterministic, and kept in the data folder. */
export const circuitsSetup: Command = {
  path: ['circuits', 'setup'],
  summary: 'build the circuit and the proving key of development, once',
  details:
    'About three minutes on two cores. Every machine makes the same bytes, so that the key is the committed dev-depth30. Anyone can forge proofs under it: production refuses the command and the key.',
  options: [
    { flags: '--force', description: 'build again what is there' },
    { flags: '--quiet', description: 'no progress on standard error' },
  ],
  run: async (input, context) => {
    const { config } = await context.loadConfig();
    if (config.profile === 'production') {
      throw new ServiceError(
        'development.only',
        'circuits setup makes a key that anyone can forge proofs for',
      );
    }
    const isQuiet = input.has('quiet');
    const progress = isQuiet ? undefined : taskProgress(SETUP_SECONDS, context);
    let isAnnounced = isQuiet;
    try {
      const { files, record, isNew } = await setupCircuit({
        dataDir: config.dataDir,
        isForced: input.has('force'),
        now: context.now,
        onReached: (milestone) => {
          if (!isAnnounced) context.note('building the development circuit, about 3 minutes on two cores');
          isAnnounced = true;
          progress?.reach(milestone);
        },
      });
      progress?.end();
      const { key } = keyFromSnarkjs(await readFile(files.verificationKey, 'utf8'));
      const found = fingerprint(key);
      const committed = builtInKey(KEY_ID)?.fingerprint;
      if (found !== committed) {
        throw new ServiceError(
          'circuit.fingerprint_differs',
          `expected ${committed} (circuits/${KEY_ID}), got ${found} (${files.verificationKey})`,
        );
      }
      const shown = {
        folder: files.folder,
        fingerprint: found,
        zkey_sha256: record.provingKey.sha256,
        built: isNew,
      };
      const text = [
        `folder       ${shown.folder}${isNew ? '' : ' (built before)'}`,
        `fingerprint  ${shown.fingerprint} (${KEY_ID})`,
        `zkey sha256  ${shown.zkey_sha256}`,
      ];
      await context.print(shown, text.join('\n'));
      return 0;
    } finally {
      progress?.end();
    }
  },
};
