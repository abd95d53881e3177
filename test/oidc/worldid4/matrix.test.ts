// Rules: spec/sign-in.md#world-id-40. What the policy of a client allows, what a wallet can, and how often a person came.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SignIn4 } from '../../support/signin/browser4.ts';
import type { TestClient } from '../../support/signin/clients.ts';
import { Wallet4, type Wallet4Options } from '../../support/signin/wallet4.ts';
import { AFTER_GUARD_MS, type People, startPeople } from './support/people.ts';

type Binding = 'bound' | 'paired' | 'session';
type Protocols = 'both' | '3.0' | '4.0';
type Visit = 'first' | 'again' | 'lost';

const WALLETS: Readonly<Record<string, Omit<Wallet4Options, 'person'>>> = {
  'a new wallet with both versions': { kind: 'new', has: ['3.0', '4.0'] },
  'a new wallet with 4.0': { kind: 'new', has: ['4.0'] },
  'an old wallet with both versions': { kind: 'old', has: ['3.0', '4.0'] },
  'an old wallet with 4.0': { kind: 'old', has: ['4.0'] },
  'a wallet with 3.0': { has: ['3.0'] },
};

/** How a visit ends: the sub relative to the first visit, or the code on the page and the error for the app. */
type End =
  | { readonly sub: 'first' | 'same' | 'another'; readonly by: '3.0' | '4.0' }
  | { readonly code: string; readonly error: string };

const refused = (code: string, error: string): End => ({ code, error });

/** What follows from the rules for a cell. */
function expected(
  binding: Binding,
  protocols: Protocols,
  wallet: Omit<Wallet4Options, 'person'>,
  visit: Visit,
): End {
  const { kind, has = [] } = wallet;
  const by3: End = { sub: visit === 'first' ? 'first' : 'same', by: '3.0' };
  if (protocols === '3.0') {
    return has.includes('3.0') ? by3 : refused('world_id_3_not_available', 'access_denied');
  }
  if (!has.includes('4.0')) {
    if (protocols === 'both') return by3;
    return refused('world_id_4_not_available', 'unmet_authentication_requirements');
  }
  if (kind === 'old' && binding === 'bound') return refused('malformed_request', 'access_denied');
  if (visit === 'first') return { sub: 'first', by: '4.0' };
  if (visit === 'again') return { sub: 'same', by: '4.0' };
  // A session is all that a client knows of the person: without it, the person is another.
  if (binding === 'session') return { sub: 'another', by: '4.0' };
  return refused('nullifier_replayed', 'access_denied');
}

let people: People;
const clients = new Map<string, TestClient>();

beforeAll(async () => {
  people = await startPeople();
  for (const binding of ['bound', 'paired', 'session'] as const) {
    for (const protocols of ['both', '3.0', '4.0'] as const) {
      const policy = protocols === 'both' ? {} : { protocols: [protocols] };
      clients.set(`${binding} ${protocols}`, await people.client({ binding }, policy));
    }
  }
});

afterAll(() => people.service.end());

/** Ends a sign-in; a failed one by leaving the page. */
async function endOf(
  signIn: SignIn4,
  firstSub: string | undefined,
): Promise<End & { readonly found?: string }> {
  const { status, code } = await signIn.status();
  if (status === 'completed') {
    const claims = await signIn.claims();
    const sub = String(claims.sub);
    const by = 'amr' in claims ? '4.0' : '3.0';
    if (firstSub === undefined) return { sub: 'first', by, found: sub };
    return { sub: sub === firstSub ? 'same' : 'another', by, found: sub };
  }
  if (status === 'failed') await signIn.post('cancel');
  const { error = '' } = await signIn.finish();
  return { code: String(code), error };
}

describe.each(['bound', 'paired', 'session'] as const)('a client with the binding %s', (binding) => {
  describe.each(['both', '3.0', '4.0'] as const)('that accepts %s', (protocols) => {
    describe.each(Object.entries(WALLETS))('%s', (name, wallet) => {
      it.each(['first', 'again', 'lost'] as const)('%s', async (visit) => {
        const client = clients.get(`${binding} ${protocols}`) as TestClient;
        const clock = { now: Date.now() };
        const person = `${binding} ${protocols} ${name} ${visit}`;
        const own = new Wallet4({ ...wallet, person, now: () => clock.now });
        const browser = people.browser(client);
        const run = async (at: typeof browser, firstSub?: string) => {
          const signIn = await at.begin();
          await people.prove(signIn, own);
          return await endOf(signIn, firstSub);
        };
        const first = await run(browser);
        const end =
          visit === 'first'
            ? first
            : await (async () => {
                clock.now += AFTER_GUARD_MS;
                return await run(visit === 'again' ? browser : people.browser(client), first.found);
              })();
        expect(end).toMatchObject(expected(binding, protocols, wallet, visit));
      });
    });
  });
});
