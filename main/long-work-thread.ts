import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { Budget } from '#shared/budget.ts';
import { FaultError, messageOf } from '#shared/contract/fault.ts';
import { type LongTaskName, longTasks } from './long-tasks.ts';
import { type LongTaskAnswer, taskOf, THOROUGH } from './long-work.ts';

// The entry of a thread that runs one task, and ends.
const requestSchema = z.object({
  name: z.custom<LongTaskName>((name) => typeof name === 'string' && Object.hasOwn(longTasks, name)),
  input: z.unknown(),
});

async function answerTo(data: unknown): Promise<LongTaskAnswer> {
  try {
    const { name, input } = requestSchema.parse(data);
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the engine sent what this task takes
    const output: unknown = await taskOf(name).run(input as never, {
      budget: new Budget(THOROUGH),
      isBrief: false,
    });
    return { ok: true, output };
  } catch (error) {
    return { ok: false, fault: error instanceof FaultError ? error.fault : null, message: messageOf(error) };
  }
}

parentPort?.postMessage(await answerTo(workerData));
