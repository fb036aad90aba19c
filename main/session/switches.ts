import { goodClient, type Switches } from '#shared/contract/sessions.ts';

/** Which switches are on, in a few words each, for the record and the screen. */
export function switchWords(switches: Switches): string[] {
  const { initialized, versionHeader, standardHeaders, meta } = switches;
  const words: (string | false)[] = [
    initialized.how === 'withhold' && 'notifications/initialized withheld',
    initialized.how === 'delay' && `notifications/initialized delayed by ${initialized.milliseconds} ms`,
    switches.omitSessionId && 'Mcp-Session-Id left out',
    versionHeader.how === 'omit' && 'MCP-Protocol-Version left out',
    versionHeader.how === 'replace' && `MCP-Protocol-Version: ${versionHeader.value}`,
    standardHeaders === 'omit' && 'Mcp-Method, Mcp-Name and Mcp-Param-* left out',
    standardHeaders === 'disagree' && 'Mcp-Method, Mcp-Name and Mcp-Param-* at odds with the body',
    meta.how === 'omit' && '_meta of requests left out',
    meta.how === 'change' && `_meta of requests changed: ${Object.keys(meta.members).join(', ')}`,
    switches.noProgressToken && 'no progress token',
    switches.noStandingStream && 'no GET stream',
    switches.keepExpired && 'an expired session is kept',
  ];
  return words.filter((word) => word !== false);
}

/** The switches of each server, for this run of the app. */
export class SwitchBoard {
  readonly #byServer = new Map<string, Switches>();

  of(serverId: string): Switches {
    return this.#byServer.get(serverId) ?? goodClient;
  }

  set(serverId: string, switches: Switches): void {
    this.#byServer.set(serverId, switches);
  }
}
