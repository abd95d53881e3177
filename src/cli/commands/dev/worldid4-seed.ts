import { developmentIssuer, relyingParties, seedWorldId4 } from '../../../development/worldid4/seed.ts';
import { refuseManagedTree } from '../../../membership/sources/operator/managed.ts';
import { seedDevelopment } from '../../../verification/offline/development-seed.ts';
import type { Command } from '../../program/command.ts';
import { loadDevelopment } from './development.ts';

/** `dev worldid4 seed`: writes what `dev prove --protocol 4.0` needs into the environment staging. */
export const devWorldId4Seed: Command = {
  path: ['dev', 'worldid4', 'seed'],
  summary: 'write root, issuer key and OPRF keys for World ID 4.0 proofs of development',
  details:
    'They go to the environment staging. The issuer is the first of verify.worldid4.issuers.staging; the OPRF keys are those of the example app and of every app that verifies. Rows that are there stay as they are, so the command can be repeated.',
  run: async (_input, context) => {
    const loaded = await loadDevelopment(context);
    refuseManagedTree(loaded.config.roots.sources, 'staging', 'account');
    const { issuerSchemaId } = developmentIssuer(loaded.config);
    return await context.withStore(loaded, async (store) => {
      await seedDevelopment(store, context.now());
      const apps = relyingParties(loaded.config, await store.apps.list());
      const seeded = await seedWorldId4(store, issuerSchemaId, apps, context.now());
      const shown = {
        root: seeded.isRootNew ? 'added' : 'kept',
        issuer_schema_id: issuerSchemaId,
        issuer: seeded.isIssuerNew ? 'added' : 'kept',
        oprf_keys: seeded.oprfKeys,
      };
      const added = seeded.oprfKeys.length === 0 ? 'none' : seeded.oprfKeys.join(', ');
      await context.print(
        shown,
        `root of tree account: ${shown.root}\nissuer ${issuerSchemaId}: ${shown.issuer}\nnew OPRF keys: ${added}`,
      );
      return 0;
    });
  },
};
