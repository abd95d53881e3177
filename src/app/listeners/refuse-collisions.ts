import { envName, throwFaults } from '../../config/index.ts';
import { type RouteGroup, routeCollisions } from '../../http/index.ts';

/**
 * Refuses public addresses whose paths would make two interfaces answer the same requests.
 *
 * @throws ServiceError `config.invalid`
 */
export function refuseCollisions(groups: readonly RouteGroup[]): void {
  throwFaults(
    routeCollisions(groups).map(({ settings: [one, other], patterns }) => {
      const names = `${one} (${envName(one)}) and ${other} (${envName(other)})`;
      return `${names}: expected paths that keep the interfaces apart, but ${patterns.join(' and ')} match the same requests`;
    }),
  );
}
