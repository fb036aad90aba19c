// Loaded before the app (`node --import`): notes every line that is handed to the file of a trace, at once and in a file of
// its own, so that it is known what a killed process had recorded.
import { openSync, writeSync } from 'node:fs';
import { TraceFile } from '#trace/trace-file.ts';
import { NOTE_BYTES, WITNESS } from './handed-over-notes.ts';

const path = process.env[WITNESS];
if (path === undefined) throw new Error(`${WITNESS} names no file`);
const notes = openSync(path, 'ax', 0o600);
const note = Buffer.alloc(NOTE_BYTES);
const append = TraceFile.prototype.append;

// Noted first, so that nothing is in the file that was not noted.
TraceFile.prototype.append = function (line) {
  const { user, system } = process.threadCpuUsage();
  note.writeDoubleLE(this.size + Buffer.byteLength(line), 0);
  note.writeDoubleLE(user + system, 8);
  writeSync(notes, note);
  return append.call(this, line);
};
