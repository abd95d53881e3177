import { requireCircuitFiles } from '../../../development/circuit-files.ts';
import { ServiceError } from '../../../errors/service-error.ts';
import { type JsonObject, membersOf } from '../../../json.ts';
import { seal } from '../../../oidc/transaction/wallet-messages.ts';
import { callOut } from '../../../outgoing.ts';
import { DEVELOPMENT_TREES } from '../../../pages.ts';
import type { Command, CommandInput } from '../../program/command.ts';
import { choosePerson, readPersonInput } from './choose-person.ts';
import { loadDevelopment, proofCheck, withDevelopment } from './development.ts';
import {
  type ConnectLink,
  openRequest,
  proveRequest,
  readConnectLink,
  type WalletAnswer,
  type WalletRequest,
} from './wallet-answer.ts';

/** Response of the bridge. */
interface BridgeReply {
  readonly status: number;
  readonly body: JsonObject;
}

const TIMEOUT_MS = 30_000;
/** Far more than a sealed request of a bridge. */
const MAX_BYTES = 1_048_576;

/** `dev approve LINK`: answers a sign-in from the terminal, as the wallet of a person would. */
export const devApprove: Command = {
  path: ['dev', 'approve'],
  summary: 'answer a sign-in from the terminal, as the wallet of a person would',
  details: `For tests of apps that sign people in at a service in the profile development. LINK is the link to the wallet on the
sign-in page (the content of its QR code). The command takes the request from the bridge, makes the proof as a person of
the service's data folder, and sends the answer; the sign-in page continues by itself. Needs the circuit of
\`proofgate circuits setup\`. The person is the one created last, or a new one. Exit codes: 0 the answer was sent, 1 the
request is gone, was already answered or cannot be proved, 2 LINK is not a link to the wallet, 69 the bridge does not
answer.`,
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
    { flags: '--decline', description: 'answer without a proof, as a person who declines' },
    { flags: '--quiet', description: 'nothing on standard error' },
  ],
  run: async (input, context) => {
    const loaded = await loadDevelopment(context);
    const { config } = loaded;
    const link = readConnectLink(input.argument('link'));
    const wanted = readPersonInput(input);
    if (input.has('decline')) {
      await takeRequest(link);
      await putAnswer(link, { error_code: 'verification_rejected' });
      await context.print({ answered: 'declined' }, 'declined');
      return 0;
    }
    // Before the request is taken, since the bridge hands it out only once.
    const files = await requireCircuitFiles(config.dataDir);
    return await withDevelopment(context, loaded, async (parts) => {
      const { personId } = wanted;
      if (personId !== undefined && !(await parts.store.development.findPerson(personId.toLowerCase()))) {
        throw new ServiceError('development.no_person', 'no person has this id');
      }
      const request = await takeRequest(link);
      const tree = wanted.tree ?? (request.isOrbRequired ? 'orb' : undefined);
      const member = await choosePerson({ ...wanted, tree }, parts);
      const check = await proofCheck(parts.engine, config);
      const answer = await proveRequest(request, { member, files, check, note: noteOf(input, context.note) });
      await putAnswer(link, answer);
      const shown = {
        answered: 'approved',
        app_id: request.appId,
        action: request.action,
        person: member.person.personId,
        tree: member.tree,
      };
      await context.print(
        shown,
        `approved: app ${request.appId} has the proof of person ${shown.person} of tree ${shown.tree}`,
      );
      return 0;
    });
  },
};

function noteOf(input: CommandInput, note: (line: string) => void): (line: string) => void {
  return input.has('quiet') ? () => undefined : note;
}

async function takeRequest({ bridge, requestId, key }: ConnectLink): Promise<WalletRequest> {
  const { status, body } = await call('GET', `${bridge}/request/${requestId}`);
  if (status === 404) {
    throw new ServiceError('approve.request_gone', `the bridge ${bridge} has no such request`);
  }
  if (status !== 200) {
    throw new ServiceError('approve.failed', `the bridge ${bridge} answered status ${status} to the request`);
  }
  return openRequest(key, body, 'approve.failed').request;
}

async function putAnswer(
  { bridge, requestId, key }: ConnectLink,
  answer: WalletAnswer | { readonly error_code: string },
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
