import { findApp } from '../../apps/index.ts';
import type { JsonSchema } from '../../json.ts';
import { endRefreshFamily, liveFamilies } from '../../oidc/refresh-tokens.ts';
import { refreshFamilyJson } from '../forms/index.ts';
import type { Operation } from '../operation.ts';
import { PAGE_QUERY, pageOf, pageSchema, readPage } from './page.ts';
import { APP_PARAMS, COUNT, EXAMPLE_APP_ID, objectSchema, TIME } from './schemas.ts';

const TAG = 'Apps';
const FAMILY_ID: JsonSchema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
};
const FAMILY: JsonSchema = objectSchema({
  family_id: FAMILY_ID,
  person: {
    ...{ type: 'string', pattern: '^[0-9a-f]{8}$' },
    description: 'First digits of the SHA-256 of the sub: tells the families of one person.',
  },
  ...{ acr: { type: 'string', enum: ['orb', 'device'] }, scope: { type: 'string' }, created_at: TIME },
  last_used_at: { ...TIME, description: 'When the token in force was issued.' },
  expires_at: TIME,
});

/** Operations of refresh tokens. A family is the token that came with a code and those that replaced it. */
export const REFRESH_TOKEN_OPERATIONS: readonly Operation[] = [
  {
    ...{ id: 'listRefreshTokens', method: 'GET', path: '/apps/{app_id}/refresh-tokens', scope: 'read' },
    tag: TAG,
    summary: 'Lists the families of refresh tokens of an app, the latest first.',
    params: APP_PARAMS,
    query: PAGE_QUERY,
    response: { status: 200, description: 'A page of families.', schema: pageSchema(FAMILY) },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run({ appsOf, config, now }, request) {
      const { params, store } = request;
      const { limit, after } = readPage(request, ['number', 'string']);
      const { appId } = await findApp(appsOf(store), params.app_id ?? '');
      const place = after && { createdAt: Number(after[0]), familyId: String(after[1]) };
      const rows = await liveFamilies(store.refreshTokens, config).page(appId, limit + 1, now(), place);
      return pageOf(rows, limit, refreshFamilyJson, ({ createdAt, familyId }) => [createdAt, familyId]);
    },
  },
  {
    ...{ id: 'revokeRefreshTokens', method: 'DELETE', path: '/apps/{app_id}/refresh-tokens', scope: 'write' },
    tag: TAG,
    summary: 'Ends all families of refresh tokens of an app, with their access tokens.',
    params: APP_PARAMS,
    response: {
      status: 200,
      description: 'How many families have ended.',
      schema: objectSchema({ revoked: COUNT }),
    },
    errors: ['app.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID } },
    async run({ appsOf }, { params, store }) {
      const { appId } = await findApp(appsOf(store), params.app_id ?? '');
      return { status: 200, body: { revoked: await store.refreshTokens.endByOperator(appId) } };
    },
  },
  {
    id: 'revokeRefreshToken',
    ...{ method: 'DELETE', path: '/apps/{app_id}/refresh-tokens/{family_id}', scope: 'write', tag: TAG },
    summary: 'Ends a family of refresh tokens, with its access tokens.',
    params: { ...APP_PARAMS, family_id: FAMILY_ID },
    response: { status: 204, description: 'The family has ended.' },
    errors: ['app.unknown', 'refresh_token.unknown'],
    example: { params: { app_id: EXAMPLE_APP_ID, family_id: '00000000-0000-4000-8000-000000000000' } },
    async run({ appsOf }, { params, store }) {
      const { appId } = await findApp(appsOf(store), params.app_id ?? '');
      await endRefreshFamily(store.refreshTokens, appId, params.family_id ?? '');
      return { status: 204 };
    },
  },
];
