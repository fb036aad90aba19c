/** Whether a URL names this machine (RFC 6761 section 6.3, RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export const isLoopback = ({ hostname }: { readonly hostname: string }): boolean =>
  /^(?:(?:[^.]+\.)*localhost\.?|127(?:\.\d+){3}\.?|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/i.test(
    hostname,
  );
