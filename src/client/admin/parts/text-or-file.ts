import { element } from '../../dom.ts';
import { FieldError, type FormField, formField } from './form.ts';

/** A text that is pasted or read from a file. */
export interface TextOrFile {
  /** The text first; it also shows what is wrong with a file. */
  readonly fields: readonly [text: FormField, file: FormField];
  /** Returns the text. @throws FieldError if there is none, or both. */
  read(): Promise<string>;
  clear(): void;
}

/** Creates the two fields of a text. @param accept - Kinds of files, as for a file control. */
export function textOrFile(name: string, label: string, hint: string, accept: string): TextOrFile {
  const text = element('textarea', {
    ...{ name, rows: '5', class: 'mono', spellcheck: 'false', autocomplete: 'off' },
  });
  const file = element('input', { type: 'file', name: `${name}_file`, accept });
  return {
    fields: [formField(name, label, text, hint), formField(`${name}_file`, 'Or a file with it', file)],
    async read() {
      const chosen = file.files?.[0];
      const pasted = text.value.trim();
      if (chosen !== undefined && pasted !== '') {
        throw new FieldError(name, 'Give the text or a file, not both.');
      }
      const content = chosen === undefined ? pasted : (await chosen.text()).trim();
      if (content === '') {
        throw new FieldError(
          name,
          chosen === undefined ? 'Paste the text or choose a file.' : 'The file is empty.',
        );
      }
      return content;
    },
    clear() {
      text.value = '';
      file.value = '';
    },
  };
}
