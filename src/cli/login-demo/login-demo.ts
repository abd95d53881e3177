import { BINDINGS } from '../../config/apps/fields.ts';
import { requireCircuitFiles } from '../../development/circuit-files.ts';
import { DEMO_CLIENT_IDS } from '../../development/demo-client.ts';
import { WalletRefusal } from '../../development/worldid4/read-proof-request.ts';
import { isServiceError, ServiceError } from '../../errors/service-error.ts';
import type { JsonObject } from '../../json.ts';
import { seal } from '../../oidc/transaction/wallet-messages.ts';
import { DEVELOPMENT_TREES, WALLET_KINDS } from '../../pages.ts';
import { toHex } from '../../semaphore/hex.ts';
import { type Approval, type ApprovalParts, approvalOf } from '../commands/dev/approval.ts';
import { PROTOCOLS } from '../commands/dev/approve.ts';
import { choosePerson, readPersonInput } from '../commands/dev/choose-person.ts';
import { loadDevelopment, withDevelopment } from '../commands/dev/development.ts';
import { DEFAULT_INSTALLATION, openInstallation } from '../commands/dev/installation.ts';
import { decryptRequest, readConnectLink } from '../commands/dev/wallet-answer.ts';
import type { Command } from '../program/command.ts';
import { beginSignIn, discover, exchangeCode, readCode, useAndRevoke } from './app.ts';
import { awaitDecision, goBackToApp, type OpenSignIn, openSignInPage } from './browser.ts';
import { createSteps, type Steps, unexpected } from './steps.ts';

/** `login-demo`: makes a whole sign-in at a running service; prints each step with request and response. */
export const loginDemo: Command = {
  path: ['login-demo'],
  summary: 'sign in at the running service as app, browser and wallet, and print each step',
  details: `Does what a person does at /demo: code flow with PKCE, a proof of the development circuit, /userinfo, revocation.
The service must run in the profile development on the same data folder. Needs the circuit of \`proofgate circuits setup\`
unless --protocol is 4.0, which the service asks for while verify.worldid4.enabled is on.
The person is the one created last, or a new one. Tokens are printed decoded, and shortened where they could be used.`,
  options: [
    {
      flags: '--secret <text>',
      description: 'sign in as the person of this secret, who is created if absent',
    },
    { flags: '--person <id>', description: 'sign in as this person' },
    {
      flags: '--tree <tree>',
      description: 'orb or device; if absent, the tree that the person is in, or orb',
      choices: DEVELOPMENT_TREES,
    },
    {
      flags: '--protocol <version>',
      description: 'answer by World ID 3.0 or 4.0 alone; by 4.0 where the service asks for it if absent',
      choices: PROTOCOLS,
    },
    {
      flags: '--binding <binding>',
      description: '4.0: sign in to the demo with this binding, bound if absent',
      choices: BINDINGS,
    },
    {
      flags: '--wallet <kind>',
      description: '4.0: a new wallet (if absent), or an old one that cannot bind',
      choices: WALLET_KINDS,
    },
    // Another spelling of the flag --baseUrl of the setting; commander stores both under the same name.
    { flags: '--base-url <url>', description: 'address of the service; the setting baseUrl if absent' },
  ],
  run: async (input, context) => {
    const wanted = readPersonInput(input);
    const loaded = await loadDevelopment(context);
    const { config } = loaded;
    const protocol = PROTOCOLS.find((version) => version === input.option('protocol'));
    const binding = BINDINGS.find((word) => word === input.option('binding')) ?? 'bound';
    const wallet = WALLET_KINDS.find((kind) => kind === input.option('wallet')) ?? 'new';
    const files = protocol === '4.0' ? undefined : await requireCircuitFiles(config.dataDir);
    const steps = createSteps(context);
    const provider = await discover(steps, config.baseUrl);
    return await withDevelopment(context, loaded, async (parts) => {
      const member = await choosePerson(wanted, parts);
      const signIn = beginSignIn(provider, DEMO_CLIENT_IDS[binding]);
      const open = await openSignInPage(steps, signIn.url);
      await steps.show({
        actor: 'wallet',
        title: 'has the identity of an enrolled person',
        reads: {
          person: member.person.personId,
          tree: member.tree,
          place: member.inclusion.index + 1,
          merkle_root: toHex(member.inclusion.root),
        },
      });
      const approval = {
        wanted: { ...wanted, personId: member.person.personId },
        protocol,
        wallet,
        installation: openInstallation(config.dataDir, DEFAULT_INSTALLATION),
        lacks: [],
        files,
        parts,
        config,
        note: context.note,
      };
      let request: OpenSignIn | undefined = open;
      while (request !== undefined) {
        await answerRequest(steps, request.connectUrl, approval);
        request = await awaitDecision(steps, request);
      }
      const code = readCode(await goBackToApp(steps, open), provider, signIn);
      const tokens = await exchangeCode(steps, provider, signIn, code);
      await useAndRevoke(steps, provider, tokens);
      const { sub, level } = tokens;
      await context.print({ signed_in: true, sub, level }, `signed in as ${sub}, level ${level}`);
      return 0;
    });
  },
};

/**
 * Answers the request of a connect link like a wallet (spec/sign-in.md#wallet-bridge): takes it from the bridge,
 * decrypts it, makes the proof, encrypts the answer, and puts it on the bridge.
 *
 * @throws ServiceError `circuit.prover_failed`, `circuit.tools_missing`, `login_demo.unreachable`, `login_demo.failed`
 */
export async function answerRequest(steps: Steps, connectUrl: string, use: ApprovalParts): Promise<void> {
  const { requestId, key, bridge } = readConnectLink(connectUrl);
  const taken = await steps.send({ method: 'GET', url: `${bridge}/request/${requestId}` });
  if (taken.status !== 200) throw unexpected(taken, 'the encrypted request');
  const plaintext = decryptRequest(key, taken.body, 'login_demo.failed');
  await steps.show(
    { actor: 'wallet', title: 'takes the request from the bridge and decrypts it', reads: plaintext },
    taken,
  );
  const answer = await answerTo(plaintext, use);
  const put = await steps.send({
    method: 'PUT',
    url: `${bridge}/response/${requestId}`,
    json: seal(key, answer),
  });
  const does = 'error_code' in answer ? 'refuses' : 'proves';
  await steps.show(
    { actor: 'wallet', title: `${does}, encrypts the answer and puts it on the bridge`, reads: answer },
    put,
  );
  if (put.status !== 201) throw unexpected(put, 'status 201');
}

/** Returns the answer of a wallet, which may be the code of a refusal. */
async function answerTo(
  plaintext: JsonObject,
  use: ApprovalParts,
): Promise<Approval['answer'] | { readonly error_code: string }> {
  try {
    return (await approvalOf(plaintext, use)).answer;
  } catch (error) {
    if (error instanceof WalletRefusal) return { error_code: error.errorCode };
    if (isServiceError(error, 'approve.failed')) throw new ServiceError('login_demo.failed', error.message);
    throw error;
  }
}
