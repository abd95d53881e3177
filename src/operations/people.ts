import { findApp } from '../apps/apps.ts';
import { BINDINGS } from '../config/apps/fields.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { TypeOf } from '../json.ts';
import { allowBeginning, BEGINNING_SECONDS } from '../oidc/worldid4/beginnings.ts';
import { shortDigest } from '../storage/audit/audit-writer.ts';
import {
  type Forgotten,
  type PersonRow,
  POINTER_KINDS,
  type PointerRow,
  type WorldIdSessionRow,
} from '../storage/signin/people.ts';
import type { Store } from '../storage/store.ts';
import type { Bytes32 } from '../storage/values.ts';
import { isoTime } from '../text.ts';
import { type OperationServices, operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  APP_PARAMS,
  COUNT,
  EXAMPLE_APP_ID,
  listOf,
  ONE_APP,
  objectSchema,
  PERSON,
  PERSON_ID,
  TEXT,
  TIME,
} from './schemas.ts';

const NAMED_PERSON = {
  ...PERSON_ID,
  description:
    'SHA-256 of the 32 bytes of the sub: names the person without it. Its first digits are the `person` of sessions and refresh tokens.',
} as const;
const ONE_PERSON = { ...APP_PARAMS, person_id: NAMED_PERSON } as const;
const ITEM_ID = {
  ...PERSON,
  description: 'First digits of a SHA-256; the audit log has them, too.',
} as const;
const PERSON_ITEM = objectSchema({
  person_id: NAMED_PERSON,
  sessions: { ...COUNT, description: 'Number of sessions of World ID 4.0.' },
  created_at: TIME,
  last_proven_at: TIME,
});
const SESSION = objectSchema({
  id: ITEM_ID,
  binding: { type: 'string', enum: BINDINGS, description: 'How the session was tied to the person.' },
  created_at: TIME,
  last_proven_at: TIME,
  expires_at: TIME,
});
const POINTER = objectSchema({
  id: ITEM_ID,
  kind: { type: 'string', enum: POINTER_KINDS },
  session: { ...ITEM_ID, description: 'The session that it finds.' },
  created_at: TIME,
  last_used_at: TIME,
  expires_at: TIME,
});
const ERRORS = ['app.unknown', 'person.unknown'] as const;
const EXAMPLE = { app_id: EXAMPLE_APP_ID, person_id: '0'.repeat(64) } as const;
const EXAMPLE_ITEM = { ...EXAMPLE, id: '00000000' } as const;

/** Operations of the people who signed in with World ID 4.0 (spec/sign-in.md#administration-of-people). None shows a sub. */
export const PEOPLE_OPERATIONS = operations('People', {
  listPeople: operation({
    at: 'GET /apps/{app_id}/people',
    scope: 'read',
    summary: 'Lists the people whom an app knows by World ID 4.0, in the order of their digests.',
    input: objectSchema({ ...APP_PARAMS, ...PAGE_QUERY }, ['limit', 'cursor']),
    output: pageSchema(PERSON_ITEM),
    invalid: 'app.unknown',
    answer: 'A page of people.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, now }, { app_id, ...page }, { store }) {
      const { limit, after } = readPage(page, ['string']);
      const { appId } = await findApp(appsOf(store), app_id);
      const place = after && hashOf(String(after[0]));
      const rows = await store.people.page(appId, now(), limit + 1, place);
      return pageOf(rows, limit, personJson, ({ personHash }) => [personIdOf(personHash)]);
    },
  }),
  countPeople: operation({
    at: 'GET /apps/{app_id}/person-count',
    scope: 'read',
    summary: 'Counts the people whom an app knows by World ID 4.0.',
    input: ONE_APP,
    output: objectSchema({ people: COUNT }),
    answer: 'The number.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, now }, { app_id }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      return { people: await store.people.count(appId, now()) };
    },
  }),
  getPerson: operation({
    at: 'GET /apps/{app_id}/people/{person_id}',
    scope: 'read',
    summary: 'Shows the sessions of World ID 4.0 of a person, and the browsers and passkeys that find them.',
    input: objectSchema(ONE_PERSON),
    output: objectSchema({
      person_id: NAMED_PERSON,
      sessions: listOf(SESSION),
      pointers: listOf(POINTER),
    }),
    invalid: 'person.unknown',
    answer: 'What is stored, without the ids of sessions and pointers.',
    errors: ERRORS,
    example: EXAMPLE,
    async run(services, input, { store }) {
      const { sessions, pointers } = await findPerson(services, input, store);
      return {
        person_id: input.person_id,
        sessions: sessions.map(sessionJson),
        pointers: pointers.map(pointerJson),
      };
    },
  }),
  forgetPerson: operation({
    at: 'DELETE /apps/{app_id}/people/{person_id}',
    scope: 'write',
    summary: 'Forgets a person: all sessions of World ID 4.0, browsers and passkeys.',
    description:
      'The person can return with the same sub where the wallet proves the nullifier again: from another installation, or after a year. Elsewhere a new beginning is needed. Sessions of sign-in and tokens stay valid.',
    input: objectSchema(ONE_PERSON),
    invalid: 'person.unknown',
    answer: 'The person is forgotten.',
    errors: ERRORS,
    example: EXAMPLE,
    async run(services, input, { store }) {
      await forget(await findPerson(services, input, store), {}, store);
    },
  }),
  forgetPersonSession: operation({
    at: 'DELETE /apps/{app_id}/people/{person_id}/sessions/{id}',
    scope: 'write',
    summary: 'Forgets a session of World ID 4.0 of a person, with the browsers and passkeys that find it.',
    input: objectSchema({ ...ONE_PERSON, id: ITEM_ID }),
    invalid: 'person.unknown',
    answer: 'The session is forgotten.',
    errors: ERRORS,
    example: EXAMPLE_ITEM,
    async run(services, { id, ...input }, { store }) {
      const person = await findPerson(services, input, store);
      const session = person.sessions.find(({ sessionId }) => shortDigest(sessionId) === id);
      await forget(person, session && { sessionId: session.sessionId }, store);
    },
  }),
  forgetPersonPointer: operation({
    at: 'DELETE /apps/{app_id}/people/{person_id}/pointers/{id}',
    scope: 'write',
    summary: 'Forgets a browser or a passkey of a person.',
    description:
      'The session that it finds stays: another browser, or a login_hint with the sub, can find it.',
    input: objectSchema({ ...ONE_PERSON, id: ITEM_ID }),
    invalid: 'person.unknown',
    answer: 'The pointer is forgotten.',
    errors: ERRORS,
    example: EXAMPLE_ITEM,
    async run(services, { id, ...input }, { store }) {
      const person = await findPerson(services, input, store);
      const pointer = person.pointers.find(({ pointerHash }) => shortDigest(pointerHash) === id);
      await forget(person, pointer && { pointerHash: pointer.pointerHash }, store);
    },
  }),
  allowBeginning: operation({
    at: 'POST /apps/{app_id}/beginnings',
    scope: 'write',
    summary: 'Allows one person to begin anew, for somebody whose browsers, passkeys and sessions are lost.',
    description:
      'The app sends the person to /authorize with the login_hint, which is shown only in this answer and works for one sign-in. The wallet is asked for a proof of another action, so that the person gets a new sub. The former sub stays with whoever can still prove it: to move what belongs to it, or to close it, is up to the app, which must know by other means that this is the same person.',
    input: objectSchema(
      {
        ...APP_PARAMS,
        ttl_seconds: {
          type: 'integer',
          ...BEGINNING_SECONDS,
          description: 'How long the permission can be used.',
        },
      },
      ['ttl_seconds'],
    ),
    output: objectSchema({
      login_hint: TEXT,
      number: { type: 'integer', minimum: 2, description: 'Number of the action.' },
      expires_at: TIME,
    }),
    status: 201,
    invalid: 'app.unknown',
    answer: 'The permission.',
    errors: ['app.unknown', 'signin.worldid4_off'],
    example: { app_id: EXAMPLE_APP_ID, ttl_seconds: 3600 },
    async run({ appsOf, config, now }, { app_id, ttl_seconds }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      if (config.signin.worldid4.rpId === undefined) throw new ServiceError('signin.worldid4_off');
      const { loginHint, number, expiresAt } = await allowBeginning(store.people, appId, now(), ttl_seconds);
      return { login_hint: loginHint, number, expires_at: isoTime(expiresAt) };
    },
  }),
});

/** A person of an app, with what is stored about the person. */
interface FoundPerson {
  readonly appId: string;
  readonly sub: Bytes32;
  readonly sessions: readonly WorldIdSessionRow[];
  readonly pointers: readonly PointerRow[];
}

/** @throws ServiceError `app.unknown`, `person.unknown` */
async function findPerson(
  { appsOf, now }: Pick<OperationServices, 'appsOf' | 'now'>,
  { app_id, person_id }: { readonly app_id: string; readonly person_id: string },
  store: Store,
): Promise<FoundPerson> {
  const { appId } = await findApp(appsOf(store), app_id);
  const sub = await store.people.findSub(appId, hashOf(person_id), now());
  if (sub === undefined) throw new ServiceError('person.unknown');
  return { appId, sub, ...(await store.people.of(appId, sub, now())) };
}

/** @throws ServiceError `person.unknown` if there is nothing to forget */
async function forget({ appId, sub }: FoundPerson, what: Forgotten | undefined, store: Store): Promise<void> {
  const isForgotten = what !== undefined && (await store.people.forgetByOperator(appId, sub, what));
  if (!isForgotten) throw new ServiceError('person.unknown');
}

/** Reads 64 hex digits; an invalid cursor names a place before all. */
function hashOf(personId: string): Bytes32 {
  return new Uint8Array(Buffer.from(personId, 'hex'));
}

function personIdOf(personHash: Bytes32): string {
  return Buffer.from(personHash).toString('hex');
}

function personJson({ personHash, sessions, createdAt, usedAt }: PersonRow): TypeOf<typeof PERSON_ITEM> {
  return {
    person_id: personIdOf(personHash),
    sessions,
    created_at: isoTime(createdAt),
    last_proven_at: isoTime(usedAt),
  };
}

function sessionJson({ sessionId, binding, ...times }: WorldIdSessionRow): TypeOf<typeof SESSION> {
  return {
    id: shortDigest(sessionId),
    binding,
    created_at: isoTime(times.createdAt),
    last_proven_at: isoTime(times.usedAt),
    expires_at: isoTime(times.expiresAt),
  };
}

function pointerJson({ pointerHash, sessionId, kind, ...times }: PointerRow): TypeOf<typeof POINTER> {
  return {
    id: shortDigest(pointerHash),
    kind,
    session: shortDigest(sessionId),
    created_at: isoTime(times.createdAt),
    last_used_at: isoTime(times.usedAt),
    expires_at: isoTime(times.expiresAt),
  };
}
