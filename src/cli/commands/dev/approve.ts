import { requireCircuitFiles } from '../../../development/circuit-files.ts';
import type { WalletAnswer4 } from '../../../development/worldid4/answer-proof-request.ts';
import { WalletRefusal } from '../../../development/worldid4/read-proof-request.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { type JsonObject, membersOf } from '../../../json.ts';
import { seal } from '../../../oidc/transaction/wallet-messages.ts';
import { callOut } from '../../../outgoing.ts';
import { DEVELOPMENT_TREES, WALLET_ERROR_CODES, WALLET_KINDS } from '../../../pages.ts';
import type { Command, CommandContext, CommandInput } from '../../program/command.ts';
import { type Approval, type ApprovalParts, approvalOf, isForWorldId4 } from './approval.ts';
import { readPersonInput } from './choose-person.ts';
import { loadDevelopment, withDevelopment } from './development.ts';
import { DEFAULT_INSTALLATION, openInstallation } from './installation.ts';
import { type ConnectLink, decryptRequest, readConnectLink, type WalletAnswer } from './wallet-answer.ts';

/** Response of the bridge. */
interface BridgeReply {
  readonly status: number;
  readonly body: JsonObject;
}

const PROTOCOLS = ['3.0', '4.0'] as const;
const TIMEOUT_MS = 30_000;
/** Far more than a sealed request of a bridge. */
const MAX_BYTES = 1_048_576;

/** `dev approve LINK`: answers a request from the terminal, as the wallet of a person would. */
export const devApprove: Command = {
  path: ['dev', 'approve'],
  summary: 'answer a sign-in or a request for proofs from the terminal, as the wallet of a person would',
  details: `For tests of apps that sign people in at a service in the profile development, or that ask for proofs over its
bridge. LINK is the link to the wallet (the content of the QR code). The command takes the request from the bridge, makes
the proof as a person of the service's data folder, and sends the answer; the page continues by itself. The person is the
one created last, or a new one.
A request that has a part for World ID 4.0 (uniqueness, sessions, both) is answered by 4.0. If it allows 3.0 as well, and
the state of 4.0 is absent (\`proofgate dev worldid4 seed\`) or the person lacks the credentials, the answer is 3.0.
Proofs of 4.0 are of the environment staging; the person has a credential of each issuer there. The signature of the
relying party is not checked. Needs the circuit of \`proofgate circuits setup\` unless --protocol is 4.0.
The wallet proves the same uniqueness again for ten minutes and then refuses it for a year (nullifier_replayed). It
remembers that for each installation, in the data folder; the nullifier is the same in all. --recover begins one anew.
Exit codes: 0 the answer was sent, 1 the request is gone, was already answered, cannot be proved, or was refused with an
error code as the answer, 2 LINK is not a link to the wallet, 69 the bridge does not answer.`,
  arguments: [{ name: 'link', description: 'the link to the wallet, in quotes: it has & and #' }],
  options: [
    {
      flags: '--secret <text>',
      description: 'answer as the person of this secret, who is created if absent',
    },
    { flags: '--person <id>', description: 'answer as this person' },
    {
      flags: '--tree <tree>',
      description: 'orb or device; if absent, the one that the app requires, or that the person is in',
      choices: DEVELOPMENT_TREES,
    },
    {
      flags: '--protocol <version>',
      description: 'World ID 3.0 or 4.0 alone, for a request that allows both',
      choices: PROTOCOLS,
    },
    {
      flags: '--wallet <kind>',
      description:
        '4.0: new (if absent), with bound proofs and unknown members, or old, with create_session and strict parsing',
      choices: WALLET_KINDS,
    },
    {
      flags: '--installation <name>',
      description: `4.0: the installation of the wallet, ${DEFAULT_INSTALLATION} if absent`,
    },
    {
      flags: '--recover',
      description: '4.0: first install the wallet anew, so that it forgets what it has proved',
    },
    {
      flags: '--lacks <credential>',
      description: '4.0: identifier of a credential that the person does not have, such as passport',
      isRepeatable: true,
    },
    { flags: '--decline', description: 'answer without a proof, as a person who declines' },
    {
      flags: '--refuse <code>',
      description: 'answer with this error code instead of a proof',
      choices: WALLET_ERROR_CODES,
    },
    { flags: '--quiet', description: 'nothing on standard error' },
  ],
  run: async (input, context) => {
    const loaded = await loadDevelopment(context);
    const { config } = loaded;
    const link = readConnectLink(input.argument('link'));
    const wanted = readPersonInput(input);
    const installation = openInstallation(
      config.dataDir,
      input.option('installation') ?? DEFAULT_INSTALLATION,
    );
    if (input.has('decline') && input.option('refuse') !== undefined) {
      throw new ServiceError('cli.usage', '--decline and --refuse are two answers: pass one of them');
    }
    if (input.has('recover')) await installation.forget();
    if (input.has('decline') || input.option('refuse') !== undefined) {
      await answerByError(link, input.option('refuse'), context);
      return 0;
    }
    const protocol = PROTOCOLS.find((version) => version === input.option('protocol'));
    // Before the request is taken, since the bridge hands it out only once.
    const files = protocol === '4.0' ? undefined : await requireCircuitFiles(config.dataDir);
    return await withDevelopment(context, loaded, async (parts) => {
      const { personId } = wanted;
      if (personId !== undefined && !(await parts.store.development.findPerson(personId.toLowerCase()))) {
        throw new ServiceError('development.no_person', 'no person has this id');
      }
      const note = noteOf(input, context.note);
      const plaintext = await takeRequest(link);
      const approval = await approveOrRefuse(link, plaintext, {
        wanted,
        protocol,
        wallet: WALLET_KINDS.find((kind) => kind === input.option('wallet')) ?? 'new',
        installation,
        lacks: input.options('lacks') ?? [],
        files,
        parts,
        config,
        note,
      });
      await putAnswer(link, approval.answer);
      await context.print(approval.shown, approval.text);
      return 0;
    });
  },
};

/** Answers without a proof. @param code - If undefined, the one of a person who declines. */
async function answerByError(
  link: ConnectLink,
  code: string | undefined,
  context: CommandContext,
): Promise<void> {
  const plaintext = await takeRequest(link);
  const declined = isForWorldId4(plaintext) ? 'user_rejected' : 'verification_rejected';
  await putAnswer(link, { error_code: code ?? declined });
  if (code === undefined) await context.print({ answered: 'declined' }, 'declined');
  else await context.print({ answered: 'refused', error_code: code }, `refused: ${code}`);
}

/** Returns the approval; sends the error code of a refusal as the answer. @throws ServiceError `approve.refused` */
async function approveOrRefuse(
  link: ConnectLink,
  plaintext: JsonObject,
  use: ApprovalParts,
): Promise<Approval> {
  try {
    return await approvalOf(plaintext, use);
  } catch (error) {
    if (!(error instanceof WalletRefusal)) throw error;
    await putAnswer(link, { error_code: error.errorCode });
    throw new ServiceError('approve.refused', `${error.errorCode}: ${error.message}`);
  }
}

function noteOf(input: CommandInput, note: (line: string) => void): (line: string) => void {
  return input.has('quiet') ? () => undefined : note;
}

async function takeRequest({ bridge, requestId, key }: ConnectLink): Promise<JsonObject> {
  const { status, body } = await call('GET', `${bridge}/request/${requestId}`);
  if (status === 404) {
    throw new ServiceError('approve.request_gone', `the bridge ${bridge} has no such request`);
  }
  if (status !== 200) {
    throw new ServiceError('approve.failed', `the bridge ${bridge} answered status ${status} to the request`);
  }
  return decryptRequest(key, body, 'approve.failed');
}

async function putAnswer(
  { bridge, requestId, key }: ConnectLink,
  answer: WalletAnswer | WalletAnswer4 | { readonly error_code: string },
): Promise<void> {
  const { status } = await call('PUT', `${bridge}/response/${requestId}`, seal(key, answer));
  if (status === 400 || status === 409) {
    throw new ServiceError('approve.request_gone', 'the bridge accepts no further answer to this request');
  }
  if (status !== 201) {
    throw new ServiceError('approve.failed', `the bridge ${bridge} answered status ${status} to the answer`);
  }
}

async function call(method: 'GET' | 'PUT', url: string, json?: unknown): Promise<BridgeReply> {
  try {
    const { status, bytes } = await callOut({
      url,
      reach: 'any',
      method,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...(json === undefined
        ? {}
        : { body: JSON.stringify(json), headers: { 'content-type': 'application/json' } }),
    });
    return { status, body: membersOf(new TextDecoder().decode(bytes)) };
  } catch (cause) {
    throw new ServiceError('approve.unreachable', `${new URL(url).origin} does not answer`, {}, { cause });
  }
}
