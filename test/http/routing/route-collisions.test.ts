import { describe, expect, it } from 'vitest';
import type { Route } from '../../../src/http/exchange/exchange-types.ts';
import { routeCollisions } from '../../../src/http/routing/route-collisions.ts';

const group = (setting: string, ...paths: string[]) => ({
  setting,
  routes: paths.map((path): Route => ({ method: 'GET', path, bodyLimitBytes: 0, renderError, handler })),
});
const renderError: Route['renderError'] = () => ({ status: 500 });
const handler: Route['handler'] = () => ({ status: 200 });

describe('routes of two public addresses', () => {
  it.each([
    ['the same path', '/api/keys', '/api/keys'],
    ['a parameter that the path fills', '/api/:name', '/api/keys'],
    ['a path that fills the parameter', '/api/keys', '/api/:name'],
    ['two parameters', '/api/:name', '/api/:id'],
    ['parameters in different places', '/:area/keys', '/api/:name'],
  ])('collide on %s', (_name, one, other) => {
    expect(routeCollisions([group('baseUrl', '/', one), group('verifyUrl', '/health', other)])).toEqual([
      { settings: ['baseUrl', 'verifyUrl'], patterns: [one, other] },
    ]);
  });

  it.each([
    ['differ in a word', '/api/keys', '/api/apps'],
    ['differ in case', '/api/keys', '/api/Keys'],
    ['differ in length', '/api/:name', '/api/keys/1'],
    ['would need an empty parameter', '/api/:name', '/api/'],
  ])('do not collide if they %s', (_name, one, other) => {
    expect(routeCollisions([group('baseUrl', one), group('verifyUrl', other)])).toEqual([]);
  });

  it('are compared for each pair of addresses, and one address may have overlapping patterns', () => {
    const groups = [group('baseUrl', '/a', '/:x'), group('issuerUrl', '/b'), group('verifyUrl', '/b', '/a')];
    expect(routeCollisions(groups)).toEqual([
      { settings: ['baseUrl', 'issuerUrl'], patterns: ['/:x', '/b'] },
      { settings: ['baseUrl', 'verifyUrl'], patterns: ['/a', '/a'] },
      { settings: ['issuerUrl', 'verifyUrl'], patterns: ['/b', '/b'] },
    ]);
  });
});
