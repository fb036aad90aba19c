import { basename, resolve } from 'node:path';
import { TEST_FILE_END } from '#shared/contract/saved-calls.ts';
import { formatQuantity } from '#shared/format.ts';
import { rowNumber } from '#shared/trace/row.ts';
import { type ExitCode, exitCodes } from '#hosts/cli/exit.ts';
import { endOfFault, OpenedFile } from '#hosts/cli/opened-file.ts';
import { faultText, print, say, visibleText } from '#hosts/cli/output.ts';
import { shortPath } from './test-paths.ts';

/** Writes a test file from a trace, and says what has to be set to run it. @param file null for one named like the trace */
export async function writeSuite(trace: string, file: string | null): Promise<ExitCode> {
  const path = resolve(file ?? `${basename(trace).replace(/\.mcptrace$/, '')}${TEST_FILE_END}`);
  try {
    return await OpenedFile.use(resolve(trace), async (opened, { faults }) => {
      for (const fault of faults) say(faultText(fault));
      const { calls, variables, replaced, leftOut } = await opened.request('saved-calls/from-trace', {
        path,
      });
      for (const { row, method, reason } of leftOut)
        say(`left out: ${visibleText(method)}, ${rowNumber(row)}, because ${reason}`);
      if (replaced > 0) say(`${formatQuantity(replaced, 'secret')} replaced`);
      if (variables.length > 0)
        say(`secrets to set: ${variables.map((name) => `--var ${visibleText(name)}`).join(' ')}`);
      await print(`${visibleText(shortPath(path))}: ${formatQuantity(calls, 'call')}`);
      if (calls > 0) return exitCodes.fine;
      say('the trace has no call that can be tested');
      return exitCodes.findings;
    });
  } catch (error) {
    return endOfFault(error);
  }
}
