import { type Signal, signal } from '@preact/signals';
import { type ComponentChildren, createRef, render, type VNode } from 'preact';
import { useErrorBoundary } from 'preact/hooks';
import { createClient } from './api/client.ts';
import { type Caller, forgetToken, keepToken, readToken } from './api/session.ts';
import { createLiveFeed } from './charts/live-feed.ts';
import { CurrentView, useView, type View, type ViewContext } from './context.ts';
import { button } from './parts/action.tsx';
import { failure, skeleton } from './parts/content.tsx';
import { brandMark, icon } from './parts/icons.tsx';
import { keepTimes } from './parts/time.tsx';
import { DESTINATIONS, findView } from './views/destinations.ts';
import { SignIn } from './views/sign-in.tsx';

/** An address of the page: `#/apps/app_…?search=shop`. */
interface Address {
  readonly name: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

/** A message that is shown until it expires or is replaced. */
interface Message {
  readonly text: string;
  readonly mood: 'good' | 'bad';
  readonly links: ComponentChildren;
}

const TOAST_MS = 6000;

/** Starts the page: with the token of the tab if there is one, else with the form that asks for it. */
export function startShell(root: Element): void {
  keepTimes();
  root.replaceChildren();
  const token = readToken();
  if (token === null) showSignIn(root);
  else void openSession(root, token);
}

function showSignIn(root: Element, reason = ''): void {
  document.title = 'Sign in – Proofgate';
  const submit = async (token: string): Promise<void> => {
    const client = createClient({ token, onRefused: () => undefined });
    const caller = await client.call('GET /tokens/self', {});
    keepToken(token);
    showFrame(root, token, caller, true);
  };
  render(<SignIn reason={reason} submit={submit} />, root);
}

async function openSession(root: Element, token: string): Promise<void> {
  render(<main>{skeleton()}</main>, root);
  const onRefused = (): void => {
    forgetToken();
    showSignIn(root, 'The service no longer accepts the token of this tab. Enter a valid one.');
  };
  try {
    const caller = await createClient({ token, onRefused }).call('GET /tokens/self', {});
    showFrame(root, token, caller, false);
  } catch (error) {
    if (readToken() === null) return;
    const again = failure(error, () => void openSession(root, token));
    render(<main>{[<h1>Proofgate</h1>, again]}</main>, root);
  }
}

/**
 * Shows header, navigation and the view of the address, until the person signs out or the token is refused.
 *
 * @param focuses - Whether the heading takes the focus; not when the page is opened, which begins at its start.
 */
function showFrame(root: Element, token: string, caller: Caller, focuses: boolean): void {
  const session = new AbortController();
  const end = (reason: string): void => {
    if (session.signal.aborted) return;
    session.abort();
    forgetToken();
    showSignIn(root, reason);
  };
  const api = createClient({
    token,
    onRefused: () =>
      end('The service no longer accepts this token: it expired or was revoked. Enter a valid one.'),
  });
  const feed = createLiveFeed(async (ended) => {
    const [metrics, engine] = await Promise.all([
      api.metrics(ended),
      api.call('GET /engine', {}, { signal: ended }),
    ]);
    return { metrics, readyWorkers: engine.ready_workers };
  });
  const live = createRef<HTMLParagraphElement>();
  const message = signal<Message | undefined>(undefined);
  const isMenuOpen = signal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const announce: ViewContext['announce'] = (text, mood, links) => {
    // Written even if it is the text of before, so that it is read out again.
    if (live.current !== null) live.current.textContent = text;
    if (mood === undefined) return;
    message.value = { text, mood, links };
    clearTimeout(timer);
    // A failure remains until the next message.
    if (mood === 'good') timer = setTimeout(() => (message.value = undefined), TOAST_MS);
  };
  let leave = new AbortController();
  let visits = 0;

  function visit(takesFocus: boolean): void {
    leave.abort();
    leave = new AbortController();
    isMenuOpen.value = false;
    const { name, path, query } = readAddress();
    const view = findView(name, path);
    const title = signal(view.title);
    const rename = (text: string): void => {
      title.value = text;
      document.title = `${text} – Proofgate`;
    };
    rename(view.title);
    const { signal: left } = leave;
    const context: ViewContext = {
      api,
      caller,
      path,
      query,
      signal: left,
      feed,
      announce,
      rename,
      open: (address) => location.assign(`#${address}`),
      reload: () => visit(true),
      remember: (values) => history.replaceState(null, '', `#${addressOf(name, path, values)}`),
    };
    const signOut = (): void => end('You signed out. The token is forgotten in this tab.');
    const frame = (
      <>
        <SkipLink />
        <Header caller={caller} current={name} isOpen={isMenuOpen} signOut={signOut} />
        <main id="main" tabindex={-1}>
          <CurrentView.Provider key={visits++} value={context}>
            <Place view={view} title={title} />
          </CurrentView.Provider>
        </main>
        <p class="visually-hidden" role="status" aria-live="polite" ref={live} />
        <Toast of={message} />
      </>
    );
    render(frame, root);
    if (!takesFocus) return;
    scrollTo(0, 0);
    root.querySelector('h1')?.focus();
  }

  addEventListener('hashchange', () => visit(true), { signal: session.signal });
  session.signal.addEventListener('abort', () => leave.abort());
  visit(focuses);
}

/** The heading of a view, and what fills it. */
function Place({ view, title }: { view: View; title: Signal<string> }): VNode {
  const { reload } = useView();
  const [error] = useErrorBoundary();
  return (
    <>
      <div class="view-head">
        <h1 tabindex={-1}>{title}</h1>
        {view.lead !== undefined && <p class="lead">{view.lead}</p>}
      </div>
      <div class="view">{error === undefined ? <view.Content /> : failure(error, reload)}</div>
    </>
  );
}

function SkipLink(): VNode {
  const skip = (event: Event): void => {
    event.preventDefault();
    document.querySelector<HTMLElement>('#main')?.focus();
  };
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a place of this page, whose hash is the address of a view
    <a class="skip" href="#main" onClick={skip}>
      Skip to content
    </a>
  );
}

function Toast({ of }: { of: Signal<Message | undefined> }): VNode {
  const { text, mood, links } = of.value ?? {};
  return (
    <aside class="toast" aria-label="Last message" hidden={text === undefined} data-mood={mood}>
      {text}
      {Boolean(links) && <> {links}</>}
    </aside>
  );
}

interface HeaderProps {
  readonly caller: Caller;
  /** Name of the current entry of the navigation. */
  readonly current: string;
  readonly isOpen: Signal<boolean>;
  readonly signOut: () => void;
}

function Header({ caller: { actor, scope }, current, isOpen, signOut }: HeaderProps): VNode {
  return (
    <header class={isOpen.value ? 'frame open' : 'frame'}>
      <a class="brand" href="#/status">
        {brandMark()}
        Proofgate
      </a>
      <button
        type="button"
        class="menu"
        aria-controls="navigation"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {icon('menu')}
        <span>Menu</span>
      </button>
      <nav aria-label="Views">
        <ul id="navigation">
          {DESTINATIONS.map(({ name, title }) => (
            <li>
              <a href={`#/${name}`} aria-current={name === current ? 'page' : undefined}>
                {icon(name)}
                <span>{title}</span>
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <div class="who">
        <p class="muted">
          <strong>{actor}</strong>
          <span>{scope === 'write' ? 'may read and change' : 'may only read'}</span>
        </p>
        {button('Sign out', signOut)}
      </div>
    </header>
  );
}

function readAddress(): Address {
  const [place = '', query = ''] = location.hash.replace(/^#\/?/, '').split('?');
  const [name = '', ...path] = place.split('/').map(decodePart);
  return { name: name === '' ? 'status' : name, path, query: new URLSearchParams(query) };
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function addressOf(name: string, path: readonly string[], values: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(Object.entries(values).filter(([, value]) => value !== '')).toString();
  const place = ['', name, ...path.map(encodeURIComponent)].join('/');
  return query === '' ? place : `${place}?${query}`;
}
