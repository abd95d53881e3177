import { findApp } from '../apps/apps.ts';
import type { TypeOf } from '../json.ts';
import { endRefreshFamily, liveFamilies } from '../oidc/refresh-tokens.ts';
import { shortDigest } from '../storage/audit/audit-writer.ts';
import type { RefreshFamilyRow } from '../storage/signin/refresh-families.ts';
import { isoTime } from '../text.ts';
import { operation, operations } from './operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import {
  APP_PARAMS,
  COUNT,
  EXAMPLE_APP_ID,
  LEVEL,
  ONE_APP,
  objectSchema,
  PERSON,
  TEXT,
  TIME,
} from './schemas.ts';

const FAMILY_ID = { type: 'string', pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$' } as const;
const FAMILY = objectSchema({
  family_id: FAMILY_ID,
  person: {
    ...PERSON,
    description: 'First digits of the SHA-256 of the sub: tells the families of one person.',
  },
  acr: LEVEL,
  scope: TEXT,
  created_at: TIME,
  last_used_at: { ...TIME, description: 'When the token in force was issued.' },
  expires_at: TIME,
});

/** Operations of refresh tokens. A family is the token that came with a code and those that replaced it. */
export const REFRESH_TOKEN_OPERATIONS = operations('Apps', {
  listRefreshTokens: operation({
    at: 'GET /apps/{app_id}/refresh-tokens',
    scope: 'read',
    summary: 'Lists the families of refresh tokens of an app, the latest first.',
    input: objectSchema({ ...APP_PARAMS, ...PAGE_QUERY }, ['limit', 'cursor']),
    output: pageSchema(FAMILY),
    invalid: 'app.unknown',
    answer: 'A page of families.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf, config, now }, { app_id, ...page }, { store }) {
      const { limit, after } = readPage(page, ['number', 'string']);
      const { appId } = await findApp(appsOf(store), app_id);
      const place = after && { createdAt: Number(after[0]), familyId: String(after[1]) };
      const rows = await liveFamilies(store.refreshTokens, config).page(appId, limit + 1, now(), place);
      return pageOf(rows, limit, familyJson, ({ createdAt, familyId }) => [createdAt, familyId]);
    },
  }),
  revokeRefreshTokens: operation({
    at: 'DELETE /apps/{app_id}/refresh-tokens',
    scope: 'write',
    summary: 'Ends all families of refresh tokens of an app, with their access tokens.',
    input: ONE_APP,
    output: objectSchema({ revoked: COUNT }),
    invalid: 'app.unknown',
    answer: 'How many families have ended.',
    errors: ['app.unknown'],
    example: { app_id: EXAMPLE_APP_ID },
    async run({ appsOf }, { app_id }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      return { revoked: await store.refreshTokens.endByOperator(appId) };
    },
  }),
  revokeRefreshToken: operation({
    at: 'DELETE /apps/{app_id}/refresh-tokens/{family_id}',
    scope: 'write',
    summary: 'Ends a family of refresh tokens, with its access tokens.',
    input: objectSchema({ ...APP_PARAMS, family_id: FAMILY_ID }),
    invalid: 'refresh_token.unknown',
    answer: 'The family has ended.',
    errors: ['app.unknown', 'refresh_token.unknown'],
    example: { app_id: EXAMPLE_APP_ID, family_id: '00000000-0000-4000-8000-000000000000' },
    async run({ appsOf }, { app_id, family_id }, { store }) {
      const { appId } = await findApp(appsOf(store), app_id);
      await endRefreshFamily(store.refreshTokens, appId, family_id);
    },
  }),
});

/** Returns the members of a family: neither a token nor a sub. */
export function familyJson(family: RefreshFamilyRow): TypeOf<typeof FAMILY> {
  return {
    family_id: family.familyId,
    person: shortDigest(family.accepted.sub),
    acr: family.accepted.level,
    scope: family.scope,
    created_at: isoTime(family.createdAt),
    last_used_at: isoTime(family.lastUsedAt),
    expires_at: isoTime(family.expiresAt),
  };
}
