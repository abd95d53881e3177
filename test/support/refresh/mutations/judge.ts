import { createHash } from 'node:crypto';
import { claimOfPackage, claimOfRefresh } from '../../../../src/credential/credential.ts';
import { verifyCredential } from '../../../../src/credential/hash.ts';
import { parseCredential } from '../../../../src/credential/parse.ts';
import type { Engine } from '../../../../src/engine/engine.ts';
import { headerOf, type RawResponse } from '../../server/raw-client.ts';
import type { MutatedRequest } from '../mutate-refresh.ts';
import { VECTOR_HOLDER } from '../vectors.ts';
import type { Outcome } from './mutation.ts';

/** Validity of a credential in seconds, configured as `PT…S` so that the expiry reveals the time of issue. */
export const VALIDITY_SECONDS = 94_608_000;
const FORMS: Readonly<Record<string, readonly string[]>> = {
  200: ['success', 'credential', 'message'],
  error: ['success', 'error', 'message'],
};
/** Headers of a status in addition to those of every answer. */
const OWN_HEADERS: Readonly<Record<number, readonly [name: string, value: string]>> = {
  401: ['www-authenticate', 'ZkpProof realm="refresh"'],
  405: ['allow', 'POST'],
};

/** Outcome of an answer and its fault. */
export interface Judgement {
  readonly outcome: Outcome | string;
  /** Undefined for an allowed answer. */
  readonly fault: string | undefined;
}

/** Judges the answers to mutated requests. */
export interface Judge {
  judge(request: MutatedRequest, answer: RawResponse | 'end' | 'late'): Promise<Judgement>;
}

/** Creates a judge that verifies credentials with the given engine. */
export function createJudge(engine: Engine): Judge {
  const claims = new Map<string, Promise<Uint8Array>>();

  function claimOf(manifest: Uint8Array): Promise<Uint8Array> {
    const key = createHash('sha256').update(manifest).digest('hex');
    const claim = claims.get(key) ?? claimOfPackage(engine, manifest);
    claims.set(key, claim);
    return claim;
  }

  async function credentialFault(request: MutatedRequest, text: string): Promise<string | undefined> {
    const credential = parseCredential(text);
    const { fields } = credential;
    if (!(await verifyCredential(engine, credential)).isSigned) return 'its signature is invalid';
    if (Buffer.compare(fields.sub, VECTOR_HOLDER.sub) !== 0) return 'its sub differs';
    const claim = fields.claims[0] ?? new Uint8Array();
    const issuedAt = Number(fields.expiresAt) - VALIDITY_SECONDS;
    const ofRefresh = await claimOfRefresh(engine, VECTOR_HOLDER, issuedAt);
    const ofPackage = request.manifest && (await claimOf(request.manifest));
    const isOfPackage = ofPackage !== undefined && Buffer.compare(claim, ofPackage) === 0;
    const isOfRefresh = Buffer.compare(claim, ofRefresh) === 0;
    // a mutation that may be refused can remove the package; one that preserves the meaning cannot
    const isRight = request.isSame
      ? ofPackage === undefined
        ? isOfRefresh
        : isOfPackage
      : isOfPackage || isOfRefresh;
    return isRight ? undefined : 'claims[0] differs';
  }

  async function answerFault(request: MutatedRequest, answer: RawResponse): Promise<string | undefined> {
    const body = JSON.parse(answer.body.toString()) as Readonly<Record<string, unknown>>;
    const isIssued = answer.status === 200;
    const form = FORMS[isIssued ? 200 : 'error'] ?? [];
    if (Object.keys(body).join() !== form.join()) return `members ${Object.keys(body).join()}`;
    if (body.success !== isIssued) return 'wrong value of success';
    // values of requests are longer than any word of a message
    if (
      typeof body.message !== 'string' ||
      !/^[ -~]{1,200}$/.test(body.message) ||
      /[0-9a-zA-Z+/=]{33}/.test(body.message)
    )
      return 'a message that may repeat a value';
    const headers: (readonly [string, string])[] = [
      ['content-type', 'application/json'],
      ['cache-control', 'no-store'],
    ];
    const own = OWN_HEADERS[answer.status];
    if (own !== undefined) headers.push(own);
    for (const [name, value] of headers) {
      if (headerOf(answer, name) !== value) return `${name}: ${headerOf(answer, name)}`;
    }
    if (headerOf(answer, 'x-request-id') === undefined) return 'no X-Request-Id';
    return isIssued ? await credentialFault(request, String(body.credential)) : undefined;
  }

  return {
    async judge(request, answer) {
      const outcome = outcomeOf(answer);
      if (!request.outcomes.has(outcome as Outcome)) return { outcome, fault: 'not an allowed outcome' };
      const isAnswer = typeof answer !== 'string' && !outcome.startsWith('page');
      if (!isAnswer) return { outcome, fault: undefined };
      // an unreadable answer is a fault like any other, reported with the number of its request
      const fault = await answerFault(request, answer).catch((error: unknown) => String(error));
      return { outcome, fault };
    },
  };
}

function outcomeOf(answer: RawResponse | 'end' | 'late'): string {
  if (typeof answer === 'string') return answer;
  const text = answer.body.toString();
  if (!text.startsWith('{')) return `page ${answer.status}`;
  if (answer.status === 200) return '200';
  const { error } = JSON.parse(text) as { readonly error?: string };
  return `${answer.status} ${error ?? 'without error'}`;
}
