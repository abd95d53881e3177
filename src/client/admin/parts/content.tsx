/** Small parts of the page that keep nothing: functions that return what is shown. */
import type { ComponentChildren, VNode } from 'preact';
import { explainProblem, Problem } from '../api/problem.ts';

/** Returns grey lines in the place of content that is being read. */
export function skeleton(lines = 4): VNode {
  return (
    <div class="skeleton" aria-busy="true">
      {[
        <span class="visually-hidden">Loading…</span>,
        ...Array.from({ length: lines }, () => <span class="bone" />),
      ]}
    </div>
  );
}

/** Title and text in the place of a list that has no rows. */
export type None = readonly [title: string, text: string];

/** Returns the text in the place of a list that has no rows, with an optional next step. */
export function empty([title, text]: None, step?: VNode): VNode {
  const buttons = step !== undefined && <div class="buttons">{step}</div>;
  return <div class="empty">{[<p class="empty-title">{title}</p>, <p>{text}</p>, buttons]}</div>;
}

/** Returns a notice in a frame of the colour of its level. */
export function alert(level: 'good' | 'info' | 'warning' | 'error', ...children: ComponentChildren[]): VNode {
  return (
    <div class="alert" data-level={level}>
      {children}
    </div>
  );
}

/** Returns a sentence; text between backticks becomes code. */
export function prose(text: string): VNode {
  return <span>{text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part))}</span>;
}

/** Returns a paragraph that begins with a word in bold. */
export function labelled(label: string, ...children: ComponentChildren[]): VNode {
  return <p>{[<strong>{label}</strong>, ...children]}</p>;
}

/** Colour of a badge; its meaning is in the word, not in the colour. */
export type Tone = 'good' | 'bad' | 'note' | 'plain' | 'accent';

/** Returns a word on a coloured ground. */
export function badge(text: string, tone: Tone = 'plain'): VNode {
  return (
    <span class="badge" data-tone={tone}>
      {text}
    </span>
  );
}

/** Returns the badge of a state that is good or bad. */
export function stateBadge(isGood: boolean, good: string, bad: string): VNode {
  return isGood ? badge(good, 'good') : badge(bad, 'bad');
}

/** Returns a card with a heading, and with controls at the end of its line. */
export function card(title: string, children: ComponentChildren, controls?: ComponentChildren): VNode {
  const id = `card-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  const buttons = Boolean(controls) && <div class="buttons">{controls}</div>;
  const head = <div class="card-head">{[<h2 id={id}>{title}</h2>, buttons]}</div>;
  return <section aria-labelledby={id}>{[head, children]}</section>;
}

/** A name and its value. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** Returns a description list; a row that is `false` is left out. */
export function facts(...rows: readonly (Fact | false)[]): VNode {
  return <dl>{rows.map((row) => row && [<dt>{row[0]}</dt>, <dd>{row[1]}</dd>])}</dl>;
}

/** Returns a link to an address of the page that is large enough to be pressed. */
export function link(address: string, ...children: ComponentChildren[]): VNode {
  return (
    <a class="link" href={`#${address}`}>
      {children}
    </a>
  );
}

/** Returns the link from an object back to the list of its kind. */
export function backLink(address: string, text: string): VNode {
  return (
    <nav aria-label="Place" class="crumbs">
      {link(address, text)}
    </nav>
  );
}

/** Returns a part that is closed at first. */
export function details(summary: string, ...children: ComponentChildren[]): VNode {
  return <details>{[<summary>{summary}</summary>, ...children]}</details>;
}

/** Returns a text with the button that it is about. */
export function switchRow(action: VNode, ...children: ComponentChildren[]): VNode {
  return <div class="switch">{[<p>{children}</p>, action]}</div>;
}

/** Returns the link to a code in the error catalogue, which this listener serves; a form behind it keeps its content. */
export function catalogueLink(name: string): VNode {
  return (
    <a class="catalogue-link" href={`/errors#${name}`} target="_blank" rel="noopener">
      {`About ${name}`}
      <span aria-hidden="true">↗</span>
      <span class="visually-hidden"> (opens a new tab)</span>
    </a>
  );
}

/** Returns the link to the code of a refusal; nothing for a failure that has none. */
export function linkOf(error: unknown): ComponentChildren {
  return error instanceof Problem && error.code !== '' && catalogueLink(error.code);
}

/** Explains an error in plain words, with a link to its code. */
export function problemNote(error: unknown): ComponentChildren {
  return [<p class="problem-text">{explainProblem(error)}</p>, linkOf(error)];
}

/** Returns the text in the place of content that could not be read. */
export function failure(error: unknown, retry: () => void): VNode {
  const again = (
    <button type="button" onClick={retry}>
      Try again
    </button>
  );
  return (
    <div class="alert" data-level="error" role="alert">
      {[problemNote(error), <div class="buttons">{again}</div>]}
    </div>
  );
}
