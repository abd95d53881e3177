import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { opened } from '../../support/opened.ts';
import { portOf } from '../../support/refresh/draft.ts';
import { readCredential } from '../../support/refresh/reader.ts';
import { RawClient, type RawResponse, requestText } from '../../support/server/raw-client.ts';
import { PLANTED_REFUSALS, type PlantedRefusal } from '../support/planted-refusals.ts';
import { IMPORTED, KEPT, openSecretsWorld, type Planted } from '../support/secrets-world.ts';
import { columnsHolding } from '../support/stored-columns.ts';

const NOTHING = { log: [], metrics: [], store: [] };

/** Runs the service in a separate process with log level trace, so that all its output is searched. */
describe('secrets of refreshes', { timeout: 240_000 }, () => {
  const seed = randomBytes(32);

  const world = opened(
    () =>
      openSecretsWorld({
        PROOFGATE_REFRESH_SIGNING_SEED: seed.toString('hex'),
        PROOFGATE_RATE_LIMITS_REFRESH_PER_ID_COMM: '1',
        PROOFGATE_RATE_LIMITS_REFRESH_PROOF_ATTEMPTS_PER_MINUTE: '1',
      }),
    'end',
  );
  beforeAll(async () => {
    for (const traces of [world.everything, world.unstored]) traces.note('signing seed', seed);
  });

  /** Makes a second request of a holder who has a credential; with `isBound`, for another sub. */
  async function plantAfterCredential(isBound: boolean): Promise<Planted> {
    const first = await world.plant({ custody: 'none' }, Object.keys(KEPT));
    await world.enrol(first);
    expect((await world.send(first.finish(first.draft))).status).toBe(200);
    const { holder, custody } = first;
    if (!isBound) return await world.plant({ holder, custody }, [...IMPORTED, 'sub']);
    const toPast = world.database.prepare('update issued_credentials set issued_at = 0 where id_comm = ?');
    toPast.run([Buffer.from(holder.idComm)]);
    const other = { idComm: holder.idComm, sub: randomBytes(32).fill(1, 0, 1) };
    return await world.plant({ holder: other, custody }, IMPORTED);
  }

  /** Brings the holder into the state that a refusal needs, and returns the request. */
  async function prepare(refusal: PlantedRefusal): Promise<Planted> {
    const { standing = 'enrolled', isFalse = false, plantsReason = false } = refusal;
    if (standing === 'full' || standing === 'bound to another') {
      return await plantAfterCredential(standing === 'bound to another');
    }
    const planted = await world.plant(
      { isFalse, plantsReason },
      standing === 'unknown' ? ['address'] : IMPORTED,
    );
    await world.enrol(planted, standing);
    return planted;
  }

  it('are stored in their columns only, for an issued credential', async () => {
    const planted = await world.plant({}, Object.keys(KEPT));
    await world.enrol(planted);
    const answer = await world.send(planted.finish(planted.draft));
    expect([answer.status, planted.own.in(JSON.stringify(answer.headers))]).toEqual([200, []]);
    const { credential = '' } = JSON.parse(answer.body.toString()) as { credential?: string };
    world.everything.note('credential', Buffer.from(credential, 'base64').subarray(0, 64));
    world.everything.note('signature', Buffer.from(readCredential(credential).signature, 'hex'));
    const kinds = [...new Set(planted.values.map(([kind]) => kind))].sort();
    const all = ['proof', 'header', 'share', 'salt of timestamp', 'manifest', 'orb signature', 'boundary'];
    expect(kinds).toEqual(expect.arrayContaining([...all, ...Object.keys(KEPT)]));
    expect(columnsHolding(world.database, planted.own)).toEqual(KEPT);
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('would be found in query, header and manifest, and in many encodings', async () => {
    const { draft, own, custody, holder } = await world.plant({}, []);
    const kindsIn = (bytes: Uint8Array | string): string[] => [
      ...new Set(own.in(bytes).map((name) => name.slice(0, name.indexOf(' (')))),
    ];
    expect(kindsIn(draft.query)).toEqual(['idComm', 'parameter']);
    const inHeader = ['header', 'idComm', 'member', 'nullifierHash', 'proof', 'sub'];
    expect(kindsIn(draft.headers['x-zkp-proof'] ?? '')).toEqual(inHeader);
    expect(kindsIn(custody.manifest)).toEqual(['manifest']);
    const hex = Buffer.from(holder.sub).toString('hex');
    const encodings = [
      hex,
      hex.toUpperCase(),
      hex.slice(30),
      hex.replace(/../g, '$& '),
      BigInt(`0x${hex}`).toString(),
      JSON.stringify(holder.sub),
      Buffer.from(holder.sub).toJSON().data.join(', '),
      holder.sub,
      Buffer.from(hex, 'utf16le'),
      Buffer.from(`a${hex}`).toString('base64url'),
    ];
    for (const text of encodings) expect({ text, kinds: kindsIn(text) }).toEqual({ text, kinds: ['sub'] });
  });

  it.each(PLANTED_REFUSALS)('are not in the answer to a refused request: $name', async (refusal) => {
    const planted = await prepare(refusal);
    const answer = await world.send(planted.finish(refusal.change?.(planted) ?? planted.draft));
    const { error } = JSON.parse(answer.body.toString()) as { error?: string };
    expect(`${answer.status} ${error}`).toBe(refusal.answer);
    expect(planted.own.in(wholeText(answer))).toEqual([]);
  });

  it('of refused requests are not in log, metrics or store', async () => {
    const output = world.server.output();
    for (const code of [
      'media_type',
      'proof_invalid',
      'limited',
      'no_enrolment',
      'sub_mismatch',
      'package_invalid',
    ]) {
      expect(output).toContain(`"code":"refresh.${code}"`);
    }
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('are not in answers, log, metrics or store for requests that never become a refresh', async () => {
    const planted = await world.plant({}, []);
    const text = (): string => planted.plant('request');
    const { draft } = planted;
    const requests = [
      `GET /api/v1/refresh?${draft.query}`,
      `PUT /api/v1/refresh?${draft.query}`,
      `HEAD /api/v1/refresh?${text()}`,
      `OPTIONS /api/v1/refresh?${text()}`,
      `POST /api/v1/refresh/${text()}?${text()}`,
      `GET /api/v1/${text()}`,
      `GET /api/v1/challenge?${text()}=${text()}`,
      `POST /api/v1/issuer-keys?${text()}`,
      `GET /api/v1/issuer-keys?${text()}`,
    ].map((line) => [line, `x-zkp-proof: ${text()}`, `Origin: https://${text()}`, 'Content-Length: 0']);
    requests.push(['POST /api/v1/refresh', `x-zkp-proof: ${text().padEnd(40_000, 'x')}`]);
    requests.push(['POST /api/v1/refresh', `${text()}: ${text()}`, 'Content-Length: 0']);
    requests.push([
      'POST /api/v1/refresh',
      'Content-Type: multipart/form-data; boundary=b',
      'Transfer-Encoding: chunked',
      '',
      `e\r\n${text()}\r\n0\r\n\r\n`,
    ]);
    planted.finish(draft);
    for (const [line = '', ...headers] of requests) {
      const client = await RawClient.open(portOf(world.server.publicUrl));
      client.send(requestText(line, ['Connection: close', ...headers]));
      const said = await client.closed();
      expect({ line, leaks: planted.own.in(said), isFault: /^HTTP\/1.1 500/.test(said) }).toEqual({
        line,
        leaks: [],
        isFault: false,
      });
    }
    expect(await world.leaks()).toEqual(NOTHING);
  });

  it('are not in answers, log, metrics or store when attempts are exhausted or refresh is disabled', async () => {
    const planted = await world.plant({}, Object.keys(KEPT));
    await world.enrol(planted);
    const draft = planted.finish(planted.draft);
    const answers = [await world.send(draft), await world.send(draft), await world.send(draft)];
    await world.store.refreshGuards.switch(false, Date.now());
    answers.push(await world.send(draft));
    await world.store.refreshGuards.switch(true, Date.now());
    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429, 503]);
    expect(answers.slice(1).flatMap((answer) => planted.own.in(wholeText(answer)))).toEqual([]);
    expect(await world.leaks()).toEqual(NOTHING);
  });
});

function wholeText(answer: RawResponse): string {
  return `${JSON.stringify(answer.headers)}\n${answer.body}`;
}
