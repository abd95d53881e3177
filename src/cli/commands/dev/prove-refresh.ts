import type { Config } from '../../../config/settings/types.ts';
import { requireCircuitFiles } from '../../../development/circuit-files.ts';
import {
  holderStatement,
  proveAndCheck,
  type RefreshScope,
  refreshHeader,
} from '../../../development/prove.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { toHex, writeHex } from '../../../semaphore/hex.ts';
import { identityFromSecret } from '../../../semaphore/identity.ts';
import { isBelowScalarOrder } from '../../../semaphore/words.ts';
import type { Command, CommandInput } from '../../program/command.ts';
import { filledOption, loadDevelopment, proofCheck, withInlineEngine } from './development.ts';

const DEFAULT_SECRET = 'proofgate';
const FIELD_ELEMENT = /^0x[0-9a-fA-F]{1,64}$/;
const CHALLENGE = /^0x[0-9a-fA-F]{64}$/;

/** `dev prove-refresh`: prints the idComm and the header `x-zkp-proof` of a credential refresh. */
export const devProveRefresh: Command = {
  path: ['dev', 'prove-refresh'],
  summary: 'make the proof of a credential refresh and print idComm and header',
  details: `The proof shows that its maker holds the identity behind idComm, for this sub; it needs no tree. It is bound to
the setting refresh.externalNullifier and, if refresh.challengeRequired is on, to a challenge of GET /api/v1/challenge.
Needs the circuit of \`proofgate circuits setup\`.`,
  options: [
    {
      flags: '--sub <hex>',
      description: '0x and 1 to 64 hex digits, above 0 and below the scalar order r',
      isRequired: true,
    },
    { flags: '--secret <text>', description: `derives the identity; ${DEFAULT_SECRET} if absent` },
    { flags: '--challenge <hex>', description: '0x and 64 hex digits, as the service returned them' },
    { flags: '--quiet', description: 'nothing on standard error' },
  ],
  run: async (input, context) => {
    const { config } = await loadDevelopment(context);
    const sub = parseSub(input.option('sub') ?? '');
    const scope = scopeOf(input, config);
    const identity = identityFromSecret(filledOption(input, 'secret') ?? DEFAULT_SECRET);
    const files = await requireCircuitFiles(config.dataDir);
    return await withInlineEngine(context, config, async (engine) => {
      if (!input.has('quiet')) context.note('proving, about 2 s …');
      const statement = await holderStatement(identity, sub, scope, (inputs) => engine.poseidon(inputs));
      const made = await proveAndCheck(statement, files, await proofCheck(engine, config));
      const shown = { id_comm: toHex(statement.idCommitment), header: refreshHeader(statement, made) };
      await context.print(shown, `idComm: ${shown.id_comm}\nx-zkp-proof: ${shown.header}`);
      return 0;
    });
  },
};

function parseSub(text: string): Uint8Array {
  const sub = new Uint8Array(32);
  const isWritten = FIELD_ELEMENT.test(text) && writeHex(text, 2, text.length, sub);
  if (!isWritten || !isBelowScalarOrder(sub) || sub.every((byte) => byte === 0)) {
    throw new ServiceError(
      'cli.usage',
      '--sub: expected 0x and 1 to 64 hex digits of a number above 0 and below the scalar order r',
    );
  }
  return sub;
}

/** Returns the scope of the proof; insists on a challenge if the service would refuse a proof without one. */
function scopeOf(input: CommandInput, { refresh }: Pick<Config, 'refresh'>): RefreshScope {
  const text = refresh.externalNullifier;
  const written = input.option('challenge');
  if (written === undefined) {
    if (!refresh.challengeRequired) return { text };
    throw new ServiceError(
      'cli.usage',
      '--challenge: refresh.challengeRequired is on; pass the challenge of GET /api/v1/challenge',
    );
  }
  if (!CHALLENGE.test(written))
    throw new ServiceError('cli.usage', '--challenge: expected 0x and 64 hex digits');
  return { text, challenge: Buffer.from(written.slice(2), 'hex') };
}
