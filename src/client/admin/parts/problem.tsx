import type { ComponentChildren, VNode } from 'preact';
import { explainProblem, Problem } from '../api/problem.ts';

/** The link to a code in the error catalogue, which this listener serves; a form behind it keeps its content. */
export function CatalogueLink({ code }: { code: string }): VNode {
  return (
    <a class="catalogue-link" href={`/errors#${code}`} target="_blank" rel="noopener">
      About {code}
      <span aria-hidden="true">↗</span>
      <span class="visually-hidden"> (opens a new tab)</span>
    </a>
  );
}

/** Returns the link to the code of a refusal; nothing for a failure that has none. */
export function linkOf(error: unknown): ComponentChildren {
  return error instanceof Problem && error.code !== '' && <CatalogueLink code={error.code} />;
}

/** Says in plain words why something failed, with the link to its code. */
export function ProblemNote({ error }: { error: unknown }): VNode {
  return (
    <>
      <p class="problem-text">{explainProblem(error)}</p>
      {linkOf(error)}
    </>
  );
}

/** The text in the place of content that could not be read. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }): VNode {
  return (
    <div class="alert" data-level="error" role="alert">
      <ProblemNote error={error} />
      <div class="buttons">
        <button type="button" onClick={retry}>
          Try again
        </button>
      </div>
    </div>
  );
}
