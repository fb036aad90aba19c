/** Whether a variable of this name holds a secret, as far as a name can say. */
export const isSecretVariable = (name: string): boolean =>
  /(?:^|_)(?:API_?KEY|KEY|TOKEN|SECRET|PASSWORD|PASSPHRASE|PASSWD|PASS|PWD|CREDENTIALS?|AUTH|PAT|JWT)(?:_|$)/i.test(
    name,
  ) || /(?:PASSWORD|PASSWD|SECRET|TOKEN|APIKEY)$/i.test(name);

/** Parameters of a URL that carry credentials (OAuth and what APIs commonly use), in small letters only. */
const credentialParameters: ReadonlySet<string> = new Set(
  (
    'accesstoken refreshtoken idtoken token authtoken sessiontoken jwt code codeverifier clientsecret ' +
    'clientassertion assertion apikey xapikey key secret password passwd pwd sig signature xamzsignature ' +
    'xamzsecuritytoken xgoogsignature'
  ).split(' '),
);

/** Whether a parameter of a URL carries a credential, whatever the style of its name (`api_key`, `apiKey`). */
export const isCredentialParameter = (name: string): boolean =>
  credentialParameters.has(name.toLowerCase().replaceAll(/[^a-z]/g, ''));
