import type { NewPasskeyConfig, PasskeyConfig } from '../../../../../pages.ts';
import { escapeHtml } from '../../../../../text.ts';

/** Renders a button about a passkey, which the script shows where the browser knows passkeys. */
export function passkeyButton(
  config: PasskeyConfig | NewPasskeyConfig,
  nameHtml: string,
  noteHtml: string,
): string {
  return `<div class="passkey" data-passkey="${escapeHtml(JSON.stringify(config))}" hidden>
<button type="button">${nameHtml}</button>
<p class="hint">${noteHtml}</p>
<p role="status"></p>
</div>`;
}
