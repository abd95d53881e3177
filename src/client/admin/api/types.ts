import type { AdminApi } from '../../../operations/table.ts';

/** Output of an operation, by its method and path. */
type Output<Place extends keyof AdminApi> = AdminApi[Place]['output'];
/** Item of a list. */
type Item<Place extends keyof AdminApi> =
  Output<Place> extends { readonly items: readonly (infer T)[] } ? T : never;

/** State of the node that answers. */
export type ServiceStatus = Output<'GET /status'>;
/** Something that an operator should know. */
export type Notice = ServiceStatus['notices'][number];
/** Figures of the proof engine. */
export type EngineFigures = Output<'GET /engine'>;
/** A node of the deployment. */
export type NodeSeen = Item<'GET /nodes'>;
/** An app. */
export type App = Output<'GET /apps/{app_id}'>;
/** A client secret, without its value. */
export type Secret = Item<'GET /apps/{app_id}/secrets'>;
/** Verification policy of an app; an absent member allows everything. */
export type Policy = App['policy'];
/** An action of an app. */
export type Action = Item<'GET /apps/{app_id}/actions'>;
/** Counts of one day and environment. */
export type UsageDay = Item<'GET /usage'>;
/** Counts of one app over a period. */
export type AppUsage = Item<'GET /usage/apps'>;
/** Counts of requests by kind. */
export type UsageCounts = Omit<UsageDay, 'day' | 'environment'>;
/** A signing key. */
export type SigningKey = Item<'GET /keys'>;
/** A verifying key. */
export type VerifyingKey = Item<'GET /vkeys'>;
/** A root of a tree. */
export type Root = Item<'GET /roots'>;
/** A source of roots. */
export type RootSource = Item<'GET /roots/sources'>;
/** Enrolment record of a person. */
export type Signup = Item<'GET /signups'>;
/** Enrolment record with the subs it is bound to. */
export type BoundSignup = Output<'GET /signups/{id_comm}'>;
/** Public key of an orb. */
export type OrbKey = Item<'GET /orb-keys'>;
/** Result of an import. */
export type Imported = Output<'POST /signups'>;
/** Refusals of one code and route. */
export type Refusal = Item<'GET /errors/recent'>;
/** A row of the audit log. */
export type AuditRow = Item<'GET /audit'>;
/** A setting in force. */
export type Setting = Item<'GET /config'>;
/** A token of the admin API; its value is only in the answer to its creation. */
export type AdminToken = Item<'GET /tokens'> & Partial<Output<'POST /tokens'>>;
/** The receiver of webhooks and what became of the events for it. */
export type WebhookReceiver = Item<'GET /webhooks'>;
/** An event of webhooks. */
export type WebhookEvent = Item<'GET /webhooks/events'>;
/** Result of a test event. */
export type WebhookTest = Output<'POST /webhooks/test'>;
