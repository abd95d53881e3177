import type { ItemOf, OutputOf } from './client.ts';

/** State of the node that answers. */
export type ServiceStatus = OutputOf<'GET /status'>;
/** A condition to report to operators. */
export type Notice = ServiceStatus['notices'][number];
/** A node of the deployment. */
export type NodeSeen = ItemOf<'GET /nodes'>;
/** An app. */
export type App = OutputOf<'GET /apps/{app_id}'>;
/** A client secret, without its value. */
export type Secret = ItemOf<'GET /apps/{app_id}/secrets'>;
/** A person whom an app knows by World ID 4.0. */
export type Person = ItemOf<'GET /apps/{app_id}/people'>;
/** Verification policy of an app; an absent member allows everything. */
export type Policy = App['policy'];
/** An action of an app. */
export type Action = ItemOf<'GET /apps/{app_id}/actions'>;
/** Counts of one day and environment. */
export type UsageDay = ItemOf<'GET /usage'>;
/** Counts of one app over a period. */
export type AppUsage = ItemOf<'GET /usage/apps'>;
/** Counts of requests by kind. */
export type UsageCounts = Omit<UsageDay, 'day' | 'environment'>;
/** A signing key. */
export type SigningKey = ItemOf<'GET /keys'>;
/** A verifying key. */
export type VerifyingKey = ItemOf<'GET /vkeys'>;
/** A root of a tree. */
export type Root = ItemOf<'GET /roots'>;
/** A source of roots. */
export type RootSource = ItemOf<'GET /roots/sources'>;
/** Enrolment record of a person. */
export type Signup = ItemOf<'GET /signups'>;
/** Enrolment record with the subs it is bound to. */
export type BoundSignup = OutputOf<'GET /signups/{id_comm}'>;
/** Public key of an orb. */
export type OrbKey = ItemOf<'GET /orb-keys'>;
/** Result of an import. */
export type Imported = OutputOf<'POST /signups'>;
/** Refusals of one code and route. */
export type Refusal = ItemOf<'GET /errors/recent'>;
/** A row of the audit log. */
export type AuditRow = ItemOf<'GET /audit'>;
/** A setting in force. */
export type Setting = ItemOf<'GET /config'>;
/** A token of the admin API, without its value. */
export type AdminToken = ItemOf<'GET /tokens'>;
/** The receiver of webhooks and what became of the events for it. */
export type WebhookReceiver = ItemOf<'GET /webhooks'>;
/** An event of webhooks. */
export type WebhookEvent = ItemOf<'GET /webhooks/events'>;
/** Switches of credential refresh. */
export type RefreshState = OutputOf<'GET /refresh'>;
