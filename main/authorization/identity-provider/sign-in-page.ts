/** What the sign-in page shows. All of it is escaped. */
export interface SignInForm {
  /** Names the authorization request that the form belongs to. */
  readonly request: string;
  readonly user: string;
  readonly clientId: string;
}

const TITLE = 'Test identity provider of Sightglass';

/** The sign-in page: one form, without scripts. */
export const signInPage = ({ request, user, clientId }: SignInForm): string =>
  page(`<p>This is not a real identity provider. Sightglass runs it on this machine for one authorization flow, and it accepts every name.</p>
<form method="post" action="/sign-in">
<input type="hidden" name="request" value="${escaped(request)}">
<p><label for="user">Test user</label><br><input id="user" name="user" value="${escaped(user)}" required maxlength="200" autofocus></p>
<p><button>Sign in to ${escaped(clientId)}</button></p>
</form>`);

/** Says why nobody can sign in. */
export const signInError = (text: string): string => page(`<p role="alert">${escaped(text)}</p>`);

/** Readable in both color schemes, with the colors of the browser. */
const page = (body: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="color-scheme" content="light dark"><meta name="viewport" content="width=device-width"><title>${TITLE}</title><main><h1>${TITLE}</h1>
${body}</main></html>`;

const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
