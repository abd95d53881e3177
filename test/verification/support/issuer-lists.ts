import { parseIssuerList } from '../../../src/config/values/issuer-list.ts';
import type { IssuerLists } from '../../../src/verification/request/request-types.ts';
import type { RequestRules4 } from '../../../src/verification/worldid4/parse-request4.ts';

/** The default lists, and the issuer of Self Check. */
export const ISSUERS: IssuerLists = {
  production: parseIssuerList(['1:proof_of_human', '9303:passport|epassport', '11:self_check']),
  staging: parseIssuerList(['1:proof_of_human', '128:proof_of_human', '18446744073709551615:last']),
};

/** Everything that a service can accept of World ID 4.0. */
export const RULES4: RequestRules4 = { issuers: ISSUERS, boundSessions: true };
