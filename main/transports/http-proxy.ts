import { request } from 'node:http';
import type { Socket } from 'node:net';
import { getProxyForUrl } from 'proxy-from-env';
import { isLoopback } from '#shared/loopback.ts';
import { StepError } from './http-step-failure.ts';
import { basicCredentials, linesOf } from './http-messages.ts';

/** The proxy for the requests to a URL. */
export interface Proxy {
  readonly url: URL;
  /** Without credentials, such as `http://127.0.0.1:8080`. */
  readonly address: string;
  /** The value of Proxy-Authorization. */
  readonly authorization: string | null;
}

/**
 * The proxy for a URL according to HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY. Never a proxy for this machine:
 * to the proxy, `localhost` would be another machine, which would get our headers.
 *
 * @returns null for a direct connection
 * @throws StepError if the proxy cannot be used
 */
export function proxyFor(url: URL): Proxy | null {
  if (isLoopback(url)) return null;
  const text = getProxyForUrl(url.href);
  if (text === '') return null;
  if (!URL.canParse(text))
    throw unusable('PROXY_INVALID', 'the address of the proxy in the environment is not a URL');
  const proxy = new URL(text);
  const address = `${proxy.protocol}//${proxy.host}`;
  if (proxy.protocol !== 'http:' && proxy.protocol !== 'https:') {
    throw unusable('PROXY_UNSUPPORTED', `${address} is no HTTP proxy`);
  }
  return { url: proxy, address, authorization: basicCredentials(proxy) };
}

/**
 * Asks a proxy for a tunnel through a connection to it (RFC 9110 section 9.3.6).
 *
 * @param target host and port
 * @throws StepError with the response if the proxy refuses; the connection is unusable then
 */
export function openTunnel(socket: Socket, target: string, proxy: Proxy): Promise<void> {
  const credentials = proxy.authorization === null ? [] : ['Proxy-Authorization', proxy.authorization];
  const headers = ['Host', target, ...credentials, 'Connection', 'keep-alive'];
  return new Promise((resolve, reject) => {
    const asked = request({ method: 'CONNECT', path: target, headers, createConnection: () => socket });
    asked.on('error', reject);
    asked.on('connect', (response, _socket, rest) => {
      const { statusCode = 0, statusMessage = '', httpVersion, rawHeaders } = response;
      if (statusCode >= 200 && statusCode < 300) {
        if (rest.length > 0) socket.unshift(rest);
        resolve();
        return;
      }
      const status = `${statusCode} ${statusMessage}`.trimEnd();
      const head = [
        `HTTP/${httpVersion} ${status}`,
        ...linesOf(rawHeaders).map(([name, value]) => `${name}: ${value}`),
      ];
      const answer = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), rest]);
      const message = `the proxy ${proxy.address} answered ${status}`;
      reject(new StepError({ step: 'proxy', code: `PROXY_${statusCode}`, message }, answer));
    });
    asked.end();
  });
}

const unusable = (code: string, message: string): StepError =>
  new StepError({ step: 'proxy', code, message });
