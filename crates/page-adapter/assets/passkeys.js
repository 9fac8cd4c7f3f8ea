// Adds passkeys and signs in with them. The only script of the pages: browsers offer passkeys to scripts alone.
// The page has the form; this asks the server for a challenge and the browser for a passkey, fills in the
// hidden fields, and submits the form like any other.
'use strict';

const fromBase64url = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const toBase64url = (buffer) =>
  btoa(Array.from(new Uint8Array(buffer), (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

const words = (text) => text.split(' ').filter((word) => word !== '');

/** Returns a challenge, or null if the server wants to answer the form itself. */
async function challenge(form) {
  const body = new URLSearchParams({ form_token: form.elements.form_token.value });
  const answer = await fetch(form.dataset.begin, { method: 'POST', body });
  if (answer.status === 403) return null;
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return new TextEncoder().encode(await answer.text());
}

async function signIn(form, challenge) {
  const { id, response } = await navigator.credentials.get({
    publicKey: { challenge, rpId: form.dataset.relyingParty, userVerification: 'required', timeout: 300000 },
  });
  return {
    credential_id: id,
    user_handle: toBase64url(response.userHandle ?? new ArrayBuffer(0)),
    client_data: toBase64url(response.clientDataJSON),
    authenticator_data: toBase64url(response.authenticatorData),
    signature: toBase64url(response.signature),
  };
}

async function register(form, challenge) {
  const { relyingParty, userHandle, email, algorithms, existing } = form.dataset;
  const { response } = await navigator.credentials.create({
    publicKey: {
      challenge,
      rp: { id: relyingParty, name: 'Restwell' },
      user: { id: fromBase64url(userHandle), name: email, displayName: email },
      pubKeyCredParams: words(algorithms).map((alg) => ({ type: 'public-key', alg: Number(alg) })),
      excludeCredentials: words(existing).map((id) => ({ type: 'public-key', id: fromBase64url(id) })),
      authenticatorSelection: { residentKey: 'required', requireResidentKey: true, userVerification: 'required' },
      attestation: 'none',
      timeout: 300000,
    },
  });
  return {
    client_data: toBase64url(response.clientDataJSON),
    attestation_object: toBase64url(response.attestationObject),
    transports: (response.getTransports?.() ?? []).join(' '),
  };
}

async function run(form, ceremony) {
  const begun = await challenge(form);
  const fields = begun === null ? {} : await ceremony(form, begun);
  for (const [name, value] of Object.entries(fields)) form.elements[name].value = value;
  form.submit();
}

/** Runs a ceremony before a form is submitted, if the form needs one. */
function prepare(form, ceremony, needsOne = () => true) {
  const button = form.querySelector('button');
  const message = form.querySelector('[data-failed]');
  form.addEventListener('submit', async (event) => {
    if (!needsOne()) return;
    event.preventDefault();
    button.disabled = true;
    message.textContent = '';
    try {
      await run(form, ceremony);
    } catch (error) {
      const { failed, known } = message.dataset;
      message.textContent = error.name === 'InvalidStateError' && known ? known : failed;
    }
    button.disabled = false;
  });
  // A page from the browser's history keeps the state of its button.
  window.addEventListener('pageshow', () => { button.disabled = false; });
  form.hidden = false;
  for (const field of form.querySelectorAll('[data-needs-script]')) field.disabled = false;
}

if (window.PublicKeyCredential) {
  for (const [id, ceremony] of [['passkey-sign-in', signIn], ['passkey-add', register]]) {
    const form = document.getElementById(id);
    if (form) prepare(form, ceremony);
  }
  // Passkeys stay only if the person confirms with one.
  const reset = document.getElementById('set-password');
  if (reset) prepare(reset, signIn, () => reset.querySelector('[name=keep_passkey]:checked') !== null);
}
