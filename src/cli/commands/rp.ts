import { SIGNING_KEY } from '../../config/settings/rp-settings.ts';
import { envName } from '../../config/settings/setting.ts';
import { isReadableByOthers } from '../../config/sources/read-sources.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { createRequestSigner, signingKeyDigits } from '../../oidc/worldid4/request-signer.ts';
import { TEXT_LIMIT_BYTES } from '../../verification/request/request-schema.ts';
import { readText } from '../input/input-file.ts';
import type { Command, CommandContext, CommandInput } from '../program/command.ts';

const RP_ID = /^rp_[0-9a-f]{16}$/;
const KEY = /^(?:0x)?([0-9a-fA-F]{64})$/;
const MAX_KEY_FILE_BYTES = 4096;
const DEFAULT_TTL_SECONDS = 300;
/** OPRF nodes refuse a request that was signed for longer. */
const MAX_TTL_SECONDS = 1800;
const VARIABLE = envName(SIGNING_KEY);

/** `rp sign-request`: signs a World ID 4.0 request and prints the `rp_context` that IDKit sends with it. */
const rpSignRequest: Command = {
  path: ['rp', 'sign-request'],
  summary: 'sign a World ID 4.0 request as a relying party, and print its rp_context for IDKit',
  details: `Standard output holds only the JSON object {rp_id, nonce, created_at, expires_at, signature}, which a back end passes
on to IDKit in the page. In Node, call signRequest of the package @worldcoin/idkit-server directly instead: this command
calls it, too. Keep the nonce, and accept one answer that has it.
The key is read from --key-file, or from ${VARIABLE}_FILE or ${VARIABLE}: 32 bytes in hex of
the signer that is registered for the rp_id. It is never an argument. No store and no running service is needed.
Nodes and wallets compare the times with their clocks. A node accepts a created_at that is at most 5 minutes old when a
person approves the request, so that a longer --ttl than the default of ${DEFAULT_TTL_SECONDS} s does not keep a QR code alive; nodes refuse
one of more than ${MAX_TTL_SECONDS} s. Exit codes: 0 signed, 1 the key cannot be used, 2 an option is wrong.`,
  options: [
    {
      flags: '--rp-id <id>',
      description: 'rp_id of the relying party, rp_ and 16 hex digits',
      isRequired: true,
    },
    {
      flags: '--action <text>',
      description:
        'action of a uniqueness request, an empty text included; a request to create or prove a session if absent',
    },
    {
      flags: '--ttl <seconds>',
      description: `time until the request expires, 1 to ${MAX_TTL_SECONDS}; ${DEFAULT_TTL_SECONDS} if absent`,
    },
    {
      flags: '--key-file <file>',
      description:
        'file with the signing key, which other users must not be able to read; - is standard input',
    },
  ],
  run: async (input, context) => {
    const rpId = input.option('rpId') ?? '';
    if (!RP_ID.test(rpId)) {
      throw new ServiceError('cli.usage', '--rp-id: expected rp_ and 16 lower-case hex digits');
    }
    const ttl = ttlOf(input.option('ttl'));
    const action = actionOf(input.option('action'));
    const sign = await createRequestSigner(await readSigningKey(input, context));
    const { nonce, createdAt, expiresAt, signature } = sign(action, ttl);
    const rpContext = { rp_id: rpId, nonce, created_at: createdAt, expires_at: expiresAt, signature };
    await context.print(rpContext, JSON.stringify(rpContext));
    return 0;
  },
};

/** Returns an action that the service can verify. @throws ServiceError `cli.usage` */
function actionOf(text: string | undefined): string | undefined {
  // Bytes that are not UTF-8 arrive as U+FFFD, and another text would be signed.
  if (text === undefined || (!text.includes('\ufffd') && Buffer.byteLength(text) <= TEXT_LIMIT_BYTES))
    return text;
  throw new ServiceError('cli.usage', `--action: expected UTF-8 text of at most ${TEXT_LIMIT_BYTES} bytes`);
}

/** @throws ServiceError `cli.usage` */
function ttlOf(text: string | undefined): number {
  if (text === undefined) return DEFAULT_TTL_SECONDS;
  const seconds = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= MAX_TTL_SECONDS) return seconds;
  throw new ServiceError('cli.usage', `--ttl: expected 1..${MAX_TTL_SECONDS} seconds`);
}

/**
 * Reads the signing key as 64 hex digits from `--key-file`, or from the setting `rp.signingKey` with its variables.
 *
 * @throws ServiceError `rp.unusable_key`, whose message never has the key; `cli.usage`
 */
async function readSigningKey(input: CommandInput, context: CommandContext): Promise<string> {
  const file = input.option('keyFile');
  if (file === undefined) {
    const { values, faults, warnings } = await context.examineConfig();
    const about = [...faults, ...warnings].filter(
      (line) => line.includes(VARIABLE) || line.includes(SIGNING_KEY),
    );
    if (about.length > 0) throw new ServiceError('rp.unusable_key', about.join('; '));
    const key = values[SIGNING_KEY];
    if (typeof key === 'string') return await signingKeyDigits(key, VARIABLE);
    throw new ServiceError('cli.usage', `expected --key-file, ${VARIABLE}_FILE or ${VARIABLE}`);
  }
  // Else the refusal of an unreadable file would show it.
  if (KEY.test(file.trim())) {
    throw new ServiceError('cli.usage', '--key-file: expected the name of a file, got a key');
  }
  const text = await readText(file, MAX_KEY_FILE_BYTES, context);
  if (file !== '-' && (await isReadableByOthers(file))) {
    const fault = `--key-file: ${file} is readable by other users; \`chmod 0600 ${file}\``;
    throw new ServiceError('rp.unusable_key', fault);
  }
  return await signingKeyDigits(text, '--key-file');
}

/** Commands of this file, in the order of the help. */
export const COMMANDS: readonly Command[] = [rpSignRequest];
