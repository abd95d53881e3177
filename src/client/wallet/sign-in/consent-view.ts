import type { RequestKind } from '../../../pages.ts';
import { checkbox, element, facts, radio } from '../../dom.ts';
import type { Fact } from '../verdict-view.ts';
import type { WalletParts } from '../wallet-parts.ts';
import type { ProofRequest4 } from './proof-request.ts';
import type { SignInRequest, SignInSession } from './sign-in-session.ts';

/** What an app asks for, with the choices of the person, for their consent. */
export interface ConsentView {
  readonly node: HTMLElement;
  /** The part of the request to answer: World ID 4.0 if it has one and the person did not choose 3.0. */
  readonly protocol: '4.0' | '3.0';
  /** Identifiers of the requested World ID 4.0 credentials that the person does not have. */
  readonly lacks: readonly string[];
}

/** Renders the request. @param onChange - Called when the protocol changes. */
export function consentView(
  session: SignInSession,
  parts: Pick<WalletParts, 'config'>,
  onChange: () => void,
): ConsentView {
  const { app, request, request4 } = session;
  const held = (request4?.credentials ?? []).map((identifier) => checkbox(identifier, identifier));
  const boxes = held.flatMap((node) => [...node.querySelectorAll('input')]);
  for (const box of boxes) box.checked = true;
  const views = [
    ...(request4 === undefined
      ? []
      : [
          partView(
            factsOf4(request4, session, parts),
            sharedBy4(request4.kind),
            element('fieldset', {}, element('legend', {}, 'The person has'), ...held),
          ),
        ]),
    ...(request === undefined ? [] : [partView(factsOf3(request, session, parts), sharedBy3(request))]),
  ];
  const versions = ['4.0', '3.0'].map((version) => radio('version', version, `World ID ${version}`));
  const [four, three] = versions.flatMap((node) => [...node.querySelectorAll('input')]);
  four?.toggleAttribute('checked', true);
  const choice = element('fieldset', {}, element('legend', {}, 'Answer by'), ...versions);
  const isBoth = views.length === 2;
  choice.hidden = !isBoth;
  const isThree = (): boolean => request4 === undefined || (isBoth && three?.checked === true);
  const show = (): void => {
    const [first, second] = views;
    if (!isBoth || !first || !second) return;
    first.hidden = isThree();
    second.hidden = !isThree();
  };
  choice.addEventListener('change', () => {
    show();
    onChange();
  });
  show();
  const words =
    app.description === '' ? 'The app does not say what this is for.' : `The app says: “${app.description}”`;
  return {
    node: element('div', { class: 'panel' }, element('p', { class: 'quote' }, words), choice, ...views),
    get protocol() {
      return isThree() ? '3.0' : '4.0';
    },
    get lacks() {
      return boxes.filter(({ checked }) => !checked).map(({ value }) => value);
    },
  };
}

const ASKED: Readonly<Record<RequestKind, string>> = {
  uniqueness: 'Uniqueness: a person counts once',
  bound: 'Uniqueness, bound to a new session',
  'create-session': 'A new session',
  'prove-session': 'A session that you began earlier',
};

function factsOf4(
  { kind, rpId, action, sessionId, requirement }: ProofRequest4,
  session: SignInSession,
  parts: Pick<WalletParts, 'config'>,
): readonly Fact[] {
  return [
    ...factsOf(
      session,
      parts,
      kind === undefined ? 'Something that no wallet can read' : ASKED[kind],
      action,
    ),
    ['Relying party', element('code', {}, rpId)],
    ['Credentials', requirement],
    ...(sessionId === undefined
      ? []
      : [['Session', element('code', {}, `${sessionId.slice(0, 24)}…`)] as const]),
  ];
}

function factsOf3(
  { action, trees }: SignInRequest,
  session: SignInSession,
  parts: Pick<WalletParts, 'config'>,
): readonly Fact[] {
  return factsOf(session, parts, trees.includes('device') ? 'Orb or Device' : 'Orb', action);
}

function factsOf(
  { app, bridgeHost, returnTo }: SignInSession,
  { config }: Pick<WalletParts, 'config'>,
  asked: string,
  action: string,
): Fact[] {
  const ownHosts = [location.host, new URL(config.bridgeUrl, location.href).host];
  const rows: (Fact | undefined)[] = [
    ['App id', element('code', {}, app.appId)],
    ['Asked for', asked],
    action === '' ? undefined : ['Action', action],
    returnTo === undefined ? undefined : ['Back to', new URL(returnTo).host],
    ownHosts.includes(bridgeHost) ? undefined : ['Answer goes through', bridgeHost],
  ];
  return rows.filter((row) => row !== undefined);
}

/** What an app gets and what it does not get. */
type Shared = readonly [gets: readonly string[], doesNotGet: readonly string[]];

const NEVER = ['your secret, your label or your commitment', 'anything that links you to other apps'];

function sharedBy3({ trees }: SignInRequest): Shared {
  const level = trees.includes('device') ? 'Orb if you are in it, else Device' : 'Orb';
  return [
    [
      `a proof that you are one enrolled person (${level})`,
      'an identifier of yours that is good for this app only',
    ],
    NEVER,
  ];
}

function sharedBy4(kind: RequestKind | undefined): Shared {
  const identifier = 'an identifier of yours that is good for this action of this app only';
  const session = 'the id of a session, by which it knows you again';
  const gets = {
    uniqueness: [identifier],
    bound: [identifier, session],
    'create-session': [session],
    'prove-session': ['a proof that the session is yours'],
  };
  return [kind === undefined ? ['an error'] : ['a proof of your credentials', ...gets[kind]], NEVER];
}

function partView(rows: readonly Fact[], [gets, doesNotGet]: Shared, ...more: readonly Node[]): HTMLElement {
  return element(
    'div',
    { class: 'panel' },
    facts(...rows),
    element('div', { class: 'shared' }, list('The app gets', gets), list('The app does not get', doesNotGet)),
    ...more,
  );
}

function list(title: string, items: readonly string[]): HTMLElement {
  return element(
    'div',
    {},
    element('h3', {}, title),
    element('ul', {}, ...items.map((item) => element('li', {}, item))),
  );
}
