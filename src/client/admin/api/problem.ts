/** A refusal of the admin API (RFC 9457), or a failure to reach it. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** HTTP status; 0 if the service did not answer. */
  readonly status: number;
  /** Code of the error catalogue; empty if the service did not answer. */
  readonly code: string;
  /** Title of the code in the error catalogue; empty if the service did not answer. */
  readonly title: string;
  /** Wrong members of the request, each with what is wrong. */
  readonly faults: readonly MemberFault[];
  readonly requestId: string;

  constructor(status: number, body: ProblemBody = {}) {
    super(body.detail ?? body.title ?? `The service answered with status ${status}.`);
    this.status = status;
    this.code = body.code ?? '';
    this.title = body.title ?? '';
    this.faults = (body.errors ?? []).map(({ path, detail = 'has a wrong value' }) => faultOf(path, detail));
    this.requestId = body.requestId ?? '';
  }
}

/** Body of a refusal. */
export interface ProblemBody {
  readonly title?: string;
  readonly detail?: string;
  readonly code?: string;
  readonly requestId?: string;
  readonly errors?: readonly { readonly path: string; readonly detail?: string }[];
}

/** One wrong member of a request. */
export interface MemberFault {
  /** Member of the body or name of the parameter, such as `redirect_uris`. */
  readonly field: string;
  /** The fault, as a sentence. */
  readonly text: string;
}

const PLACE = /^\/?(?:(?:body|path|query|headers)\/)?([^/[]*)(.*)$/;

/** Reads a fault: a path such as `redirect_uris[0]`, `body/name` or `body/records/3/orb_id`. */
function faultOf(path: string, detail: string): MemberFault {
  const [, field = '', rest = ''] = PLACE.exec(path) ?? [];
  // A sentence of the service may begin with the path itself.
  const words = detail.replace(/^[\w/[\].-]+: /, '');
  const sentence = withStop(words.charAt(0).toUpperCase() + words.slice(1));
  const inside = /^\/(\d+)(?:\/(\w+))?/.exec(rest);
  if (inside === null) return { field, text: sentence };
  const [, index, member] = inside;
  const place = `Number ${Number(index) + 1}${member === undefined ? '' : `, ${member}`}`;
  return { field, text: `${place}: ${withStop(words)}` };
}

/** Explains an error in plain words, with its remedy. */
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

/** Explains the refusal of a field, from the title of its code and the message of the service. */
export function explainRefusal({ title, message }: Problem): string {
  return withStop(title === '' || title === message ? message : `${title}: ${message}`);
}

function withStop(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
