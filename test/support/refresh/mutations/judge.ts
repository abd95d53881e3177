import { createHash } from 'node:crypto';
import type { Engine } from '../../../../src/engine/index.ts';
import {
  claimOfPackage,
  claimOfRefresh,
  parseCredential,
  verifyCredential,
} from '../../../../src/refresh/credential/index.ts';
import { headerOf, type RawResponse } from '../../server/raw-client.ts';
import type { MutatedRequest } from '../mutate-refresh.ts';
import { VECTOR_HOLDER } from '../vectors.ts';
import type { Outcome } from './mutation.ts';

/** Seconds of a credential's validity, given to the service as `PT…S` so that an end tells when it was issued. */
export const VALIDITY_SECONDS = 94_608_000;
const FORMS: Readonly<Record<string, readonly string[]>> = {
  200: ['success', 'credential', 'message'],
  error: ['success', 'error', 'message'],
};
/** Headers that a status has beside those of every answer. */
const OWN_HEADERS: Readonly<Record<number, readonly [name: string, value: string]>> = {
  401: ['www-authenticate', 'ZkpProof realm="refresh"'],
  405: ['allow', 'POST'],
};

/** What is wrong with an answer, and what it was. */
export interface Judgement {
  readonly outcome: Outcome | string;
  /** Undefined for an answer that the request may have. */
  readonly fault: string | undefined;
}

/** Judges the answers to changed requests. */
export interface Judge {
  judge(request: MutatedRequest, answer: RawResponse | 'end' | 'late'): Promise<Judgement>;
}

/** A judge that verifies credentials with an engine of its own. */
export function createJudge(engine: Engine): Judge {
  const claims = new Map<string, Promise<Uint8Array>>();

  function claimOf(manifest: Uint8Array): Promise<Uint8Array> {
    const key = createHash('sha256').update(manifest).digest('hex');
    const known = claims.get(key) ?? claimOfPackage(engine, manifest);
    claims.set(key, known);
    return known;
  }

  async function credentialFault(request: MutatedRequest, text: string): Promise<string | undefined> {
    const credential = parseCredential(text);
    const { fields } = credential;
    if (!(await verifyCredential(engine, credential)).isSigned) return 'its signature does not hold';
    if (Buffer.compare(fields.sub, VECTOR_HOLDER.sub) !== 0) return 'its sub is another';
    const claim = fields.claims[0] ?? new Uint8Array();
    const issuedAt = Number(fields.expiresAt) - VALIDITY_SECONDS;
    const ofRefresh = await claimOfRefresh(engine, VECTOR_HOLDER, issuedAt);
    const ofPackage = request.manifest && (await claimOf(request.manifest));
    const isOfPackage = ofPackage !== undefined && Buffer.compare(claim, ofPackage) === 0;
    const isOfRefresh = Buffer.compare(claim, ofRefresh) === 0;
    // a change that may be refused may take away the package; one that keeps the meaning may not
    const isRight = request.isSame
      ? ofPackage === undefined
        ? isOfRefresh
        : isOfPackage
      : isOfPackage || isOfRefresh;
    return isRight ? undefined : 'claims[0] is another';
  }

  async function answerFault(request: MutatedRequest, answer: RawResponse): Promise<string | undefined> {
    const body = JSON.parse(answer.body.toString()) as Readonly<Record<string, unknown>>;
    const isIssued = answer.status === 200;
    const form = FORMS[isIssued ? 200 : 'error'] ?? [];
    if (Object.keys(body).join() !== form.join()) return `members ${Object.keys(body).join()}`;
    if (body.success !== isIssued) return 'another success';
    // a value of a request is longer than what a message has between two spaces
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
      if (!request.outcomes.has(outcome as Outcome)) return { outcome, fault: 'not one that it may have' };
      const isAnswer = typeof answer !== 'string' && !outcome.startsWith('page');
      if (!isAnswer) return { outcome, fault: undefined };
      // a text that cannot be read is a fault as any other, with the number of its request
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
