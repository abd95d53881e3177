import { blockedPortOf, isLoopbackHost, isPrivateAddress } from '../../addresses.ts';
import { envName } from '../settings/setting.ts';
import type { Config } from '../settings/types.ts';
import { type CombinedFault, combinedFault } from '../sources/faults.ts';
import { hostsOf, isChainSource, quorumOf } from './source-types.ts';

/** Returns faults of sources of roots and providers that are valid individually but conflict. */
export function rootsFaults({ roots, profile }: Pick<Config, 'roots' | 'profile'>): CombinedFault[] {
  const faults: CombinedFault[] = [];
  const fault = (...parts: Parameters<typeof combinedFault>): number => faults.push(combinedFault(...parts));
  const sources = roots.sources.filter(isChainSource);
  for (const chain of new Set(sources.map(({ rpc }) => rpc))) {
    const key = `roots.rpc.${chain}`;
    const using = sources.filter(({ rpc }) => rpc === chain);
    const urls = roots.rpc[chain] ?? [];
    if (urls.length === 0) {
      fault(
        key,
        `expected the URLs of providers, since the source ${using[0]?.id} reads this chain; got none`,
        ['roots.sources'],
      );
      continue;
    }
    const hosts = hostsOf(urls).size;
    if (typeof roots.quorum === 'number' && roots.quorum > hosts) {
      fault(
        'roots.quorum',
        `expected at most ${hosts}, the number of providers of ${key} at different hosts; got ${roots.quorum}`,
        [key, 'roots.sources'],
      );
    }
    if (new Set(using.map(({ chainId }) => chainId)).size > 1) {
      fault('roots.sources', `${using.map(({ id }) => id).join(' and ')} name different chains for ${key}`, [
        key,
      ]);
    }
  }
  for (const [chain, urls = []] of Object.entries(roots.rpc)) {
    const key = `roots.rpc.${chain}`;
    if (!urls.every((url) => URL.canParse(url))) fault(key, 'expected http or https URLs');
    else if (profile === 'production' && urls.some(isOpen)) {
      fault(key, 'expected https when profile is "production"; http only on loopback and private addresses', [
        'profile',
      ]);
    }
  }
  for (const [key, url] of urlsOf(roots)) {
    const port = URL.canParse(url) ? blockedPortOf(url) : undefined;
    if (port !== undefined)
      fault(key, `expected another port than ${port}, which is blocked for HTTP clients`);
  }
  for (const source of roots.sources) {
    if (source.kind === 'http' && profile === 'production' && isOpen(source.url)) {
      fault('roots.sources', `${source.id}: expected an https URL when profile is "production"`, ['profile']);
    }
  }
  return faults;
}

/** Returns all URLs that sources call, each with its setting. */
function urlsOf({ rpc, sources, oracles }: Pick<Config, 'roots'>['roots']): [key: string, url: string][] {
  return [
    ...Object.entries(rpc).flatMap(([chain, urls = []]) =>
      urls.map((url): [string, string] => [`roots.rpc.${chain}`, url]),
    ),
    ...sources.flatMap((source): [string, string][] =>
      source.kind === 'http' ? [['roots.sources', source.url]] : [],
    ),
    ...Object.entries(oracles).map(([place, url]): [string, string] => [`roots.oracle.${place}`, url]),
  ];
}

/**
 * Returns the reasons why production refuses the sources of roots: one line for each chain on which a single provider
 * decides.
 */
export function rootsRefusals({ roots }: Pick<Config, 'roots'>): readonly string[] {
  if (roots.allowSingleProvider) return [];
  const chains = new Set(roots.sources.filter(isChainSource).map(({ rpc }) => rpc));
  return [...chains].flatMap((chain) => {
    const urls = roots.rpc[chain] ?? [];
    if (urls.length === 0 || quorumOf(roots, urls) > 1) return [];
    const key = `roots.rpc.${chain}`;
    return [
      `${key} (${envName(key)}): a single provider could invent roots, and so any number of people; name providers of different operators, or set ${envName('roots.allowSingleProvider')}=true for a node of your own`,
    ];
  });
}

/** Returns warnings about providers at the same host, which count as one. */
export function rootsWarnings({ roots }: Pick<Config, 'roots'>): string[] {
  return Object.entries(roots.rpc).flatMap(([chain, urls = []]) => {
    const hosts = hostsOf(urls);
    if (hosts.size === urls.length) return [];
    return [`roots.rpc.${chain}: several URLs have the same host, and so count as one provider`];
  });
}

/** Whether a URL is plain http to an address outside this machine and private networks. */
function isOpen(text: string): boolean {
  const { protocol, hostname } = new URL(text);
  if (protocol === 'https:') return false;
  const host = hostname.replace(/^\[|\]$/g, '');
  return !isLoopbackHost(host) && !isPrivateAddress(host);
}
