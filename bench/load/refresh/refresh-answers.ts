import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { toHex } from '../../../src/semaphore/hex.ts';
import { isSignedPlainly, plainClaim, readCredential } from '../../../test/support/refresh/reader.ts';
import { type Answer, openConnection } from '../http/http-connection.ts';
import { type BenchHolder, benchHolder, benchPackage, ISSUED_PER_HOLDER } from './refresh-holders.ts';
import {
  headerMaker,
  type RefreshDraft,
  type RefreshKind,
  refreshDraft,
  writeRefresh,
} from './refresh-requests.ts';

interface Body {
  readonly success: boolean;
  readonly error?: string;
  readonly credential?: string;
}

/** Number of holders that `askRefresh` uses; all but the last must be enrolled. */
export const QUESTION_HOLDERS = 4;

/**
 * Checks the answer to a first refresh in plain JavaScript: the credential has the holder's sub and the
 * expected claim, and is signed by the key it names.
 *
 * @throws Error naming what is wrong
 */
export function assertCredential({ status, body }: Answer, holder: BenchHolder, kind: RefreshKind): void {
  const { success, credential } = JSON.parse(body) as Body;
  if (status !== 200 || !success) throw new Error(`expected a credential, got ${status} ${body}`);
  const read = readCredential(credential);
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(read.genesisIssuedAt);
  const claimed =
    kind === 'with' ? benchPackage(holder).manifest : Buffer.concat([holder.idComm, holder.sub, time]);
  if (read.sub !== toHex(holder.sub)) throw new Error('the credential has another sub');
  if (read.claims[0] !== plainClaim(claimed)) throw new Error('the credential has another claim');
  if (!isSignedPlainly(read)) throw new Error('the signature of the credential is invalid');
}

function refusal({ status, body }: Answer): string {
  return `${status} ${(JSON.parse(body) as Body).error}`;
}

function changedShare(draft: RefreshDraft): RefreshDraft {
  const share = Buffer.from(String(draft.parts.iris_code_shares_2));
  const at = share.length >> 1;
  share[at] = share[at] === 65 ? 66 : 65;
  return { ...draft, parts: { ...draft.parts, iris_code_shares_2: share } };
}

/**
 * Checks the behaviour of a service that every run relies on: it issues valid credentials and refuses invalid
 * requests.
 *
 * @param first - Number of the first of `QUESTION_HOLDERS` holders.
 * @throws Error with the expected and the actual answers
 */
export async function askRefresh(port: number, first: number): Promise<void> {
  const header = await headerMaker(first);
  const [plain, custody, unbound, unknown] = Array.from({ length: QUESTION_HOLDERS }, (_, offset) =>
    benchHolder(first + offset),
  ) as [BenchHolder, BenchHolder, BenchHolder, BenchHolder];
  const connection = await openConnection('127.0.0.1', port);
  const send = (draft: RefreshDraft): Promise<Answer> => connection.send(writeRefresh(draft));
  try {
    assertCredential(await send(refreshDraft(plain, 'without', header)), plain, 'without');
    assertCredential(await send(refreshDraft(custody, 'with', header)), custody, 'with');
    for (let more = 1; more < ISSUED_PER_HOLDER; more += 1) {
      const { status } = await send(refreshDraft(plain, 'without', header));
      if (status !== 200) throw new Error(`refresh: repeat ${more} was answered ${status}`);
    }
    const full = await send(refreshDraft(plain, 'without', header));
    const other = { ...custody, sub: createHash('sha256').update('another').digest().fill(0, 0, 1) };
    const wrong = refreshDraft(unbound, 'without', header);
    const actual = {
      full: refusal(full),
      otherSub: refusal(await send(refreshDraft(other, 'without', header))),
      changedShare: refusal(await send(changedShare(refreshDraft(unbound, 'with', header)))),
      proofOfAnother: refusal(await send({ ...wrong, holder: custody })),
      falseProof: refusal(await send({ ...wrong, proofHeader: falseHeader(wrong, header) })),
      notEnrolled: refusal(await send(refreshDraft(unknown, 'without', header))),
    };
    const expected = {
      full: '429 RATE_LIMIT_EXCEEDED',
      otherSub: '400 SUB_MISMATCH',
      changedShare: '400 PCP_VALIDATION_FAILED',
      proofOfAnother: '401 INVALID_PROOF',
      falseProof: '401 INVALID_PROOF',
      notEnrolled: '404 NO_SIGNUP_RECORD',
    };
    if (!isDeepStrictEqual(actual, expected))
      throw new Error(`refresh: expected ${JSON.stringify(expected)}, got ${JSON.stringify(actual)}`);
  } finally {
    connection.close();
  }
}

/** Makes the header of a request with the proof of another statement: well-formed, but false. */
function falseHeader({ holder, proofHeader }: RefreshDraft, header: HeaderOf): string {
  const decode = (text: string): Record<string, string> =>
    JSON.parse(Buffer.from(text, 'base64').toString()) as Record<string, string>;
  const { proof } = decode(header(holder));
  return Buffer.from(JSON.stringify({ ...decode(proofHeader), proof })).toString('base64');
}

type HeaderOf = Awaited<ReturnType<typeof headerMaker>>;
