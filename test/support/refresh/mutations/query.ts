import { R } from '../../crypto/bn254.ts';
import { REFRESH_VECTORS } from '../vectors.ts';
import { becomes, type Mutation, same } from './mutation.ts';
import { pick, type RequestParts } from './request-parts.ts';

const withQuery = (request: RequestParts, query: string): RequestParts => ({ ...request, query });
const ID_COMM = REFRESH_VECTORS.x_zkp_proof_header.query_id_comm.slice(2);

/** Mutations of the query. */
export const QUERY_MUTATIONS: readonly Mutation[] = [
  same('idComm in upper case', (request) => withQuery(request, `idComm=0x${ID_COMM.toUpperCase()}`)),
  same('idComm with leading zeros', (request, draw) => {
    const digits = ID_COMM;
    return withQuery(request, `idComm=0x${'0'.repeat(draw(65 - digits.length))}${digits}`);
  }),
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
  becomes('400 INVALID_ID_COMM', 'no idComm', (request, draw) =>
    withQuery(
      request,
      pick(
        [
          '',
          'a=b',
          'idcomm=0x1',
          'ID_COMM=0x1',
          'idComm[]=0x1',
          'sub=0x1',
          '%2569dComm=0x1',
          'idComm%00=0x1',
        ],
        draw,
      ),
    ),
  ),
  becomes('400 INVALID_ID_COMM', 'a repeated idComm', (request, draw) => {
    const value = `0x${ID_COMM}`;
    const second = pick([`idComm=${value}`, 'idComm=', 'idComm', 'idComm=0x1', `%69dComm=${value}`], draw);
    return withQuery(request, pick([`idComm=${value}&${second}`, `${second}&idComm=${value}`], draw));
  }),
  becomes('400 INVALID_ID_COMM', 'a malformed idComm', (request, draw) => {
    const digits = ID_COMM;
    const texts = [
      '',
      '0x',
      digits,
      `0X${digits}`,
      `0x${digits.padStart(65, '0')}`,
      `0x${digits}g`,
      `0x-${digits}`,
      `-0x${digits}`,
      `+0x${digits}`,
      `0x${digits}+`,
      `0x${digits}%20`,
      `%200x${digits}`,
      `0x${digits}%00`,
      `0x${digits}%`,
      `0x${digits}%f`,
      `0x${digits}%ff`,
      `0x${digits}%2530`,
      `0x${digits}%c0%b0`,
      `0x${digits}%EF%BC%91`,
      `"0x${digits}"`,
      `0x${digits}.0`,
      '0x0',
      `0x${'0'.repeat(64)}`,
      `0x${R.toString(16)}`,
      `0x${(R + BigInt(`0x${digits}`)).toString(16)}`,
      `0x${'f'.repeat(64)}`,
      `0x${'1'.repeat(5000)}`,
      '1',
      'null',
    ];
    return withQuery(request, `idComm=${pick(texts, draw)}`);
  }),
  becomes('401 INVALID_PROOF', 'the idComm of another holder', (request, draw) =>
    withQuery(request, `idComm=0x${(1 + draw(0xffff_ffff)).toString(16)}`),
  ),
  becomes('401 INVALID_PROOF', 'idComm without its last digit', (request) =>
    withQuery(request, `idComm=0x${ID_COMM.slice(0, -1)}`),
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
