/**
 * Validators of e-mail addresses that relying parties use: two libraries themselves, and the rules of others that are not
 * JavaScript, each with its source.
 */
import joi from 'joi';
import validator from 'validator';

/** Whether a text is accepted. */
export type Accepts = (text: string) => boolean;

const MAX_LOCAL_PART = 64;
const ATEXT = "[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+";
const LABEL = '[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?';
/** WHATWG HTML, https://html.spec.whatwg.org/multipage/input.html#valid-e-mail-address */
const HTML = new RegExp(`^${ATEXT}@${LABEL}(?:\\.${LABEL})*$`);
/** RFC 5321 sections 4.1.2 and 4.5.3.1; the path of 256 octets has two angle brackets. */
const DOT_STRING = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Hibernate Validator, `AbstractEmailValidator` and `DomainNameUtil`; Keycloak has a copy, `EmailValidationUtil`. */
const HIBERNATE_ATOM =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uFFFF-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\u0080-\uFFFF-]+)*$/i;
const HIBERNATE_DOMAIN =
  /^(?:[a-z\u0080-\uFFFF0-9!#$%&'*+/=?^_`{|}~]-*)*[a-z\u0080-\uFFFF0-9!#$%&'*+/=?^_`{|}~]+(?:\.(?:[a-z\u0080-\uFFFF0-9!#$%&'*+/=?^_`{|}~]-*)*[a-z\u0080-\uFFFF0-9!#$%&'*+/=?^_`{|}~]+)*$/i;
/** Django, `django.core.validators.EmailValidator`, without its quoted strings and address literals. */
const DJANGO_USER = /^[-!#$%&'*+/=?^_`{}|~0-9A-Z]+(?:\.[-!#$%&'*+/=?^_`{}|~0-9A-Z]+)*$/i;
const DJANGO_DOMAIN = /^(?:[A-Z0-9](?:[A-Z0-9-]{0,61}[A-Z0-9])?\.)+(?:[A-Z0-9-]{2,63})(?<!-)$/i;

function parts(address: string): readonly [string, string] {
  const at = address.lastIndexOf('@');
  return [address.slice(0, at), address.slice(at + 1)];
}

function both(isLocalPart: Accepts, isDomain: Accepts): Accepts {
  return (address) => {
    const [local, domain] = parts(address);
    return isLocalPart(local) && isDomain(domain);
  };
}

/** Validators by name. */
export const EMAIL_VALIDATORS: Readonly<Record<string, Accepts>> = {
  'validator.js': (address) => validator.isEmail(address),
  joi: (address) => joi.string().email().validate(address).error === undefined,
  'an HTML form': (address) => HTML.test(address),
  'RFC 5321': (address) =>
    address.length <= 254 &&
    both(
      (local) => local.length <= MAX_LOCAL_PART && DOT_STRING.test(local),
      (domain) => domain.length <= 255 && HTML.test(`a@${domain}`),
    )(address),
  'Hibernate Validator and Keycloak': both(
    (local) => local.length <= MAX_LOCAL_PART && HIBERNATE_ATOM.test(local),
    (domain) => domain.length <= 255 && HIBERNATE_DOMAIN.test(domain),
  ),
  Django: both(
    (local) => DJANGO_USER.test(local),
    (domain) => DJANGO_DOMAIN.test(domain),
  ),
  'EmailAddressAttribute of .NET': (address) => /^[^@\r\n]+@[^@\r\n]+$/.test(address),
};
