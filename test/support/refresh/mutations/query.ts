import { R } from '../../crypto/bn254.ts';
import { REFRESH_VECTORS } from '../vectors.ts';
import { becomes, becomesWithOne, type Mutation, same } from './mutation.ts';
import { pick, type RequestParts } from './request-parts.ts';

const withQuery = (request: RequestParts, query: string): RequestParts => ({ ...request, query });
const withIdComm = (request: RequestParts, text: string): RequestParts =>
  withQuery(request, `idComm=${text}`);
const ID_COMM = REFRESH_VECTORS.x_zkp_proof_header.query_id_comm.slice(2);

/** Mutations of the query. */
export const QUERY_MUTATIONS: readonly Mutation[] = [
  same('idComm in upper case', (request) => withIdComm(request, `0x${ID_COMM.toUpperCase()}`)),
  same('idComm with leading zeros', (request, draw) =>
    withQuery(request, `idComm=0x${'0'.repeat(draw(65 - ID_COMM.length))}${ID_COMM}`),
  ),
  same('percent escapes', (request, draw) => {
    const escaped = [...`0x${ID_COMM}`].map((c) =>
      draw(2) ? c : `%${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
    );
    return withQuery(request, `${pick(['idComm', '%69dComm', 'id%43omm'], draw)}=${escaped.join('')}`);
  }),
  same('other parameters', (request, draw) => {
    const others = [
      'a=b',
      'idcomm=0x1',
      'IDCOMM=0x1',
      'idComm[]=0x1',
      'sub=0x1',
      '%zz=%',
      '=',
      '',
      'x=%ff%00',
    ];
    return withQuery(request, `${pick(others, draw)}&idComm=0x${ID_COMM}&${pick(others, draw)}`);
  }),
  becomesWithOne('400 INVALID_ID_COMM', 'no idComm', withQuery, [
    '',
    'a=b',
    'idcomm=0x1',
    'ID_COMM=0x1',
    'idComm[]=0x1',
    'sub=0x1',
    '%2569dComm=0x1',
    'idComm%00=0x1',
  ]),
  becomes('400 INVALID_ID_COMM', 'a repeated idComm', (request, draw) => {
    const value = `0x${ID_COMM}`;
    const second = pick([`idComm=${value}`, 'idComm=', 'idComm', 'idComm=0x1', `%69dComm=${value}`], draw);
    return withQuery(request, pick([`idComm=${value}&${second}`, `${second}&idComm=${value}`], draw));
  }),
  becomesWithOne('400 INVALID_ID_COMM', 'a malformed idComm', withIdComm, [
    '',
    '0x',
    ID_COMM,
    `0X${ID_COMM}`,
    `0x${ID_COMM.padStart(65, '0')}`,
    `0x${ID_COMM}g`,
    `0x-${ID_COMM}`,
    `-0x${ID_COMM}`,
    `+0x${ID_COMM}`,
    `0x${ID_COMM}+`,
    `0x${ID_COMM}%20`,
    `%200x${ID_COMM}`,
    `0x${ID_COMM}%00`,
    `0x${ID_COMM}%`,
    `0x${ID_COMM}%f`,
    `0x${ID_COMM}%ff`,
    `0x${ID_COMM}%2530`,
    `0x${ID_COMM}%c0%b0`,
    `0x${ID_COMM}%EF%BC%91`,
    `"0x${ID_COMM}"`,
    `0x${ID_COMM}.0`,
    '0x0',
    `0x${'0'.repeat(64)}`,
    `0x${R.toString(16)}`,
    `0x${(R + BigInt(`0x${ID_COMM}`)).toString(16)}`,
    `0x${'f'.repeat(64)}`,
    `0x${'1'.repeat(5000)}`,
    '1',
    'null',
  ]),
  becomes('401 INVALID_PROOF', 'the idComm of another holder', (request, draw) =>
    withIdComm(request, `0x${(1 + draw(0xffff_ffff)).toString(16)}`),
  ),
  becomes('401 INVALID_PROOF', 'idComm without its last digit', (request) =>
    withIdComm(request, `0x${ID_COMM.slice(0, -1)}`),
  ),
  becomes(
    ['200', '400 INVALID_ID_COMM', '401 INVALID_PROOF'],
    'a changed character of the query',
    (request, draw) => {
      const at = draw(request.query.length);
      // without characters that end the target or begin a fragment, which would change the request line
      const character = pick([...'0123456789abcdefABCDEFxX&=%+;,-_.~!$\'()*/:@?"<>[]^`{|}'], draw);
      return withQuery(request, request.query.slice(0, at) + character + request.query.slice(at + 1));
    },
  ),
  becomes(['200', '400 INVALID_ID_COMM'], '35 kB of other parameters', (request, draw) =>
    withQuery(request, `${'a=%41&'.repeat(6000)}${pick(['', 'idComm=0x1&'], draw)}idComm=0x${ID_COMM}`),
  ),
];
