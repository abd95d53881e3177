/**
 * API reference of a listener (spec/operations.md#openapi): Swagger UI, from the file of its package, shows the OpenAPI
 * document of the listener.
 */
import { element } from '../dom.ts';

/** The part of Swagger UI that is used; its file is a classic script, which defines this global. */
declare global {
  var SwaggerUIBundle: (options: Readonly<Record<string, unknown>>) => unknown;
}

const root = document.querySelector<HTMLElement>('#docs');
if (root !== null) showDocument(root, root.dataset);

function showDocument(domNode: HTMLElement, { documentUrl, programUrl = '' }: DOMStringMap): void {
  followTheme();
  const program = element('script', { src: programUrl });
  program.addEventListener('load', () => {
    SwaggerUIBundle({
      domNode,
      url: documentUrl,
      // Nothing is sent to other servers, and a token is kept only as long as the page is open.
      validatorUrl: null,
      persistAuthorization: false,
      // The document cannot be replaced by a URL parameter.
      queryConfigEnabled: false,
      deepLinking: true,
      docExpansion: 'list',
      defaultModelsExpandDepth: 0,
    });
  });
  program.addEventListener('error', () => {
    domNode.replaceChildren(element('p', { role: 'alert' }, 'The page could not be loaded. Reload it.'));
  });
  document.head.append(program);
}

/** Follows the colour scheme of the system; Swagger UI has a class for the dark one. */
function followTheme(): void {
  const dark = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => void document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}
