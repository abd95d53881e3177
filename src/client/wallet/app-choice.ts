import { element, field } from '../dom.ts';
import type { WalletApi } from './calls/wallet-api.ts';

/** Controls that choose an app of the service, or name another one. */
export interface AppChoice {
  readonly nodes: readonly HTMLElement[];
  /** The id of the app. */
  readonly appId: string;
  /** Offers the apps of the service, and chooses the first unless the person has named another one. @throws WalletError `network`, `answer` */
  load(): Promise<void>;
}

const OTHER_APP = '';

/** Creates the controls; until the apps are loaded, only another one can be named. */
export function appChoice(api: Pick<WalletApi, 'listApps'>): AppChoice {
  const apps = element('select', { name: 'app' }, element('option', { value: OTHER_APP }, 'Another app…'));
  const appId = element('code', {});
  const otherApp = element('input', { autocomplete: 'off', spellcheck: 'false', maxlength: '128' });
  const otherField = field('App id', otherApp, 'Begins with app_');
  let isChosen = false;
  const choose = (): void => {
    isChosen = true;
  };
  const show = (): void => {
    otherField.hidden = apps.value !== OTHER_APP;
    otherApp.required = apps.value === OTHER_APP;
    appId.textContent = apps.value;
    appId.hidden = apps.value === OTHER_APP;
  };
  apps.addEventListener('change', show);
  for (const control of [apps, otherApp]) control.addEventListener('input', choose);
  show();
  return {
    nodes: [field('App', apps), appId, otherField],
    get appId() {
      return apps.value || otherApp.value.trim();
    },
    async load() {
      const options = (await api.listApps()).map(({ appId: id, name }) =>
        element('option', { value: id }, name === '' ? id : name),
      );
      apps.prepend(...options);
      if (!isChosen) apps.selectedIndex = 0;
      show();
    },
  };
}
