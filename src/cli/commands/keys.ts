import type { LoadedConfig } from '../../config/sources/loaded-config.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { createKeySet } from '../../oidc/keys/key-set.ts';
import { KEY_OPERATIONS, KEY_USES, type ShownKey } from '../../operations/keys.ts';
import { issuerKeysDocument, listedKey } from '../../refresh/keys/credential-keys.ts';
import type { CallOperation } from '../operations/call.ts';
import {
  type CommandParts,
  callingCommand,
  operationCommand,
  type Shown,
  YES_OPTION,
} from '../operations/operation-command.ts';
import { textTable, writeText } from '../output/output.ts';
import type { Command, CommandContext, CommandOption } from '../program/command.ts';

const { listKeys, rotateKey, removeKey } = KEY_OPERATIONS;

/** Option of a command for keys of one use. */
const USE_OPTION: CommandOption = {
  flags: '--use <use>',
  description: 'signin if absent',
  choices: KEY_USES,
};

/** `keys list`: lists signing keys of both uses with their states and times. */
const keysList: Command = operationCommand(listKeys, {
  path: ['keys', 'list'],
  summary: 'list the signing keys: state, since when, and when it changes by itself',
  details: 'A credential key changes only by command, and stays listed when it is retired or revoked.',
  show: ({ items: keys }) => ({
    json: { keys },
    text: keys.length === 0 ? 'no keys: the service makes them at its first start' : keyTable(keys),
  }),
});

/** `keys rotate`: rotates now, before the rotation is due. */
const keysRotate: Command = callingCommand({
  path: ['keys', 'rotate'],
  summary: 'make the next sign-in key active now, or with --use credential make a new credential key',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: the former key stays published until its tokens have expired. Refused while the next key has been published for
less than keys.publishLeadSeconds, since verifiers with a cached key set would refuse its tokens.
Credentials: makes the first key, too. The former key stays listed as retired. The new key must be registered with the
verifiers of credentials. Refused if refresh.signingSeed is set, since each start makes its key active.`,
  options: [
    USE_OPTION,
    { flags: '--force', description: 'rotate although the next sign-in key is too young' },
  ],
  prepare(input) {
    if (input.option('use') === 'credential' && input.has('force')) {
      throw new ServiceError('cli.usage', '--force applies only to sign-in keys');
    }
  },
  async run({ input, context, call, config }) {
    if (input.option('use') === 'credential') return await rotateCredential(call, context);
    const { active, next, early } = await call(rotateKey, { use: 'signin', force: input.has('force') });
    if (early === true) context.note(earlyWarning(config));
    return { json: { active, next, early }, text: `active  ${active}\nnext    ${next}` };
  },
});

/** Makes a new credential key, also the first one, which signs credentials from now on. */
async function rotateCredential(call: CallOperation, { note }: CommandContext): Promise<Shown> {
  const use = 'credential';
  const { active, retired = null } = await call(rotateKey, { use });
  const { items } = await call(listKeys, { use });
  const keyOf = (kid: string | null): ShownKey | undefined => items.find((key) => key.kid === kid);
  note(
    `note: key ${active} must be registered where credentials are verified; until then its credentials are refused there`,
  );
  if (keyOf(retired)?.origin === 'configured') {
    note(
      `note: key ${retired} is that of refresh.signingSeed: servers with this setting keep signing with it until they restart without it, and each start with it makes it active again`,
    );
  }
  return {
    json: { active, retired, key: keyOf(active) },
    text: `active   ${active}${retired === null ? '' : `\nretired  ${retired}`}`,
  };
}

/** `keys remove KID`: removes a sign-in key from the set, or revokes a credential key, after confirmation. */
const keysRemove: Command = callingCommand({
  path: ['keys', 'remove'],
  summary:
    'remove a compromised key immediately: a sign-in key is deleted, a credential key is listed as revoked',
  details: `Running servers follow within storage.cacheSeconds.
Sign-in: its tokens become invalid. An active key is replaced by the next one, a next key by a new one. Other verifiers
follow when their cached key set expires, up to keys.jwksMaxAgeSeconds later.
Credentials: the key never signs again, and its seed is erased from the store. If it is the active one, make another with
\`keys rotate --use credential\`, preferably first.`,
  arguments: [{ name: 'kid', description: 'the kid, see `keys list`' }],
  options: [USE_OPTION, YES_OPTION],
  async run(parts) {
    const kid = parts.input.argument('kid');
    return parts.input.option('use') === 'credential'
      ? await revokeCredential(kid, parts)
      : await removeSignin(kid, parts);
  },
});

/** Removes a sign-in key after confirmation. */
async function removeSignin(kid: string, { context, call, config }: CommandParts): Promise<Shown> {
  const use = 'signin';
  await context.confirm(`Remove signing key ${kid}? Its tokens are refused from now on.`);
  const before = await call(listKeys, { use });
  await call(removeKey, { kid, use });
  const { items } = await call(listKeys, { use });
  const kidOf = (state: ShownKey['state']): string | undefined =>
    items.find((key) => key.state === state)?.kid;
  const [active, next] = [kidOf('active'), kidOf('next')];
  const successor = before.items.find((key) => key.kid === active && key.state === 'next');
  const early = successor !== undefined && isEarly(successor, context.now(), config);
  if (early !== false) context.note(earlyWarning(config, early));
  return {
    json: { removed: kid, active, next, early },
    text: `removed ${kid}\nactive  ${active}\nnext    ${next}`,
  };
}

/**
 * Whether a key signs before its publication lead is over.
 *
 * @returns null if it is not known: a running service has its own settings.
 */
function isEarly({ created_at }: ShownKey, now: number, config: CommandParts['config']): boolean | null {
  if (config === undefined) return null;
  return now < Date.parse(created_at) + config.keys.publishLeadSeconds * 1000;
}

/** `keys remove KID --use credential`: marks a compromised key as revoked, after confirmation. */
async function revokeCredential(kid: string, { context, call, config }: CommandParts): Promise<Shown> {
  const use = 'credential';
  await context.confirm(
    `Revoke credential key ${kid} permanently? Verifiers that follow the list of keys stop accepting its credentials.`,
  );
  await call(removeKey, { kid, use });
  const { items } = await call(listKeys, { use });
  const schemasOf = (fits: (key: ShownKey) => boolean): string[] =>
    items.filter(fits).map(({ issuer_schema_id = '' }) => issuer_schema_id);
  const issuer_schema_ids = schemasOf((key) => key.kid === kid);
  const signed = schemasOf(({ state }) => state === 'active');
  const unsigned = issuer_schema_ids.filter((id) => !signed.includes(id));
  for (const id of unsigned) context.note(unsignedNote(id, config));
  return { json: { revoked: kid, issuer_schema_ids, unsigned }, text: `revoked ${kid}` };
}

/** `keys export --public`: prints the published key set. */
const keysExport: Command = {
  path: ['keys', 'export'],
  summary: 'print the public keys as /jwks shows them, or with --use credential as /api/v1/issuer-keys does',
  options: [
    { flags: '--public', description: 'public keys; there is no export of private ones', isRequired: true },
    USE_OPTION,
  ],
  run: async (input, context) => {
    const loaded = await context.loadConfig();
    if (input.option('use') === 'credential') return await exportCredential(loaded, context);
    return await context.withStore(loaded, async ({ signingKeys }) => {
      const keySet = createKeySet({ store: signingKeys, use: 'signin', cacheMs: 0, now: context.now });
      const set = await keySet.jwks();
      await context.print(set, JSON.stringify(set, null, 2));
      return 0;
    });
  },
};

/** `keys export --public --use credential`: prints the document of `GET /api/v1/issuer-keys`. */
async function exportCredential(loaded: LoadedConfig, context: CommandContext): Promise<number> {
  return await context.withStore(loaded, async ({ issuerKeys }) => {
    const rows = await issuerKeys.list(loaded.config.refresh.issuerSchemaId);
    await writeText(context.stdout, `${issuerKeysDocument(rows.map(listedKey))}\n`);
    return 0;
  });
}

/** @param config - Undefined of a running service, which has its own. */
function unsignedNote(issuerSchemaId: string, config: CommandParts['config']): string {
  const { signingSeed, issuerSchemaId: configured } = config?.refresh ?? {};
  const isConfigured = signingSeed !== undefined && configured === issuerSchemaId;
  const cure = isConfigured
    ? 'servers start with another refresh.signingSeed'
    : '`proofgate keys rotate --use credential` is run';
  return `warning: no credential key of issuer schema ${issuerSchemaId} is active: refreshes answer 503 until ${cure}`;
}

/**
 * Returns the warning for a key that signs before its publication lead is over.
 *
 * @param config - Undefined of a running service, which has its own.
 * @param isKnown - null if it may have been published long enough.
 */
function earlyWarning(config: CommandParts['config'], isKnown: true | null = true): string {
  const time = config === undefined ? 'keys.jwksMaxAgeSeconds' : `${config.keys.jwksMaxAgeSeconds} s`;
  const since =
    isKnown === null
      ? 'may have been published less than keys.publishLeadSeconds ago'
      : 'was published only now';
  return `warning: the active key ${since}: verifiers with a cached key set may refuse its tokens for up to ${time}`;
}

/** Formats keys as a table. */
function keyTable(keys: readonly ShownKey[]): string {
  return textTable(keys, {
    kid: 'kid',
    use: 'use',
    state: 'state',
    since: ({ retired_at, activated_at, created_at }) => retired_at ?? activated_at ?? created_at,
    changes: 'changes_at',
    '': (key) => remarks(key).join(', '),
  });
}

function remarks(key: ShownKey): string[] {
  if (key.use === 'signin') return key.development ? ['development'] : [];
  return [`issuer schema ${key.issuer_schema_id}`, key.origin ?? '-'];
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [keysList, keysRotate, keysRemove, keysExport];
