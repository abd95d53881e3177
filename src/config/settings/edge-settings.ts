import type { Setting } from './setting.ts';
import { flag } from './setting-rows.ts';

/** TLS in the process, the proxies in front of it (spec/operations.md#proxy-and-tls), and the one behind it. */
export const EDGE_SETTINGS = [
  {
    type: 'text',
    key: 'tls.certFile',
    default: undefined,
    pattern: '^[^\\u0000]{1,4096}$',
    expected: 'a path',
    sentence:
      'Certificate chain (PEM): with `tls.keyFile` the public listener speaks TLS, and the admin listener too unless `admin.host` is loopback. Read again when the files change, and at SIGHUP.',
  },
  {
    type: 'text',
    key: 'tls.keyFile',
    default: undefined,
    pattern: '^[^\\u0000]{1,4096}$',
    expected: 'a path',
    sentence: 'Private key (PEM) of `tls.certFile`.',
  },
  {
    type: 'list',
    key: 'proxy.trusted',
    default: [],
    maxItems: 64,
    pattern: '^[0-9A-Fa-f.:]{2,45}(/[0-9]{1,3})?$',
    expected: 'IP addresses or CIDR blocks, separated by commas',
    sentence: 'Addresses of proxies that are trusted to name the client.',
  },
  {
    type: 'choice',
    key: 'proxy.header',
    choices: ['none', 'forwarded', 'x-forwarded-for'],
    default: 'none',
    sentence: 'The one header in which a trusted proxy names the client.',
  },
  flag(
    'proxy.protocolV2',
    false,
    'Connections from `proxy.trusted` may start with a PROXY protocol version 2 header, which names the client; such a connection serves one request.',
  ),
  {
    type: 'text',
    key: 'outgoing.proxy',
    isSecret: true,
    default: undefined,
    pattern: '^\\S{1,2000}$',
    expected: 'the address of a proxy, such as http://egress.example.internal:3128',
    sentence:
      'HTTP proxy through which calls to other systems leave, by http or https, in place of the variables `HTTPS_PROXY`, `HTTP_PROXY` and `ALL_PROXY`. A secret, because it may hold a password.',
  },
  {
    type: 'list',
    key: 'outgoing.noProxy',
    default: [],
    maxItems: 256,
    pattern: '^[^\\s,]{1,255}$',
    expected: 'names, IP addresses, CIDR blocks or *, separated by commas',
    sentence:
      'Hosts that are called without the proxy, in place of `NO_PROXY`: `*`, names with all names below them, IP addresses and CIDR blocks, each perhaps with a port. This machine never needs to be listed.',
  },
] as const satisfies readonly Setting[];
