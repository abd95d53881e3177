import type { LoadedConfig } from '../config/index.ts';
import { BACKEND_CHOICES, type EngineSettings } from '../engine/index.ts';
import { ServiceError } from '../errors/index.ts';
import { type KeyWithBytes, readKey } from '../membership/index.ts';
import { verifyProofFile } from '../verification/index.ts';
import type { Command, CommandContext, CommandInput } from './command.ts';
import { openInput } from './input-file.ts';

/** Reads the key; the store is opened only for a key that is not built in. */
async function findKey(keyId: string, loaded: LoadedConfig, context: CommandContext): Promise<KeyWithBytes> {
  const key = await readKey(keyId, loaded.config.profile, {
    find: async (id) => await context.withStore(loaded, async (store) => await store.verifyingKeys.find(id)),
  });
  if (key === undefined) {
    throw new ServiceError('engine.key_unknown', `no verifying key has the id ${JSON.stringify(keyId)}`);
  }
  return key;
}

function engineSettings({ config }: LoadedConfig, input: CommandInput): EngineSettings {
  const wanted = BACKEND_CHOICES.find((backend) => backend === input.option('backend'));
  return wanted === undefined ? config.engine : { ...config.engine, backend: wanted };
}

/** `proof verify FILE --key ID`: one verdict a line, in the order of the file; exit code 0 when all are valid. */
export const proofVerify: Command = {
  path: ['proof', 'verify'],
  summary: 'check proofs without a server; one verdict a line, exit code 0 when all are valid',
  details: `FILE is a JSON array of proofs with the members merkle_root, nullifier_hash, signal_hash,
external_nullifier_hash and proof, one such object, or JSON Lines with {"inputs": ["0x…", …], "proof": "0x…"}.
A verdict is valid, false, or the code of a refusal: a malformed entry does not end the run.`,
  arguments: [{ name: 'file', description: 'the proofs; - is standard input' }],
  options: [
    { flags: '--key <id>', description: 'verifying key, see proofgate vkey list', isRequired: true },
    { flags: '--backend <backend>', description: 'in place of engine.backend', choices: BACKEND_CHOICES },
    { flags: '--single', description: 'check one proof at a time, not in batches' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const key = await findKey(input.option('key') ?? '', loaded, context);
    const file = await openInput(input.argument('file'), context);
    return await context.withEngine(engineSettings(loaded, input), async (engine) => {
      await engine.registerKey(key.keyId, key.key);
      const options = { keyId: key.keyId, isSingle: input.has('single') };
      let isAllValid = true;
      for await (const { n, verdict } of verifyProofFile(engine, file, options)) {
        isAllValid &&= verdict === 'valid';
        await context.print({ n, verdict }, verdict);
      }
      return isAllValid ? 0 : 1;
    });
  },
};
