// Says in one line that the Node under a script is too old; npm scripts put the `node` package (24) first on PATH.
const major = Number(process.versions.node.split('.')[0]);
if (major < 22) {
  console.error(
    `Sightglass's scripts need Node 22 or newer, this is ${process.version}: run them through npm after "npm ci".`,
  );
  process.exit(1);
}
