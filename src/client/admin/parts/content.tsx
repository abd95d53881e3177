import type { ComponentChildren, VNode } from 'preact';

/** Grey lines in the place of content that is being read. */
export function Skeleton({ lines = 4 }: { readonly lines?: number | undefined }): VNode {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="visually-hidden">Loading…</span>
      {Array.from({ length: lines }, () => (
        <span class="bone" />
      ))}
    </div>
  );
}

/** Parts of `Empty`. */
export interface EmptyProps {
  readonly title: string;
  readonly text: string;
  /** What may be done next. */
  readonly children?: ComponentChildren;
}

/** The text in the place of a list that has no rows. */
export function Empty({ title, text, children }: EmptyProps): VNode {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      <p>{text}</p>
      {children !== undefined && <div class="buttons">{children}</div>}
    </div>
  );
}

/** Level of a notice. */
export type Level = 'good' | 'info' | 'warning' | 'error';

/** A notice in a frame of the colour of its level. */
export function Alert({ level, children }: { level: Level; children: ComponentChildren }): VNode {
  return (
    <div class="alert" data-level={level}>
      {children}
    </div>
  );
}

/** A sentence; what stands between backticks is code. */
export function Prose({ text }: { text: string }): VNode {
  const parts = text.split('`').map((part, index) => (index % 2 === 1 ? <code>{part}</code> : part));
  return <span>{parts}</span>;
}

/** Colour of a badge; its meaning is in the word, not in the colour. */
export type Tone = 'good' | 'bad' | 'note' | 'plain' | 'accent';

/** A word on a coloured ground. */
export function Badge({ tone = 'plain', children }: { tone?: Tone; children: string }): VNode {
  return (
    <span class="badge" data-tone={tone}>
      {children}
    </span>
  );
}

/** Parts of a card. */
export interface CardProps {
  readonly title: string;
  /** Shown at the end of the line of the heading. */
  readonly controls?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A card with a heading. */
export function Card({ title, controls, children }: CardProps): VNode {
  const id = `card-${title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`;
  return (
    <section aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {Boolean(controls) && <div class="buttons">{controls}</div>}
      </div>
      {children}
    </section>
  );
}

/** A name and its value. */
export type Fact = readonly [name: string, value: ComponentChildren];

/** A description list; a row that is `false` is left out. */
export function Facts({ rows }: { rows: readonly (Fact | false)[] }): VNode {
  return (
    <dl>
      {rows.map(
        (row) =>
          row && (
            <>
              <dt>{row[0]}</dt>
              <dd>{row[1]}</dd>
            </>
          ),
      )}
    </dl>
  );
}

/** An identifier; a short one is cut on screen, whole on hover and when it is copied. */
export function Code({ text, isShort = false }: { text: string; isShort?: boolean }): VNode {
  return (
    <code class={isShort ? 'short' : 'whole'} title={isShort ? text : undefined}>
      {text}
    </code>
  );
}

/** A link to an address of the page that is large enough to be pressed. */
export function Link({ to, children }: { to: string; children: ComponentChildren }): VNode {
  return (
    <a class="link" href={`#${to}`}>
      {children}
    </a>
  );
}

/** The link from an object back to the list of its kind. */
export function BackLink({ to, children }: { to: string; children: ComponentChildren }): VNode {
  return (
    <nav aria-label="Place" class="crumbs">
      <Link to={to}>{children}</Link>
    </nav>
  );
}

/** A small line below the content of a cell. */
export function Small({ children }: { children: ComponentChildren }): VNode {
  return <small class="block">{children}</small>;
}
