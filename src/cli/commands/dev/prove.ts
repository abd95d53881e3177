import { findApp } from '../../../apps/apps.ts';
import { requireCircuitFiles } from '../../../development/circuit-files.ts';
import { findMember, identityOf } from '../../../development/persons.ts';
import { proveAndCheck, verifyBody } from '../../../development/prove.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { DEVELOPMENT_TREES } from '../../../pages.ts';
import { externalNullifier, hashSignal } from '../../../semaphore/hashes.ts';
import type { Command } from '../../program/command.ts';
import {
  filledOption,
  loadDevelopment,
  proofCheck,
  refuseOptions,
  treeOption,
  withDevelopment,
} from './development.ts';
import { proveWorldId4Body } from './prove-worldid4.ts';

/** `dev prove`: prints a whole request body for the verification interface, on one line. */
export const devProve: Command = {
  path: ['dev', 'prove'],
  summary: 'make a proof for an action and print the request body for its verification',
  details: `The body goes to POST /api/v4/verify/{rp_id} of a server on the same data folder:
  proofgate dev prove --app ID --action TEXT | curl -sS -d @- URL/api/v4/verify/RP_ID
Standard output holds only the body. Needs the circuit of \`proofgate circuits setup\`, and a person.
With --protocol 4.0, the person is made up and the key is trapdoor-15, under which anyone can make proofs.`,
  options: [
    { flags: '--app <id>', description: 'app_id or rp_id of the relying party', isRequired: true },
    { flags: '--action <text>', description: 'the action, as it is sent' },
    {
      flags: '--signal <text>',
      description: 'what the proof is bound to; 0x and whole hex bytes are decoded',
    },
    { flags: '--person <id>', description: 'who makes the proof; the person created last if absent' },
    {
      flags: '--tree <tree>',
      description: 'orb or device; if absent, orb or the tree that the person is in',
      choices: DEVELOPMENT_TREES,
    },
    {
      flags: '--protocol <version>',
      description: '3.0 if absent; 4.0 needs `dev worldid4 seed` instead of circuit and person',
      choices: ['3.0', '4.0'],
    },
    {
      flags: '--session [id]',
      description:
        '4.0: a proof of this session, of a new one without an id; with --action a uniqueness proof bound to it',
    },
    { flags: '--nullifier <number>', description: '4.0: instead of the one of the made-up person' },
    { flags: '--quiet', description: 'nothing on standard error' },
  ],
  run: async (input, context) => {
    const { config, ...loaded } = await loadDevelopment(context);
    if (input.option('protocol') === '4.0')
      return await proveWorldId4Body(input, context, { config, ...loaded });
    const action = filledOption(input, 'action');
    if (action === undefined) throw new ServiceError('cli.usage', '--action: expected a text');
    refuseOptions(input, ['session', 'nullifier'], '4.0');
    const signal = input.option('signal');
    const personId = filledOption(input, 'person');
    const tree = treeOption(input);
    const files = await requireCircuitFiles(config.dataDir);
    return await withDevelopment(context, { config, ...loaded }, async (parts) => {
      const app = await findApp(parts.store.apps, input.option('app') ?? '');
      const member = await findMember(
        { ...(personId === undefined ? {} : { personId }), ...(tree === undefined ? {} : { tree }) },
        parts,
      );
      if (!input.has('quiet')) {
        context.note(`proving as person ${member.person.personId} of tree ${member.tree}, about 2 s …`);
      }
      const statement = {
        identity: identityOf(member.person),
        inclusion: member.inclusion,
        signalHash: hashSignal(signal ?? ''),
        externalNullifier: externalNullifier(app.appId, action),
      };
      const made = await proveAndCheck(statement, files, await proofCheck(parts.engine, config));
      const body = verifyBody({
        ...made,
        appId: app.appId,
        action,
        tree: member.tree,
        isDefaultSignal: signal === undefined,
      });
      const url = `${config.verifyUrl}/api/v4/verify/${app.rpId}`;
      if (!input.has('quiet')) context.note(`proved; the body is for POST ${url}`);
      await context.print(body, JSON.stringify(body));
      return 0;
    });
  },
};
