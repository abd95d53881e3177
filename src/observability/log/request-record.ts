/** What is known of a request when its exchange ends: the source of its log line and of the HTTP metrics. */
export interface RequestRecord {
  readonly requestId: string;
  /** `public` or `admin`. */
  readonly listener: string;
  /** Pattern of the route, or `unmatched`. */
  readonly route: string;
  /** Method as sent where it is a known one, else `other`. */
  readonly method: string;
  /** Status sent; 0 when no answer left. */
  readonly status: number;
  readonly durationMs: number;
  /** The client went away, or the connection was cut, before the answer was finished. */
  readonly isAborted: boolean;
  /** Error code of the answer, if it is an error. */
  readonly code?: string | undefined;
  /** What a handler threw, for the log. */
  readonly error?: unknown;
  /** Trace id of a valid `traceparent` header. */
  readonly traceId?: string | undefined;
  /** False for a refusal whose cause was logged before in its window: counted, not logged. */
  readonly isLogged: boolean;
  /** More fields that the route gives the log line; frozen where one object is for many lines. */
  readonly fields?: Readonly<Record<string, string | number | boolean>> | undefined;
}
