import { setupCircuit } from '../../development/setup/setup-circuit.ts';
import { SETUP_SECONDS } from '../../development/setup/stages.ts';
import { DEVELOPMENT_KEY } from '../../development/trees.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { taskProgress } from '../output/progress.ts';
import type { Command } from '../program/command.ts';
import { withInlineEngine } from './dev/development.ts';

/** `circuits setup`: builds the circuit for proofs in development, deterministically, in the data folder. */
export const circuitsSetup: Command = {
  path: ['circuits', 'setup'],
  summary: 'build the development circuit and its proving key, once',
  details:
    'Takes some seconds; in the profile development the service does it by itself, see development.makeCircuit. Every machine makes the same bytes, so the key is the committed dev-depth30. Anyone can forge proofs under it: production refuses the command and the key.',
  options: [
    { flags: '--force', description: 'rebuild an existing circuit' },
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
      const { files, record, fingerprint, isNew } = await setupCircuit({
        dataDir: config.dataDir,
        isForced: input.has('force'),
        now: context.now,
        withEngine: (use) => withInlineEngine(context, config, use),
        onStage: (stage) => {
          if (!isAnnounced) context.note('building the development circuit, some seconds');
          isAnnounced = true;
          progress?.reach(stage);
        },
      });
      progress?.end();
      const shown = {
        folder: files.folder,
        fingerprint,
        zkey_sha256: record.provingKey.sha256,
        built: isNew,
      };
      const text = [
        `folder       ${shown.folder}${isNew ? '' : ' (built before)'}`,
        `fingerprint  ${shown.fingerprint} (${DEVELOPMENT_KEY})`,
        `zkey sha256  ${shown.zkey_sha256}`,
      ];
      await context.print(shown, text.join('\n'));
      return 0;
    } finally {
      progress?.end();
    }
  },
};
