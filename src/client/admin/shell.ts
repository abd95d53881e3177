import { button, element } from '../dom.ts';
import { createClient } from './api/client.ts';
import { type Caller, forgetToken, keepToken, readToken } from './api/session.ts';
import type { EngineFigures } from './api/types.ts';
import { createLiveFeed } from './charts/live-feed.ts';
import type { View, ViewContext } from './context.ts';
import { failure, skeleton } from './parts/feedback.ts';
import { brandMark, icon } from './parts/icons.ts';
import { keepTimes } from './parts/time.ts';
import { DESTINATIONS, findView } from './views/index.ts';
import { signInView } from './views/sign-in.ts';

/** An address of the page: `#/apps/app_…?search=shop`. */
interface Address {
  readonly name: string;
  readonly path: readonly string[];
  readonly query: URLSearchParams;
}

const TOAST_MS = 6000;

/** Starts the page: with the token of the tab if there is one, else with the form that asks for it. */
export function startShell(root: Element): void {
  keepTimes();
  const token = readToken();
  if (token === null) showSignIn(root);
  else void openSession(root, token);
}

function showSignIn(root: Element, reason = ''): void {
  document.title = 'Sign in – Proofgate';
  const view = signInView({
    reason,
    async submit(token) {
      const client = createClient({ token, onRefused: () => undefined });
      const caller = await client.get<Caller>('/tokens/self');
      keepToken(token);
      showFrame(root, token, caller, true);
    },
  });
  root.replaceChildren(view.node);
  view.focus();
}

async function openSession(root: Element, token: string): Promise<void> {
  root.replaceChildren(element('main', {}, skeleton()));
  const onRefused = (): void => {
    forgetToken();
    showSignIn(root, 'The service no longer accepts the token of this tab. Enter a valid one.');
  };
  try {
    const caller = await createClient({ token, onRefused }).get<Caller>('/tokens/self');
    showFrame(root, token, caller, false);
  } catch (error) {
    if (readToken() === null) return;
    const again = failure(error, () => void openSession(root, token));
    root.replaceChildren(element('main', {}, element('h1', {}, 'Proofgate'), again));
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
  const feed = createLiveFeed(async (signal) => {
    const [metrics, engine] = await Promise.all([
      api.metrics(signal),
      api.get<EngineFigures>('/engine', {}, signal),
    ]);
    return { metrics, readyWorkers: engine.ready_workers };
  });
  const live = element('p', { class: 'visually-hidden', role: 'status', 'aria-live': 'polite' });
  const toast = element('aside', { class: 'toast', 'aria-label': 'Last message' });
  toast.hidden = true;
  let toastTimer: ReturnType<typeof setTimeout> | undefined;
  const announce: ViewContext['announce'] = (text, mood, links = []) => {
    live.textContent = text;
    if (mood === undefined) return;
    toast.replaceChildren(text, ...links.flatMap((link) => [' ', link]));
    toast.dataset.mood = mood;
    toast.hidden = false;
    clearTimeout(toastTimer);
    // What went wrong stays until something else is said.
    if (mood === 'good') toastTimer = setTimeout(() => toast.setAttribute('hidden', ''), TOAST_MS);
  };
  const main = element('main', { id: 'main', tabindex: '-1' });
  const { header, mark } = frameHeader(caller, () =>
    end('You signed out. The token is forgotten in this tab.'),
  );
  let leave = new AbortController();

  function render(takesFocus: boolean): void {
    leave.abort();
    leave = new AbortController();
    const { name, path, query } = readAddress();
    mark(name);
    const view = findView(name, path);
    const heading = element('h1', { tabindex: '-1' });
    const body = element('div', { class: 'view' });
    const lead = view.lead === undefined ? [] : [element('p', { class: 'lead' }, view.lead)];
    main.replaceChildren(element('div', { class: 'view-head' }, heading, ...lead), body);
    const rename = (title: string): void => {
      heading.textContent = title;
      document.title = `${title} – Proofgate`;
    };
    rename(view.title);
    const { signal } = leave;
    const context: ViewContext = {
      ...{ api, caller, path, query, signal, feed, announce, rename },
      open: (address) => location.assign(`#${address}`),
      reload: () => render(true),
      remember: (values) => history.replaceState(null, '', `#${addressOf(name, path, values)}`),
    };
    void show(view, context, body);
    if (takesFocus) {
      scrollTo(0, 0);
      heading.focus();
    }
  }

  const skip = element('a', { class: 'skip', href: '#main' }, 'Skip to content');
  skip.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  root.replaceChildren(skip, header, main, live, toast);
  addEventListener('hashchange', () => render(true), { signal: session.signal });
  session.signal.addEventListener('abort', () => leave.abort());
  render(focuses);
}

async function show(view: View, context: ViewContext, body: HTMLElement): Promise<void> {
  try {
    await view.render(context, body);
  } catch (error) {
    if (!context.signal.aborted) body.replaceChildren(failure(error, context.reload));
  }
}

function frameHeader({ actor, scope }: Caller, signOut: () => void) {
  const links = DESTINATIONS.map(({ name, title }) =>
    element('a', { href: `#/${name}`, 'data-view': name }, icon(name), element('span', {}, title)),
  );
  const list = element('ul', { id: 'navigation' }, ...links.map((node) => element('li', {}, node)));
  const menu = element('button', { type: 'button', class: 'menu', 'aria-controls': 'navigation' });
  menu.append(icon('menu'), element('span', {}, 'Menu'));
  const setOpen = (isOpen: boolean): void => {
    menu.setAttribute('aria-expanded', String(isOpen));
    header.classList.toggle('open', isOpen);
  };
  menu.addEventListener('click', () => setOpen(menu.getAttribute('aria-expanded') !== 'true'));
  const rights = scope === 'write' ? 'may read and change' : 'may only read';
  const header = element(
    'header',
    { class: 'frame' },
    element('a', { class: 'brand', href: '#/status' }, brandMark(), 'Proofgate'),
    menu,
    element('nav', { 'aria-label': 'Views' }, list),
    element(
      'div',
      { class: 'who' },
      element('p', { class: 'muted' }, element('strong', {}, actor), element('span', {}, rights)),
      button('Sign out', signOut),
    ),
  );
  return {
    header,
    mark(name: string): void {
      for (const node of links) {
        if (node.dataset.view === name) node.setAttribute('aria-current', 'page');
        else node.removeAttribute('aria-current');
      }
      setOpen(false);
    },
  };
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
