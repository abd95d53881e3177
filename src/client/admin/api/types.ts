/** Objects of the admin API as this page reads them (src/admin/operations). Times are ISO 8601. */

/** Something that an operator should know. */
export interface Notice {
  readonly level: 'error' | 'warning' | 'info';
  readonly code: string;
  readonly text: string;
  readonly cure: string;
}

/** Figures of the proof engine. */
export interface EngineFigures {
  readonly backend: string;
  readonly arithmetic: string;
  readonly reason: string;
  readonly workers: number;
  readonly ready_workers: number;
  readonly worker_restarts: number;
  readonly queue_depth: number;
  readonly max_queue: number;
  readonly verified: number;
}

/** State of the node that answers. */
export interface ServiceStatus {
  readonly node_id: string;
  readonly version: string;
  readonly profile: string;
  readonly started_at: string;
  readonly ready: boolean;
  readonly issuer: string;
  readonly interfaces: Readonly<Record<string, boolean>>;
  readonly engine: EngineFigures;
  readonly store: { readonly reachable: boolean; readonly writable: boolean; readonly durability: string };
  readonly checks: Readonly<Record<string, { readonly status: string; readonly ageMs?: number | null }>>;
  readonly notices: readonly Notice[];
}

/** A node of the deployment. */
export interface NodeSeen {
  readonly node_id: string;
  readonly version: string;
  readonly started_at: string;
  readonly seen_at: string;
  readonly self: boolean;
  readonly ready: boolean | null;
  readonly workers: number | null;
  readonly ready_workers: number | null;
  readonly backend: string | null;
}

/** A client secret, without its value. */
export interface Secret {
  readonly secret_id: string;
  readonly created_at: string | null;
  readonly expires_at: string | null;
}

/** Verification policy of an app; an absent member allows everything. */
export interface Policy {
  readonly environments: readonly string[];
  readonly protocols?: readonly string[];
  readonly credentials?: readonly (string | number)[];
  readonly maxRootAgeSeconds?: number;
  readonly actions?: readonly string[];
}

/** An app. */
export interface App {
  readonly app_id: string;
  readonly rp_id: string;
  readonly name: string;
  readonly status: 'active' | 'disabled';
  readonly verification: string;
  readonly policy: Policy;
  readonly redirect_uris: readonly string[];
  readonly response_types: readonly string[];
  /** Whether they were named; otherwise a session answers code alone. */
  readonly response_types_named: boolean;
  readonly token_endpoint_auth_method: string;
  readonly application_type: string;
  readonly require_pkce: boolean;
  readonly signal_is_nonce: boolean;
  readonly refresh_tokens: boolean;
  readonly require_pushed_authorization_requests: boolean;
  readonly dpop_bound_access_tokens: boolean;
  readonly post_logout_redirect_uris: readonly string[];
  readonly backchannel_logout_uri: string | null;
  readonly logo: boolean;
  readonly development: boolean;
  readonly created_at: string | null;
  readonly updated_at: string | null;
  /** 0 for an app of the configuration, which cannot be changed here. */
  readonly version: number;
  readonly secrets?: readonly Secret[];
  /** Only in the answer to a creation. */
  readonly client_secret?: string;
}

/** An action of an app. */
export interface Action {
  readonly environment: 'production' | 'staging';
  readonly action: string;
  readonly description: string;
  readonly first_seen_at: string;
  readonly nullifiers: number;
}

/** Counts of requests by kind. */
export interface UsageCounts {
  readonly verified_new: number;
  readonly verified_reused: number;
  readonly verified_session: number;
  readonly verify_refused: number;
  readonly signed_in: number;
}

/** Counts of one day and environment. */
export interface UsageDay extends UsageCounts {
  readonly day: string;
  readonly environment: string;
}

/** Counts of one app over a period. */
export interface AppUsage extends UsageCounts {
  readonly app_id: string;
  /** Null if the app was removed. */
  readonly name: string | null;
}

/** A signing key. */
export interface SigningKey {
  readonly kid: string;
  readonly use: 'signin' | 'credential';
  readonly state: 'next' | 'active' | 'retired' | 'revoked';
  readonly created_at: string;
  readonly activated_at: string | null;
  readonly retired_at: string | null;
  readonly changes_at: string | null;
  readonly development: boolean;
  readonly issuer_schema_id?: string;
  readonly origin?: string;
}

/** A verifying key. */
export interface VerifyingKey {
  readonly id: string;
  readonly origin: string;
  readonly depth: number | null;
  readonly inputs: number;
  readonly fingerprint: string;
  readonly source: string;
  readonly built_in: boolean;
  readonly used_for: readonly {
    readonly environment: string;
    readonly tree: string;
    readonly by: 'setting' | 'root';
  }[];
}

/** A root of a tree. */
export interface Root {
  readonly environment: string;
  readonly tree: string;
  readonly root: string;
  readonly received_at: string;
  readonly superseded_at: string | null;
  readonly key: string | null;
  readonly source: string;
}

/** Enrolment record of a person. */
export interface Signup {
  readonly id_comm: string;
  readonly signup_id: string;
  readonly orb_id: string;
  readonly enrolled_at: string;
  readonly status: 'active' | 'revoked';
  readonly updated_at: string;
}

/** Enrolment record with the subs it is bound to. */
export interface BoundSignup extends Signup {
  readonly bindings: readonly {
    readonly issuer_schema_id: string;
    readonly sub: string;
    readonly genesis_issued_at: string;
    readonly credentials: number;
    readonly last_issued_at: string;
  }[];
}

/** Public key of an orb. */
export interface OrbKey {
  readonly key_hash: string;
  readonly status: 'active' | 'revoked';
  readonly added_at: string;
  readonly pem: string;
}

/** What an import did with its records. */
export interface Imported {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** Records that were not taken, by their index in the request. */
  readonly refused: readonly { readonly index: number; readonly code: string; readonly message: string }[];
}

/** A source of roots. */
export interface RootSource {
  readonly id: string;
  readonly configured: boolean;
  readonly kind: string | null;
  readonly environment: string;
  readonly tree: string;
  readonly chain_id: number | null;
  readonly block: number | null;
  readonly lag_seconds: number | null;
  readonly stale: boolean;
  readonly failing: boolean;
  readonly quorum: number | null;
  readonly current_root_age_seconds: number | null;
  readonly last_error: string | null;
  readonly last_error_age_seconds: number | null;
  readonly fault: {
    readonly code: string;
    readonly title: string;
    readonly cause: string;
    readonly cure: string;
  } | null;
  readonly providers: readonly {
    readonly host: string;
    readonly state: string;
    readonly since: string | null;
    readonly last_error: string | null;
    readonly last_error_at: string | null;
  }[];
}

/** Refusals of one code and route. */
export interface Refusal {
  readonly code: string;
  readonly route: string;
  readonly count: number;
  readonly last_at: string;
  readonly title: string;
  readonly cause: string;
  readonly cure: string;
}

/** A row of the audit log. */
export interface AuditRow {
  readonly seq: number;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly target: string;
  readonly request_id: string | null;
  readonly before: unknown;
  readonly after: unknown;
}

/** A setting in force. */
export interface Setting {
  readonly key: string;
  readonly value: unknown;
  readonly unit: string | null;
  readonly origin: string;
  readonly env: string;
  readonly missing: string | null;
}

/** A token of the admin API, without its value. */
export interface AdminToken {
  readonly token_id: string;
  readonly name: string;
  readonly scope: 'read' | 'write';
  readonly created_at: string;
  readonly expires_at: string | null;
  /** Only in the answer to its creation. */
  readonly token?: string;
}

/** The receiver of webhooks and what became of the events for it. */
export interface WebhookReceiver {
  /** Without path and query. */
  readonly address: string;
  readonly state: 'receiving' | 'failing' | 'unused';
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
  readonly last_error: string | null;
  readonly pending: number;
  readonly dead: number;
  readonly oldest_pending_at: string | null;
}

/** An event of webhooks. */
export interface WebhookEvent {
  readonly id: string;
  readonly type: string;
  readonly state: 'pending' | 'dead' | 'delivered';
  readonly created_at: string;
  readonly attempts: number;
  readonly next_at: string | null;
  readonly delivered_at: string | null;
  readonly last_error: string | null;
  readonly body: { readonly data: Readonly<Record<string, unknown>> };
}

/** What came of a test event. */
export interface WebhookTest {
  readonly received: boolean;
  readonly status: number | null;
  readonly reason: string | null;
}
