import { findApp } from '../../apps/apps.ts';
import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { BACKEND_CHOICES } from '../../engine/backends/backend.ts';
import type { Engine, EngineSettings } from '../../engine/engine.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import { fingerprint } from '../../membership/keys/built-in-keys.ts';
import { refuseForgeable } from '../../membership/keys/import-key.ts';
import { registerKey } from '../../membership/keys/key-registry.ts';
import { boundKey, type KeyWithBytes, readKey } from '../../membership/keys/verifying-keys.ts';
import { checkRoot } from '../../membership/roots/root-registry.ts';
import { toHex } from '../../semaphore/hex.ts';
import type { AppRow } from '../../storage/apps/apps.ts';
import type { Store } from '../../storage/store.ts';
import {
  type FileApp,
  type NumberedVerdict,
  type ProofFileOptions,
  verifyOneProof,
  verifyProofFile,
} from '../../verification/offline/proof-file.ts';
import { readKeyFile, readProofFile } from '../input/form-file.ts';
import { openInput } from '../input/input-file.ts';
import { wholeNumber } from '../operations/operation-command.ts';
import type { Command, CommandContext, CommandInput } from '../program/command.ts';

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

/** Reads the key of --key-file. */
async function keyOfFile(
  path: string,
  loaded: LoadedConfig,
  input: CommandInput,
  context: CommandContext,
): Promise<KeyWithBytes> {
  const depthText = input.option('depth');
  const depth = depthText === undefined ? null : wholeNumber('--depth', depthText);
  const { key, inputCount, form } = await readKeyFile(path, context, depth ?? undefined);
  if (form !== 'snarkjs') context.note(`${path}: a key in the form ${form}`);
  const print = fingerprint(key);
  refuseForgeable(path, print, loaded.config.profile);
  return {
    keyId: path,
    origin: 'imported',
    depth,
    source: '',
    key,
    inputCount,
    fingerprint: print,
    isBuiltIn: false,
  };
}

/** Returns the key of --key or --key-file; undefined if neither was given. */
async function givenKey(
  loaded: LoadedConfig,
  input: CommandInput,
  context: CommandContext,
): Promise<KeyWithBytes | undefined> {
  const [keyId, path] = [input.option('key'), input.option('keyFile')];
  if (keyId !== undefined && path !== undefined)
    throw new ServiceError('cli.usage', 'expected --key or --key-file, got both');
  if (path === undefined && input.option('depth') !== undefined)
    throw new ServiceError('cli.usage', '--depth: expected with --key-file');
  const files = [path, input.argument('file'), input.optionalArgument('public')];
  if (files.filter((file) => file === '-').length > 1)
    throw new ServiceError('cli.usage', 'expected - (standard input) for one file only');
  if (path !== undefined) return await keyOfFile(path, loaded, input, context);
  return keyId === undefined ? undefined : await findKey(keyId, loaded, context);
}

/** Finds the key of --key, or the one that the settings bind to a request's tree; registers it on first use. */
function keyFinder(
  given: KeyWithBytes | undefined,
  loaded: LoadedConfig,
  engine: Engine,
  context: CommandContext,
): ProofFileOptions['keyOf'] {
  const registered = new Map<string, Promise<string>>();
  const register = async (keyId: string): Promise<string> => {
    const key = given ?? (await findKey(keyId, loaded, context));
    await registerKey(engine, key, loaded.config.profile, (text) => context.note(`warning: ${text}`));
    return keyId;
  };
  return async (place) => {
    const { keys } = loaded.config.verify;
    const keyId = given?.keyId ?? (place && boundKey(keys, place.environment, place.tree));
    if (keyId === undefined) {
      const what = place === undefined ? 'a proof without a request names no key' : 'no setting binds a key';
      throw new ServiceError(
        'cli.usage',
        `--key or --key-file: required, since ${what}; see \`proofgate vkey list\``,
      );
    }
    const known = registered.get(keyId) ?? register(keyId);
    registered.set(keyId, known);
    return await known;
  };
}

/** Finds the app, with its policy: that of --app, or the one that the request names. */
function appFinder(
  input: CommandInput,
  loaded: LoadedConfig,
  context: CommandContext,
): ProofFileOptions['appOf'] {
  const apps = new Map<string, Promise<FileApp>>();
  const registered = async (id: string): Promise<FileApp> =>
    await context.withStore(loaded, async (store) => {
      const app = await findApp(store.apps, id);
      return { ...app, ...(await rootJudge(app, store, context.now())) };
    });
  const appOf = async (id: string): Promise<FileApp> => {
    try {
      return await registered(id);
    } catch (error) {
      // The id alone is enough to check a proof: an app that is not registered here has no policy.
      const isElsewhere = isServiceError(error, 'store.absent') || isServiceError(error, 'app.unknown');
      if (!isElsewhere || !id.startsWith('app_')) throw error;
      return { appId: id };
    }
  };
  return async (named) => {
    const id = input.option('app') ?? named;
    if (id === undefined) {
      throw new ServiceError('cli.usage', '--app: required for a request without the member app_id');
    }
    const known = apps.get(id) ?? appOf(id);
    apps.set(id, known);
    return await known;
  };
}

/** Creates the check of the age of roots, if the policy of the app has one. */
async function rootJudge(
  { policy }: AppRow,
  { roots }: Pick<Store, 'roots'>,
  now: number,
): Promise<Pick<FileApp, 'judgeRoot'>> {
  const { maxRootAgeSeconds } = policy;
  if (maxRootAgeSeconds === undefined) return {};
  const keyOf = (...parts: readonly string[]): string => parts.join(' ');
  const known = new Map(
    (await roots.list()).map((row) => [keyOf(row.environment, row.tree, toHex(row.root)), row]),
  );
  return {
    judgeRoot(environment, tree, root) {
      const row = known.get(keyOf(environment, tree, toHex(root)));
      if (row === undefined) return 'item.root_unknown';
      return checkRoot(row, maxRootAgeSeconds, now).isAccepted ? undefined : 'item.root_too_old';
    },
  };
}

function engineSettings({ config }: LoadedConfig, input: CommandInput): EngineSettings {
  const wanted = BACKEND_CHOICES.find((backend) => backend === input.option('backend'));
  return wanted === undefined ? config.engine : { ...config.engine, backend: wanted };
}

/** Formats a verdict, with what is wrong with a malformed proof; for a request it names the proof. */
function verdictText({ verdict, message, place }: NumberedVerdict): string {
  if (place === undefined) return message === undefined ? verdict : `${verdict}: ${message}`;
  return `request ${place.request} responses[${place.response}] ${place.identifier}: ${verdict}`;
}

/** Verifies the proofs of the files. */
type Verdicts = (engine: Engine, options: ProofFileOptions) => AsyncIterable<NumberedVerdict>;

/** Opens the files, before the engine starts. */
async function verdictsOf(input: CommandInput, context: CommandContext): Promise<Verdicts> {
  const [path, signals] = [input.argument('file'), input.optionalArgument('public')];
  if (signals === undefined) {
    const file = await openInput(path, context);
    return (engine, options) => verifyProofFile(engine, file, options);
  }
  const proof = await readProofFile(path, context);
  const publicSignals = await readProofFile(signals, context);
  return async function* (engine, { keyOf }) {
    yield await verifyOneProof(engine, await keyOf(), { proof, publicSignals });
  };
}

/**
 * `proof verify FILE [PUBLIC]`: prints one verdict per line, in the order of the file; exit code 0 when all are valid.
 */
export const proofVerify: Command = {
  path: ['proof', 'verify'],
  summary: 'check proofs without a server; one verdict per line, exit code 0 when all are valid',
  details: `With PUBLIC, FILE is one proof, as in
  proofgate proof verify --key-file verification_key.json proof.json public.json
Each of the three files may be in any form that is read: JSON of snarkjs, gnark or ZoKrates, calldata of Solidity, bytes of gnark or arkworks, hex digits or base64. Neither a store nor a setting is needed.
Without PUBLIC, FILE is a JSON array, one JSON object, or JSON Lines. An entry is one of
  a request body of POST /api/v4/verify/{rp_id}, as \`dev prove\` prints it:
    each of its responses[] is checked
  a proof of World ID with the members merkle_root, nullifier_hash,
    signal_hash, external_nullifier_hash and proof
  {"proof": …, "publicSignals": […]} with both in any form, such as
    {"proof": "0x…", "inputs": ["0x…", …]}
  a proof that carries its public signals, such as proof.json of ZoKrates or
    calldata of Solidity
A verdict is valid, false, or the code of a refusal with what is wrong: a malformed entry does not end the run. Requests of a registered app are checked against its verification policy. Else only the proof is checked: neither the age of the root, nor whether the nullifier was used. Requests of World ID 4.0 are not read (entry.newer_protocol).`,
  arguments: [
    { name: 'file', description: 'the proofs; - is standard input' },
    { name: 'public', description: 'the public signals of one proof; - is standard input', isOptional: true },
  ],
  options: [
    {
      flags: '--key <id>',
      description: 'verifying key, see proofgate vkey list; for a request, that of verify.key.* if absent',
    },
    {
      flags: '--key-file <file>',
      description: 'verifying key in a file, instead of --key; in any form that `vkey import` reads',
    },
    {
      flags: '--depth <n>',
      description: 'with --key-file: depth whose key is taken from a packed file of Semaphore',
    },
    {
      flags: '--app <id>',
      description: 'app_id or rp_id of a request; if absent, its member app_id, which `dev prove` writes',
    },
    { flags: '--backend <backend>', description: 'instead of engine.backend', choices: BACKEND_CHOICES },
    { flags: '--single', description: 'check one proof at a time, not in batches' },
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    const key = await givenKey(loaded, input, context);
    const verdicts = await verdictsOf(input, context);
    return await context.withEngine(engineSettings(loaded, input), async (engine) => {
      const options = {
        isSingle: input.has('single'),
        keyOf: keyFinder(key, loaded, engine, context),
        appOf: appFinder(input, loaded, context),
      };
      let isAllValid = true;
      for await (const numbered of verdicts(engine, options)) {
        const { place, ...verdict } = numbered;
        isAllValid &&= verdict.verdict === 'valid';
        await context.print({ ...verdict, ...place }, verdictText(numbered));
      }
      return isAllValid ? 0 : 1;
    });
  },
};
