import { describe, expect, it } from 'vitest';
import { requestOf } from '../../src/operations/request.ts';

describe('the request of a call', () => {
  it('leaves out empty parameters of the query', () => {
    const given = { search: 'a&b', cursor: undefined, actor: '', limit: 50 };
    expect(requestOf('GET /apps', given)).toEqual({
      method: 'GET',
      target: '/apps?search=a%26b&limit=50',
      body: undefined,
    });
    expect(requestOf('GET /apps', { search: '' }).target).toBe('/apps');
  });

  it('has members in the path, the others of a change in the body, and the others of a removal in the query', () => {
    expect(requestOf('PATCH /apps/{app_id}', { app_id: 'a/b', name: '' })).toEqual({
      method: 'PATCH',
      target: '/apps/a%2Fb',
      body: { name: '' },
    });
    expect(requestOf('DELETE /keys/{kid}', { kid: 'k', use: 'signin' })).toEqual({
      method: 'DELETE',
      target: '/keys/k?use=signin',
      body: undefined,
    });
  });

  it('has an empty body if nothing is given, and none if the path names everything', () => {
    expect(requestOf('POST /sweep', {}).body).toEqual({});
    expect(requestOf('POST /webhooks/events/{id}/resend', { id: 'e' }).body).toBeUndefined();
  });
});
