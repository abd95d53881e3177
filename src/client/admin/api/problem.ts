/** A refusal of the admin API (RFC 9457), or a failure to reach it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** HTTP status; 0 if the service did not answer. */
  readonly status: number;
  /** Code of the error catalogue; empty if the service did not answer. */
  readonly code: string;
  /** Members of the request that were refused, such as `redirect_uris`. */
  readonly fields: readonly string[];
  readonly requestId: string;

  constructor(status: number, body: ProblemBody = {}) {
    super(body.detail ?? body.title ?? `The service answered with status ${status}.`);
    this.status = status;
    this.code = body.code ?? '';
    this.fields = (body.errors ?? []).map(({ path }) => fieldOf(path));
    this.requestId = body.requestId ?? '';
  }
}

/** Body of a refusal. */
export interface ProblemBody {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly { readonly path: string }[];
}

/** Returns the member that a path names: `redirect_uris` for `body/redirect_uris/0` and for `redirect_uris[0]`. */
function fieldOf(path: string): string {
  return path.replace(/^\/?(?:body\/)?/, '').replace(/[/[.].*$/, '');
}

/** Says in plain words why something failed and what helps. */
export function explainProblem(error: unknown): string {
  if (!(error instanceof Problem)) return `The page failed: ${String(error)}`;
  const { status, code, message } = error;
  if (status === 0) return 'The service does not answer. Check that it runs, then try again.';
  if (status === 403)
    return 'Your token may only read. Sign in with a token of scope write to change something.';
  if (status === 429) return 'Too many attempts. Wait a minute, then try again.';
  if (code === 'app.changed') {
    return 'This app was changed by somebody else since you opened it. Reload it, then make your change again.';
  }
  if (code === 'app.read_only') {
    return 'This app is defined in the configuration file. Change it there and restart the service.';
  }
  return `${withStop(message)}${error.requestId === '' ? '' : ` (request ${error.requestId})`}`;
}

/** Says why a member was refused, for a place beside it: without the name that the message begins with. */
export function explainField(error: Problem): string {
  const text = error.message.replace(/^[\w/[\].]+: /, '');
  return withStop(text.charAt(0).toUpperCase() + text.slice(1));
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
